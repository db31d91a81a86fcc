# SPDX-License-Identifier: Apache-2.0
"""Makes texts from gateways fit to be shown: nothing in them moves a cursor or hides a line."""

from __future__ import annotations

LONGEST = 2000


def shown(text: object) -> str:
    """Return a text with all unprintable characters escaped, cut to what fits a screen."""
    found = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text)[: LONGEST + 1])
    return found if len(found) <= LONGEST else found[:LONGEST] + "..."
