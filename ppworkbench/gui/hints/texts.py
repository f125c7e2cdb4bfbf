"""What the hints say, page by page: what to do first."""

from __future__ import annotations

from dataclasses import dataclass

from ppworkbench.gui.language.text import later


@dataclass(frozen=True)
class Hint:
    """One call-out: the name of the widget it points at, a title, and a sentence or two."""

    target: str
    title: str
    text: str


HINTS: dict[str, tuple[Hint, ...]] = {
    "start": (
        Hint(
            "tableFirst",
            later("Begin with what you have"),
            later("A questionnaire, a table or a class: each card opens the page you need first."),
        ),
        Hint(
            "sample-city-survey",
            later("No data at hand?"),
            later("Open a sample. Nothing that you do with it touches a file."),
        ),
        Hint(
            "demonstration-1-coin",
            later("See it before you do it"),
            later("Nine demonstrations show on the real pages what distortion does."),
        ),
    ),
    "data": (
        Hint(
            "attributes",
            later("Look at the kinds first"),
            later(
                "The program guessed a kind for every attribute and says why. A wrong kind spoils "
                "everything after it."
            ),
        ),
        Hint(
            "kind",
            later("Correct a guess"),
            later("Choose another kind here. Ctrl+Z brings the old one back."),
        ),
        Hint(
            "goToDesignButton",
            later("Then take the next step"),
            later(
                "The filled button is the next step of the work on every page; so is Ctrl+Enter."
            ),
        ),
    ),
    "design": (
        Hint(
            "attributes",
            later("Choose an attribute"),
            later(
                "Each has a random device of its own. Select several with Shift or Ctrl to change "
                "them together."
            ),
        ),
        Hint(
            "mechanism",
            later("Choose the device and move it"),
            later("Matrix, preview and all numbers follow at once. Every step can be undone."),
        ),
        Hint(
            "card-attack-success",
            later("What it protects, what it costs"),
            later("Privacy stands above, accuracy below. The ? of a card explains its number."),
        ),
    ),
    "explore": (
        Hint(
            "comparisonPlot",
            later("Three pictures in one"),
            later(
                "Solid bars are the true answers, hatched ones what is published, open ones what "
                "is reconstructed from it."
            ),
        ),
        Hint(
            "methods",
            later("Compare algorithms"),
            later("Tick those to compare; the one in focus is drawn in the picture."),
        ),
        Hint(
            "exploreView",
            later("Be the attacker"),
            later("“Attack” shows what somebody else could make of the same answers."),
        ),
    ),
    "survey": (
        Hint(
            "statistic",
            later("What do you want to know?"),
            later("How many, a mean, a distribution, a cross table, or whom to invite."),
        ),
        Hint(
            "addCondition",
            later("About whom?"),
            later("A condition speaks of true answers, although only distorted ones are here."),
        ),
        Hint(
            "estimateButton",
            later("Ask"),
            later("Every estimate comes with its interval; quote both."),
        ),
    ),
    "mine": (
        Hint(
            "chooseItemsButton",
            later("Choose the items"),
            later("An item is a value of an attribute. Fewer items are searched faster."),
        ),
        Hint(
            "minSupport",
            later("How frequent is frequent?"),
            later("Start high. Rare sets are many, and little is known about each of them."),
        ),
        Hint(
            "mineNowButton",
            later("Mine"),
            later("The supports are those of the true answers, estimated, with intervals."),
        ),
    ),
    "classify": (
        Hint(
            "classifyTarget",
            later("What shall be foretold?"),
            later("The class is one of the attributes; records are classified by the others."),
        ),
        Hint(
            "classifier-tree",
            later("Tick what to compare"),
            later("All of them learn from the same distorted records."),
        ),
        Hint(
            "privacySweep",
            later("How much privacy can you afford?"),
            later("The sweep repeats everything at several levels and draws the curve."),
        ),
    ),
    "publish": (
        Hint(
            "publishMode",
            later("Two ways to give a table away"),
            later("Distort every answer, or make one sensitive column deniable."),
        ),
        Hint(
            "publishChecks",
            later("Before it leaves"),
            later("The list says what is in order and what you should look at once more."),
        ),
    ),
    "learn": (
        Hint(
            "demonstration-1-coin",
            later("Your study stays as it is"),
            later("A demonstration works on a copy. Esc brings you back to where you were."),
        ),
        Hint(
            "startNextButton",
            later("One after the other"),
            later("This begins the first one that you have not seen to its end."),
        ),
    ),
}
