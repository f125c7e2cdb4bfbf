"""What the page says about columns: doubts, warnings and reasons."""

from __future__ import annotations

from collections.abc import Callable

from ppworkbench.core.data.attribute import Kind
from ppworkbench.core.data.sampling_roles import (
    BOOTSTRAP,
    BRR,
    CLUSTER,
    FAY,
    JK1,
    JKN,
    PERSON,
    POPULATION,
    REPLICATES,
    STRATUM,
    WEIGHT,
)
from ppworkbench.core.message import Message
from ppworkbench.gui.language import tr, translate
from ppworkbench.gui.numbers import number
from ppworkbench.study.data_checks import ALIKE, MISSING, DataWarning, show_spaces


def kind_word(kind: Kind) -> str:
    """What people call a kind."""
    words = {
        Kind.BINARY: tr("binary"),
        Kind.NOMINAL: tr("nominal"),
        Kind.ORDINAL: tr("ordinal"),
        Kind.INTEGER: tr("integer"),
        Kind.CONTINUOUS: tr("continuous"),
        Kind.SET: tr("set"),
    }
    return words[kind]


def role_hint(role: str) -> str:
    """What such a column holds."""
    return {
        WEIGHT: tr(
            "How many people a record stands for; not randomised. Weights computed from "
            "randomised answers are wrong."
        ),
        STRATUM: tr("People were drawn separately in each stratum; not randomised."),
        CLUSTER: tr("The unit that was drawn first, such as a school; not randomised."),
        PERSON: tr(
            "Who answered, where the same people are asked in several waves; not randomised."
        ),
        POPULATION: tr(
            "Units in the population of the stratum, or the sampled fraction; leave it out if "
            "people were drawn again inside clusters."
        ),
        REPLICATES: tr("Used instead of strata and clusters; not randomised."),
    }[role]


def method_word(method: str) -> str:
    """What people call a way to make replicate weights."""
    return {
        BRR: tr("balanced half-samples (BRR)"),
        FAY: tr("BRR by Fay"),
        JK1: tr("jackknife (JK1)"),
        JKN: tr("stratified jackknife (JKn)"),
        BOOTSTRAP: tr("bootstrap"),
    }[method]


def short_doubt(doubt: str) -> str:
    """A doubt in the few words that fit into a table."""
    return {
        "none": tr("no answers"),
        "one": tr("only 1 value"),
        "record": tr("identifier?"),
        "names": tr("names or free text?"),
        "text": tr("numbers, but read as text"),
        "order": tr("order unknown"),
        "few": tr("few distinct numbers"),
    }[doubt]


def warning_text(warning: DataWarning, shown: Callable[[str], str] = str) -> str:
    """A thing to look at, as a sentence about the attribute as people call it."""
    name, note = warning.attribute, warning.note
    if note is not None:
        said = translate(note)
        return said.replace(tr("“%s”") % name, tr("“%s”") % shown(name), 1) if name else said
    name = shown(name) if name else name
    if warning.code == MISSING:
        if warning.missing == 1:
            return tr("“%s” has 1 missing answer.") % name
        return tr("“%s” has %s missing answers.") % (name, number(warning.missing))
    if warning.code == ALIKE:
        values = ", ".join(tr("“%s”") % show_spaces(value) for value in warning.values)
        return tr("“%s” has similar values: %s.") % (name, values)
    return _doubt_text(warning.code, name)


def _doubt_text(doubt: str, name: str) -> str:
    sentences = {
        "none": tr("“%s” has no answers."),
        "one": tr("“%s” has only 1 value."),
        "record": tr("“%s” may be an identifier."),
        "names": tr("“%s” may be names or free text."),
        "text": tr("“%s” looks numeric but was read as text."),
        "order": tr("“%s” is ordinal, but its order is unknown."),
        "few": tr("“%s” could be ordinal."),
    }
    return sentences[doubt] % name


def refusal_text(reason: Message) -> str:
    """Why a column cannot have a kind."""
    args = reason.args
    if reason.code == "no-whole-numbers":
        # The record of the first decimal number is that of a shortened column.
        words = tr("%s answers are not whole numbers, e.g. %s.")
        return words % tuple(translate(Message("{n}", n=args[n])) for n in ("broken", "shown"))
    what = args.get("what")
    said = translate(what if isinstance(what, Message) else reason).removesuffix(".")
    return f"{said[:1].upper()}{said[1:]}."


def reason_words(reason: str) -> str:
    """The reason that the core gives; it calls scales by names of its own."""
    if isinstance(reason, Message) and reason.code == "scale":
        return tr("The answers form a scale (%s).") % _topic(str(reason.args["topic"]))
    return translate(reason)


def _topic(name: str) -> str:
    words = {
        "frequency": tr("frequency"),
        "frequency in time": tr("frequency in time"),
        "quality": tr("quality"),
        "ocena": tr("quality"),
        "degree": tr("degree"),
        "level": tr("level"),
        "size": tr("size"),
        "temperature": tr("temperature"),
        "wrongness": tr("wrongness"),
        "share": tr("share"),
        "education": tr("education"),
        "school grades": tr("school grades"),
        "agreement": tr("agreement"),
        "zgoda": tr("agreement"),
        "yes or no": tr("yes or no"),
        "tak lub nie": tr("yes or no"),
        "satisfaction": tr("satisfaction"),
        "zadowolenie": tr("satisfaction"),
        "likelihood": tr("likelihood"),
        "importance": tr("importance"),
        "waznosc": tr("importance"),
        "attitude": tr("attitude"),
        "politics": tr("politics"),
        "polityka": tr("politics"),
        "happiness": tr("happiness"),
        "szczescie": tr("happiness"),
        "safety": tr("safety"),
        "difficulty": tr("difficulty"),
        "comparison": tr("comparison"),
        "porownanie": tr("comparison"),
        "trust": tr("trust"),
        "nie ufam": tr("trust"),
        "ranges of numbers": tr("ranges of numbers"),
    }
    return words.get(name, name)
