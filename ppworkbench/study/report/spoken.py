"""A report in another language."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from ppworkbench.study.language.tongue import ENGLISH, Tongue
from ppworkbench.study.report.blocks import (
    Block,
    Grid,
    Heat,
    Listing,
    Paragraph,
    Points,
    Report,
    Section,
)
from ppworkbench.study.study import Study

Say = Callable[[str], str]


def spoken(report: Report, tongue: Tongue, study: Study) -> Report:
    """The report with every text said in a language, but for those of the study itself."""
    if tongue == ENGLISH:
        return report
    own = _own_texts(study)

    def say(text: str) -> str:
        return text if text in own else tongue.say(text)

    return replace(
        report,
        sections=tuple(_section(section, say) for section in report.sections),
        kind=say(report.kind),
        contents=say(report.contents),
        language=tongue.code,
    )


def _own_texts(study: Study) -> frozenset[str]:
    attributes = [designed.attribute for designed in study.design.attributes]
    if study.table is not None:
        attributes += study.table.attributes
    texts = {text for one in attributes for text in (one.name, one.label, *one.values)}
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
