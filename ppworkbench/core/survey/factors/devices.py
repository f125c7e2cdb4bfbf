"""The devices of one attribute, row by row, as one channel in which they stand below each other.

Arms of a questionnaire, devices by another column, and devices whose parameters stand in columns
are all undone here, in a regression as in a count.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.data.attribute import Attribute
from ppworkbench.core.design.design import Design
from ppworkbench.core.design.perturbation import Perturbation
from ppworkbench.core.errors import DataError
from ppworkbench.core.survey.answers import Answers, Asked
from ppworkbench.core.survey.factors.factor import (
    SINGULAR,
    Codes,
    Factor,
    Weights,
    inverse_weights,
    uninformative,
)

DEVICE_START = 0.8
"""Where the search for an unknown parameter begins."""


@dataclass(frozen=True, eq=False)
class Devices:
    """What the reports of one attribute came through.

    Parameters
    ----------
    codes
        The device of every row.
    channels
        One P-matrix each; with an unknown parameter, what is left of it where that is 0.
    slopes
        What one unit of the unknown parameter adds; None where all is known.
    """

    codes: NDArray[np.intp]
    channels: Numbers
    slopes: Numbers | None

    @property
    def channel(self) -> Numbers:
        """All of them below each other: report z through device g in row ``g k + z``."""
        return self.channels.reshape(-1, self.channels.shape[2])

    @property
    def slope(self) -> Numbers | None:
        return None if self.slopes is None else self.slopes.reshape(-1, self.slopes.shape[2])

    @cached_property
    def weights(self) -> Numbers | None:
        """What undoes each row's own device: one row per report, one column per true value.

        None where a device that some rows have tells nothing.
        """
        k = self.channels.shape[2]
        found = [inverse_weights(one, np.eye(k), np.full(k, 1 / k)) for one in self.channels]
        used = np.ones(1) if len(found) == 1 else np.bincount(self.codes, minlength=len(found))
        if not all(one.holds for one, is_used in zip(found, used, strict=True) if is_used):
            return None
        return np.vstack([one.matrix for one in found])

    def reports(self, values: NDArray[Any]) -> Codes:
        if len(self.channels) == 1:
            return np.asarray(values, np.intp)
        return np.asarray(self.codes * self.channels.shape[2] + values, np.intp)


def devices_of(asked: Asked, answers: Answers, design: Design) -> Devices:
    """Look every row's device up; refuse an unknown parameter that nothing identifies."""
    perturbation, k = asked.perturbation, asked.attribute.k
    attributes = {name: design[name].attribute for name in perturbation.columns}
    cases = perturbation.cases_of(answers.data, attributes, asked.name)
    parts = [device.values.matrix_parts(k) for device in cases.devices]
    channels = np.stack([known for known, _ in parts])
    if not perturbation.unknown:
        return Devices(cases.codes, channels, None)
    slopes = np.stack([np.zeros((k, k)) if moved is None else moved for _, moved in parts])
    used = np.unique(cases.codes)
    _refuse_unidentified(asked, np.hstack([channels[used], slopes[used]]))
    return Devices(cases.codes, channels, slopes)


def _refuse_unidentified(asked: Asked, devices: Numbers) -> None:
    if asked.perturbation.has_check:
        return
    if len(np.unique(devices.reshape(len(devices), -1), axis=0)) < 2:
        raise DataError.saying(
            "The unknown {parameter!r} of {attribute!r} cannot be told from the share itself "
            "by one device; a group with another probability, or one that is asked directly, "
            "is missing.",
            parameter=asked.perturbation.unknown,
            attribute=asked.name,
            field="perturbation",
        )


@dataclass(frozen=True, eq=False)
class DevicesFactor(Factor):
    """An attribute of values whose device differs from row to row, or is not known whole.

    The devices stand below each other: report z through device g is cell ``g k + z``, of which each
    record has those of its own device only. Sums over the cells with records are therefore sums
    over records, each undone by its own device. The channel of an unknown device is the one where
    the search for it begins.

    Parameters
    ----------
    columns
        The attributes that decide about the device, by name.
    devices
        Every device that some record has.
    """

    asked: tuple[Asked]
    columns: Mapping[str, Attribute]
    devices: tuple[Perturbation, ...]

    @classmethod
    def of(cls, asked: Asked, answers: Answers, design: Design) -> DevicesFactor:
        columns = {name: design[name].attribute for name in asked.perturbation.columns}
        cases = asked.perturbation.cases_of(answers.data, columns, asked.name)
        used = np.unique(cases.codes).tolist()
        found = cls((asked,), columns, tuple(dict.fromkeys(cases.devices[one] for one in used)))
        if found.slope is not None:
            moved = found.slope.reshape(found.channels.shape)
            _refuse_unidentified(asked, np.hstack([found.channels, moved]))
        return found

    @property
    def needs(self) -> tuple[str, ...]:
        return (*self.names, *self.columns)

    def codes(self, data: Mapping[str, NDArray[Any]]) -> Codes:
        only = self.asked[0]
        cases = only.perturbation.cases_of(data, self.columns, only.name)
        listed = {device: place for place, device in enumerate(self.devices)}
        places = np.array([listed.get(device, -1) for device in cases.devices], np.intp)
        return np.asarray(places[cases.codes] * only.attribute.k + data[only.name], np.intp)

    @cached_property
    def _parts(self) -> tuple[tuple[Numbers, Numbers | None], ...]:
        return tuple(one.values.matrix_parts(self.asked[0].attribute.k) for one in self.devices)

    @cached_property
    def channels(self) -> Numbers:
        return np.stack([
            known if moved is None else known + DEVICE_START * moved for known, moved in self._parts
        ])  # fmt: skip

    @property
    def channel(self) -> Numbers:
        """All devices below each other: each column adds up to 1 in every one of them."""
        return self.channels.reshape(-1, self.channels.shape[2])

    @property
    def slope(self) -> Numbers | None:
        if not self.asked[0].perturbation.unknown:
            return None
        return np.vstack([
            np.zeros_like(known) if moved is None else moved for known, moved in self._parts
        ])  # fmt: skip

    @property
    def targets(self) -> Numbers:
        return self.asked[0].targets()

    @property
    def true_share(self) -> Numbers:
        return np.full(self.asked[0].attribute.k, 1 / self.asked[0].attribute.k)

    @cached_property
    def _inverse(self) -> tuple[Weights, ...]:
        return tuple(inverse_weights(one, self.targets, self.true_share) for one in self.channels)

    @property
    def undo(self) -> Numbers | None:
        """The weights of every device; None where one of them cannot be undone."""
        if not all(one.holds for one in self._inverse):
            return None
        return np.vstack([one.matrix for one in self._inverse])

    @cached_property
    def weights(self) -> Weights:
        """Each row's own device undone: ``h = P_g^{-T} 1_S``."""
        undo = self.undo
        if undo is None:
            raise uninformative(self.asked[0].name, SINGULAR)
        return Weights(undo, max(one.inflation for one in self._inverse), holds=True)

    @cached_property
    def least_variance(self) -> Numbers:
        weights = self.weights.matrix.reshape(*self.channels.shape[:2], -1)
        squares = np.einsum("grc,grt->gct", self.channels, weights**2)
        return np.asarray(np.maximum((squares - self.targets**2).min(axis=(0, 1)), 0.0))
