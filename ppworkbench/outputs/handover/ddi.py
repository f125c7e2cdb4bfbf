"""A table described as DDI-Codebook 2.5, which data archives and catalogues read.

Elements stand in the order of the schema, whose types are sequences. Counts of answers are left
out unless somebody asks for them: counts of reported answers are read as if they were true ones.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any
from xml.etree import ElementTree as ET

from ppworkbench.core.data.attribute import FROM_DATA, Attribute, Kind
from ppworkbench.core.data.table import Table
from ppworkbench.core.design import Perturbation
from ppworkbench.core.errors import WorkbenchError
from ppworkbench.core.message import Message
from ppworkbench.fieldwork.page.explain import Explainer, languages
from ppworkbench.outputs.handover.delivery import Delivery, listed_items
from ppworkbench.version import __version__

NAMESPACE, VERSION = "ddi:codebook:2_5", "2.5"
MOST_VALUES = 60
"""A larger matrix is told by the parameters that make it."""
_NO_XML = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML file may hold, not even escaped."""
_CODE = re.compile("[a-zA-Z]{1,8}(-[a-zA-Z0-9]{1,8})*")


def ddi_text(delivery: Delivery, *, counts: bool = False) -> str:
    """The whole file.

    Parameters
    ----------
    counts
        Whether it says how often every value was reported.
    """
    root = ET.Element("codeBook", {"xmlns": NAMESPACE, "version": VERSION})
    _set_language(root, delivery.description.language)
    _document(root, delivery)
    _study(root, delivery)
    if delivery.table is not None:
        _file(root, delivery, delivery.table)
    data = _add(root, "dataDscr")
    writer = _Variables(delivery, counts=counts)
    for number, attribute in enumerate(delivery.attributes, 1):
        writer.add(data, number, attribute)
    ET.indent(root)
    return f'<?xml version="1.0" encoding="UTF-8"?>\n{ET.tostring(root, "unicode")}\n'


def _plain(text: str) -> str:
    return _NO_XML.sub("\ufffd", str(text))


def _add(parent: ET.Element, tag: str, text: str = "", **attributes: str) -> ET.Element:
    """A new element; attributes that are empty are left out."""
    given = {key: _plain(value) for key, value in attributes.items() if value}
    element = ET.SubElement(parent, tag, given)
    if text:
        element.text = _plain(text)
    return element


def _add_by_language(parent: ET.Element, tag: str, texts: dict[str, str]) -> None:
    for code, text in texts.items():
        _set_language(_add(parent, tag, text), code)


def _set_language(element: ET.Element, code: str) -> None:
    """Mark the language of an element; the schema takes codes only, not "Polish and English"."""
    if _CODE.fullmatch(code):
        element.set("xml:lang", code)


def _document(root: ET.Element, delivery: Delivery) -> None:
    citation = _add(_add(root, "docDscr"), "citation")
    title = Message("Codebook of {title}", title=delivery.title)
    _add(_add(citation, "titlStmt"), "titl", delivery.tongue.say(title))
    _add(_add(citation, "prodStmt"), "software", "ppworkbench", version=__version__)


def _study(root: ET.Element, delivery: Delivery) -> None:
    told, asked, say = delivery.description, delivery.questionnaire, delivery.tongue.say
    study = _add(root, "stdyDscr")
    citation = _add(study, "citation")
    titles = _add(citation, "titlStmt")
    _add(titles, "titl", delivery.title)
    if asked is not None:
        known = {code: text for code, text in asked.title.items() if text != delivery.title}
        _add_by_language(titles, "parTitl", known)
    if told.identifier:
        _add(titles, "IDNo", told.identifier)
    if told.author:
        _add(_add(citation, "rspStmt"), "AuthEnty", told.author)
    if told.distributor:
        _add(_add(citation, "distStmt"), "distrbtr", told.distributor)
    _information(study, delivery)
    collection = _add(_add(study, "method"), "dataColl")
    for sentence in delivery.sampling:
        _add(collection, "sampProc", say(sentence))
    if told.mode:
        _add(collection, "collMode", told.mode)
    instrument = [say(sentence) for sentence in delivery.method]
    if not instrument:
        count = sum(not delivery.is_as_answered(name) for name in delivery.design.names)
        instrument = [
            say(
                Message(
                    "Questionnaire of {count} questions, {randomised} of them with randomised "
                    "answers; each variable has its instruction.",
                    count=len(delivery.attributes),
                    randomised=count,
                )
            )
        ]
    _add(collection, "resInstru", " ".join(instrument))


def _information(study: ET.Element, delivery: Delivery) -> None:
    told = delivery.description
    if not told.abstract and not told.population and not told.dates:
        return
    info = _add(study, "stdyInfo")
    if told.abstract:
        _add(info, "abstract", told.abstract)
    summary = _add(info, "sumDscr") if told.dates or told.population else info
    if told.dates:
        _add(summary, "collDate", told.dates)
    if told.population:
        _add(summary, "universe", told.population)


def _file(root: ET.Element, delivery: Delivery, table: Table) -> None:
    text = _add(_add(root, "fileDscr", ID="F1"), "fileTxt")
    _add(text, "fileName", delivery.file)
    size = _add(text, "dimensns")
    _add(size, "caseQnty", str(table.rows))
    _add(size, "varQnty", str(len(table.columns)))


class _Variables:
    """Describes columns one by one."""

    def __init__(self, delivery: Delivery, *, counts: bool) -> None:
        self._delivery, self._counts = delivery, counts
        usual = delivery.design.without_arms()
        codes = delivery.questionnaire.languages if delivery.questionnaire is not None else ()
        spoken = [code for code in codes or (delivery.tongue.code,) if code in languages()]
        self._explainers = {code: Explainer(usual, code) for code in spoken}

    def add(self, parent: ET.Element, number: int, attribute: Attribute) -> None:
        """One variable; what it holds stands in the order of the schema."""
        delivery, name = self._delivery, attribute.name
        variable = _add(
            parent, "var", ID=f"V{number}", name=delivery.column_name(name),
            files="F1" if delivery.table is not None else "",
            wgt="wgt" if delivery.design.weight == name else "",
            intrvl="contin" if attribute.kind is Kind.CONTINUOUS else "discrete",
        )  # fmt: skip
        _add(variable, "labl", attribute.shown)
        self._question(variable, name)
        for place, value in enumerate(attribute.values):
            self._category(variable, attribute, place, value)
        _add(variable, "concept", delivery.tongue.say(delivery.state_of(name)))
        self._derivation(variable, attribute)
        kind = "numeric" if delivery.holds_numbers(attribute) else "character"
        _add(variable, "varFormat", type=kind)
        for note in self._notes(attribute):
            _add(variable, "notes", delivery.tongue.say(note))

    def _question(self, variable: ET.Element, name: str) -> None:
        texts = self._delivery.texts(name)
        instructions = {
            code: said
            for code, explainer in self._explainers.items()
            if (said := self._instruction(explainer, name))
        }
        if not texts and not instructions:
            return
        asked = _add(variable, "qstn")
        _add_by_language(asked, "preQTxt", instructions)
        _add_by_language(asked, "qstnLit", dict(texts))

    def _instruction(self, explainer: Explainer, name: str) -> str:
        """What respondents were told; nothing where only the program can randomise."""
        if name not in self._delivery.design.without_arms():
            return ""
        try:
            return explainer.sentence(name)
        except WorkbenchError:
            return ""

    def _category(self, variable: ET.Element, attribute: Attribute, place: int, value: str) -> None:
        category = _add(variable, "catgry")
        _add(category, "catValu", self._delivery.cell(attribute, value))
        texts = self._delivery.answer_texts(attribute.name, value)
        if texts:
            _add_by_language(category, "labl", dict(texts))
        else:
            _add(category, "labl", value)
        table = self._delivery.table
        if self._counts and table is not None and attribute.kind.is_categorical:
            count = int(table[attribute.name].counts[place])
            _add(category, "catStat", str(count), type="freq")

    def _derivation(self, variable: ET.Element, attribute: Attribute) -> None:
        delivery, name = self._delivery, attribute.name
        devices = delivery.devices(name)
        if not devices or delivery.is_as_answered(name):
            return
        derivation = _add(variable, "derivation")
        true = delivery.design[name].attribute
        told = []
        for arm, device in devices.items():
            said = Message.of(device.in_words(true))
            if arm:
                said = Message("{arm}: {sentence}", arm=arm, sentence=said)
            told.append(delivery.tongue.say(said))
        _add(derivation, "drvdesc", " ".join(dict.fromkeys(told)))
        command = mechanism_json(devices, true, lambda value: delivery.cell(attribute, value))
        text = json.dumps(command, ensure_ascii=False, allow_nan=False)
        _add(derivation, "drvcmd", text, syntax="JSON")

    def _notes(self, attribute: Attribute) -> Iterator[Message]:
        delivery, name = self._delivery, attribute.name
        devices = delivery.devices(name)
        if attribute.domain is not None:
            low, high = attribute.domain
            if not devices or delivery.is_as_answered(name):
                yield Message("Range: {low:g} to {high:g}.", low=low, high=high)
            else:
                yield Message(
                    "Range of the true answers: {low:g} to {high:g}; {state} may lie outside.",
                    low=low, high=high, state=delivery.state_of(name),
                )  # fmt: skip
            if attribute.domain_source == FROM_DATA:
                yield Message("The bounds were taken from the data.")
        elif attribute.domain_source == FROM_DATA:
            yield Message("The values were taken from the data.")
        if attribute.unit:
            yield Message("Unit: {unit}.", unit=attribute.unit)
        if attribute.sensitive:
            yield Message("Sensitive: {values}.", values=attribute.sensitive)
        if delivery.table is not None and delivery.table[name].missing_count:
            missing = delivery.table[name].missing_count
            yield Message("Missing answers: {missing:,}.", missing=missing)
        yield from (listed_items(one) for one in delivery.design.lists if one.count == name)
        group = delivery.design.group_of(name) if name in delivery.design else None
        others = () if group is None else tuple(one for one in group.attributes if one != name)
        if others:
            yield Message("One draw serves it together with {others}.", others=others)


def mechanism_json(
    devices: dict[str, Perturbation], attribute: Attribute, cell: Callable[[str], str] = str
) -> dict[str, Any]:
    """How an attribute is randomised: its parameters, and P with its orientation.

    With several arms there is one entry for each of them.

    Parameters
    ----------
    cell
        What the file holds for a value, which is how rows and columns of P are called.
    """
    told = {arm: _one_mechanism(device, attribute, cell) for arm, device in devices.items()}
    if len({json.dumps(one, sort_keys=True) for one in told.values()}) == 1:
        return next(iter(told.values()))
    return {"arms": told}


def _one_mechanism(
    device: Perturbation, attribute: Attribute, cell: Callable[[str], str]
) -> dict[str, Any]:
    result: dict[str, Any] = {"mechanism": device.to_json()}
    naming = device.naming_for(attribute)
    if naming is not None:
        return result | {"g": naming.g, "h": naming.h, "values": list(map(cell, attribute.values))}
    reported = device.distorted(attribute)
    if not attribute.kind.is_categorical or not reported.kind.is_categorical:
        return result
    if len(attribute.values) > MOST_VALUES:
        return result
    return result | {
        "P": device.values.matrix(attribute.k).tolist(),
        "orientation": "P[r][c] is the probability that the true answer c is reported as r",
        "columns": list(map(cell, attribute.values)),
        "rows": list(map(cell, reported.values)),
    }
