# SPDX-License-Identifier: Apache-2.0
"""The tools that load firmware into motes, one module each: `TOOLS` lists them."""

from __future__ import annotations

from orchestrate_testbed.gateway.flashing import (
    avrdude,
    cc2538_bsl,
    generic,
    jlink,
    nrfutil,
    stand_in,
    tos_bsl,
)

MODULES = (avrdude, cc2538_bsl, generic, jlink, nrfutil, stand_in, tos_bsl)
TOOLS = {each.TOOL.name: each.TOOL for each in MODULES}
