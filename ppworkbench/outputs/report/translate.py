"""A report said in another language, but for the texts of the study itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ppworkbench.study.blocks import (
    Block,
    Grid,
    Heat,
    Listing,
    Paragraph,
    Points,
    Report,
    Section,
)
from ppworkbench.study.language import Language
from ppworkbench.study.study import Study

Say = Callable[[str], str]


def spoken(report: Report, tongue: Language, study: Study) -> Report:
    """The report with every text said in a language, but for those of the study itself.

    Attributes are called what people call them.
    """
    own = _own_texts(study)

    def say(text: str) -> str:
        return text if text in own else tongue.say(study.titled(text))

    return replace(
        report,
        sections=tuple(_section(section, say) for section in report.sections),
        attachments=tuple(_section(section, say) for section in report.attachments),
        banner=say(report.banner) if report.banner else "",
        attached=say(report.attached),
        kind=say(report.kind),
        contents=say(report.contents),
        language=tongue.code,
    )


def _own_texts(study: Study) -> frozenset[str]:
    attributes = [designed.attribute for designed in study.design.attributes]
    if study.table is not None:
        attributes += study.table.attributes
    texts = {
        text
        for one in attributes
        for text in (one.name, one.label, one.title, one.unit, *one.values)
    }
    return frozenset(texts) | {study.title}


def _section(section: Section, say: Say) -> Section:
    blocks = tuple(_block(block, say) for block in section.blocks)
    return replace(section, title=say(section.title), blocks=blocks)


def _block(block: Block, say: Say) -> Block:
    if isinstance(block, Paragraph):
        return replace(block, text=say(block.text))
    if isinstance(block, Points):
        return Points(tuple((mark, say(text)) for mark, text in block.items))
    if isinstance(block, Grid):
        return replace(
            block,
            heads=tuple(map(say, block.heads)),
            right=tuple(map(say, block.right)),
            rows=tuple(tuple(map(say, row)) for row in block.rows),
            caption=say(block.caption),
        )
    if isinstance(block, Heat):
        texts = tuple(tuple(map(say, row)) for row in block.texts)
        return replace(block, corner=say(block.corner), texts=texts)
    if isinstance(block, Listing):
        return replace(block, title=say(block.title))
    # A figure is drawn in its language.
    return block
