"""All descriptions of a table, written beside it."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path

from ppworkbench.core.data.files import codebook_of, replace_files, sentences, write_texts
from ppworkbench.core.files import temporaries
from ppworkbench.outputs.handover import data_package, for_analysts
from ppworkbench.outputs.handover.ddi import ddi_text
from ppworkbench.outputs.handover.delivery import Delivery
from ppworkbench.study.bundle_target import file_stem


@dataclass(frozen=True)
class BundleFile:
    name: str
    purpose: str


def document_names(stem: str) -> tuple[str, str, str]:
    """The names of the descriptions of a table whose file is called so, without its ending."""
    return f"{stem}.ddi.xml", data_package.FILE, for_analysts.FILE


def write_documents(
    delivery: Delivery, folder: Path, others: Iterable[str] = (), *, counts: bool = False
) -> list[BundleFile]:
    """Write the descriptions into the folder of the table.

    Parameters
    ----------
    others
        Names of the files there that belong to the release, for the package.
    counts
        Whether the DDI file says how often every value was reported.
    """
    delivery = _as_stored(delivery, folder)
    stem = delivery.file.rpartition(".")[0] or file_stem(delivery.title)
    names = document_names(stem)
    ddi = BundleFile(names[0], "the columns for archives and catalogues, DDI-Codebook 2.5")
    package = BundleFile(names[1], "the files as a Frictionless data package")
    text = BundleFile(names[2], "how to estimate: a command, formulas, worked numbers")
    told = {
        folder / ddi.name: ddi_text(delivery, counts=counts),
        folder / text.name: for_analysts.analysts_text(delivery),
    }
    listed = [folder / name for name in others]
    told[folder / package.name] = data_package.package_text(delivery, listed, told)
    # All of them or none: a package must not name files that are not those it was made with.
    with sentences(folder / package.name, "written"), temporaries() as temporary:
        replace_files(write_texts(told, temporary), (), temporary)
    return [ddi, package, text]


def _as_stored(delivery: Delivery, folder: Path) -> Delivery:
    codebook = codebook_of(folder / delivery.file) if delivery.file else None
    if codebook is None or not codebook.stored:
        return delivery
    names = (one.name for one in codebook.attributes)
    return replace(delivery, stored=dict(zip(names, codebook.stored, strict=True)))
