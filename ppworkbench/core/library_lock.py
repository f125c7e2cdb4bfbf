"""The lock under which threads load a library that is loaded only when it is needed.

Python holds a lock for each module, not one for all. Where two threads load parts of one package
at a time, each can come to wait for the other; Python then hands out a half-loaded module, and a
name that is surely there "cannot be imported".
"""

from __future__ import annotations

import threading

library_lock = threading.RLock()
