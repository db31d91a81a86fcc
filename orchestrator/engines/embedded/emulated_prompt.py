# SPDX-License-Identifier: Apache-2.0
"""A small debugger's prompt for one emulated mote, for machines without a debugger for the MSP430."""

from __future__ import annotations

import socket
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self

from orchestrator.engines.embedded.emulated_code import Code, Symbol
from orchestrator.words import did_you_mean, nearest

HELP = """\
break PLACE     stop there: a function, FILE:LINE, or an address as 0x4000 (b)
delete [N]      forget breakpoint N, or all
watch VARIABLE  stop when it changes
continue        run to the next stop (c)
next-tick       run until the mote wakes from sleep
stepi [N]       one instruction, or N (si)
step            to another source line (s)
finish          to the caller of this function
where           function and line; `backtrace` (bt) adds the calls that words on the stack tell of
list            the source around this line (l)
disassemble [PLACE]   instructions from there on
registers       all registers
print VARIABLE  its value, as a number if it is small (p)
x ADDRESS [N]   N bytes of memory
set VARIABLE|REGISTER NUMBER
simulated       mote, simulated time and cycle
quit            end the simulation (q)"""
REGISTERS = ("pc", "sp", "sr", "cg", *(f"r{number}" for number in range(4, 16)))
_SHORT = {"b": "break", "c": "continue", "si": "stepi", "s": "step", "bt": "backtrace", "l": "list"}
_SHORT |= {"p": "print", "q": "quit", "info": "registers", "disas": "disassemble"}
_STACK_END, _MOST_STEPS, _AROUND = 0x3900, 100_000, 4
_CALL, _CALL_MASK = 0x1280, 0xFFC0  # of an instruction's first word (SLAU049, 3.4.2)


class _WrongError(Exception):
    """A command that can't be done; its text says why."""


class Remote:
    """A client of gdb's remote serial protocol."""

    def __init__(self, path: Path) -> None:
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.connect(str(path))
        self._in = self._socket.makefile("rb")

    def close(self) -> None:
        self._in.close()
        self._socket.close()

    def send(self, content: str) -> None:
        self._give(f"${content}#{sum(content.encode()) & 0xFF:02x}".encode())

    def _give(self, content: bytes) -> None:
        with suppress(ConnectionError):  # the next receive() tells that the simulation has gone
            self._socket.sendall(content)

    def receive(self) -> str:
        """Return the next packet's content; "" if the simulation has gone."""
        byte = self._in.read(1)
        while byte not in (b"$", b""):
            byte = self._in.read(1)
        content = bytearray()
        while (byte := self._in.read(1)) not in (b"#", b""):
            content += byte
        self._in.read(2)
        if byte:
            self._give(b"+")
        return content.decode("latin-1")

    def ask(self, content: str) -> str:
        self.send(content)
        return self.receive()

    def interrupt(self) -> None:
        self._give(b"\x03")


class Prompt:
    """The prompt. `sources`: folders in which source files are looked for."""

    def __init__(self, path: Path, firmware: Path, sources: Sequence[Path] = ()) -> None:
        self._remote = Remote(path)
        self._code = Code(firmware)
        self._sources = sources
        self._breakpoints: dict[int, int] = {}  # address by number
        self._watched: dict[int, str] = {}  # names by address
        self._made = 0
        self._ended: int | None = None  # the simulation's exit code

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if self._ended is None:
            self._remote.send("k")
        self._remote.close()

    def run(self, commands: Sequence[str], batch: bool, greeting: str = "") -> int:
        """Run the commands, then read more unless `batch`; return the exit code."""
        if greeting:
            self._say(greeting)
        self.simulated()
        self.where()
        for command in commands:
            self._say(f"(debug) {command}")
            if not self._command(command):
                return 0
        if not batch:
            self._read_commands()
        return 0

    def _read_commands(self) -> None:
        asks = sys.stdin.isatty()
        if asks:
            with suppress(ImportError):
                import readline  # noqa: F401 - with it, input() has a history
        while True:
            try:
                if not self._command(input("(debug) " if asks else "")):
                    return
            except EOFError:
                return
            except KeyboardInterrupt:  # what runs has been stopped; at the prompt it does nothing
                self._say("")

    @staticmethod
    def _say(text: str) -> None:
        print(text, flush=True)

    def _command(self, text: str) -> bool:
        """Do a command; return False if it was the last one."""
        name, *arguments = text.split() or [""]
        name = _SHORT.get(name, name)
        if name == "quit":
            return False
        does = self._commands().get(name)
        if not name:
            return True
        try:
            if does is None:
                raise _WrongError(f"no command {name!r}; {did_you_mean(name, self._commands())}")
            if self._ended is not None and name != "help":
                raise _WrongError("the simulation has ended")
            does(*arguments)
        except TypeError as error:
            if error.__traceback__ is None or error.__traceback__.tb_next is not None:
                raise
            self._say(f"{name}: wrong number of words; try help")
        except _WrongError as error:
            self._say(str(error))
        return True

    def _commands(self) -> dict[str, Callable[..., None]]:
        names = ("break", "continue", "print", "list", "set", "x")
        own = {name: getattr(self, f"{name}_") for name in names}
        others = ("delete", "watch", "stepi", "step", "finish", "where", "backtrace", "disassemble")
        own |= {name: getattr(self, name) for name in (*others, "registers", "simulated", "help")}
        return own | {"next-tick": self.next_tick}

    def help(self) -> None:
        self._say(HELP)

    # ---- the mote's state ----

    def _registers(self) -> list[int]:
        packed = bytes.fromhex(self._remote.ask("g"))
        return [int.from_bytes(packed[at : at + 2], "little") for at in range(0, len(packed), 2)]

    def _memory(self, address: int, size: int) -> bytes:
        content = b""
        while len(content) < size:
            answer = self._remote.ask(f"m{address + len(content):x},{min(1024, size - len(content)):x}")
            if answer.startswith("E") or not answer:
                raise _WrongError(f"no memory that can be read without effect at {address + len(content):#x}")
            content += bytes.fromhex(answer)
        return content

    def _pc(self) -> int:
        return self._registers()[0]

    def _symbol(self, name: str) -> Symbol:
        if (found := self._code.symbols.get(name)) is None:
            near = nearest(name, list(self._code.symbols))
            raise _WrongError(f"no symbol {name!r}{f'; did you mean {near}?' if near else ''}")
        return found

    def _address(self, place: str) -> int:
        file, colon, number = place.rpartition(":")
        if colon and number.isdigit():
            if (at := self._code.of_line(file, int(number))) is None:
                raise _WrongError(f"no code at {place}: another file, or built without -g")
            return at
        if place.lstrip("*")[:1].isdigit():
            return self._number(place.lstrip("*"))
        return self._symbol(place).address

    @staticmethod
    def _number(text: str) -> int:
        try:
            return int(text, 0)
        except ValueError:
            raise _WrongError(f"{text!r} is no number") from None

    # ---- commands ----

    def simulated(self) -> None:
        self._remote.send("qRcmd," + b"simulated".hex())
        while (packet := self._remote.receive()) not in ("OK", ""):
            self._say(bytes.fromhex(packet[1:]).decode().rstrip())

    def break_(self, place: str) -> None:
        at = self._address(place)
        if self._remote.ask(f"Z0,{at:x},2") != "OK":
            raise _WrongError(f"no breakpoint can be at {at:#x}")
        self._made += 1
        self._breakpoints[self._made] = at
        self._say(f"breakpoint {self._made} at {at:#x}: {self._code.place(at)}")

    def delete(self, number: str = "") -> None:
        numbers = [self._number(number)] if number else list(self._breakpoints)
        for one in numbers:
            if one not in self._breakpoints:
                raise _WrongError(f"no breakpoint {one}")
            self._remote.ask(f"z0,{self._breakpoints.pop(one):x},2")

    def watch(self, name: str) -> None:
        symbol = self._symbol(name)
        size = symbol.size or 2
        if self._remote.ask(f"Z2,{symbol.address:x},{size:x}") != "OK":
            raise _WrongError(f"{name} can't be watched: at most 8 variables of up to 16 bytes")
        self._watched[symbol.address] = name
        self._say(f"watching {name}, {size} bytes at {symbol.address:#x}")

    def continue_(self) -> None:
        self._run("c")
        self.where()

    def next_tick(self) -> None:
        self._remote.send("qRcmd," + b"next-tick".hex())
        while self._remote.receive() not in ("OK", ""):
            pass
        self.continue_()

    def _run(self, how: str) -> None:
        """Let the mote run until it stops; say why, if that isn't a step's end."""
        self._remote.send(how)
        while True:
            try:
                packet = self._remote.receive()
            except KeyboardInterrupt:
                self._remote.interrupt()
                continue
            if packet.startswith("O"):
                self._say(bytes.fromhex(packet[1:]).decode("utf-8", "replace").rstrip())
                continue
            break
        if packet[:1] != "T":
            self._ended = int(packet[1:3] or "0", 16) if packet else 0
            self._say("the simulation has ended")
        elif "watch:" in packet:
            at = int(packet.partition("watch:")[2].partition(";")[0], 16)
            self._say(f"{self._watched.get(at, f'{at:#x}')} has changed")

    def stepi(self, count: str = "1") -> None:
        for _ in range(self._number(count)):
            self._run("s")
            if self._ended is not None:
                return
        self.where()

    def _step_until(self, reached: Callable[[int], bool]) -> None:
        for _ in range(_MOST_STEPS):
            self._run("s")
            if self._ended is not None or reached(self._pc()):
                break
        self.where()

    def step(self) -> None:
        before = self._code.line(self._pc())
        self._step_until(lambda pc: self._code.line(pc) not in (None, before))

    def finish(self) -> None:
        callers = self._callers()
        if not callers:
            raise _WrongError("no return address on the stack")
        at, stack = callers[0]
        had = at in self._breakpoints.values()
        self._remote.ask(f"Z0,{at:x},2")
        self._run("c")
        while self._ended is None and self._pc() == at and self._registers()[1] <= stack:
            self._run("c")
        if not had:
            self._remote.ask(f"z0,{at:x},2")
        self.where()

    def where(self) -> None:
        if self._ended is None:
            pc = self._pc()
            known = self._code.function(pc)
            self._say(f"{pc:#06x} in {self._code.place(pc)}" if known else f"{pc:#06x}, in no function")
            self._instructions(pc, 1 if known else 0)

    def _callers(self) -> list[tuple[int, int]]:
        """Return words on the stack that a CALL may have left, and their addresses, the innermost first."""
        stack = self._registers()[1]
        content = self._memory(stack, _STACK_END - stack) if 0x1100 <= stack < _STACK_END else b""
        found = []
        for at in range(0, len(content) - 1, 2):
            word = int.from_bytes(content[at : at + 2], "little")
            if word % 2 == 0 and self._code.function(word - 2) and self._is_after_call(word):
                found.append((word, stack + at))
        return found

    def _is_after_call(self, address: int) -> bool:
        before = self._memory(address - 4, 4)
        return any(int.from_bytes(before[at : at + 2], "little") & _CALL_MASK == _CALL for at in (0, 2))

    def backtrace(self) -> None:
        self.where()
        for word, _ in self._callers():
            self._say(f"  perhaps called by {self._code.place(word - 2)}")

    def list_(self) -> None:
        pc = self._pc()
        found = self._code.line(pc)
        if found is None:
            raise _WrongError("no source line is known here: built without -g")
        named, number = self._code.source(pc), found[1]
        path = next((place for place in self._places(named) if place.is_file()), None)
        if path is None:
            raise _WrongError(f"{named} is not here")
        lines = path.read_text(errors="replace").splitlines()
        for at in range(max(1, number - _AROUND), min(len(lines), number + _AROUND) + 1):
            self._say(f"{'>' if at == number else ' '}{at:5} {lines[at - 1]}")

    def _places(self, named: Path) -> list[Path]:
        """Return where a source file may be: where it was compiled, or in the folders of sources."""
        parts = [part for part in named.parts if part not in ("/", ".", "..")]
        inner = [Path(*parts[at:]) for at in range(len(parts))]
        return [named, *(folder / path for folder in self._sources for path in inner)]

    def _instructions(self, address: int, count: int) -> None:
        for at, words in self._code.instructions(address, count) if count else ():
            self._say(f"  {at:#06x}: {words}")

    def disassemble(self, place: str = "") -> None:
        at = self._address(place) if place else self._pc()
        symbol = self._code.function(at)
        size = symbol.address + symbol.size - at if symbol and symbol.size else 0
        rows = self._code.instructions(at, max(10, min(size // 2, 200)))
        if not rows:
            raise _WrongError("no llvm-objdump here, or no code: apt-get install llvm")
        for row, words in rows:
            if not size or row < at + size:
                self._say(f"  {row:#06x}: {words}")

    def registers(self, *_: str) -> None:
        values = [f"{name}={value:04x}" for name, value in zip(REGISTERS, self._registers(), strict=True)]
        self._say(" ".join(values[:8]) + "\n" + " ".join(values[8:]))

    def print_(self, name: str) -> None:
        if name.lower() in REGISTERS:
            value = self._registers()[REGISTERS.index(name.lower())]
            self._say(f"{name} = {value} ({value:#x})")
            return
        symbol = self._symbol(name)
        content = self._memory(symbol.address, symbol.size or 2)
        if len(content) in (1, 2, 4, 8):
            value = int.from_bytes(content, "little")
            self._say(f"{name} = {value} ({value:#x})")
        else:
            self._say(f"{name}, {len(content)} bytes:")
            self._dump(symbol.address, content)

    def x_(self, place: str, count: str = "16") -> None:
        at = self._address(place)
        self._dump(at, self._memory(at, self._number(count)))

    def _dump(self, address: int, content: bytes) -> None:
        for at in range(0, len(content), 16):
            row = content[at : at + 16]
            text = "".join(chr(byte) if 32 <= byte < 127 else "." for byte in row)
            self._say(f"  {address + at:#06x}: {row.hex(' '):47} {text}")

    def set_(self, name: str, number: str) -> None:
        value = self._number(number)
        if name.lower() in REGISTERS:
            packed = (value & 0xFFFF).to_bytes(2, "little").hex()
            answer = self._remote.ask(f"P{REGISTERS.index(name.lower()):x}={packed}")
        else:
            symbol = self._symbol(name)
            size = symbol.size if symbol.size in (1, 2, 4, 8) else 2
            packed = (value & (256**size - 1)).to_bytes(size, "little").hex()
            answer = self._remote.ask(f"M{symbol.address:x},{size:x}:{packed}")
        if answer != "OK":
            raise _WrongError(f"{name} can't be written")
