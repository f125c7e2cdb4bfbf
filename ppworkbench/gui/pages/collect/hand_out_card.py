"""What is handed out: the address as words and QR code, trial page, kiosk and tokens."""

from __future__ import annotations

from pathlib import Path

from PySide6.QtCore import QRectF, QSize, Qt, QUrl
from PySide6.QtGui import (
    QColor,
    QGuiApplication,
    QKeyEvent,
    QPaintEvent,
    QPixmap,
)
from PySide6.QtWidgets import QDialog, QLineEdit, QSizePolicy, QWidget

from ppworkbench.core.errors import WorkbenchError
from ppworkbench.fieldwork.kit.kit import asked_in
from ppworkbench.fieldwork.page.model import page_model
from ppworkbench.fieldwork.poster import code_modules, make_poster
from ppworkbench.gui.collecting import Collecting
from ppworkbench.gui.dialogs import ask_number, save_file, show_dialog
from ppworkbench.gui.language import speech, tr, translate
from ppworkbench.gui.numbers import counted, number
from ppworkbench.gui.pdf.kit import print_kit
from ppworkbench.gui.theme import ThemeManager, set_fill, set_rules, smooth_painter
from ppworkbench.gui.widgets.card import Card
from ppworkbench.gui.widgets.controls import Button, IconButton
from ppworkbench.gui.widgets.layout import column, line, named, row, scroll_area, show_words, text
from ppworkbench.gui.widgets.phone import Phone
from ppworkbench.gui.workbench import Workbench
from ppworkbench.study.bundle_target import file_stem
from ppworkbench.study.study import Study

_LARGEST_TOKENS = 100_000
_PHONE = (124, 235)
_QUIET = 4
"""Modules of white around a QR code, which readers need."""


def is_local(address: str) -> bool:
    """Whether only this computer reaches an address."""
    host = QUrl(address).host()
    return host in ("localhost", "::1") or host.startswith("127.")


class QrCode(QWidget):
    """An address as a QR code, black on white in every theme."""

    def __init__(self, themes: ThemeManager, least: int = 132) -> None:
        super().__init__()
        self._themes, self._least = themes, least
        self._address = ""
        self._modules: tuple[tuple[int, ...], ...] = ()
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.setObjectName("qrCode")

    def show_address(self, address: str) -> None:
        if address == self._address:
            return
        self._address = address
        self._modules = code_modules(address) if address else ()
        self.setAccessibleName(tr("QR code of %s") % address)
        self.update()

    def minimumSizeHint(self) -> QSize:  # noqa: N802
        return self.sizeHint()

    def sizeHint(self) -> QSize:  # noqa: N802
        side = self._themes.theme.px(self._least)
        return QSize(side, side)

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        """Draw squares of whole pixels: blurred edges are hard to read."""
        count = len(self._modules) + 2 * _QUIET
        if count == 2 * _QUIET:
            return
        painter = smooth_painter(self)
        ratio = self.devicePixelRatioF()
        square = max(int(min(self.width(), self.height()) * ratio / count), 1) / ratio
        side = square * count
        left, top = (self.width() - side) / 2, (self.height() - side) / 2
        set_fill(painter, QColor(Qt.GlobalColor.white))
        painter.drawRoundedRect(QRectF(left, top, side, side), 4, 4)
        painter.setRenderHint(painter.RenderHint.Antialiasing, False)
        painter.setBrush(QColor(Qt.GlobalColor.black))
        for y, modules in enumerate(self._modules):
            for x, dark in enumerate(modules):
                if dark:
                    at = left + (x + _QUIET) * square, top + (y + _QUIET) * square
                    painter.drawRect(QRectF(*at, square, square))


class PhonePicture(QWidget):
    """A small telephone with the first question of the page."""

    def __init__(self, themes: ThemeManager) -> None:
        super().__init__()
        self._themes = themes
        self._shown: object = None
        self._phone = Phone(themes)
        self._phone.area.setVerticalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        themes.apply_theme(self._phone)
        self._picture: QPixmap | None = None
        self.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
        named(self, "phonePicture", tr("The page as on a phone"))
        themes.theme_changed.connect(self._redraw)

    def show_study(self, study: Study) -> None:
        asked = (study.asked_design, study.questionnaire, speech.language)
        if asked == self._shown:
            return
        self._shown = asked
        questionnaire = asked_in(study, speech.language)
        try:
            sheet = page_model(study.asked_design, questionnaire).sheet()
        except WorkbenchError:
            # Why it cannot be asked is said where collecting starts.
            self.hide()
            return
        self.setVisible(sheet is not None)
        if sheet is not None:
            self._phone.show_sheet(sheet)
            said = self._phone.screen_shown.accessibleDescription()
            self.setAccessibleDescription(said)
        self._redraw()

    def _redraw(self) -> None:
        self._picture = None
        self.updateGeometry()
        self.update()

    def sizeHint(self) -> QSize:  # noqa: N802
        px = self._themes.theme.px
        return QSize(px(_PHONE[0]), px(_PHONE[1]))

    def paintEvent(self, event: QPaintEvent) -> None:  # noqa: ARG002, N802
        if self._picture is None:
            self._phone.resize(self._phone.sizeHint())
            self._picture = self._phone.grab()
        painter = smooth_painter(self)
        painter.setRenderHint(painter.RenderHint.SmoothPixmapTransform)
        painter.drawPixmap(self.rect(), self._picture)


class AddressScreen(QDialog):
    """The address for a room: QR code and words that fill the screen. Esc or a click leaves."""

    def __init__(self, themes: ThemeManager, title: str, address: str, parent: QWidget) -> None:
        super().__init__(parent)
        self.setObjectName("addressScreen")
        self.setWindowTitle(title)
        self.code = QrCode(themes, 320)
        self.code.show_address(address)
        self.words = named(text(address, "display"), "addressWords")
        self.heading = text(title, "title")
        for label in (self.words, self.heading):
            label.setAlignment(Qt.AlignmentFlag.AlignCenter)
        hint = text(tr("Esc leaves the full screen."), "hint", align=Qt.AlignmentFlag.AlignCenter)
        layout = column(self.heading, self.code, self.words, hint, parent=self, spacing=16)
        layout.setContentsMargins(32, 28, 32, 20)
        layout.setStretch(1, 1)
        size = themes.theme.px(44)
        set_rules(self.words, f"font-size: {size}px;")
        # Not every window manager lets a dialog fill the screen by its state alone.
        self.setGeometry(parent.screen().geometry())
        self.setWindowState(Qt.WindowState.WindowFullScreen)

    def keyPressEvent(self, event: QKeyEvent) -> None:  # noqa: N802
        if event.key() in (Qt.Key.Key_Escape, Qt.Key.Key_Return, Qt.Key.Key_Space, Qt.Key.Key_F11):
            self.accept()
        else:
            super().keyPressEvent(event)

    def mousePressEvent(self, event: object) -> None:  # noqa: ARG002, N802
        self.accept()


class HandOutCard(Card):
    """Address and code of the running collector, and what is made of them."""

    def __init__(self, workbench: Workbench, collecting: Collecting) -> None:
        super().__init__(padding=0)
        self.setObjectName("handOut")
        self._workbench, self._collecting = workbench, collecting
        themes = self._themes = workbench.themes
        self.full_screen = named(Button(themes, tr("Full screen"), look="link"), "fullScreenCode")
        self.code = QrCode(themes)
        self.address = named(QLineEdit(), "collectAddress", tr("Address of the page"))
        self.address.setReadOnly(True)
        self.copy = named(IconButton(themes, "copy", tr("Copy address")), "copyAddress")
        self.reach = named(text("", "hint", wrap=True), "addressReach")
        self.warning = named(text("", "warning", wrap=True), "addressWarning")
        self.try_page = named(Button(themes, tr("Try the page"), look="link"), "tryPage")
        self.kiosk = named(Button(themes, tr("Kiosk mode"), look="link"), "kioskPage")
        self.kiosk.setToolTip(tr("For one device that many people use: it forgets each of them."))
        self.poster = named(Button(themes, tr("Print a poster…"), look="link"), "printPoster")
        self.phone = PhonePicture(themes)
        self.stop = named(Button(themes, tr("Stop the collector"), look="link"), "stopCollector")
        self.stop.setToolTip(tr("The collection stays open; run the collector again at any time."))
        self.tokens = named(text("", "hint", wrap=True), "tokenWords")
        self.make_tokens = named(Button(themes, tr("Make tokens…"), look="link"), "makeTokens")
        self._arrange()
        for button, do in (
            (self.full_screen, self.show_address), (self.copy, self._copy_address),
            (self.try_page, self._open_page), (self.kiosk, lambda: self._open_page("kiosk")),
            (self.poster, self._choose_poster), (self.stop, collecting.stop),
            (self.make_tokens, self._ask_for_tokens),
        ):  # fmt: skip
            button.clicked.connect(lambda *_, do=do: do())

    def _arrange(self) -> None:
        inner = QWidget()
        self._served = QWidget()
        beside = column(
            text(tr("As on a phone"), "strong", wrap=True),
            text(tr("The page draws before it sends."), "hint", wrap=True),
            4,
            row(self.try_page, None),
            row(self.poster, None),
            row(self.kiosk, None),
            8,
            text(tr("Tokens"), "strong"),
            self.tokens,
            row(self.make_tokens, None),
            None,
            spacing=4,
        )
        phone = row(column(self.phone, None), beside, spacing=12, stretch=1)
        served = column(
            self.code,
            row(self.address, self.copy),
            self.reach,
            self.warning,
            line(),
            phone,
            row(self.stop, None),
            parent=self._served,
            spacing=6,
        )
        served.setStretch(0, 1)
        layout = column(
            row(text(tr("Invite people"), "strong"), None, self.full_screen),
            self._served,
            parent=inner,
            spacing=8,
        )
        layout.setStretch(1, 1)
        layout.setContentsMargins(14, 10, 14, 10)
        self.body.addWidget(scroll_area(inner), 1)

    def show_collection(
        self, address: str | None, *, is_secure: bool, tokens_left: int | None
    ) -> None:
        address = address or ""
        self.code.show_address(address)
        if self.address.text() != address:
            self.address.setText(address)
            self.address.setCursorPosition(0)
        local = is_local(address)
        self.reach.setText(
            tr("for browsers on this computer") if local else tr("for phones on the same network")
        )
        open_words = tr(
            "On this network others could read the randomised answers or change the page."
        )
        show_words(self.warning, open_words if not local and not is_secure else "")
        self.poster.setEnabled(not local)
        why = tr("Only browsers on this computer reach this address. Allow other devices first.")
        self.poster.setToolTip(why if local else tr("A4 page with title, code and address, as PDF"))
        if tokens_left is None:
            self.tokens.setText(tr("off: anyone with the link can answer, even twice"))
        else:
            words = counted(tokens_left, tr("1 token is left"), tr("%s tokens are left"))
            self.tokens.setText(words)

    @property
    def first(self) -> QWidget:
        return self.full_screen

    def show_address(self) -> None:
        address = self.address.text()
        if address:
            title = self._workbench.store.study.title
            show_dialog(AddressScreen(self._themes, title, address, self.window()), self._themes)

    def _copy_address(self) -> None:
        QGuiApplication.clipboard().setText(self.address.text())
        self._workbench.show_toast(tr("Address copied."))

    def _open_page(self, part: str = "") -> None:
        address = self.address.text().rstrip("/")
        self._workbench.open_outside(QUrl(f"{address}/{part}"))

    def _choose_poster(self) -> None:
        stem = file_stem(self._workbench.store.study.title)
        start = self._workbench.last_folder / f"{stem}-poster.pdf"
        title = tr("Save the poster")
        save_file(self, title, str(start), "PDF (*.pdf)", self._write_poster)

    def _write_poster(self, path: Path) -> None:
        study, address = self._workbench.store.study, self.address.text()
        asked = asked_in(study, speech.language)
        language = speech.language if speech.language in asked.languages else asked.language
        self._workbench.save(path, lambda: print_kit(make_poster(study, address, language), path))

    def _ask_for_tokens(self) -> None:
        from ppworkbench.fieldwork.collector.server import TOKEN_WARNING

        words = tr("How many? From then on every answer needs one.")
        dialog = ask_number(
            self, self._themes, tr("Make tokens"), f"{words}\n\n{translate(TOKEN_WARNING)}",
            100, (1, _LARGEST_TOKENS), lambda count: self._choose_token_file(int(count)),
        )  # fmt: skip
        dialog.setDoubleDecimals(0)

    def _choose_token_file(self, count: int) -> None:
        save_file(
            self, tr("Save tokens"), str(self._workbench.last_folder / "tokens.csv"),
            tr("List or slips to print (*.csv *.html)"),
            lambda path: self._make_tokens(count, path),
        )  # fmt: skip

    def _make_tokens(self, count: int, path: Path) -> None:
        words = tr("%s tokens saved as %s.") % (number(count), path.name)
        self._collecting.make_tokens(count, path, lambda: self._workbench.show_toast(words))
