# SPDX-License-Identifier: Apache-2.0
"""The settings of a mote type, and what their paths mean."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from orchestrator.applications import platform
from orchestrator.topology.shape import MOST_MOTES
from orchestrator.vocabulary.parameters import Parameter

COUNT = Parameter("count", "int", None, 0, MOST_MOTES, help="how many motes of the type there are")
SOURCE = Parameter("source", "text", None, help="the C file, in the Contiki-NG tree or elsewhere")
FIRMWARE = Parameter(
    "firmware", "text", None, help="a compiled file for emulated Tmote Skys, such as node.sky"
)
PLATFORM = platform.PARAMETERS[platform.PLATFORM]
FIELDS = ("count", "source", "firmware", "platform", "defines", "make")
_MAPS = ("defines", "make")


class Path(NamedTuple):
    """A setting of a mote type: `motes.TYPE.FIELD`, or `motes.TYPE.FIELD.KEY` of a macro or make variable."""

    type: str
    field: str
    key: str

    @property
    def known(self) -> bool:
        """Whether a mote type has such a setting."""
        return self.field in FIELDS and (self.field in _MAPS or not self.key)


def split(path: str, names: Iterable[str]) -> Path | None:
    """Return what a path below `motes.` means; None if none of the mote types is meant."""
    rest = path.partition(".")[2]
    for name in names:
        if rest == name or rest.startswith(f"{name}."):
            field, _, key = rest[len(name) + 1 :].partition(".")
            return Path(name, field, key)
    return None
