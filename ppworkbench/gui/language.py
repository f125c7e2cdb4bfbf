"""The language of the window: its texts, its numbers, and the switch to another."""

from __future__ import annotations

import re

from PySide6.QtCore import QCoreApplication, QEvent, QLibraryInfo, QLocale, QObject, QTranslator

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.files import resource
from ppworkbench.core.message import Message
from ppworkbench.study.language import ENGLISH, LANGUAGES, Catalogue, Language, read_catalogue
from ppworkbench.study.study import Study

_BEFORE_PERCENT = re.compile(r"(?<=\d) (?=%)")
_OF_QT = re.compile(r"Q[A-Z]")
_KEYS = "QShortcut"


class CatalogueTranslator(QTranslator):
    """Answers every ``tr()`` from a catalogue, whichever widget asks."""

    def __init__(self, catalogue: Catalogue, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._catalogue = catalogue

    def translate(  # type: ignore[override]  # Qt takes None, the stubs do not
        self,
        context: str,
        source: str,
        disambiguation: str | None = None,
        n: int = -1,  # noqa: ARG002
    ) -> str | None:
        """The text in the other language, or the source where nobody has translated it.

        None leaves Qt's own dialogs to Qt's own translation; the names of keys always, because
        a word such as Shift means something else on a page.
        """
        if _OF_QT.match(context):
            return None if context == _KEYS else self._catalogue.phrase(source)
        return self._catalogue.meant(source, disambiguation or "")

    def isEmpty(self) -> bool:  # noqa: N802
        return False


SYSTEM = "system"
"""The choice of whatever language the system has."""


class InstalledLanguage:
    """Holds the translators that are installed, for the whole program."""

    def __init__(self) -> None:
        self.language = ENGLISH
        use_locale(ENGLISH)
        self.catalogue = Catalogue({})
        self._installed: list[QTranslator] = []

    def choose(self, choice: str) -> None:
        """Speak a language of the program, or that of the system, from now on.

        Widgets keep the texts they were made with; the window is made anew after this. Numbers in
        the fields of any window are written anew at once.
        """
        language = detect_language(choice, QLocale.system())
        use_locale(language)
        if language == self.language:
            return
        if language == ENGLISH:
            self.use(language, Catalogue({}))
            return
        here = QLocale()
        catalogue = read_catalogue(
            resource("languages", language),
            decimal=here.decimalPoint(), thousands=here.groupSeparator(),
        )  # fmt: skip
        self.use(language, catalogue)

    def use(self, language: str, catalogue: Catalogue) -> None:
        for old in self._installed:
            QCoreApplication.removeTranslator(old)
        self._installed = []
        self.language, self.catalogue = language, catalogue
        if language == ENGLISH:
            return
        # The buttons of Qt's own dialogs.
        own = QTranslator()
        if own.load(
            f"qtbase_{language}", QLibraryInfo.path(QLibraryInfo.LibraryPath.TranslationsPath)
        ):
            self._installed.append(own)
        self._installed.append(CatalogueTranslator(catalogue))
        for new in self._installed:
            QCoreApplication.installTranslator(new)


def use_locale(language: str) -> None:
    """Write and read all numbers and dates of the window as a language does.

    The formats of the system are not used: sentences of the core have those of the language, a
    number would mean something else in the next field, and what Qt writes in the locale "C"
    depends on its version.
    """
    QLocale.setDefault(QLocale(language))
    app = QCoreApplication.instance()
    if app is not None:
        # Widgets keep the locale they were made with, and give it to those put into them later;
        # told that it changed, the application passes the new one on to all windows.
        QCoreApplication.sendEvent(app, QEvent(QEvent.Type.LocaleChange))


def detect_language(choice: str, system: QLocale) -> str:
    """The language that is meant; English where the system's is none of ours."""
    if choice in LANGUAGES:
        return choice
    return next((code for code in LANGUAGES if speaks(system, code)), ENGLISH)


def speaks(locale: QLocale, language: str) -> bool:
    return locale.language() == QLocale(language).language()


speech = InstalledLanguage()
"""What is spoken now; Qt has one list of translators for the whole program as well."""


def tr(words: str, meaning: str = "") -> str:
    """Translate a sentence; for functions and classes that Qt gives no ``tr`` of their own.

    ``meaning`` tells words apart that are the same only in English: to run, and a run.
    """
    return QCoreApplication.translate("ppworkbench", words, meaning)


def translate(sentence: str) -> str:
    """What the core says (errors, readings, labels, notes), in the language of the window.

    A percent sign has a narrow space before it, as in the window's own texts.
    """
    return _BEFORE_PERCENT.sub("\u202f", speech.catalogue.sentence(sentence))


def own_words(words: str) -> str:
    """A title or unit: those of the program's samples are translated, others are somebody's own."""
    return translate(words) if isinstance(words, Message) else words


def told_error(error: BaseException | None, study: Study) -> str:
    """Why something failed, in the language of the window and with the titles of a study."""
    said = error.message if isinstance(error, WorkbenchError) else str(error)
    return translate(study.titled(said))


def tongue() -> Language:
    """The language of the window, for what it writes: reports and checklists."""
    return Language(speech.language, speech.catalogue.sentence)


def language_name(code: str) -> str:
    """What a language calls itself; its code where Qt does not know it.

    >>> language_name("pl")
    'Polski'
    """
    found = QLocale(code).nativeLanguageName()
    if QLocale(code).language() == QLocale.Language.C or not found:
        return code
    # English is "American English" where no country is named.
    if code == "en":
        return "English"
    return found[0].upper() + found[1:]
