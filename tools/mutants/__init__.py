# SPDX-License-Identifier: Apache-2.0
"""Small changes of the code, one at a time: do the tests of that part notice them?"""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
