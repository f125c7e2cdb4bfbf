"""Pictures of a virtual screen."""

from __future__ import annotations

import struct
import zlib


def test_that_the_picture_of_a_virtual_screen_is_read_row_by_row(load, tmp_path):
    screens = load("virtual_screen")
    width, height, line = 3, 2, 16
    fields = [0] * 25
    fields[0], fields[4], fields[5], fields[12], fields[19] = 104, width, height, line, 2
    rows = [bytes(range(y * 12, y * 12 + 12)) + b"\xff" * 4 for y in range(height)]
    memory = tmp_path / "screen"
    memory.write_bytes(struct.pack(">25I", *fields) + b"name" + b"c" * 24 + b"".join(rows))
    picture = screens.Screen(":1", memory).picture()
    assert (picture.width, picture.height, picture.colours) == (3, 2, 6)
    assert picture.pixels == bytes(range(24))
    picture.save(tmp_path / "it.png")
    content = (tmp_path / "it.png").read_bytes()
    start_of_rows = content.index(b"IDAT") + 4
    rows_again = zlib.decompress(content[start_of_rows:-16])
    assert rows_again[:10] == bytes([0, 2, 1, 0, 6, 5, 4, 10, 9, 8])
