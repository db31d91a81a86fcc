# SPDX-License-Identifier: Apache-2.0
"""Coverage-guided fuzzing of everything that reads a user's file: `python -m tools.fuzz`, `make fuzz`."""

import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "tests" / "spark"))  # the log format's reference, which is no package
