"""Run, test or check a checkout: packaging/dev.py run|test|bench|lint|docs|lock|stubs [arguments].

This file is written so that an old Python understands it too, and says what it lacks.
"""

import sys

if not (3, 11) <= sys.version_info[:2] <= (3, 13):
    found = ".".join(str(part) for part in sys.version_info[:3])
    print("dev.py: ppworkbench needs Python 3.11, 3.12 or 3.13; this is Python " + found + ".")
    sys.exit(2)

from checkout import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
