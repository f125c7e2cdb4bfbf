"""A window that leaves a collector behind: what the walk starts instead of the monkey's hands.

python tests/smoke/monkey.py --hands tests/smoke/serving_window.py
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from ppworkbench.core.data.attribute import Attribute, Kind
from ppworkbench.core.design import Design, DesignedAttribute, Uniform
from ppworkbench.fieldwork.collector.control import start_collection, start_server

if __name__ == "__main__":
    walk = json.loads(sys.argv[1])
    asked = DesignedAttribute(Attribute("did", Kind.BINARY, ("no", "yes")), Uniform(keep=0.7))
    with start_collection(Path(walk["home"]) / "answers.sqlite", Design((asked,))) as collection:
        server = start_server(collection.place, ["--port", "0"])
    said = json.dumps(f"{walk['to']} served by {server.pid}")
    Path(walk["log"]).write_text(f"step {said}\n", encoding="utf-8")
