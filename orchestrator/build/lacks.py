# SPDX-License-Identifier: Apache-2.0
"""Finds what an application needs and the embedded Contiki lacks, before anything is compiled.

Headers come first, then functions. The compiler's preprocessor says which headers it does not find, so
conditions and include paths count as in the build. In place of each missing header it gets an empty file,
until it finds all. (`-M -MG` would list missing headers in one call, but without the lines that include
them, which the messages name.) Then functions that are called and declared nowhere are missing, too;
`c_text.py` says why the compiler isn't asked for them.
"""

from __future__ import annotations

import difflib
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from orchestrator.build import c_text, calls
from orchestrator.build.compiler import Compiler
from orchestrator.errors import Fault, FaultyInput

_MISSING = re.compile(
    r"^([^\n:]+):([0-9]+):(?:[0-9]+:)? fatal error: '?([^\n']+?)'?(?:: No such file or directory| file not "
    r"found)$",
    re.MULTILINE,
)
_UNDEFINED = re.compile(r"(?:^|[ \n])([^\s:]+\.[chS]):([0-9]+): undefined reference to .(\w+)", re.MULTILINE)
_MOST_ROUNDS = 300  # missing headers of one file
_C_LIBRARY = ("stdio.h", "stdlib.h", "string.h", "strings.h", "ctype.h", "inttypes.h", "math.h", "time.h")
_DEEP = "1/2/3/4"  # an include may lead four folders up and still find its empty file
ELSEWHERE = "or, if Contiki-NG has it, build on its tree: make TARGET=cooja {name}.cooja CONTIKI=DIR"


@dataclass
class _Check:
    """One application, copied to `work`/apps/NAME; `origin` is the user's folder, which messages name."""

    name: str
    work: Path
    origin: Path
    command: list[str]
    faults: dict[tuple[str, str], Fault] = field(default_factory=dict)
    uses: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    c_library: dict[str, str | None] = field(
        default_factory=dict
    )  # header -> preprocessed, where it was asked for

    @property
    def folder(self) -> Path:
        return self.work / "apps" / self.name

    def place(self, file: str) -> str | None:
        """Return where in the application's folder a file is that the compiler named; None for others."""
        path = Path(os.path.normpath(self.folder / file))
        return str(path.relative_to(self.folder)) if path.is_relative_to(self.folder) else None

    def add(self, what: str, name: str, place: str, line: int, message: str, remedy: str) -> None:
        """Note a missing header or function once, however many files want it."""
        lines = self.uses.setdefault((what, name), [])
        where = f"{place}:{line}"
        if where not in lines:
            lines.append(where)
        self.faults.setdefault((what, name), Fault(str(self.origin / place), line, message, remedy))

    def found(self) -> list[Fault]:
        declarations = []
        for (what, name), fault in self.faults.items():
            more = self.uses[what, name][1:]
            listed = f" (also at {', '.join(more[:5])}{', ...' if len(more) > 5 else ''})" if more else ""
            declarations.append(
                (what != "header", Fault(fault.file, fault.line, fault.what + listed, fault.remedy))
            )
        return [
            fault
            for _, fault in sorted(
                declarations, key=lambda pair: (pair[0], pair[1].file, pair[1].line, pair[1].what)
            )
        ]


def check(
    name: str, work: Path, origin: Path, make: list[str], environment: dict[str, str], compiler: Compiler
) -> None:
    """Check the application in `work`/apps/`name`; `make` is the call that would build it, but its target.

    Raises FaultyInput with everything that is missing, headers first. A Makefile that is not of our recipe is
    left to make.
    """
    folder = work / "apps" / name
    code, output = _call([*make, "settings"], folder, environment)
    sources = re.search(r"^SOURCES (.*)$", output, re.MULTILINE)
    cflags = re.search(r"^CFLAGS (.*)$", output, re.MULTILINE)
    if code != 0 or not sources or not cflags:
        if foreign := list(_foreign_recipe(folder, origin)):
            raise FaultyInput(foreign)
        return
    try:
        flags = shlex.split(cflags[1])
    except ValueError:
        return
    stubs = work / ".stubs" / _DEEP
    stubs.mkdir(parents=True)
    context = _Check(name, work, origin, [*compiler.command, *flags, "-w", "-idirafter", str(stubs)])
    outside = list(_outside(sources[1].split(), folder, origin))
    for source in sources[1].split():
        if (folder / source).is_file():
            _one(context, source, stubs, environment)
    if faults := [*outside, *context.found()]:
        raise FaultyInput(faults)


def undefined(output: str, name: str, folder: Path, origin: Path) -> list[Fault]:
    """Return the functions that the linker did not find, from its output."""
    context = _Check(name, folder.parent.parent, origin, [])
    for file, line, function in _UNDEFINED.findall(output):
        # The build writes ./app for the application's folder (-ffile-prefix-map).
        place = context.place(re.sub(r"^\./app/", "", file))
        if place is not None:
            context.add(
                "function",
                function,
                place,
                int(line),
                f"{function} is declared, and defined nowhere",
                "define it, add the file that does to PROJECT_SOURCEFILES, " + ELSEWHERE.format(name=name),
            )
    return context.found()


def _one(context: _Check, source: str, stubs: Path, environment: dict[str, str]) -> None:
    for _ in range(_MOST_ROUNDS):
        text, errors = _preprocessed(context, [source], environment)
        missing = _MISSING.search(errors)
        if missing is None:
            break
        file, line, header = missing[1], int(missing[2]), missing[3]
        if (place := context.place(file)) is not None:
            _header(context, place, line, header)
        if not _stub(stubs, header, _same_name(context, header)):
            return
    if text is not None:
        for call in c_text.undeclared_calls(text, lambda file: context.place(file) is not None):
            place = context.place(call.file)
            if header := _declared_in(context, call.name, environment):
                what, remedy = (
                    f"no header that is included declares {call.name}",
                    f"include {header}, which does",
                )
            else:
                what = f"{call.name} is in neither the application, the embedded Contiki nor the C library"
                remedy = "define it, do without it, " + ELSEWHERE.format(name=context.name)
            context.add("function", call.name, place, call.line, what, remedy)


def _declared_in(context: _Check, function: str, environment: dict[str, str]) -> str | None:
    """Return the header, ours or of the C library, that declares or defines a name.

    A declaration starts a line or follows its type.
    """
    wanted = re.compile(rf"^(?:#\s*define\s+|\w[\w \t*]*[ \t*])?{re.escape(function)}\s*\(", re.MULTILINE)
    for part in ("os", "middleware"):
        for header in _headers(context.work, part):
            if wanted.search((context.work / part / header).read_text("utf-8", "replace")):
                return header if part == "os" else header.split("/")[-1]
    for header in _C_LIBRARY:
        if header not in context.c_library:
            context.c_library[header], _ = _preprocessed(
                context, ["-P", "-x", "c", "-include", header, os.devnull], environment
            )
        if wanted.search(context.c_library[header] or ""):
            return header
    return None


def _same_name(context: _Check, header: str) -> str | None:
    """Return the embedded Contiki's header of the same name in another folder: most likely the one meant."""
    return next(
        (path for path in _headers(context.work, "os") if path.split("/")[-1] == header.split("/")[-1]), None
    )


def _header(context: _Check, place: str, line: int, header: str) -> None:
    if ".." in Path(header).parts or header.startswith("/"):
        if (context.origin / place).parent.joinpath(header).exists() or header.startswith("/"):
            context.add(
                "header",
                header,
                place,
                line,
                f"{header} is outside of the application's folder",
                "put it into the folder: firmware is built from a copy of that alone",
            )
            return
    here, modules = _headers(context.work, "os"), _headers(context.work, "middleware")
    if module := next((path.split("/")[0] for path in modules if path.split("/")[-1] == header), None):
        remedy = f"add the module that has it to the Makefile: MODULES += {module}"
    else:
        near = _same_name(context, header) or next(iter(difflib.get_close_matches(header, here, n=1)), None)
        remedy = (
            (f"the nearest is {near}; " if near else "")
            + "do without it, "
            + ELSEWHERE.format(name=context.name)
        )
    context.add("header", header, place, line, f"the embedded Contiki has no header {header}", remedy)


def _headers(work: Path, part: str) -> list[str]:
    """Those that applications may include, as they write them; the platform's own are the system's."""
    headers = sorted(path.relative_to(work / part).as_posix() for path in (work / part).rglob("*.h"))
    return [header for header in headers if not header.startswith("platform/")]


def _stub(stubs: Path, header: str, meant: str | None) -> bool:
    """Write an empty file where the preprocessor looks, or one that includes what was meant.

    Returns whether there is one now.
    """
    path = Path(os.path.normpath(stubs / header))
    root = stubs.parents[len(Path(_DEEP).parts) - 1]
    if header.startswith("/") or not path.is_relative_to(root):
        return False
    try:
        if path.exists():
            return False
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f'#include "{meant}"\n' if meant else "")
    except OSError:
        return False
    return True


def _outside(sources: list[str], folder: Path, origin: Path) -> Iterator[Fault]:
    """Yield a fault for each source that the Makefile names and the folder does not hold."""
    for source in sources:
        path = Path(os.path.normpath(folder / source))
        if path.is_relative_to(folder) and path.is_file():
            continue
        what = (
            f"{source} is outside of the application's folder"
            if not path.is_relative_to(folder)
            else f"there is no {source}"
        )
        yield Fault(
            str(origin / "Makefile"),
            _line(folder / "Makefile", source),
            what,
            "put it into the folder, and its name as seen from there into PROJECT_SOURCEFILES",
        )


def _foreign_recipe(folder: Path, origin: Path) -> Iterator[Fault]:
    """Yield a fault if the Makefile is for a Contiki-NG tree alone."""
    if line := _line(folder / "Makefile", "Makefile.include"):
        yield Fault(
            str(origin / "Makefile"),
            line,
            "it includes Contiki-NG's makefiles, which the embedded Contiki does not have",
            "include orchestrate's instead, which takes a Contiki-NG tree as well (CONTIKI=DIR): "
            "see the Makefile that `orchestrate new app NAME` writes",
        )


def _line(file: Path, word: str) -> int:
    try:
        lines = file.read_text("utf-8", "replace").split("\n")
    except OSError:
        return 0
    return next((number for number, line in enumerate(lines, 1) if word in line.partition("#")[0]), 0)


def _call(command: list[str], folder: Path, environment: dict[str, str]) -> tuple[int, str]:
    """Exit code and output; an interruption ends it, as all that a build calls."""
    try:
        return calls.run(command, folder, environment)
    except FileNotFoundError as error:
        return 1, str(error)


def _preprocessed(
    context: _Check, arguments: list[str], environment: dict[str, str]
) -> tuple[str | None, str]:
    """Return the preprocessor's output for these arguments, None if it failed, and its messages."""
    result = context.work / ".stubs" / "result"
    code, errors = _call([*context.command, "-E", "-o", str(result), *arguments], context.folder, environment)
    return (result.read_text("utf-8", "replace") if code == 0 else None), errors
