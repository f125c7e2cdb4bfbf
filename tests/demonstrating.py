"""The beginning of demonstrations that tests write: a hundred people, thirty of whom smoke."""

from __future__ import annotations

FORMAT = """
format = "ppworkbench-demonstration"
version = 1
"""
SMOKERS = """
[data]
[[data.attribute]]
name = "smokes"
kind = "binary"
values = ["no", "yes"]
counts = [70, 30]
"""
