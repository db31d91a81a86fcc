# SPDX-License-Identifier: Apache-2.0
"""paramiko without the library `invoke`, which takes as long to load as all the rest of it.

It only runs commands that ssh_config files name, and no such file is read here.
"""

from __future__ import annotations

import sys

_loaded = sys.modules.get("invoke")
if _loaded is None:
    sys.modules["invoke"] = None  # type: ignore[assignment]
try:
    import paramiko
finally:
    if _loaded is None:
        del sys.modules["invoke"]

__all__ = ["paramiko"]
