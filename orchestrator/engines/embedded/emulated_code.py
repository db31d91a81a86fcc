# SPDX-License-Identifier: Apache-2.0
"""What an MSP430's ELF file says of its code: functions, variables, source lines, instructions.

nm, objdump and addr2line of binutils read it, which every compiler brings along; LLVM's objdump, if it is
here, names instructions.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from bisect import bisect_right
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from orchestrator.build.lines import source_line
from orchestrator.errors import MissingTool

_ROW = re.compile(r"(\S.*?)\s+(\d+)\s+0x([0-9a-f]+)(?:\s.*)?")  # of objdump's decoded line table
_NUMBERS = re.compile(r"[0-9a-f]{8}( [0-9a-f]{8})?")
_INSTRUCTION = re.compile(r"\s*([0-9a-f]+):\s+(\S.*)")
_LLVM = ("llvm-objdump", *(f"llvm-objdump-{version}" for version in range(40, 13, -1)))
_FUNCTIONS, _VARIABLES = "tTwW", "bBdDrRvV"


@dataclass(frozen=True)
class Symbol:
    """A function or variable; `size` is 0 if the file doesn't say it."""

    name: str
    address: int
    size: int
    is_function: bool


class Code:
    """The code in an ELF file. Methods raise MissingTool without binutils."""

    def __init__(self, file: Path) -> None:
        self.file = file

    @cached_property
    def symbols(self) -> dict[str, Symbol]:
        """Functions and variables by name."""
        found = {}
        for line in _printed(["nm", "-S", str(self.file)]).splitlines():
            *numbers, kind, name = line.rsplit(maxsplit=2) if line[:1] != " " else ("", "")
            if not numbers or not _NUMBERS.fullmatch(numbers[0]) or kind not in _FUNCTIONS + _VARIABLES:
                continue
            address, *size = (int(number, 16) for number in numbers[0].split())
            found[name] = Symbol(name, address, *(size or [0]), kind in _FUNCTIONS)
        return found

    @cached_property
    def _functions(self) -> list[Symbol]:
        found = (symbol for symbol in self.symbols.values() if symbol.is_function)
        return sorted(found, key=lambda symbol: (symbol.address, symbol.size))

    def function(self, address: int) -> Symbol | None:
        """Return the function that an address is in."""
        place = bisect_right(self._functions, address, key=lambda symbol: symbol.address)
        if place == 0:
            return None
        found = self._functions[place - 1]
        return found if not found.size or address < found.address + found.size else None

    @cached_property
    def lines(self) -> list[tuple[int, str, int]]:
        """Address, file and line where the compiler's table has one, in the order of addresses."""
        rows = map(_ROW.fullmatch, _printed(["objdump", "--dwarf=decodedline", str(self.file)]).splitlines())
        return sorted((int(row[3], 16), row[1].strip(), int(row[2])) for row in rows if row)

    def line(self, address: int) -> tuple[str, int] | None:
        """Return the file's name and line of an address."""
        place = bisect_right(self.lines, address, key=lambda row: row[0])
        return self.lines[place - 1][1:] if place and self.function(address) else None

    def of_line(self, file: str, number: int) -> int | None:
        """Return the first address of a line, or of the next one in that file that has code."""
        name = Path(file).name
        found = [(line, at) for at, of, line in self.lines if Path(of).name == name and line >= number]
        return min(found)[1] if found else None

    def source(self, address: int) -> Path:
        """Return the path of an address's source file, as the compiler wrote it."""
        return Path(_printed(["addr2line", "-e", str(self.file), hex(address)]).rpartition(":")[0])

    def place(self, address: int) -> str:
        """Say in words where an address is: function, file and line."""
        return source_line(self.file, address)

    def instructions(self, address: int, count: int) -> list[tuple[int, str]]:
        """Return addresses and texts of instructions from an address on; none without LLVM's objdump."""
        tool = next(filter(shutil.which, _LLVM), None)
        if tool is None:
            return []
        end = min(address + 6 * count, 0x10000)
        printed = _printed(
            [
                tool,
                "-d",
                "--no-show-raw-insn",
                f"--start-address={address}",
                f"--stop-address={end}",
                self.file,
            ]
        )
        rows = map(_INSTRUCTION.fullmatch, printed.splitlines())
        return [(int(row[1], 16), row[2].replace("\t", " ")) for row in rows if row][:count]


def _printed(command: list) -> str:
    try:
        done = subprocess.run(
            command, capture_output=True, text=True, errors="replace", timeout=120, check=False
        )
    except FileNotFoundError:
        raise MissingTool(f"no {command[0]} here\n    apt-get install binutils") from None
    return done.stdout
