# SPDX-License-Identifier: Apache-2.0
"""What the commands of a SerialSocketServer need of the machine, as far as their texts show it.

The commands, and the scripts that they name, are searched for programs that border routers' tests call. The
texts are looked at and nothing is run.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import NamedTuple

from orchestrator.errors import NoSuchThing

_MOST = 1 << 16  # bytes of a script that are looked at
# A program, where Debian has it, and what shows that it is called. The last three are what Contiki-NG's
# Makefiles call for the target connect-router-cooja.
_PROGRAMS = (
    ("make", "make", r"\bmake\b"),
    ("ping6", "iputils-ping", r"\bping6\b"),
    ("ping", "iputils-ping", r"\bping\b"),
    ("mtr", "mtr-tiny", r"\bmtr\b"),
    ("traceroute6", "traceroute", r"\btraceroute6\b"),
    ("sudo", "sudo", r"\bsudo\b|\bconnect-router"),
    ("ifconfig", "net-tools", r"\btunslip6?\b|\bconnect-router|border-router\.native\b"),
    ("rlwrap", "rlwrap", r"\bconnect-router\S*\s.*\bTARGET=native\b|\brlwrap\b"),
)
_TUN = re.compile(r"\btunslip6?\b|\bconnect-router|border-router\.native\b|/dev/net/tun\b")


class Needs(NamedTuple):
    """`programs` with the packages that have them; `tun`: root's rights and a TUN device.

    `shown_by`: the command or script that shows the latter.
    """

    programs: tuple[tuple[str, str], ...] = ()
    tun: bool = False
    shown_by: str = ""


def of_commands(commands: Iterable[str], resolved: Callable[[str], Path]) -> Needs:
    """Return what commands need; `resolved` finds the files that they name."""
    texts: list[tuple[str, str]] = []
    for command in commands:
        texts.append((command, command))
        texts += _scripts(command, resolved)
    programs = tuple(
        (name, package)
        for name, package, shows in _PROGRAMS
        if any(re.search(shows, text) for _, text in texts)
    )
    shown_by = next((name for name, text in texts if _TUN.search(text)), "")
    return Needs(programs, bool(shown_by), shown_by)


def every_program() -> tuple[tuple[str, str], ...]:
    """Return the programs that border routers' tests call, with their packages."""
    return tuple((name, package) for name, package, _ in _PROGRAMS if name not in ("ping", "traceroute6"))


def _scripts(command: str, resolved: Callable[[str], Path]) -> Iterable[tuple[str, str]]:
    """Return the scripts that a command names: their names and texts without comments."""
    try:
        words = shlex.split(command)
    except ValueError:  # quotes that only the shell may judge
        words = command.split()
    for word in words:
        if "/" not in word and "]" not in word:
            continue
        try:
            path = resolved(word)
            if path.is_file():
                with path.open("rb") as stream:
                    text = stream.read(_MOST)
                if b"\0" not in text:
                    yield path.name, re.sub(r"(?m)^\s*#.*", "", text.decode("utf-8", "replace"))
        except (OSError, NoSuchThing, ValueError):
            continue
