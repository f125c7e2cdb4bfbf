"""Designs as JSON files, described in ``resources/help/design-file.md``.

A design file never holds a seed: seed and design together undo the distortion.
"""

from __future__ import annotations

import dataclasses
import hashlib
import json
import math
import operator
import os
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ppworkbench.core.data.attribute import (
    CLIP,
    FROM_DATA,
    PUBLIC,
    QUESTION_KINDS,
    REFUSE,
    Attribute,
    Kind,
)
from ppworkbench.core.data.sampling_roles import Sampling, sampling_fields
from ppworkbench.core.design.anchors import anchors_from_json, anchors_to_json
from ppworkbench.core.design.arms import ONE_VERSION, Arms
from ppworkbench.core.design.budget import DesignBudget
from ppworkbench.core.design.design import Design, DesignedAttribute
from ppworkbench.core.design.devices import Device
from ppworkbench.core.design.group import Group
from ppworkbench.core.design.linked_waves import linking_column, without_linking
from ppworkbench.core.design.lists import ListQuestion
from ppworkbench.core.design.perturbation import Identity, read_perturbation
from ppworkbench.core.design.presets import presets
from ppworkbench.core.errors import DataError, DesignError, ParameterError
from ppworkbench.core.files import check_file, write_text
from ppworkbench.core.json_values import JsonError, has_too_many_values, parse_json
from ppworkbench.core.message import Message

if TYPE_CHECKING:
    from ppworkbench.core.data.codebook import Codebook

FORMAT = "ppworkbench-design"
VERSION, NEWEST = 1, 2
"""The version of most designs, and of those with arms, anchors, a budget, devices or newer ones."""
_LARGEST_FILE = 64 * 2**20
_TOP = (
    "format", "version", "class", "attributes", "groups", "sampling", "arms", "lists", "anchors",
    "budget", "orientation",
)  # fmt: skip
COLUMNS, ROWS = "columns are true answers", "rows are true answers"
"""What a file says of its matrices: ours have true answers in columns, many programs in rows."""
_FIELDS = (
    "kind", "title", "unit", "values", "domain", "domain_source", "outside", "sensitive",
    "perturbation", "missing", "device",
)  # fmt: skip
_WORDS = ("title", "unit")
_ROUNDED = 0.005
"""How far a probability in a file may be rounded from the exact one of its device."""


def design_to_json(design: Design, *, words: bool = True) -> dict[str, Any]:
    """The design as plain JSON values; without ``words`` only what a result depends on."""
    has_device = words and any(designed.device is not None for designed in design)
    budget = {} if design.budget is None else design.budget.to_json(words=words)
    if design.ask is None:
        # More than there are: a question is not randomised any more.
        budget = {field: value for field, value in budget.items() if field != "ask"}
    # The question behind a list stands among the others: that is where its answers are named.
    behind = (DesignedAttribute(one.attribute, Identity()) for one in design.lists)
    attributes = {d.name: _attribute_to_json(d, words=words) for d in (*design, *behind)}
    arms = design.versions.to_json() if design.has_arms else {}
    # It changes no result which way round a matrix is written.
    has_matrix = words and (_has_matrix(attributes) or _has_matrix(arms))
    is_new = bool(arms) or bool(design.anchors) or has_device or bool(budget) or has_matrix
    is_new = is_new or any(_says_of_domain(one.attribute, words=words) for one in design)
    newest = max((designed.perturbation.file_version for designed in design), default=VERSION)
    result: dict[str, Any] = {"format": FORMAT, "version": NEWEST if is_new else newest}
    if design.class_name is not None:
        result["class"] = design.class_name
    if has_matrix:
        result["orientation"] = COLUMNS
    result["attributes"] = attributes
    if design.groups:
        result["groups"] = [group.to_json() for group in design.groups]
    result |= sampling_fields(design.sampling, _says_of_draws(design, words=words))
    if arms:
        result["arms"] = arms
    if design.lists:
        result["lists"] = {one.name: one.to_json() for one in design.lists}
    if design.anchors:
        result["anchors"] = anchors_to_json(design.anchors)
    if budget:
        result["budget"] = budget
    return result


def _says_of_draws(design: Design, *, words: bool) -> dict[str, bool]:
    """Whether the rows of a person count as one draw, which results depend on."""
    roles = design.sampling
    if words or roles is None or roles.person is None or not design.repeats_draws:
        return {}
    return {"repeats_draws": True}


def _has_matrix(written: Any) -> bool:
    if isinstance(written, Mapping):
        return isinstance(written.get("matrix"), list) or any(map(_has_matrix, written.values()))
    return isinstance(written, list) and any(map(_has_matrix, written))


def _turned(given: Any) -> Any:
    if isinstance(given, list):
        return [_turned(one) for one in given]
    if not isinstance(given, Mapping):
        return given
    found = {field: _turned(one) for field, one in given.items()}
    rows = found.get("matrix")
    # What is no square is refused where it is read, as it stands in the file.
    if isinstance(rows, list) and all(isinstance(r, list) and len(r) == len(rows) for r in rows):
        found["matrix"] = [list(column) for column in zip(*rows, strict=True)]
    return found


def _attribute_to_json(designed: DesignedAttribute, *, words: bool) -> dict[str, Any]:
    attribute = designed.attribute
    result: dict[str, Any] = {"kind": str(attribute.kind)}
    if words:
        said = {"title": attribute.title, "unit": attribute.unit}
        result |= {field: text for field, text in said.items() if text}
    if attribute.domain is None:
        result["values"] = list(attribute.values)
        if words and attribute.domain_source == PUBLIC:
            result["domain_source"] = PUBLIC
    else:
        result["domain"] = [_plain(bound) for bound in attribute.domain]
        result |= _says_of_domain(attribute, words=words)
    if attribute.sensitive:
        result["sensitive"] = list(attribute.sensitive)
    if designed.missing_is_value:
        result["missing"] = "value"
    result["perturbation"] = designed.perturbation.to_json()
    device = designed.device
    # The error of a share is in the intervals of results, whatever the device is called.
    if device is not None and (words or device.standard_error is not None):
        result["device"] = device.to_json()
    return result


def _says_of_domain(attribute: Attribute, *, words: bool) -> dict[str, str]:
    """What is not usual about a domain; where it comes from changes no result."""
    result: dict[str, str] = {}
    if attribute.domain is None:
        return result
    if words and attribute.domain_source != PUBLIC:
        result["domain_source"] = attribute.domain_source
    if attribute.outside != REFUSE:
        result["outside"] = attribute.outside
    return result


def _plain(number: float) -> float | int:
    return int(number) if number.is_integer() and abs(number) < 2**53 else number


def design_from_json(given: Any) -> Design:
    top = _checked_top(given)
    attributes = top["attributes"]
    if not isinstance(attributes, Mapping):
        raise DesignError("The field 'attributes' must be an object of names.", field="attributes")
    listed = tuple(_attribute_from_json(name, fields) for name, fields in attributes.items())
    groups = top.get("groups", [])
    if not isinstance(groups, list) or not all(isinstance(group, Mapping) for group in groups):
        raise DesignError("The field 'groups' must be a list of groups.", field="groups")
    class_name = top.get("class")
    if class_name is not None and not isinstance(class_name, str):
        raise DesignError("The field 'class' must be the name of an attribute.", field="class")
    together = tuple(Group.from_json(group) for group in groups)
    arms = Arms.from_json(top["arms"]) if "arms" in top else None
    lists = _lists(top.get("lists", {}), {one.name: one for one in listed})
    asked = {one.name for one in lists}
    plain = tuple(one for one in listed if one.name not in asked)
    anchors = anchors_from_json(top.get("anchors", {}))
    sampling = _sampling(top.get("sampling"))
    budget = DesignBudget.from_json(top["budget"]) if "budget" in top else None
    if budget is not None and budget.is_empty:
        budget = None
    design = Design(plain, class_name, together, sampling, arms, lists, anchors, budget)
    if budget is not None:
        budget.check_ask(design.parts)
    for given_arm, arm in zip((arms or ONE_VERSION).members, design.versions.members, strict=True):
        for (name, built), (_, kept) in zip(
            given_arm.perturbations, arm.perturbations, strict=True
        ):
            if built.design_name != kept.design_name:
                raise _wrong_name(name, str(built.design_name))
    return design


def design_of(codebook: Codebook | None) -> Design | None:
    if codebook is None or codebook.design is None:
        return None
    design = design_from_json(codebook.design)
    return dataclasses.replace(design, sampling=design.sampling or codebook.sampling)


def _lists(given: Any, listed: Mapping[str, DesignedAttribute]) -> tuple[ListQuestion, ...]:
    """The lists; their questions may be among the attributes, else they are of no and yes."""
    if not isinstance(given, Mapping):
        raise DesignError("The field 'lists' must be an object of questions.", field="lists")
    found = []
    for name, fields in given.items():
        _check_name(name, "lists")
        attribute = Attribute(name, Kind.BINARY, ("no", "yes"))
        if name in listed:
            designed = listed[name]
            if not designed.perturbation.is_identity:
                raise DesignError.saying(
                    "{attribute!r} is asked by a list, so it cannot be randomised, too.",
                    attribute=name,
                    field="lists",
                )
            attribute = designed.attribute
        found.append(ListQuestion.from_json(attribute, fields))
    return tuple(found)


def _sampling(given: Any) -> Sampling | None:
    if given is None:
        return None
    try:
        return Sampling.from_json(given)
    except ParameterError as error:
        raise DesignError(error.message, attribute=error.attribute, field="sampling") from None


def _checked_top(given: Any) -> Mapping[str, Any]:
    if not isinstance(given, Mapping) or given.get("format") != FORMAT:
        raise DesignError.saying(
            "This is not a design: the field 'format' is not {format!r}.",
            format=FORMAT,
            field="format",
        )
    version = given.get("version")
    if isinstance(version, bool) or not isinstance(version, int) or version < 1:
        raise DesignError.saying(
            "The field 'version' is {version!r}; it must be a number from 1 to {version2}.",
            version=version,
            version2=NEWEST,
            field="version",
        )
    if version > NEWEST:
        raise DesignError.saying(
            "The design has version {version}, made by a newer program; this one "
            "reads version {version2}.",
            version=version,
            version2=NEWEST,
            field="version",
        )
    for name in given:
        DesignError.unless_known(
            "The design has the unknown field {name!r}; known are {known}.", name, _TOP, field=name
        )
    if "attributes" not in given:
        raise DesignError("The design lacks the field 'attributes'.", field="attributes")
    orientation = given.get("orientation", COLUMNS)
    if orientation not in (COLUMNS, ROWS):
        raise DesignError.saying(
            "The field 'orientation' is {orientation!r}; it is {columns!r} or {rows!r}.",
            orientation=orientation,
            columns=COLUMNS,
            rows=ROWS,
            field="orientation",
        )
    if orientation == COLUMNS:
        return given
    turned: Mapping[str, Any] = _turned(given)
    return turned


def _check_name(name: str, field: str) -> None:
    if not name.strip():
        raise DesignError.saying(
            "An attribute in the field {field!r} of the design has no name; write the name of "
            "its column.",
            field=field,
        )


def _attribute_from_json(name: str, given: Any) -> DesignedAttribute:
    _check_name(name, "attributes")
    if not isinstance(given, Mapping):
        raise _error(name, None, Message("must be an object with a kind and a perturbation"))
    for field in given:
        if field not in _FIELDS:
            raise _error(name, field, Message("has the unknown field {field!r}", field=field))
    missing = given.get("missing", "leave")
    if missing not in ("leave", "value"):
        raise _error(
            name,
            "missing",
            Message("has 'missing' {missing!r}; it is 'leave' or 'value'", missing=missing),
        )
    perturbation = given.get("perturbation", {"type": "none"})
    if not isinstance(perturbation, Mapping):
        raise _error(name, "perturbation", Message("has a perturbation that is not an object"))
    built = read_perturbation(perturbation, name)
    designed = DesignedAttribute(_typed(name, given), built, missing == "value")
    if designed.perturbation.design_name != built.design_name:
        raise _wrong_name(name, str(perturbation.get("named_design")))
    if "device" not in given:
        return designed
    return _with_device(designed, perturbation, Device.from_json(given["device"], name))


def _with_device(
    designed: DesignedAttribute, given: Mapping[str, Any], device: Device
) -> DesignedAttribute:
    """The attribute with the exact probabilities of its device.

    Parameters that are given beside it may be rounded, but must not say something else.
    """
    exact = device.applied(designed.perturbation, designed.attribute)
    found = dataclasses.replace(designed, perturbation=exact, device=device)
    told = exact.to_json()
    for field, value in given.items():
        if not _is_rounded(value, told.get(field)):
            raise DesignError(
                Message(
                    "Attribute {attribute!r}: {field!r} is not what the outcomes of the device "
                    "{device!r} give; correct one of them.",
                    attribute=designed.name,
                    field=field,
                    device=device.name,
                ),
                attribute=designed.name,
                field="device",
            )
    return found


def _is_rounded(given: Any, exact: Any) -> bool:
    if isinstance(given, list):
        return isinstance(exact, list) and all(
            _is_rounded(one, other) for one, other in zip(given, exact, strict=True)
        )
    if isinstance(given, int | float) and isinstance(exact, int | float):
        return abs(given - exact) <= _ROUNDED
    # A distribution that is left out is even; one that is told twice may be left out.
    return given is None or exact is None or given == exact


def _wrong_name(name: str, named: str) -> DesignError:
    known = ", ".join(presets.names)
    sentence = (
        Message(
            "Attribute {attribute!r}: the named design {named!r} has other parameters; "
            "correct them or remove the name.",
            attribute=name,
            named=named,
        )
        if named in presets
        else Message(
            "Attribute {attribute!r}: the named design {named!r} is unknown; known are {known}.",
            attribute=name,
            named=named,
            known=known,
        )
    )
    return DesignError(sentence, attribute=name, field="named_design")


def _outside(name: str, given: Mapping[str, Any], kind: Kind) -> str:
    found = _one_of(name, given, "outside", (REFUSE, CLIP))
    if found == CLIP and kind.is_categorical:
        raise _error(
            name, "outside", Message("has values, which have no outside; leave out 'outside'")
        )
    return found


def _typed(name: str, given: Mapping[str, Any]) -> Attribute:
    kind = given.get("kind")
    if kind not in QUESTION_KINDS:
        raise _error(
            name,
            "kind",
            Message(
                "has the kind {kind!r}; it is one of {kinds}",
                kind=kind,
                kinds=", ".join(QUESTION_KINDS),
            ),
        )
    values, domain = given.get("values", []), given.get("domain")
    if not isinstance(values, list) or not all(isinstance(value, str) for value in values):
        raise _error(name, "values", Message("must have its values as a list of texts"))
    if Kind(kind).is_categorical and not values:
        raise _error(name, "values", Message("lacks its values"))
    if domain is not None and not _is_domain(domain):
        raise _error(name, "domain", Message("must have a domain of two finite numbers"))
    for field in _WORDS:
        if not isinstance(given.get(field, ""), str):
            raise _error(name, field, Message("must have its {field} as text", field=field))
    # Bounds that nobody speaks of were typed. Values were read off the data by every design that
    # earlier versions made from a table.
    sources = (FROM_DATA, PUBLIC) if Kind(kind).is_categorical else (PUBLIC, FROM_DATA)
    source = _one_of(name, given, "domain_source", sources)
    outside = _outside(name, given, Kind(kind))
    sensitive = given.get("sensitive", [])
    if not isinstance(sensitive, list) or not all(isinstance(one, str) for one in sensitive):
        raise _error(
            name, "sensitive", Message("must have its sensitive answers as a list of texts")
        )
    try:
        typed = Attribute(
            name,
            Kind(kind),
            tuple(values),
            None if domain is None else (domain[0], domain[1]),
            title=given.get("title", ""),
            unit=given.get("unit", ""),
            domain_source=source,
            outside=outside,
        )
    except DataError as error:
        field = "domain" if Kind(kind).is_numeric else "values"
        raise DesignError(error.message, attribute=name, field=field) from None
    try:
        return typed.with_(sensitive=tuple(sensitive))
    except DataError as error:
        raise DesignError(error.message, attribute=name, field="sensitive") from None


def _one_of(name: str, given: Mapping[str, Any], field: str, known: tuple[str, ...]) -> str:
    """The word of a field; the first of those known where nothing is said."""
    found = given.get(field, known[0])
    if found not in known:
        raise _error(
            name,
            field,
            Message(
                "has {field!r} {found!r}; it is one of {known}",
                field=field,
                found=found,
                known=", ".join(known),
            ),
        )
    return str(found)


def _is_domain(domain: Any) -> bool:
    return (
        isinstance(domain, list)
        and len(domain) == 2
        and all(isinstance(b, int | float) and not isinstance(b, bool) for b in domain)
        and all(math.isfinite(b) for b in domain)
    )


def _error(name: str, field: str | None, what: str) -> DesignError:
    return DesignError.saying(
        "Attribute {attribute!r} {what}.", what=what, attribute=name, field=field
    )


def publishable(design: Design) -> Design:
    """The design with a grid for every continuous attribute that has none.

    A distorted double in full length can betray the original by its low bits (Mironov 2012), and a
    kept number among replaced ones by its number of digits. On a grid both look alike. The grid is
    chosen from the design alone, so that it says nothing about the data, and published with it.
    """
    listed = tuple(map(_on_grid, design))
    if not design.has_arms and all(map(operator.is_, listed, design)):
        return design
    arms = design.versions.with_devices(lambda name, one: one.on_grid(design[name].attribute))
    return dataclasses.replace(design, attributes=listed, arms=arms)


def _on_grid(designed: DesignedAttribute) -> DesignedAttribute:
    placed = designed.perturbation.on_grid(designed.attribute)
    if placed is designed.perturbation:
        return designed
    return dataclasses.replace(designed, perturbation=placed)


def design_digest(design: Design) -> str:
    """What pages, kits and collectors call a published design: 16 hex digits of its SHA-256.

    Titles, units and the names of devices are no part of it, because they change no answer.
    """
    linking = linking_column(design)
    # Rows name a person or do not; whether somebody has answered already changes none.
    document = design_to_json(publishable(without_linking(design)), words=False)
    document |= {} if linking is None else {"linking": linking}
    told = json.dumps(document, sort_keys=True, separators=(",", ":"))
    return hashlib.sha256(told.encode()).hexdigest()[:16]


def write_design(design: Design, path: str | Path) -> None:
    """Write a design file in one piece: a failed write leaves the old file."""
    text = json.dumps(design_to_json(design), indent=1, ensure_ascii=False, allow_nan=False)
    write_text(path, text + "\n")


def as_design(given: object) -> Design:
    """A design, its JSON values or the path of its file, as a design."""
    if isinstance(given, Design):
        return given
    if isinstance(given, Mapping):
        return design_from_json(given)
    if isinstance(given, str | os.PathLike):
        return read_design(Path(given))
    raise DesignError.saying(
        "The design must be a design, its JSON values or the path of a file, not {kind}.",
        kind=type(given).__name__,
        field="design",
    )


def read_design(path: str | Path) -> Design:
    path = Path(path)
    check_file(path, DesignError)
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise DesignError(Message("{file} is too large for a design.", file=path), file=path)
        text = path.read_text(encoding="utf-8-sig")
        if has_too_many_values(text):
            raise DesignError(
                Message("{file} has too many values for a design.", file=path), file=path
            )
        return design_from_json(parse_json(text))
    except OSError as error:
        why = error.strerror or Message("it cannot be read")
        raise DesignError(
            Message("The design {file} cannot be read: {why}.", file=path, why=why), file=path
        ) from None
    except UnicodeDecodeError:
        raise DesignError(
            Message("{file} is not a text file in UTF-8.", file=path), file=path
        ) from None
    except JsonError as error:
        raise DesignError(
            Message("{file} is not valid JSON: {why}.", file=path, why=error.reason), file=path
        ) from None
    except DesignError as error:
        error.file = str(path)
        raise
