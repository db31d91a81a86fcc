# SPDX-License-Identifier: Apache-2.0
"""Code and RAM of modules and applications on a microcontroller, from its compiler's objects.

The recipe is the applications' own (`contiki-apps/Makefile.embedded`), its target `objects`, in a copy of the
sources.
"""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
from collections.abc import Iterable
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from orchestrator.build import compiler, elf, sources, tools
from orchestrator.build.machines import Machine
from orchestrator.errors import BuildFailed, Unsupported
from orchestrator.resources import contiki_apps

FLAGS = ("-Os", "-ffunction-sections", "-fdata-sections")
FLASH_LIMIT, RAM_LIMIT = 4096, 1024  # bytes; each module in its default configuration stays under them
DECLARED = "declared.h"  # in a module's folder: the variables that an application declares to use it
_OBJECTS = "objects"
# Cooja needs position-independent code, a microcontroller does not.
_EXTRA = (*FLAGS, "-fno-pic", "-fstack-usage")
# The empty variables are for the host's linker and registers. Paths are relative because older compilers
# (AVR's) can't map them, and an assertion's text must not depend on the folder.
_MAKE = (f"OBJECT_DIR={_OBJECTS}", "LTO=", "SHARED_CODE=", "NO_PATHS=", "APPS_ROOT=../..")
_REMOVED = re.compile(r"[Rr]emoving unused section ['`](.+?)' in file ['`](.+?)'")
_ROOT = "mote_main"  # the function that boots a mote


@dataclass(frozen=True)
class Size:
    """Bytes by kind of section."""

    code: int = 0
    constants: int = 0
    data: int = 0
    bss: int = 0

    def flash(self) -> int:
        """Code, constants and what variables begin with."""
        return self.code + self.constants + self.data

    def ram(self, machine: Machine) -> int:
        """Variables; on a machine that reads constants from RAM, those as well. Without the stack."""
        return self.data + self.bss + (self.constants if machine.constants_in_ram else 0)


def total(sizes: Iterable[Size]) -> Size:
    """Add up sizes, kind by kind."""
    every = list(sizes)
    return Size(
        *(sum(getattr(size, kind) for size in every) for kind in ("code", "constants", "data", "bss"))
    )


@dataclass(frozen=True)
class Part:
    """A module, an application or a folder of the embedded Contiki.

    `files`: by source file. `declared`: bytes of the variables that an application declares to use the
    module, by name. `frame`: the largest stack frame of a function, bytes, and whose. `linked`: what the
    linker keeps for an application. `symbols`: (bytes, nm's letter, name), largest first.
    """

    name: str
    files: dict[str, Size]
    frame: tuple[int, str]
    declared: dict[str, int] = field(default_factory=dict)
    linked: Size | None = None
    symbols: tuple[tuple[int, str, str], ...] = ()

    @property
    def size(self) -> Size:
        return total(self.files.values())

    def flash(self) -> int:
        return self.size.flash()

    def ram(self, machine: Machine) -> int:
        """Return the module's own variables and what an application declares."""
        return self.size.ram(machine) + sum(self.declared.values())

    def over(self, machine: Machine) -> list[str]:
        """Which of the limits it misses: "flash", "RAM"."""
        if not machine.limited:
            return []
        missed = {"flash": self.flash() >= FLASH_LIMIT, "RAM": self.ram(machine) >= RAM_LIMIT}
        return [what for what, is_over in missed.items() if is_over]


def held(machine: Machine, parts: Iterable[Part]) -> bool:
    """Whether all modules but one at most keep their limits."""
    return sum(bool(part.over(machine)) for part in parts) <= 1


def modules(machine: Machine) -> list[Part]:
    """Every middleware module in its default configuration, all of its functions.

    Raises MissingTool or BuildFailed.
    """
    folders = sorted(path for path in (contiki_apps() / "middleware").iterdir() if any(path.glob("*.c")))
    names = [folder.name for folder in folders if not machine.only or folder.name in machine.only]
    declaring = [folder.name for folder in folders if folder.name in names and (folder / DECLARED).is_file()]
    written = {f"{name}.c": f'#include "{name}/{DECLARED}"\n' for name in declaring}
    with _compiled_files(written, names, machine, ("OS_SOURCES=",)) as objects:
        return [
            _part(
                name,
                sorted((objects / "middleware" / name).glob("*.o")),
                machine,
                declared=_variables(objects / "app" / f"{name}.o", machine) if name in declaring else {},
            )
            for name in names
        ]


def application(which: object, machine: Machine, variant: dict[str, str]) -> list[Part]:
    """Return an application, its modules and the embedded Contiki below it, each with what is linked of it.

    The modules are in the application's configuration.

    Raises NoSuchThing, MissingTool, BuildFailed, and Unsupported for a machine without a linker.
    """
    if machine.bare:
        raise Unsupported(
            f"there is no linker for the {machine.title} here, so applications can't be measured for it\n"
            "    measure the modules by themselves, or name another machine"
        )
    folder = sources.application_folder(which)
    with _compiled(
        folder, machine, tuple(f"{name}={value}" for name, value in sorted(variant.items()))
    ) as objects:
        groups: dict[str, list[Path]] = {}
        for path in sorted(objects.rglob("*.o")):
            groups.setdefault(path.parent.relative_to(objects).as_posix(), []).append(path)
        removed = _removed(objects, machine)
        parts = []
        for name in sorted(
            groups, key=lambda name: (("app", "middleware", "os").index(name.split("/")[0]), name)
        ):
            remaining = total(
                _size(path, removed.get(path.relative_to(objects).as_posix(), set())) for path in groups[name]
            )
            parts.append(
                _part(folder.name if name == "app" else name, groups[name], machine, linked=remaining)
            )
        return parts


def variants(
    machine: Machine,
    module: str,
    settings: dict[str, str],
    files: Iterable[str] = (),
    uses: tuple[str, ...] = (),
    probe: str = "",
) -> dict[str, Part]:
    """Return a middleware module with other settings, by their name.

    `settings` are the C lines of a project-conf.h each.

    `files`: of the module's C files only these; `uses`: modules whose headers it includes; `probe`: C lines
    after each file's, such as an array whose size tells a constant. Raises MissingTool or BuildFailed.
    """
    files = sorted(files) or sorted(
        path.name for path in (contiki_apps() / "middleware" / module).glob("*.c")
    )
    written = {
        f"{place}-{file}": f'{lines}\n#include "{module}/{file}"\n{probe}\n'
        for place, lines in enumerate(settings.values())
        for file in files
    }
    with _compiled_files(written, (module, *uses), machine, ("OS_SOURCES=", "MODULE_SOURCES=")) as objects:
        return {
            setting: _part(
                setting,
                [objects / "app" / f"{place}-{Path(file).stem}.o" for file in files],
                machine,
            )
            for place, setting in enumerate(settings)
        }


@contextmanager
def _compiled_files(
    written: dict[str, str], uses: Iterable[str], machine: Machine, arguments: tuple[str, ...]
):
    """Provide the folder of the objects of an application of these files, which uses these modules."""
    with tempfile.TemporaryDirectory(prefix="orchestrate-sizes-") as temporary:
        application = Path(temporary) / "sizes"
        application.mkdir()
        for name, text in {"sizes.c": "", **written}.items():
            (application / name).write_text(text)
        (application / "Makefile").write_text(
            f"CONTIKI_PROJECT = sizes\nPROJECT_SOURCEFILES = {' '.join(written)}\n"
            f"MODULES = {' '.join(uses)}\ninclude ../../Makefile.embedded\n"
        )
        with _compiled(application, machine, arguments) as objects:
            yield objects


@contextmanager
def _compiled(folder: Path, machine: Machine, arguments: tuple[str, ...]):
    """Provide the folder of the application's objects, laid out as contiki-apps; its own are in app/."""
    chosen, make = machine.compiler(), compiler.make()
    sources_ = sources.collect(folder)
    with tempfile.TemporaryDirectory(prefix="orchestrate-sizes-") as temporary:
        work = Path(temporary)
        sources_.copy(work)
        place = work / "apps" / sources_.name
        environment = tools.clean_environment() | {"CC": chosen.shell, "EXTRA_CC_ARGS": " ".join(_EXTRA)}
        tools.call(
            [make, f"-j{os.cpu_count() or 1}", _OBJECTS, "TARGET=cooja", *_MAKE, *arguments],
            place,
            environment,
            f"{sources_.name} for {machine.title}",
        )
        if not (place / _OBJECTS).is_dir():
            raise BuildFailed(
                f"{sources_.name}: make left no objects\n    its Makefile must include Makefile.embedded"
            )
        yield place / _OBJECTS


def _part(name: str, objects: list[Path], machine: Machine, **more: Any) -> Part:
    return Part(
        name,
        {f"{path.stem}.c": _size(path) for path in objects},
        max((_frame(path) for path in objects), default=(0, "")),
        symbols=tuple(
            sorted((symbol for path in objects for symbol in _symbols(path, machine)), reverse=True)
        ),
        **more,
    )


def _size(path: Path, without: frozenset[str] | set[str] = frozenset()) -> Size:
    kinds = dict.fromkeys(("code", "constants", "data", "bss"), 0)
    for section in elf.sections(path):
        if section.name not in without:
            kinds[section.kind] += section.size
    return Size(**kinds)


def _frame(path: Path) -> tuple[int, str]:
    """Return the largest stack frame that a compiler reported (-fstack-usage), and its function."""
    largest = (0, "")
    for report in path.parent.glob(
        f"{path.name}*.su"
    ):  # an older compiler keeps the process id of the recipe's `-o`
        for line in report.read_text().splitlines():
            place, size, _ = line.split("\t")
            largest = max(largest, (int(size), place.rsplit(":", 1)[1]))
    return largest


def _symbols(path: Path, machine: Machine) -> list[tuple[int, str, str]]:
    listed = _tool([f"{machine.prefix}nm", "--print-size", "--size-sort", str(path)])
    lines = (line.split() for line in listed.stdout.splitlines())
    # LLVM's nm also lists symbols without a size.
    return [(int(line[1], 16), line[2], line[3]) for line in lines if len(line) == 4]


def _variables(path: Path, machine: Machine) -> dict[str, int]:
    return {name: size for size, letter, name in _symbols(path, machine) if letter in "BbCDd"}


def _removed(objects: Path, machine: Machine) -> dict[str, set[str]]:
    """Of each object the sections that a link for a mote (--gc-sections) drops.

    The link is a partial one (-r): the context switch and Cooja's own libraries aren't there for a
    microcontroller.
    """
    chosen = machine.compiler()
    paths = [path.relative_to(objects).as_posix() for path in sorted(objects.rglob("*.o"))]
    linked = _tool(
        [
            *chosen.command,
            "-r",
            "-nostdlib",
            "-Wl,--gc-sections",
            "-Wl,--print-gc-sections",
            f"-Wl,-u,{_ROOT}",
            f"-Wl,-e,{_ROOT}",
            "-o",
            "linked",
            *paths,
        ],
        objects,
    )
    dropped: dict[str, set[str]] = {}
    for section, path in _REMOVED.findall(linked.stderr + linked.stdout):
        dropped.setdefault(path, set()).add(section)
    return dropped


def _tool(command: list[str], folder: Path | None = None) -> subprocess.CompletedProcess:
    done = subprocess.run(
        command,
        cwd=folder,
        env=tools.clean_environment(),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        errors="replace",
        check=False,
    )
    if done.returncode != 0:
        raise BuildFailed(f"{command[0]} failed\n{tools.first_errors(done.stdout + done.stderr)}")
    return done
