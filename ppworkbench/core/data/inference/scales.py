"""Answer scales in English and Polish, recognised by their words.

A scale is either a list of steps, each with the ways to say it, or made of two opposite poles
with words for how strongly. Answers belong to a scale when each of them is another of its steps.
"""

from __future__ import annotations

import itertools
import math
import re
import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

from ppworkbench.core.message import Message

# A topic has one step per line; ways to say a step are separated by bars.
STEPS = {
    "frequency": """
        never|not once|nigdy|ani razu|nie, nigdy
        almost never|hardly ever|very rarely|very seldom|prawie nigdy|bardzo rzadko
        rarely|seldom|not often|rzadko
        once in a while|occasionally|now and then|od czasu do czasu
        sometimes|czasami|czasem|niekiedy
        fairly often|quite often|dosc czesto
        often|frequently|regularly|czesto
        usually|most of the time|mostly|zazwyczaj|zwykle|przewaznie
        very often|very frequently|bardzo czesto
        almost always|nearly always|prawie zawsze
        always|all the time|constantly|zawsze""",
    "frequency in time": """
        never|nigdy
        less than once a year|less often|rzadziej|rzadziej niz raz w roku
        once a year|yearly|annually|raz w roku|raz do roku
        several times a year|a few times a year|kilka razy w roku
        once a month|monthly|raz w miesiacu
        several times a month|a few times a month|kilka razy w miesiacu
        once a week|weekly|raz w tygodniu
        several times a week|a few times a week|kilka razy w tygodniu
        daily|every day|codziennie
        several times a day|kilka razy dziennie""",
    "quality": """
        terrible|awful|bardzo zle|bardzo zly|bardzo zla|fatalnie|very bad|very poor
        bad|poor|zle|zly|zla|raczej zle|raczej zly|rather poor|rather bad
        fair|average|acceptable|satisfactory|so so|przecietnie|przecietny|przecietna|srednio|
            ani dobrze ani zle|ani dobry ani zly|neither good nor bad|dostateczny|dostatecznie
        good|dobrze|dobry|dobra|raczej dobrze|raczej dobry|rather good
        very good|bardzo dobrze|bardzo dobry|bardzo dobra
        excellent|outstanding|doskonale|doskonaly|znakomicie|celujacy|celujaco""",
    "degree": """
        not at all|not|none at all|none|wcale|wcale nie|w ogole nie
        hardly|barely|very little|bardzo malo|prawie wcale
        a little|slightly|mildly|a little bit|troche|nieco|malo
        somewhat|moderately|to some extent|umiarkowanie|do pewnego stopnia|srednio
        fairly|quite|quite a bit|dosc|raczej tak
        very|much|very much|strongly|a lot|bardzo|duzo
        extremely|completely|totally|a great deal|niezwykle|calkowicie|bardzo duzo""",
    "level": """
        none|no|zero|brak
        very low|bardzo niski|bardzo niska|bardzo niskie|bardzo nisko
        low|niski|niska|niskie|nisko
        lower middle|rather low|medium low|raczej niski|raczej niska
        medium|middle|moderate|normal|average|mid|sredni|srednia|srednie|umiarkowany|przecietny
        upper middle|rather high|medium high|raczej wysoki|raczej wysoka
        high|wysoki|wysoka|wysokie|wysoko
        very high|bardzo wysoki|bardzo wysoka|bardzo wysokie|bardzo wysoko
        extreme|extremely high|critical""",
    "size": """
        xxs|extra extra small
        xs|extra small|tiny|very small|bardzo maly|bardzo mala|bardzo male
        s|small|maly|mala|male
        m|medium|sredni|srednia|srednie
        l|large|big|duzy|duza|duze
        xl|extra large|very large|huge|bardzo duzy|bardzo duza|bardzo duze
        xxl|extra extra large
        xxxl""",
    "temperature": """
        freezing|very cold|mrozno|bardzo zimno
        cold|zimno
        cool|chlodno
        mild|moderate|lukewarm|umiarkowanie
        warm|cieplo
        hot|goraco
        very hot|bardzo goraco|upal""",
    "wrongness": """
        always wrong|zawsze niewlasciwe|zawsze zle
        almost always wrong|prawie zawsze niewlasciwe|prawie zawsze zle
        wrong only sometimes|only sometimes wrong|sometimes wrong|tylko czasem niewlasciwe
        not wrong at all|never wrong|nie ma w tym nic zlego|nigdy niewlasciwe""",
    "share": """
        none|none of them|nobody|nikt|zaden|zadne
        a few|few|some|niektorzy|nieliczni|kilku
        about half|half|polowa|okolo polowy
        most|most of them|many|wiekszosc
        almost all|nearly all|prawie wszyscy
        all|all of them|everybody|everyone|wszyscy|wszystkie""",
    "education": """
        none|no education|no formal education|preschool|brak|bez wyksztalcenia|brak wyksztalcenia
        1st 4th|1 4 grades|incomplete primary|niepelne podstawowe
        5th 6th
        7th 8th|1 8 grades
        primary|primary school|elementary|elementary school|grade school|
            podstawowe|szkola podstawowa
        lower secondary|middle school|junior high school|gimnazjum|gimnazjalne
        9th
        10th
        11th
        12th
        some high school|incomplete secondary|niepelne srednie
        vocational|vocational school|basic vocational|zawodowe|zasadnicze zawodowe|
            zasadnicza szkola zawodowa|szkola zawodowa
        secondary|secondary school|upper secondary|high school|high school graduate|hs grad|
            finished high school|completed high school|high school diploma|srednie|liceum|technikum|
            szkola srednia|srednie ogolnoksztalcace|srednie zawodowe
        post secondary|policealne|szkola policealna|pomaturalne
        some college|some university|niepelne wyzsze|niepelne wyzsze
        assoc voc|associate|associate degree
        assoc acdm
        bachelor|bachelors|bachelor s|bachelor s degree|bachelor degree|licencjat|licencjackie|
            inzynier|wyzsze licencjackie
        college|college graduate|college degree|university|university degree|higher|tertiary|wyzsze
        some graduate school
        master|masters|master s|master s degree|master degree|magister|magisterskie|
            wyzsze magisterskie
        graduate degree|graduate school|postgraduate|podyplomowe
        prof school|advanced degree|professional degree
        doctorate|phd|ph d|doctor|doktorat|doktor""",
    "school grades": """
        niedostateczny
        dopuszczajacy
        dostateczny
        dobry
        bardzo dobry
        celujacy""",
}

# A topic has the words of its negative pole and those of its positive pole.
POLES = {
    "agreement": ("disagree|disagreed", "agree|agreed"),
    "zgoda": ("nie zgadzam|nie zgadzam sie|sie nie zgadzam", "zgadzam|zgadzam sie|sie zgadzam"),
    "yes or no": ("no|not", "yes"),
    "tak lub nie": ("nie", "tak"),
    "satisfaction": ("dissatisfied|unsatisfied|not satisfied", "satisfied"),
    "zadowolenie": (
        "niezadowolony|niezadowolona|niezadowolony a|nie zadowolony",
        "zadowolony|zadowolona|zadowolony a",
    ),
    "likelihood": ("unlikely|not likely", "likely"),
    "importance": ("unimportant|not important", "important"),
    "waznosc": ("niewazne|niewazny|niewazna", "wazne|wazny|wazna"),
    "quality": ("bad|poor", "good"),
    "ocena": ("zle|zly|zla|negatywnie", "dobrze|dobry|dobra|pozytywnie"),
    "attitude": (
        "negative|unfavorable|unfavourable|oppose",
        "positive|favorable|favourable|support",
    ),
    "politics": ("liberal|left", "conservative|right"),
    "polityka": ("lewica|lewicowy|lewicowe", "prawica|prawicowy|prawicowe"),
    "happiness": ("unhappy|not happy", "happy"),
    "szczescie": ("nieszczesliwy|nieszczesliwa", "szczesliwy|szczesliwa"),
    "safety": ("unsafe|not safe", "safe"),
    "difficulty": ("difficult|hard", "easy"),
    "comparison": ("worse|less|lower", "better|more|higher"),
    "porownanie": ("gorzej|mniej|nizej|gorszy", "lepiej|wiecej|wyzej|lepszy"),
    "trust": ("distrust|do not trust", "trust"),
    "nie ufam": ("nie ufam", "ufam"),
}

# How far from the middle a word takes the pole beside it.
STRENGTHS = {
    4.0: "extremely|completely|totally|fully|absolutely|entirely|calkowicie|zupelnie|w pelni|"
    "absolutnie|skrajnie",
    3.0: "strongly|very|definitely|certainly|much|strong|very much|zdecydowanie|zdec|bardzo|"
    "znacznie|znacz|stanowczo|na pewno",
    2.0: "",
    1.5: "mostly|quite|fairly|probably|generally|dosc|na ogol|prawdopodobnie|chyba",
    1.2: "rather|moderately|somewhat|raczej",
    1.0: "slightly|a little|a bit|weak|nieco|troche|lekko",
}

# What stands between the poles, on any topic.
MIDDLE = """
    neutral|neither|undecided|unsure|uncertain|moderate|no opinion|hard to say|mixed|average
    neither agree nor disagree|neither satisfied nor dissatisfied|neither good nor bad|the same
    about the same|it depends|maybe|fair|in between|centre|center
    trudno powiedziec|nie mam zdania|ani tak ani nie|ani zgadzam sie ani nie zgadzam sie
    ani sie zgadzam ani nie zgadzam|ani zadowolony ani niezadowolony|neutralnie|neutralny
    tak samo|bez zmian|ani dobrze ani zle|przecietnie|obojetnie|obojetny|centrum|bez zdania
    ani lepiej ani gorzej|ani tak ani nie trudno powiedziec|trudno stwierdzic"""


_NUMBER = r"(-?\d+(?:\.\d+)?)\s*([kKtTmM](?![a-zA-Z]))?"
_THOUSANDS = re.compile(r"(?<=\d)[,\s\u00a0\u202f](?=\d{3}(?!\d))")
_MONEY = re.compile(r"[$€£%]|\b(?:zł|pln|eur|usd)\b", re.IGNORECASE)
_UNIT = (
    r"(?:\s*(?:years?(?:\s+old)?|yrs?|lata?|rok|roku|tys\.?|times|razy|hours?|godzin\w*|cm|kg))?"
)

_BELOW = (
    r"(?:<=?|≤|under|below|less than|fewer than|up to|at most|none or less than|poniżej|mniej niż"
    r"|do)"
)
_ABOVE = r"(?:>=?|≥|over|above|more than|at least|from|powyżej|ponad|więcej niż|co najmniej|od)"
_OR_LESS = (
    r"(?:or less|or fewer|or below|or under|or before|or younger|and under|and below|and less"
    r"|i mniej|lub mniej|i poniżej|i młodsi)"
)
_OR_MORE = (
    r"(?:\+|or more|or over|or above|or after|or older|and over|and above|and more|and older|plus"
    r"|i więcej|lub więcej|i powyżej|i starsi)"
)

_BETWEEN = re.compile(
    rf"{_NUMBER}{_UNIT}\s*(?:-|–|—|to|do|<=?\s*x\s*<=?|≤\s*x\s*[<≤])\s*{_NUMBER}{_UNIT}"
)
_ENDS = (
    (re.compile(rf"{_BELOW}\s*{_NUMBER}{_UNIT}"), -1),
    (re.compile(rf"{_NUMBER}{_UNIT}\s*{_OR_LESS}{_UNIT}"), -1),
    (re.compile(rf"{_ABOVE}\s*{_NUMBER}{_UNIT}"), 1),
    (re.compile(rf"{_NUMBER}{_UNIT}\s*{_OR_MORE}{_UNIT}"), 1),
)
_ALONE = re.compile(rf"{_NUMBER}{_UNIT}")
_NOTHING = frozenset(("none", "no", "zero", "brak", "nic", "żadne"))
_MORE = frozenset(("more", "or more", "and more", "więcej", "i więcej", "lub więcej"))
_SUFFIX = {"k": 1e3, "t": 1e3, "m": 1e6}


def order_ranges(values: Sequence[str]) -> tuple[str, ...] | None:
    """The values from the lowest range to the highest; None unless all fit one line of ranges.

    >>> order_ranges([">=7", "1<=X<4", "<1", "4<=X<7"])
    ('<1', '1<=X<4', '4<=X<7', '>=7')
    >>> order_ranges(["1-4", "2-3", "0-1"]) is None
    True
    """
    found = [(_read(value), value) for value in values]
    ranges = [(bounds, value) for bounds, value in found if bounds is not None]
    if len(ranges) < len(values):
        return None
    real = sum(low < high for (low, high), _ in ranges)
    is_open = any(low == math.inf for (low, _), _ in ranges)
    if real < min(2, len(values) - 1) and not (is_open and len(values) > 2):
        return None
    ordered = sorted(ranges)
    pairs = itertools.pairwise(ordered)
    if any(one[0][1] > two[0][0] or one[0][0] >= two[0][1] for one, two in pairs):
        return None
    return tuple(value for _, value in ordered)


def _read(value: str) -> tuple[float, float] | None:
    text = _THOUSANDS.sub("", _MONEY.sub("", value.casefold())).strip()
    text = re.sub(r"(?<=\d),(?=\d)", ".", text)
    if text in _NOTHING:
        return 0.0, 0.0
    if text in _MORE:
        return math.inf, math.inf
    between = _BETWEEN.fullmatch(text)
    if between is not None:
        low = _number(between[1], between[2] or between[4])
        high = _number(between[3], between[4])
        return (low, high) if low < high else None
    for pattern, side in _ENDS:
        end = pattern.fullmatch(text)
        if end is not None:
            bound = _number(end[1], end[2])
            return (-math.inf, bound) if side < 0 else (bound, math.inf)
    alone = _ALONE.fullmatch(text)
    if alone is not None:
        number = _number(alone[1], alone[2])
        return number, number
    return None


def _number(digits: str, suffix: str | None) -> float:
    return float(digits) * _SUFFIX.get((suffix or "").casefold(), 1.0)


@dataclass(frozen=True)
class Scale:
    values: tuple[str, ...]
    topic: str


_LONGEST_STEP = 120
_PLAIN = str.maketrans({"ł": "l", "Ł": "L"})


def order_scale(values: Sequence[str]) -> Scale | None:
    """The values in the order of the answer scale that they belong to; None if they do not.

    >>> order_scale(["often", "never", "sometimes"]).values
    ('never', 'sometimes', 'often')
    >>> order_scale(["raczej tak", "zdecydowanie nie", "trudno powiedzieć"]).values
    ('zdecydowanie nie', 'trudno powiedzieć', 'raczej tak')
    """
    if not 2 <= len(values) <= 40 or max(map(len, values)) > _LONGEST_STEP:
        return None
    ranged = order_ranges(values)
    if ranged is not None:
        return Scale(ranged, Message("ranges of numbers"))
    plain = [plain_words(value) for value in values]
    # 'very good/native' is 'very good' if nothing better is found.
    short = [plain_words(value.split("/")[0]) for value in values]
    found = _by_steps(values, plain) or _by_poles(values, plain)
    if found is None and short != plain:
        found = _by_steps(values, short) or _by_poles(values, short)
    return found


def is_in_order(values: Sequence[str]) -> bool:
    """Whether values run along a known scale, upwards or downwards."""
    scale = order_scale(values)
    return scale is not None and list(values) in ([*scale.values], [*reversed(scale.values)])


def _by_steps(values: Sequence[str], plain: Sequence[str]) -> Scale | None:
    for topic, steps in _step_tables().items():
        order = _order(values, [steps.get(words) for words in plain])
        if order is not None:
            return Scale(order, topic)
    return None


def _by_poles(values: Sequence[str], plain: Sequence[str]) -> Scale | None:
    for topic, (negative, positive) in POLES.items():
        scores = [_pole_score(words, negative.split("|"), positive.split("|")) for words in plain]
        order = _order(values, scores)
        if order is not None and any(score != 0 for score in scores):
            return Scale(order, topic)
    return None


def plain_words(text: str) -> str:
    """A text without case, accents, marks and double spaces, for comparing.

    >>> plain_words("Zdecydowanie  się NIE zgadzam!")
    'zdecydowanie sie nie zgadzam'
    """
    letters = unicodedata.normalize("NFKD", text.translate(_PLAIN).casefold())
    bare = "".join(c for c in letters if not unicodedata.combining(c))
    return " ".join(re.sub(r"[^\w]|_", " ", bare).split())


@cache
def _step_tables() -> dict[str, dict[str, float]]:
    tables = {}
    for topic, text in STEPS.items():
        lines = re.sub(r"\|\s*\n\s*", "|", text.strip()).splitlines()
        tables[topic] = {
            way.strip(): float(i) for i, line in enumerate(lines) for way in line.split("|")
        }
    return tables


@cache
def _middle() -> frozenset[str]:
    return frozenset(way.strip() for line in MIDDLE.splitlines() for way in line.split("|"))


@cache
def _strengths() -> dict[str, float]:
    return {word: strength for strength, words in STRENGTHS.items() for word in words.split("|")}


def _pole_score(words: str, negative: Sequence[str], positive: Sequence[str]) -> float | None:
    if words in _middle():
        return 0.0
    strengths = _strengths()
    for sign, poles in ((-1.0, negative), (1.0, positive)):
        # The longest pole first, so that 'nie zgadzam sie' is not 'zgadzam sie' with a word.
        for pole in sorted(poles, key=len, reverse=True):
            rest = _without(words, pole)
            if rest is not None and rest in strengths:
                return sign * strengths[rest]
    return None


def _without(words: str, pole: str) -> str | None:
    if words == pole:
        return ""
    if words.endswith(f" {pole}"):
        return words.removesuffix(f" {pole}").removesuffix(" sie")
    if words.startswith(f"{pole} "):
        return words.removeprefix(f"{pole} ")
    return None


def _order(values: Sequence[str], scores: Sequence[float | None]) -> tuple[str, ...] | None:
    known = [score for score in scores if score is not None]
    if len(known) < len(values) or len(set(known)) < len(values):
        return None
    return tuple(value for _, value in sorted(zip(known, values, strict=True)))
