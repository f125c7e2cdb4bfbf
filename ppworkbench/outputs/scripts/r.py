"""R scripts: shares, means, tables and comparisons as means of scores, and logistic regressions.

A report r of a question with the matrix P is worth ``sum of inv(P)[c, r]`` over the wanted values
c. The mean of such scores is an unbiased share (Chaudhuri and Mukerjee 1988), products of scores
serve several questions, and the package survey knows the errors of means.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence

from ppworkbench.core.compliance.assess_list import DIFFERENCE
from ppworkbench.core.data.sampling_roles import Sampling
from ppworkbench.core.design.design import Design
from ppworkbench.core.message import Message
from ppworkbench.core.models.formula import Formula, Variable, parse_formula
from ppworkbench.core.sampling.independence import ADJUSTED_WALD
from ppworkbench.core.survey.conditions.regions import NumberRegion, ValueRegion
from ppworkbench.outputs.scripts import R
from ppworkbench.outputs.scripts.analysis import Analysis, Origin
from ppworkbench.outputs.scripts.limits import (
    NoScriptError,
    Writer,
    check_attributes,
    check_files,
    condition_regions,
    device_matrix,
    is_randomised,
    limited_script,
    number_text,
    roles_of,
    unbiased_line,
)
from ppworkbench.outputs.scripts.python import comments

_SCORE = (
    "score <- function(reported, P, wanted) {\n"
    "  unname(colSums(solve(P)[wanted, , drop = FALSE])[reported])\n"
    "}"
)
_RATIO = (
    "ratio <- function(top, bottom) sum(w * top) / sum(w * bottom)",
    "linear <- function(top, bottom) {",
    "  (top - ratio(top, bottom) * bottom) * sum(w) / sum(w * bottom)",
    "}",
)
_SQUARED = (
    "squared <- function(top, bottom, square = top) {",
    "  r <- ratio(top, bottom)",
    "  (square - 2 * r * top + r^2 * bottom) * (sum(w) / sum(w * bottom))^2",
    "}",
)
"""What takes the place of the square of a linearised value for its error given the truth."""
_TELL = (
    "tell <- function(label, value, error) {\n"
    '  cat(sprintf("%s: %.8g, standard error %.6g\\n", label, value, error))\n'
    "}"
)


def r_script(analysis: Analysis, design: Design | None, origin: Origin) -> str:
    write = _WRITERS.get(analysis.function)
    return limited_script(R, write, (analysis, design, origin), comments, _NOT_THERE)


_NOT_THERE = Message("Neither the package survey nor RRreg has this method.")


class _Body:
    """The lines of a script about some columns of a table."""

    def __init__(self, analysis: Analysis, design: Design, origin: Origin) -> None:
        self.design, self.say = design, origin.say
        self.roles = roles_of(analysis, design)
        self.table = check_files(analysis)
        self._names: list[str] = []
        self._matrices: list[str] = []

    def use(self, name: str) -> str:
        check_attributes(self.design, [name])
        if name not in self._names:
            self._names.append(name)
        return f"answers[[{text(name)}]]"

    def score(self, name: str, wanted: Sequence[str]) -> str:
        column = self.use(name)
        listed = vector(map(text, wanted))
        if not is_randomised(self.design, name):
            return f"({column} %in% {listed})"
        return f"score({column}, {self._matrix(name)}, {listed})"

    def _matrix(self, name: str) -> str:
        if name not in self._matrices:
            device_matrix(self.design, name)
            self._matrices.append(name)
        return f"P{self._matrices.index(name) + 1}"

    def number(self, name: str) -> str:
        start, slope = unbiased_line(self.design, name)
        column = f"as.numeric({self.use(name)})"
        if slope != 1:
            column = f"{slope!r} * {column}"
        return f"({start!r} + {column})" if start else column

    def condition(self, where: object, of: Iterable[str] = ()) -> str:
        _, regions = condition_regions(where, self.design)
        both = set(regions) & set(of)
        if both:
            raise NoScriptError.saying(
                "{attribute} is asked for and part of the condition.", attribute=min(both)
            )
        factors = [self._region(name, region) for name, region in regions.items()]
        return " * ".join(factors) or "rep(1, n)"

    def _region(self, name: str, region: ValueRegion | NumberRegion) -> str:
        if isinstance(region, ValueRegion):
            pairs = zip(region.attribute.values, region.inside, strict=True)
            return self.score(name, [value for value, inside in pairs if inside])
        if is_randomised(self.design, name):
            device_matrix(self.design, name)
        column = f"as.numeric({self.use(name)})"
        spans = [f"({column} >= {low!r} & {column} < {high!r})" for low, high in region.spans]
        return f"({' | '.join(spans).replace('-inf', '-Inf').replace('inf', 'Inf')})"

    def error(self, scores: str) -> str:
        return f"error({scores})" if self.roles is None else f"error({scores}, {scores})"

    def error_of_total(self, scores: str) -> str:
        listed = scores if self.roles is None else f"{scores}, {scores}"
        return f"error_of_total({listed})"

    def error_of_ratio(self, top: str, bottom: str, square: str = "") -> str:
        """The error of a ratio of two sums; ``square`` is worth the square of what top counts."""
        linear = f"linear({top}, {bottom})"
        if self.roles is None:
            return f"error({linear})"
        return f"error({linear}, {self.squared(top, bottom, square)})"

    def squared(self, top: str, bottom: str, square: str = "") -> str:
        """The square of a linearised value, as it would be for the true answers."""
        return f"squared({top}, {bottom}{', ' if square else ''}{square})"

    @property
    def ratios(self) -> tuple[str, ...]:
        return _RATIO if self.roles is None else (*_RATIO, *_SQUARED)

    def square(self, name: str) -> str:
        """What is worth the square of a number whose reports are corrected by a line."""
        number = self.number(name)
        if not is_randomised(self.design, name):
            return f"{number}^2"
        raise NoScriptError.saying(
            "{attribute} is a number under noise, whose error in a sample is that of "
            "ppworkbench alone.",
            attribute=name,
        )

    def lines(self, work: Sequence[str], functions: Sequence[str] = ()) -> list[str]:
        """Everything before the work, and the work; only functions need the errors of means."""
        told = _read(self.table)
        # Rows with a skipped question are left out, as the workbench does.
        told.append(f"kept <- complete.cases(answers[{vector(map(text, self._names))}])")
        told += self._sample() if functions else ["answers <- answers[kept, ]"]
        if self._matrices:
            said = Message("P[r, c] is the probability that the true answer c is reported as r.")
            told += ["", *comments([self.say(said)])]
            for place, name in enumerate(self._matrices):
                told += self._written_matrix(place, name)
            said = Message(
                "Every report is worth a number whose mean is the share of true answers."
            )
            told += [*comments([self.say(said)]), _SCORE]
        return [*told, "", *functions, *([""] if functions else []), *work]

    def _written_matrix(self, place: int, name: str) -> list[str]:
        attribute = self.design[name].attribute
        rows = device_matrix(self.design, name).tolist()
        numbers = ",\n  ".join(", ".join(map(number_text, row)) for row in rows)
        reported, true = (
            vector(map(text, values))
            for values in (self.design[name].distorted.values, attribute.values)
        )
        return [
            *comments([name]),
            f"P{place + 1} <- matrix(c(\n  {numbers}\n), nrow = {len(rows)}, byrow = TRUE,",
            f"  dimnames = list({reported}, {true}))",
        ]

    def _sample(self) -> list[str]:
        if self.roles is None:
            return [
                "answers <- answers[kept, ]",
                "n <- nrow(answers)",
                "w <- rep(1, n)",
                "error <- function(u) sd(u) / sqrt(n)",
                "error_of_total <- function(u) sqrt(n) * sd(u)",
            ]
        said = Message(
            "The package survey counts what the drawing of people adds. What the device adds does "
            "not shrink when much of a population is asked, and no error is smaller than that."
        )
        draws, times = self._repeated_draws()
        return [
            *survey_design(self.roles),
            *draws,
            "answers <- answers[kept, ]",
            "sample <- subset(sample, kept)",
            "n <- nrow(answers)",
            "w <- weights(sample)",
            "drawn <- 0",
            "if (!is.null(sample$fpc$popsize)) {",
            "  drawn <- sample$fpc$sampsize[, 1] / sample$fpc$popsize[, 1]",
            "}",
            *comments([self.say(said)]),
            "error_of_total <- function(u, square) {",
            f"  device <- {times}w^2 * (u^2 - square)",
            "  sampled <- as.numeric(SE(svytotal(~u, update(sample, u = u))))^2",
            "  sqrt(max(sampled + sum(drawn * device), sum(device)))",
            "}",
            "error <- function(u, square) {",
            f"  device <- {times}w^2 * (u^2 - square) / sum(w)^2",
            "  sampled <- as.numeric(SE(svymean(~u, update(sample, u = u))))^2",
            "  sqrt(max(sampled + sum(drawn * device), sum(device)))",
            "}",
        ]

    def _repeated_draws(self) -> tuple[list[str], str]:
        """How much more the device varies where waves of one person repeat its draw."""
        if self.roles is None or self.roles.person is None or not self.design.repeats_draws:
            return [], ""
        said = Message("The waves of one person repeat one draw, so they vary as one.")
        return [
            *comments([self.say(said)]),
            f"person_ <- answers[[{text(self.roles.person)}]]",
            "draws <- sum(tapply(answers$weight_, person_, sum)^2) / sum(answers$weight_^2)",
        ], "draws * "


def survey_design(roles: Sampling) -> list[str]:
    lines = ["library(survey)", 'options(survey.lonely.psu = "adjust")']
    given = []
    if roles.unit is not None:
        lines.append(f"answers$cluster_ <- answers[[{text(roles.unit)}]]")
    given.append("ids = ~cluster_" if roles.unit is not None else "ids = ~1")
    if roles.stratum:
        columns = ", ".join(f"answers[[{text(name)}]]" for name in roles.stratum)
        lines.append(f"answers$stratum_ <- interaction({columns}, drop = TRUE)")
        given.append("strata = ~stratum_")
    weight = "1" if roles.weight is None else f"as.numeric(answers[[{text(roles.weight)}]])"
    lines.append(f"answers$weight_ <- {weight}")
    given.append("weights = ~weight_")
    if roles.population is not None:
        units = (
            f"as.numeric(answers[[{text(roles.population)}]])"
            if isinstance(roles.population, str)
            else repr(roles.population)
        )
        lines.append(f"answers$population_ <- {units}")
        given.append("fpc = ~population_")
    lines += [f"sample <- svydesign({', '.join(given)},", "  data = answers, nest = TRUE)"]
    return lines


def _read(table: str) -> list[str]:
    return [
        f'answers <- read.csv({text(table)}, colClasses = "character", check.names = FALSE,',
        '  na.strings = "", fileEncoding = "UTF-8")',
    ]


def text(value: str) -> str:
    for sign, written in (
        ("\\", "\\\\"),
        ('"', '\\"'),
        ("\n", "\\n"),
        ("\r", "\\r"),
        ("\t", "\\t"),
    ):
        value = value.replace(sign, written)
    return f'"{value}"'


def vector(items: Iterable[str]) -> str:
    return f"c({', '.join(items)})"


def _refuse_methods(analysis: Analysis) -> None:
    given = analysis.arguments
    if given.get("method", "joint") != "joint":
        raise NoScriptError.saying("The sequential method is that of ppworkbench alone.")
    if given.get("bins") is not None:
        raise NoScriptError.saying("Bins of a number under noise take more than a matrix.")


def _share(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    _refuse_methods(analysis)
    given, body = analysis.arguments, _Body(analysis, design, origin)
    what = given.get("what", given.get("where"))
    if isinstance(what, str) and what in design:
        sensitive = design[what].attribute.sensitive
        inside = body.score(what, sensitive)
    else:
        inside = body.condition(what)
    work = [f"inside <- {inside}", f'tell("share", mean_of(inside), {body.error("inside")})']
    mean_of = ("mean_of <- function(u) sum(w * u) / sum(w)", _TELL)
    if "what" in given and "where" in given:
        condition, _ = condition_regions(what, design)
        among = body.condition(given["where"], condition.attributes)
        work = [
            f"among <- {among}",
            f"inside <- {inside} * among",
            _told(body, "share"),
        ]
        return body.lines(work, (*body.ratios, _TELL))
    if analysis.function == "count":
        work.append(f'tell("count", sum(w * inside), {body.error_of_total("inside")})')
    return body.lines(work, mean_of)


def _mean(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    _refuse_methods(analysis)
    given, body = analysis.arguments, _Body(analysis, design, origin)
    of = str(given["of"])
    number = body.number(of)
    among = body.condition(given.get("where"), [of])
    square = "" if body.roles is None else f"{body.square(of)} * among"
    work = [
        f"among <- {among}",
        f"number <- {number} * among",
        'tell("mean", ratio(number, among),',
        f"  {body.error_of_ratio('number', 'among', square)})",
    ]
    return body.lines(work, (*body.ratios, _TELL))


def _ratio_of_totals(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    given, body = analysis.arguments, _Body(analysis, design, origin)
    names = str(given["of"]), str(given["by"])
    top, bottom = (body.number(name) for name in names)
    among = body.condition(given.get("where"), names)
    error = "error(u)"
    if body.roles is not None:
        # What the device adds is 0 only where there is none.
        for name in names:
            body.square(name)
        error = "error(u, u^2)"
    work = [
        f"among <- {among}",
        f"top <- {top} * among",
        f"bottom <- {bottom} * among",
        "u <- linear(top, bottom)",
        f'tell("ratio", ratio(top, bottom), {error})',
    ]
    return body.lines(work, (*_RATIO, _TELL))


def _distribution(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    _refuse_methods(analysis)
    given, body = analysis.arguments, _Body(analysis, design, origin)
    unbiased = Message(
        "These shares are unbiased: where ppworkbench moves shares below 0 to 0, they differ."
    )
    named = given.get("of", given.get("attributes"))
    if named is None:
        named = [one.name for one in design if one.attribute.kind.is_categorical]
    names = [named] if isinstance(named, str) else list(named)  # type: ignore[call-overload]
    for name in names:
        device_matrix(design, name)
    work = [f"among <- {body.condition(given.get('where'), names)}"]
    for name in names:
        title = "" if len(names) == 1 else f"{name} = "
        for value in design[name].attribute.values:
            inside = body.score(name, [value])
            work += [f"inside <- {inside} * among", _told(body, f"{title}{value}")]
    return [*comments([origin.say(unbiased)]), *body.lines(work, (*body.ratios, _TELL))]


def _told(body: _Body, label: str) -> str:
    error = body.error_of_ratio("inside", "among")
    return f"tell({text(label)}, ratio(inside, among), {error})"


def _table(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    _refuse_methods(analysis)
    given, body = analysis.arguments, _Body(analysis, design, origin)
    rows, columns = str(given["rows"]), str(given["columns"])
    for name in (rows, columns):
        device_matrix(design, name)
    work = [f"among <- {body.condition(given.get('where'), (rows, columns))}"]
    values = (design[name].attribute.values for name in (rows, columns))
    for row, column in itertools.product(*values):
        both = f"{body.score(rows, [row])} * {body.score(columns, [column])}"
        label = text(f"{row} | {column}")
        work += [
            f"inside <- {both} * among",
            f"tell({label}, sum(w * inside), {body.error_of_total('inside')})",
        ]
    tests = _independence(analysis, design, body.roles)
    said = Message(
        "Under these devices reports are independent exactly when true answers are, so that the "
        "test of independence takes the reports."
    )
    randomised = any(is_randomised(design, name) for name in (rows, columns))
    told = comments([origin.say(said)]) if tests and randomised else []
    return body.lines([*work, *told, *tests], (_TELL,))


def _independence(analysis: Analysis, design: Design, roles: Sampling | None) -> list[str]:
    given = analysis.arguments
    names = [str(given["rows"]), str(given["columns"])]
    _, regions = condition_regions(given.get("where"), design)
    randomised = [name for name in names if is_randomised(design, name)]
    square = all(len(set(device_matrix(design, name).shape)) == 1 for name in names)
    finite = roles is not None and roles.population is not None and randomised
    if finite or not square or any(is_randomised(design, name) for name in regions):
        # Then the errors of true answers are needed, which reports alone do not tell.
        return []
    wald = given.get("test") == ADJUSTED_WALD
    row, column = (f"answers[[{text(name)}]]" for name in names)
    if roles is not None:
        statistic = text("adjWald" if wald else "F")
        return [
            f"both <- update(sample, row_ = {row}, column_ = {column}, among_ = among)",
            "tested <- svychisq(~row_ + column_, subset(both, among_ == 1),",
            f"  statistic = {statistic})",
            'cat(sprintf("independence: F = %.8g, p = %.6g\\n", tested$statistic,',
            "  tested$p.value))",
        ]
    if wald:
        return []
    return [
        f"both <- table({row}[among == 1], {column}[among == 1])",
        "x2 <- chisq.test(both, correct = FALSE)$statistic * (n - 1) / n",
        "df <- prod(dim(both) - 1)",
        'cat(sprintf("independence: F = %.8g, p = %.6g\\n", x2 / df,',
        "  pchisq(x2, df, lower.tail = FALSE)))",
    ]


def _compare(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    _refuse_methods(analysis)
    if "against" in analysis.arguments:
        raise NoScriptError.saying("Two answers of the same people have no script in R.")
    given, body = analysis.arguments, _Body(analysis, design, origin)
    of, sign, value = str(given["of"]).partition("=")
    of, by = of.strip(), str(given["by"])
    if str(given["of"]) in design:
        of, sign, value = str(given["of"]), "", ""
    device_matrix(design, by)
    measured = body.score(of, [value.strip()]) if sign else body.number(of)
    among = body.condition(given.get("where"), (of, by))
    has_roles = body.roles is not None
    work = [f"among <- {among}", f"measured <- {measured}", "value <- u <- square <- list()"]
    squares = "" if sign or not has_roles else f"{body.square(of)} * member"
    groups = design[by].attribute.values
    for group in groups:
        place = text(group)
        work += [
            f"member <- {body.score(by, [group])} * among",
            f"value[[{place}]] <- ratio(measured * member, member)",
            f"u[[{place}]] <- linear(measured * member, member)",
        ]
        if has_roles:
            found = body.squared("measured * member", "member", squares)
            work.append(f"square[[{place}]] <- {found}")
        more = f", square[[{place}]]" if has_roles else ""
        work.append(f"tell({place}, value[[{place}]], error(u[[{place}]]{more}))")
    reference = given.get("reference")
    pairs: Iterable[tuple[str, str]] = (
        (second, first) for first, second in itertools.combinations(groups, 2)
    )
    if reference:
        pairs = ((one, str(reference)) for one in groups if one != reference)
    for a, b in pairs:
        first, second = text(a), text(b)
        # Nobody is in two groups.
        more = f", square[[{first}]] + square[[{second}]]" if has_roles else ""
        work.append(
            f"tell({text(f'{a} - {b}')}, value[[{first}]] - value[[{second}]],\n"
            f"  error(u[[{first}]] - u[[{second}]]{more}))"
        )
    return body.lines(work, (*body.ratios, _TELL))


def _reconstruct(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    given = analysis.arguments
    if given.get("algorithm", "default") not in ("default", "eq") or given.get("stop"):
        raise NoScriptError.saying("The algorithm is that of ppworkbench alone.")
    return _distribution(analysis, design, origin)


def _list(analysis: Analysis, design: Design, origin: Origin) -> list[str]:  # noqa: ARG001
    given, roles = analysis.arguments, roles_of(analysis, design)
    names = ("predictors", "second", "direct", "ceiling", "floor")
    more = any(given.get(name) for name in names) or roles is not None
    if more or (given.get("method") or DIFFERENCE) != DIFFERENCE:
        raise NoScriptError.saying("Only the difference in means of one list is written out in R.")
    question = design.list_of(str(given["attribute"]))
    arms = design.versions
    groups = (vector(map(text, names)) for names in (question.short, question.long))
    short, long = (
        f"as.numeric(answers[[{text(question.count)}]][answers[[{text(arms.column)}]] %in% {one}])"
        for one in groups
    )
    return [
        *_read(check_files(analysis)),
        f"short <- na.omit({short})",
        f"long <- na.omit({long})",
        'cat(sprintf("share: %.6g, standard error %.6g\\n", mean(long) - mean(short),',
        "  sqrt(var(short) / length(short) + var(long) / length(long))))",
    ]


# Regressions


def check_logistic(analysis: Analysis, design: Design) -> tuple[Formula, float, float, bool]:
    """The formula of a logistic regression, and how its outcome is misreported.

    Returns
    -------
    Formula, P(no | yes), P(yes | no), whether "yes" and "no" change places
    """
    given = analysis.arguments
    written = given["formula"]
    formula = written if isinstance(written, Formula) else parse_formula(str(written))
    if given.get("model", "logistic") not in ("", "logistic") or given.get("arms"):
        raise NoScriptError.saying("Only logistic regressions of all answers are written out.")
    if roles_of(analysis, design) is not None:
        raise NoScriptError.saying(
            "Logistic regressions of randomised answers know no weights or clusters here."
        )
    check_attributes(design, formula.attributes)
    anchored = [name for name in formula.attributes if design.anchor_of(name) is not None]
    if anchored:
        raise NoScriptError.saying(
            "{attribute} has a check question, which corrects for people who do not attend; "
            "use the Python script.",
            attribute=anchored[0],
        )
    outcome = design[formula.outcome].attribute
    if not outcome.kind.is_categorical or outcome.k != 2 or not formula.value:
        raise NoScriptError.saying("The outcome must be one of two answers.")
    other = [name for name in formula.predictors if is_randomised(design, name)]
    if other:
        raise NoScriptError.saying("The predictor {attribute} is randomised.", attribute=other[0])
    _, regions = condition_regions(given.get("where"), design)
    for name in regions:
        if is_randomised(design, name):
            raise NoScriptError.saying("The condition asks randomised answers.")
    matrix = device_matrix(design, formula.outcome)
    yes = outcome.values.index(formula.value)
    kept, gained = float(matrix[yes, yes]), float(matrix[yes, 1 - yes])
    if kept > gained:
        return formula, 1 - kept, gained, False
    # A report of the other answer speaks for this one.
    return formula, kept, 1 - gained, True


def _regress(analysis: Analysis, design: Design, origin: Origin) -> list[str]:
    formula, lost, gained, swapped = check_logistic(analysis, design)
    body = _Body(analysis, design, origin)
    outcome = body.use(formula.outcome)
    for name in formula.predictors:
        body.use(name)
    where = analysis.arguments.get("where")
    compared = "!=" if swapped else "=="
    work = [f"answers <- answers[{body.condition(where)} == 1, ]"] if where else []
    work += [
        f"answers$outcome_ <- as.integer({outcome} {compared} {text(formula.value)})",
    ]
    work += [_predictor(design, formula, name) for name in formula.predictors]
    terms = [":".join(_variable(one) for one in term.variables) for term in formula.terms]
    right = " + ".join([*([] if formula.intercept else ["0"]), *terms]) or "1"
    if lost == gained == 0:
        fit = f"glm(outcome_ ~ {right}, family = binomial, data = answers)"
        return body.lines([*work, f"summary({fit})"])
    said = Message(
        "Forced response is the form of every device with two answers: the probabilities of a "
        "“no” from people with the trait and of a “yes” from people without it."
    )
    work += [
        "library(RRreg)",
        # RRlog begins at random values.
        "set.seed(1)",
        *comments([origin.say(said)]),
        f'found <- RRlog(outcome_ ~ {right}, data = answers, model = "FR",',
        f"  p = {vector(map(number_text, (lost, gained)))})",
        "summary(found)",
    ]
    return body.lines(work)


def _predictor(design: Design, formula: Formula, name: str) -> str:
    attribute = design[name].attribute
    column = f"answers[[{text(name)}]]"
    if not attribute.kind.is_categorical:
        return f"{column} <- as.numeric({column})"
    chosen = [
        one.reference
        for term in formula.terms
        for one in term.variables
        if one.name == name and one.reference
    ]
    first = chosen[0] if chosen else attribute.values[0]
    levels = [first, *(value for value in attribute.values if value != first)]
    return f"{column} <- factor({column}, levels = {vector(map(text, levels))})"


def _variable(one: Variable) -> str:
    name = f"`{one.name}`"
    written = {"": name, "log": f"log({name})", "center": f"I({name} - mean({name}))",
               "scale": f"c(scale({name}))"}[one.function]  # fmt: skip
    return written if one.power == 1 else f"I(({written})^{one.power})"


_WRITERS: dict[str, Writer] = {
    "count": _share,
    "share": _share,
    "mean": _mean,
    "ratio": _ratio_of_totals,
    "distribution": _distribution,
    "table": _table,
    "compare": _compare,
    "reconstruct": _reconstruct,
    "list_item": _list,
    "regress": _regress,
}
