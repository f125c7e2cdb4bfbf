"""What a person may say about a questionnaire page."""

from __future__ import annotations

import re
from dataclasses import dataclass
from urllib.parse import quote, urlsplit, urlunsplit

from ppworkbench.core.errors import ParameterError
from ppworkbench.core.message import Message
from ppworkbench.core.params import Annotated, Info, OneOf, Params
from ppworkbench.study.questionnaire.words import languages

_HOST = re.compile(r"[A-Za-z0-9.-]+(:\d{1,5})?|\[[0-9A-Fa-f:]+\](:\d{1,5})?")


@dataclass(frozen=True)
class QuestionnaireOptions(Params):
    """How a questionnaire page looks and where its answers go."""

    title: Annotated[str, Info("Title", "Heading of the page")] = ""
    introduction: Annotated[str, Info("Introduction", "A few words under the heading")] = ""
    language: Annotated[str, Info("Language", "Language of buttons and explanations")] = "en"
    post: Annotated[
        str, Info("Address", "Where answers are sent to; without it they are saved as a file")
    ] = ""
    answers: Annotated[
        str, OneOf(("json", "csv")), Info("Answers", "Form of a sent answer: JSON line or CSV row")
    ] = "json"
    skipping: Annotated[
        bool, Info("Skipping", "Allow to skip questions; that somebody did will be seen")
    ] = False

    def __post_init__(self) -> None:
        """Refuse a language without words and an address that is none."""
        super().__post_init__()
        if self.language not in languages():
            known = ", ".join(languages())
            raise ParameterError(
                Message(
                    "There are no words for the language {language!r}; choose one of {known}.",
                    language=self.language,
                    known=known,
                ),
                field="language",
            )
        if self.post:
            self._split()

    def _split(self) -> tuple[str, str, str, str]:
        wrong = ParameterError(
            Message(
                "The address {post!r} cannot be sent to; write it as https://host/path.",
                post=self.post,
            ),
            field="post",
        )
        try:
            scheme, host, path, query, fragment = urlsplit(self.post)
        except ValueError:
            raise wrong from None
        letters = self.post.isascii() and self.post.isprintable() and " " not in self.post
        if scheme not in ("http", "https") or not letters or fragment or not _HOST.fullmatch(host):
            raise wrong
        return scheme, host, path, query

    @property
    def connect(self) -> str:
        """The address as the page's policy names it: without a query, marks of the policy encoded.

        >>> QuestionnaireOptions(post="https://example.org/in;a?x=1").connect
        'https://example.org/in%3Ba'
        """
        if not self.post:
            return ""
        scheme, host, path, _ = self._split()
        return urlunsplit((scheme, host, quote(path, safe="/%:@!$&()*+=~"), "", ""))
