"""What was found about compliance for a methods section, and beside the share itself."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.core.compliance.classes import Estimate
from ppworkbench.core.compliance.models import ANCHOR, CDM, ECWM, SLD, UNRELATED
from ppworkbench.core.compliance.question import BAND, CLASSES, DIRECT, KNOWN
from ppworkbench.core.compliance.result import Compliance
from ppworkbench.core.message import Message
from ppworkbench.core.sampling.results import methods_of_sampling
from ppworkbench.results.text import equals_p
from ppworkbench.study.study import Study

_MODEL_NAMES = {
    CLASSES: Message("a model of behaviour classes"),
    CDM: Message("the cheater-detection model"),
    SLD: Message("the stochastic lie detector"),
    ECWM: Message("the extended crosswise model"),
    UNRELATED: Message("the unrelated-question model with an unknown harmless share"),
    ANCHOR: Message("the bias-corrected crosswise model with a check question"),
    DIRECT: Message("a comparison with direct questions"),
    KNOWN: Message("a correction by a known share of people who do not follow"),
    BAND: Message("a band over the share of people who do not follow"),
}


def compliance_methods(found: Compliance, study: Study, how: Message) -> tuple[str, ...]:
    """Sentences for a methods section; ``how`` says how the question was randomised."""
    parts = [
        Message(
            "Compliance with the instructions of {attribute} was estimated by {model} from the "
            "randomised answers of {n:,} respondents in {arms} ({how}).",
            attribute=found.attribute.name,
            model=_MODEL_NAMES[found.model],
            n=sum(found.rows.get(arm.name, round(arm.n)) for arm in found.arms),
            arms=(
                Message("1 arm")
                if len(found.arms) == 1
                else Message("{count} arms", count=len(found.arms))
            ),
            how=how,
        )
    ]
    if found.classes is not None:
        parts.append(
            Message(
                "Class shares maximise the likelihood of the reports on the simplex; the test of "
                "full compliance refers to a mixture of chi-square distributions, since shares "
                "cannot be negative."
            )
        )
    parts.append(Message.of(found.sentence))
    if found.honesty is not None:
        parts.append(
            Message(
                "Test of full compliance: {name} = {statistic:.2f}, p {p}.",
                name=found.test_name,
                statistic=found.honesty.statistic,
                p=equals_p(found.honesty.p),
            )
        )
    if found.has_sampling:
        parts += methods_of_sampling(found.sampling)
        parts.append(Message("Standard errors follow from the sampling (linearisation)."))
    return tuple(study.titled(one) for one in parts)


@dataclass(frozen=True)
class ReadingRow:
    name: Message
    caption: Message
    estimate: Estimate
    is_corrected: bool = True


def reading_rows(found: Compliance) -> tuple[ReadingRow, ...]:
    """The three readings, or the one corrected share, and below what full compliance would give."""
    plain = ReadingRow(
        Message("if all followed"), Message(""), found.uncorrected, is_corrected=False
    )
    classes = found.classes
    if classes is not None and classes.extra:
        gone = 100 * sum(one.estimate for one in classes.estimates[found.attribute.k :])
        names = {
            "low": (Message("low"), Message("none of the {count:.0f} did", count=gone)),
            "followers": (Message("as the followers"), Message("like the rest")),
            "high": (Message("high"), Message("all of the {count:.0f} did", count=gone)),
        }
        told = [ReadingRow(*names[name], one) for name, one in classes.readings.items()]
        return (*told, plain)
    one = found.parameters.get("pi")
    if one is None:
        return (plain,)
    corrected = ReadingRow(Message("corrected"), Message(""), one)
    if found.direct is None:
        return (corrected, plain)
    directly = ReadingRow(Message("asked directly"), Message(""), found.direct.share, False)
    return (corrected, directly, plain)
