# SPDX-License-Identifier: Apache-2.0
"""The tools that load firmware into motes, one module each: `TOOLS` lists them."""

from __future__ import annotations

from orchestrate_testbed.gateway.flashing import generic, stand_in

TOOLS = {each.TOOL.name: each.TOOL for each in (generic, stand_in)}
