"""A virtual screen whose picture can be read, for seeing whether a window has opened on it."""

from __future__ import annotations

import contextlib
import os
import struct
import subprocess
import tempfile
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

SIZE = (1366, 768)


@dataclass(frozen=True)
class Picture:
    """What a screen shows: rows of pixels in four bytes, blue first."""

    width: int
    height: int
    pixels: bytes

    @property
    def colours(self) -> int:
        """The number of different colours; an empty screen has one."""
        return len({self.pixels[i : i + 3] for i in range(0, len(self.pixels), 4)})

    def save(self, path: Path) -> None:
        """Write it as PNG."""
        rows = bytearray()
        for y in range(self.height):
            row = self.pixels[y * self.width * 4 : (y + 1) * self.width * 4]
            colours = bytearray(self.width * 3)
            colours[0::3], colours[1::3], colours[2::3] = row[2::4], row[1::4], row[0::4]
            rows += b"\0" + colours
        header = struct.pack(">IIBBBBB", self.width, self.height, 8, 2, 0, 0, 0)
        parts = [(b"IHDR", header), (b"IDAT", zlib.compress(bytes(rows))), (b"IEND", b"")]
        path.write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(_chunk(*part) for part in parts))


def _chunk(kind: bytes, content: bytes) -> bytes:
    check = struct.pack(">I", zlib.crc32(kind + content))
    return struct.pack(">I", len(content)) + kind + content + check


@dataclass(frozen=True)
class Screen:
    """A running X server."""

    display: str
    memory: Path

    def picture(self) -> Picture:
        """What it shows now, from the file in which Xvfb keeps it (format XWD, version 7)."""
        content = self.memory.read_bytes()
        fields = struct.unpack(">25I", content[:100])
        header, width, height = fields[0], fields[4], fields[5]
        line, colours = fields[12], fields[19]
        start = header + colours * 12
        rows = (start + y * line for y in range(height))
        pixels = b"".join(content[row : row + width * 4] for row in rows)
        return Picture(width, height, pixels)


@contextlib.contextmanager
def virtual_screen() -> Iterator[Screen]:
    """Start Xvfb with a number that is free, and end it again."""
    reader, writer = os.pipe()
    with tempfile.TemporaryDirectory() as folder:
        screen = ["-screen", "0", f"{SIZE[0]}x{SIZE[1]}x24", "-fbdir", folder]
        # Without access control: the program runs as another user, in a network of its own.
        command = ["Xvfb", "-displayfd", str(writer), "-ac", "-nolisten", "tcp", *screen]
        server = subprocess.Popen(command, pass_fds=[writer], stderr=subprocess.DEVNULL)
        os.close(writer)
        try:
            with os.fdopen(reader, encoding="ascii") as pipe:
                number = pipe.readline().strip()
            yield Screen(f":{number}", Path(folder) / "Xvfb_screen0")
        finally:
            server.terminate()
            server.wait()
