"""The devices of one attribute, row by row, as one channel in which they stand below each other."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ppworkbench.core.arrays import Numbers
from ppworkbench.core.design.design import Design
from ppworkbench.core.errors import DataError
from ppworkbench.core.message import Message
from ppworkbench.core.models.families import DEVICE_START
from ppworkbench.core.survey.answers import Answers, Asked
from ppworkbench.core.survey.factors import Codes, Factor, Weights, inverse_weights


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
        """The same of the unknown parameter."""
        return None if self.slopes is None else self.slopes.reshape(-1, self.slopes.shape[2])

    @cached_property
    def weights(self) -> Numbers:
        """What undoes each row's own device: one row per report, one column per true value."""
        k = self.channels.shape[2]
        return np.vstack([
            inverse_weights(one, np.eye(k), np.full(k, 1 / k)).matrix for one in self.channels
        ])  # fmt: skip

    def reports(self, values: NDArray[Any]) -> Codes:
        """Reported values as rows of the channel."""
        return np.asarray(self.codes * self.channels.shape[2] + values, np.intp)


def devices_of(asked: Asked, answers: Answers, design: Design) -> Devices:
    """Look every row's device up; refuse an unknown parameter that nothing identifies."""
    perturbation, k = asked.perturbation, asked.attribute.k
    attributes = {name: design[name].attribute for name in perturbation.columns}
    cases = perturbation.cases_of(answers.data, attributes, asked.name)
    parts = [device.matrix_parts(k) for device in cases.devices]
    channels = np.stack([known for known, _ in parts])
    if not perturbation.unknown:
        return Devices(cases.codes, channels, None)
    slopes = np.stack([np.zeros((k, k)) if moved is None else moved for _, moved in parts])
    used = np.unique(cases.codes)
    if len(np.unique(np.hstack([channels[used], slopes[used]]).reshape(len(used), -1), axis=0)) < 2:
        raise DataError(
            Message(
                "The unknown {parameter!r} of {attribute!r} cannot be told from the share itself "
                "by one device; a group with another probability, or one that is asked directly, "
                "is missing.",
                parameter=perturbation.unknown,
                attribute=asked.name,
            ),
            attribute=asked.name,
            field="perturbation",
        )
    return Devices(cases.codes, channels, slopes)


@dataclass(frozen=True, eq=False)
class DevicesFactor(Factor):
    """A predictor whose device differs from row to row, or is not known whole.

    The channel of an unknown device is the one where the search begins.
    """

    asked: tuple[Asked]
    devices: Devices

    def codes(self, data: Mapping[str, NDArray[Any]]) -> Codes:
        """Report and device in one number."""
        return self.devices.reports(data[self.asked[0].name])

    @cached_property
    def channel(self) -> Numbers:
        """All devices below each other."""
        slope = self.devices.slope
        if slope is None:
            return self.devices.channel
        return np.asarray(self.devices.channel + DEVICE_START * slope)

    @property
    def targets(self) -> Numbers:
        """Every value."""
        return np.eye(self.asked[0].attribute.k)

    @property
    def true_share(self) -> Numbers:
        """Equal shares."""
        return np.full(self.asked[0].attribute.k, 1 / self.asked[0].attribute.k)

    @cached_property
    def weights(self) -> Weights:
        """Each row's own device undone; how much larger errors become is not asked for."""
        return Weights(self.devices.weights, 1.0, holds=True)
