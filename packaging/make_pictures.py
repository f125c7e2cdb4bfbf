"""Take the pictures of the README anew: python packaging/make_pictures.py [FOLDER].

The tour takes them; here they are brought down to 256 colours, which nobody sees and which makes
the files a third as large.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import numpy as np
from PySide6.QtGui import QImage

from ppworkbench.gui.tour import View, take_tour
from ppworkbench.gui.tour.stops import STOPS

SHIPPED = Path(__file__).resolve().parents[1] / "resources" / "pictures"
NAMES = {
    "start": "start",
    "data": "data",
    "design-ordinal": "design-ordinal",
    "design-continuous": "design-continuous",
    "explore-mid-iteration": "explore",
    "survey-count": "survey",
    "mine": "mine",
    "classify": "classify",
    "publish": "publish",
    "learn-step": "learn",
}
COLOURS = 256


def make_pictures(folder: Path) -> None:
    """Write all pictures of the README into a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as place:
        for path in take_tour(Path(place), [View(1366, 768, "light")]):
            stop = path.stem.partition("-")[2]
            if stop in NAMES:
                target = folder / f"{NAMES[stop]}.png"
                in_few_colours(QImage(str(path))).save(str(target))
                print(f"{target.name}: {target.stat().st_size:,} bytes")
    assert set(NAMES) <= {stop.name for stop in STOPS}


def in_few_colours(image: QImage) -> QImage:
    """The picture with the colours that it has most of, and the nearest of them for the rest."""
    image = image.convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint32).reshape(image.height(), image.width())
    colours, places, counts = np.unique(pixels, return_inverse=True, return_counts=True)
    parts = np.stack([colours >> 16 & 255, colours >> 8 & 255, colours & 255], axis=1)
    chosen = _palette(parts.astype(np.float64), counts)
    indices = _nearest(parts.astype(np.float64), chosen)[places].reshape(pixels.shape)
    made = QImage(image.width(), image.height(), QImage.Format.Format_Indexed8)
    made.setColorTable([0xFF000000 | r << 16 | g << 8 | b for r, g, b in chosen.astype(int)])
    target = np.frombuffer(made.bits(), np.uint8).reshape(made.height(), made.bytesPerLine())
    target[:, : made.width()] = indices
    return made


def _palette(parts: np.ndarray, counts: np.ndarray) -> np.ndarray:
    """Half of the palette by frequency, half by what is worst served so far."""
    order = np.argsort(-counts, kind="stable")
    chosen = list(order[: COLOURS // 2])
    apart = np.min([_distance(parts, parts[place]) for place in chosen], axis=0)
    while len(chosen) < min(COLOURS, len(parts)):
        worst = int(np.argmax(apart * np.sqrt(counts)))
        chosen.append(worst)
        apart = np.minimum(apart, _distance(parts, parts[worst]))
    return parts[chosen]


def _nearest(parts: np.ndarray, palette: np.ndarray) -> np.ndarray:
    distances = np.stack([_distance(parts, colour) for colour in palette])
    return np.argmin(distances, axis=0).astype(np.uint8)


def _distance(parts: np.ndarray, colour: np.ndarray) -> np.ndarray:
    return np.square(parts - colour).sum(axis=1)


if __name__ == "__main__":
    make_pictures(Path(sys.argv[1]) if len(sys.argv) > 1 else SHIPPED)
