"""Where Claude Code starts the gate: `python -I -S THIS_FILE ARGUMENT...`.

An isolated Python finds no package around this file. So the folder is a package of its own here,
behind the standard library. Started as a folder, Python would first load what runs folders.
"""

from __future__ import annotations

import os
import sys

sys.path.append(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
__package__ = "hook"

from .gate import main

sys.exit(main(sys.argv[1:]))
