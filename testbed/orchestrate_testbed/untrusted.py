# SPDX-License-Identifier: Apache-2.0
"""Text that a gateway sent, made fit to be shown: nothing in it moves a cursor or hides a line."""

from __future__ import annotations

LONGEST = 2000


def shown(text: object) -> str:
    """Printable characters as they are, everything else escaped, and no more than fits a screen."""
    found = "".join(each if each.isprintable() else ascii(each)[1:-1] for each in str(text)[: LONGEST + 1])
    return found if len(found) <= LONGEST else found[:LONGEST] + "..."
