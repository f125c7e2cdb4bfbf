"""What the respondent's page says, question by question, in one language.

The page and every picture of it are made from one model, so that they cannot differ.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from types import MappingProxyType

from ppworkbench.core.data.attribute import MISSING_VALUE, Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute
from ppworkbench.core.design.arms import DesignArm
from ppworkbench.core.design.design_file import publishable
from ppworkbench.core.design.linked_waves import linking_column
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.errors import DataError
from ppworkbench.fieldwork.page.explain import Explainer, languages, words_of
from ppworkbench.study.questionnaire.document import Questionnaire
from ppworkbench.study.questionnaire.texts import Texts, list_items

MOST_BUTTONS = 12
"""More answers than this are offered as a list to choose from."""
_RIGHT_TO_LEFT = frozenset({"ar", "dv", "fa", "he", "ps", "sd", "ug", "ur", "yi"})
_SCRIPTS = frozenset({"arab", "hebr", "thaa", "syrc", "nkoo", "adlm"})
_TEMPLATE_WORDS = (
    "promise_title", "promise", "promise_bare", "promise_ask", "promise_memory", "promise_linked",
    "promise_key", "no_memory", "no_script", "choose", "skip_seen", "review", "review_once",
    "finish", "ready_title", "ready_text", "next", "previous", "review_title",
    "review_text", "once", "once_code", "exactly", "back", "send", "save", "save_again",
    "done_title", "code", "code_needed", "code_hint", "preview", "new_person", "language",
    "already", "seen", "promise_shown",
)  # fmt: skip
"""The page's own words that stand in it from the start."""
_SCRIPT_WORDS = (
    "progress", "skipped", "empty_set", "unanswered", "your_answer", "will_be_sent", "sent",
    "saved", "not_sent", "your_version", "no_version", "sending", "again_soon", "again_busy",
    "again_paused", "wrong_code", "closed", "other_design", "unfit", "preview_sent", "idle",
    "no_code", "arrived",
)  # fmt: skip


def direction_of(language: str) -> str:
    """In which direction a language is written.

    >>> direction_of("pl"), direction_of("he"), direction_of("az-Arab")
    ('ltr', 'rtl', 'rtl')
    """
    code, *parts = language.split("-")
    scripts = [part.lower() for part in parts if len(part) == 4]
    is_left = scripts[0] in _SCRIPTS if scripts else code in _RIGHT_TO_LEFT
    return "rtl" if is_left else "ltr"


@dataclass(frozen=True)
class Wording:
    """What a survey says in one language, and how its questions are laid out.

    Questions that nothing is known of stand last, on the last page.
    """

    language: str
    texts: Texts = field(default_factory=Texts)
    title: str = ""
    introduction: str = ""
    thanks: str = ""
    helps: Mapping[str, str] = field(default_factory=dict)
    units: Mapping[str, str] = field(default_factory=dict)
    pages: Mapping[str, int] = field(default_factory=dict)
    """The page of every question, in the order in which they are asked."""
    required: frozenset[str] = frozenset()
    words_language: str = "en"
    """The language of buttons and explanations."""
    review: bool = False
    """Whether respondents see what will be sent, and cannot change their answers any more then."""

    @classmethod
    def of(cls, questionnaire: Questionnaire, language: str) -> Wording:
        """The words of a questionnaire; those of its main language where one is missing."""
        asked, main = questionnaire.questions, questionnaire.language

        def said(text: Mapping[str, str]) -> str:
            return text.get(language) or text.get(main, "")

        return cls(
            language,
            questionnaire.page_texts(language),
            said(questionnaire.title),
            said(questionnaire.introduction),
            said(questionnaire.thanks),
            MappingProxyType({one.name: said(one.help) for one in asked if one.help}),
            MappingProxyType({one.name: said(one.unit) for one in asked if one.unit}),
            MappingProxyType({one.name: one.page for one in asked}),
            frozenset(one.name for one in asked if one.required),
            words_language(language, main),
            questionnaire.review,
        )


def words_language(language: str, main: str) -> str:
    """The language of the page's own words: its own, the main one, or English.

    >>> words_language("pl", "en"), words_language("de", "pl"), words_language("de", "fr")
    ('pl', 'pl', 'en')
    """
    return next(code for code in (language, main, "en") if code in languages())


@dataclass(frozen=True)
class AskedQuestion:
    """One question as the page shows it.

    Parameters
    ----------
    how
        What happens to the answer; empty where that depends on the arm.
    range, wrong
        Which numbers may be typed, and what is said of others; empty where answers are chosen.
    """

    place: int
    attribute: Attribute
    page: int
    text: str
    help: str
    unit: str
    answers: tuple[str, ...]
    how: str
    bare: bool
    mark: str
    skipping: bool
    range: str
    wrong: str
    is_list: bool = False
    """Whether a number of items is asked for, which the script lists in a random order."""

    @property
    def is_whole(self) -> bool:
        return self.attribute.kind is Kind.INTEGER

    @property
    def is_dropdown(self) -> bool:
        return len(self.answers) + self.skipping > MOST_BUTTONS


@dataclass(frozen=True)
class ArmQuestion:
    """What one arm says of a question; ``items`` are those of a list."""

    how: str
    bare: bool
    items: tuple[str, ...] = ()
    range: str = ""
    wrong: str = ""


@dataclass(frozen=True)
class Screen:
    """A part of the page: its beginning, a question, or what comes after all of them.

    Parameters
    ----------
    name
        The question; empty for what stands before and after all of them.
    text
        What stands below the heading: help with a question, or paragraphs.
    instruction
        What happens to the answer.
    answers
        What can be chosen; none where a number is typed.
    field
        Which numbers may be typed, or that there is a list to choose from; empty with buttons.
    skip
        The choice not to answer; empty where there is none.
    page
        On which page of the questionnaire it stands, counted from 1; 0 for the beginning.
    """

    name: str
    heading: str
    text: str
    instruction: str
    answers: tuple[str, ...] = ()
    field: str = ""
    unit: str = ""
    skip: str = ""
    is_dropdown: bool = False
    page: int = 0
    button: str = ""


@dataclass(frozen=True)
class Sheet:
    """One page of the questionnaire, from top to bottom, before anything is answered.

    ``screens`` are the beginning, on the first page, and all questions of the page.
    """

    screens: tuple[Screen, ...]
    progress: str
    buttons: tuple[str, ...]


@dataclass(frozen=True)
class PageModel:
    """The whole page in one language.

    ``arms`` has for every arm what it says of each question, None where it does not ask it.
    """

    wording: Wording
    questions: tuple[AskedQuestion, ...]
    promises: tuple[str, ...]
    """The names of the sentences that say what is sent."""
    arms: tuple[tuple[ArmQuestion | None, ...], ...] = ()

    @property
    def language(self) -> str:
        return self.wording.language

    @property
    def own_name(self) -> str:
        """What the language calls itself; empty where only the browser knows."""
        return languages().get(self.language, "")

    @property
    def direction(self) -> str:
        return direction_of(self.language)

    @property
    def words(self) -> Mapping[str, str]:
        return words_of(self.wording.words_language)

    @property
    def title(self) -> str:
        return self.wording.title or self.words["default_title"]

    @property
    def fallback(self) -> str:
        """What is said where the page's own words do not exist in this language."""
        if self.wording.words_language == self.language:
            return ""
        return self.words["words_in"].format(language=self.words["name"])

    @property
    def script_words(self) -> dict[str, str]:
        return {key: self.words[key] for key in _SCRIPT_WORDS}

    def said(self) -> dict[str, str]:
        result = {f"w.{key}": self.words[key] for key in _TEMPLATE_WORDS}
        result |= {
            "title": self.title,
            "introduction": self.wording.introduction,
            "thanks": self.wording.thanks,
            "fallback": self.fallback,
        }
        for one in self.questions:
            texts = {"text": one.text, "help": one.help, "unit": one.unit, "how": one.how}
            texts |= {"range": one.range, "wrong": one.wrong}
            texts |= {f"a{place}": text for place, text in enumerate(one.answers)}
            result |= {f"q{one.place}.{key}": text for key, text in texts.items()}
        for number, arm in enumerate(self.arms):
            for place, own in enumerate(arm):
                if own is None:
                    continue
                texts = {"how": own.how}
                if own.items:
                    texts |= {"range": own.range, "wrong": own.wrong}
                    texts |= {f"i{item}": text for item, text in enumerate(own.items)}
                result |= {f"v{number}.q{place}.{key}": text for key, text in texts.items()}
        return result

    def screens(self, arm: int = 0) -> tuple[Screen, ...]:
        """The page as a telephone shows it: beginning, every question, review and end.

        With arms, only what one of them asks, with its own instructions.
        """
        words = self.words
        promises = [words["promise_title"], *(words[key] for key in self.promises)]
        found = [Screen("", self.title, self.wording.introduction, "\n".join(promises))]
        for one in self.questions:
            own = self.arms[arm][one.place] if self.arms else None
            if self.arms and own is None:
                continue
            found.append(_question_screen(one, own, words))
        name = "review" if self.wording.review else "ready"
        found += [
            Screen("", words[f"{name}_title"], words[f"{name}_text"], "", button=words["send"]),
            Screen("", words["done_title"], self.wording.thanks, words["sent"]),
        ]
        return tuple(found)

    def sheet(self, name: str = "") -> Sheet | None:
        """The page that asks a question, the first one if none is named; None if no page does."""
        beginning, *asked, _, _ = self.screens()
        if not asked or (name and name not in {one.name for one in asked}):
            return None
        page = next(one.page for one in asked if name in ("", one.name))
        pages = sorted({one.page for one in asked})
        end = "review" if self.wording.review else "finish"
        names = [*(["previous"] if page != pages[0] else [])]
        names += [end if page == pages[-1] else "next"]
        shown = tuple(one for one in asked if one.page == page)
        return Sheet(
            (beginning, *shown) if page == pages[0] else shown,
            self.words["progress"].format(done=0, all=len(asked)),
            tuple(self.words[one] for one in names),
        )


def _question_screen(
    one: AskedQuestion, own: ArmQuestion | None, words: Mapping[str, str]
) -> Screen:
    items = own.items if own is not None else ()
    return Screen(
        one.attribute.name,
        f"{one.text} {one.mark}".strip(),
        "\n".join([one.help, *items]).strip(),
        one.how if own is None else own.how,
        one.answers,
        words["choose"] if one.is_dropdown else (own.range if own else "") or one.range,
        one.unit,
        words["skip_seen"] if one.skipping else "",
        one.is_dropdown,
        one.page,
    )


def page_model(
    design: Design,
    wording: Wording | Questionnaire | None = None,
    language: str = "",
    *,
    skipping: bool = True,
) -> PageModel:
    """What the page of a design says in one language.

    Parameters
    ----------
    language
        One of the questionnaire's languages, the main one if empty. What it lacks is said in the
        main language: whether that may be so is asked before a page is exported.
    skipping
        Whether questions may be skipped that are not required.
    """
    if not isinstance(wording, Wording):
        wording = (
            Wording(language or "en", words_language=words_language(language or "en", "en"))
            if wording is None
            else Wording.of(wording, language or wording.language)
        )
    design = publishable(design)
    explainer = Explainer(design, wording.words_language)
    asked = [
        _asked_question(design, wording, explainer, place, designed, skipping=skipping)
        for place, designed in enumerate(page_questions(design, wording))
    ]
    promises = ["promise"]
    if any(one.bare for one in asked):
        promises.append("promise_bare")
    if design.ask is not None:
        promises.append("promise_ask")
    if design.budget is not None and design.budget.memoise:
        promises.append("promise_memory")
    if linking_column(design) is not None:
        promises.append("promise_linked")
    return PageModel(wording, tuple(asked), tuple(promises), _arms(design, wording))


def _asked_question(
    design: Design,
    wording: Wording,
    explainer: Explainer,
    place: int,
    designed: DesignedAttribute,
    *,
    skipping: bool,
) -> AskedQuestion:
    name, words = designed.name, words_of(wording.words_language)
    # With arms, the script puts the sentence of the respondent's own arm in this place.
    how = "" if design.has_arms else explainer.sentence(name)
    limits, wrong = _limits(designed.attribute, explainer, words)
    text = wording.texts.question(designed.attribute)
    is_list = any(one.count == name for one in design.lists)
    if is_list and not wording.texts.questions.get(name):
        text = words["list_question"]
    return AskedQuestion(
        place,
        designed.attribute,
        _page_of(wording, name),
        text,
        wording.helps.get(name, ""),
        wording.units.get(name, designed.attribute.unit),
        _answers(designed, wording.texts, words),
        how,
        bare=how == words["how_none"],
        mark=explainer.mark(name),
        skipping=skipping and not designed.missing_is_value and name not in wording.required,
        range=limits,
        wrong=wrong,
        is_list=is_list,
    )


def _page_of(wording: Wording, name: str) -> int:
    """The page on which a question is asked; what the questionnaire lacks is asked last."""
    page = wording.pages.get(name)
    return max(wording.pages.values(), default=1) if page is None else page


def page_questions(design: Design, wording: Wording) -> list[DesignedAttribute]:
    """What respondents are asked, in order: all but what tells their arm, and who they are."""
    drawn = {linking_column(design), *design.versions.columns}
    known = {one.name for one in design} - drawn
    behind = {item for one in design.lists for item in (one.name, one.count, *one.items)}
    for name in wording.pages:
        if name not in known | behind:
            raise DataError.saying(
                "The design does not have the question {attribute!r}, so that it cannot be asked.",
                attribute=name,
            )
    order = {name: place for place, name in enumerate(wording.pages)}
    listed = [designed for designed in design if designed.name not in drawn]
    last = max(wording.pages.values(), default=1)
    return sorted(
        listed,
        key=lambda one: (wording.pages.get(one.name, last), order.get(one.name, len(order))),
    )


def _limits(
    attribute: Attribute, explainer: Explainer, words: Mapping[str, str]
) -> tuple[str, str]:
    if attribute.domain is None:
        return "", ""
    low, high = map(explainer.number, attribute.domain)
    names = ("whole_range", "not_whole")
    if attribute.kind is not Kind.INTEGER:
        names = ("number_range", "not_number")
    limits, wrong = (words[name].format(low=low, high=high) for name in names)
    return limits, wrong


def _answers(
    designed: DesignedAttribute, texts: Texts, words: Mapping[str, str]
) -> tuple[str, ...]:
    """The texts of all answers; a missing one that nobody has worded is worded by the page."""
    told = texts.answers.get(designed.name, {})
    return tuple(
        words["skip"]
        if designed.missing_is_value and value == MISSING_VALUE and not told.get(value)
        else texts.answer(designed.name, value)
        for value in designed.attribute.values
    )


def _arms(design: Design, wording: Wording) -> tuple[tuple[ArmQuestion | None, ...], ...]:
    listed = page_questions(design, wording)
    versions = design.versions
    return tuple(_arm_questions(design, wording, versions[arm], listed) for arm in versions.choices)


def _arm_questions(
    design: Design, wording: Wording, arm: DesignArm, listed: Sequence[DesignedAttribute]
) -> tuple[ArmQuestion | None, ...]:
    lists = {one.count: one for one in design.lists}
    words = words_of(wording.words_language)
    explainer = Explainer(design.of_arm(arm.name), wording.words_language)
    questions: list[ArmQuestion | None] = []
    for designed in listed:
        name = designed.name
        if name in arm.omit:
            questions.append(None)
        elif name in lists:
            questions.append(_listed(lists[name], arm.name, wording.texts, words))
        else:
            how = explainer.sentence(name)
            questions.append(ArmQuestion(how, how == words["how_none"]))
    return tuple(questions)


def _listed(
    asked: ListQuestion, arm: str, texts: Texts, words: Mapping[str, str]
) -> ArmQuestion | None:
    """A list in an arm; None in an arm that hears neither version of it."""
    if arm not in (*asked.short, *asked.long):
        return None
    items = list_items(asked, arm, texts)
    ends = {"low": "0", "high": str(len(items))}
    return ArmQuestion(
        words["how_list"].format(all=len(items)),
        bare=True,
        items=items,
        range=words["whole_range"].format(**ends),
        wrong=words["not_whole"].format(**ends),
    )
