# SPDX-License-Identifier: Apache-2.0
"""The house's rules that a machine can check: who may import whom, and what no file may name."""

from __future__ import annotations

import ast
import re
import subprocess
import tomllib
from importlib.metadata import packages_distributions
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
VALUES = {  # plain values: they stand on the ground with the vocabulary
    f"{part}.model" for part in ("scenario", "topology", "csc", "runs", "engines", "applications")
} | {
    "csc.mote_type",
    "csc.serial_socket",
    "engines.deployment",
    "engines.embedded.described",
    "media",
    "runs.spec",
}
# From the ground up. A part imports what stands below its floor, and itself; nothing beside it and nothing
# above. A part is a package, but for what of a package is listed by itself.
FLOORS = (
    {"errors"},
    {"__version__", "words", "durable", "resources", "console", "junit", "feature"},
    {"core"},
    {"vocabulary", *VALUES, "git"},
    {"pictures", "frames", "statistics", "applications.extension"},
    {"topology", "csc"},
    {"topology.shapes", "scenario.settings"},
    {"scenario.matrix"},
    {"applications", "runs"},
    {"scenario", "build", "report"},
    {"partners"},
    {"engines"},
    {"execution", "papers", "doctor"},
    {"inspect"},
    {"cli"},
    {"features"},
)
VALUES_FLOOR = next(floor for floor in FLOORS if "vocabulary" in floor)
# The engine's kernel, from the ground up: a room of its includes itself and what stands on a lower floor.
KERNEL = ROOT / "orchestrator" / "engines" / "embedded" / "kernel"
KERNEL_FLOORS = (
    {"base"},
    {"events", "libc", "sanitizers"},
    {"loader"},
    {"msp430"},
    {"motes"},
    {"observation"},
    {"radio"},
    {"sky"},
    {"ticks"},
    {"operation"},
    {"outside"},
    {"script"},
    {"run"},
)
# A third-party package belongs to one part (design.md, decision 8).
OWNERS = {
    "lark": ("orchestrator/features/policies/",),
    "lxml": ("orchestrator/csc/",),
    "docker": ("orchestrator/build/",),
    "paramiko": ("testbed/",),
    "response_time_analysis": ("orchestrator/features/distribution/",),
    "optuna": ("orchestrator/features/search/",),
    "pyspark": ("spark/",),
    "sqlglot": ("spark/",),
    "rocrate": ("orchestrator/features/export/",),
    "rich": ("orchestrator/console.py", "orchestrator/cli/", "orchestrator/features/"),
    "z3": ("orchestrator/features/policies/checks/smt.py",),
    "ruptures": ("orchestrator/statistics/",),
}


def sources() -> list[Path]:
    return sorted(
        [*ROOT.glob("orchestrator/**/*.py"), *ROOT.glob("spark/**/*.py"), *ROOT.glob("testbed/**/*.py")]
    )


def imports(path: Path) -> set[str]:
    """The modules and names that a file imports."""
    names: set[str] = set()
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            names.update(alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module and node.level == 0:
            names.add(node.module)
            names.update(f"{node.module}.{alias.name}" for alias in node.names)
    return names


def module_name(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__")


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_imports_follow_the_dependency_direction(path):
    module = module_name(path)
    for name in imports(path):
        package = name.split(".")[0]
        if package in OWNERS:
            relative = str(path.relative_to(ROOT))
            assert relative.startswith(OWNERS[package]), f"{package} belongs to {OWNERS[package]}"
        if module.startswith("spark") or module.startswith("testbed"):
            assert package != "orchestrator", "analysis and testbed know nothing of the orchestrator"
            continue
        if package == "orchestrator" and name != package:
            mine, other = part(module), part(name)
            assert mine == other or floor(other) < floor(mine) or {mine, other} <= VALUES_FLOOR, (
                f"{module} may not import {name}"
            )


@pytest.mark.parametrize("path", sources(), ids=lambda path: str(path.relative_to(ROOT)))
def test_only_a_feature_s_own_folder_imports_it(path):
    """The core finds features through orchestrator/feature.py; a feature uses what others offer there."""
    mine = feature_of(module_name(path))
    theirs = {one for name in imports(path) if (one := feature_of(name)) and one != mine}
    assert theirs == set()


def feature_of(name: str) -> str:
    """The feature that a module or a name of it belongs to; "" if it is the core's."""
    parts = name.split(".")
    return parts[2] if parts[:2] == ["orchestrator", "features"] and len(parts) > 2 else ""


def test_modules_import_each_other_in_no_circle():
    """An import inside of a function counts, and so does one for types only; a package is no module."""
    files = {shipped(path): path for path in sources() if path.name != "__init__.py"}
    below = {name: imports(path) & files.keys() for name, path in files.items()}
    while leaves := [name for name, others in below.items() if not others & below.keys()]:
        below = {name: others for name, others in below.items() if name not in leaves}
    assert below == {}


def shipped(path: Path) -> str:
    """The name by which a module is imported."""
    return module_name(path).removeprefix("spark.").removeprefix("testbed.")


def part(name: str) -> str:
    """The part of orchestrator that a module or a name of it belongs to: the longest listed name."""
    names = name.removeprefix("orchestrator.").split(".")
    starts = (".".join(names[:count]) for count in range(len(names), 1, -1))
    return next((start for start in starts if any(start in parts for parts in FLOORS)), names[0])


def floor(name: str) -> int:
    found = [number for number, parts in enumerate(FLOORS) if name in parts]
    assert found, f"on which floor does {name} stand?"
    return found[0]


def kernel_files() -> list[Path]:
    return sorted(KERNEL.rglob("*.[ch]"))


def kernel_includes(path: Path) -> list[str]:
    """The kernel's own files that a file of it includes, by their paths in it."""
    return re.findall(r'^#\s*include "(.*)"', path.read_text(encoding="utf-8"), re.MULTILINE)


@pytest.mark.parametrize("path", kernel_files(), ids=lambda path: path.relative_to(KERNEL).as_posix())
def test_a_room_of_the_kernel_includes_only_what_stands_below_it(path):
    floors = {room: number for number, rooms in enumerate(KERNEL_FLOORS) for room in rooms}
    (mine,) = path.relative_to(KERNEL).parent.parts
    for name in kernel_includes(path):
        assert (KERNEL / name).is_file(), f"an include names its room: {name}"
        other = name.split("/")[0]
        assert other == mine or floors[other] < floors[mine], f"{mine} may not include {name}"


def test_files_of_the_kernel_include_each_other_in_no_circle():
    """X.c and X.h count as one. A radio tells the medium what it does, and the medium tells radios: these
    four are the only circle.
    """
    below: dict[str, set[str]] = {}
    for path in kernel_files():
        unit = path.relative_to(KERNEL).with_suffix("").as_posix()
        below.setdefault(unit, set()).update(
            name.removesuffix(".h") for name in kernel_includes(path) if name != f"{unit}.h"
        )
    while leaves := [unit for unit, others in below.items() if not others & below.keys()]:
        below = {unit: others for unit, others in below.items() if unit not in leaves}
    above = set(below)
    while tops := {unit for unit in above if not any(unit in below[other] for other in above)}:
        above -= tops
    assert above == {"radio/radio", "radio/medium", "radio/connection", "radio/byte_radio"}


def test_no_file_of_the_kernel_declares_what_another_defines():
    """What a file uses of others it includes, so that these tests see it."""
    declared = [
        f"{path.relative_to(KERNEL)}: {line}"
        for path in kernel_files()
        if path.suffix == ".c"
        for line in re.findall(r"^extern .*", path.read_text(encoding="utf-8"), re.MULTILINE)
    ]
    assert declared == []


def test_every_run_time_dependency_is_imported():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    imported = {name.split(".")[0] for path in sources() for name in imports(path)}
    needed = {
        of.lower()
        for package, distributions in packages_distributions().items()
        if package in imported
        for of in distributions
    }
    assert {re.match(r"[\w-]+", each).group().lower() for each in project["dependencies"]} - needed == set()


def tracked() -> list[Path]:
    done = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=False)
    if done.returncode != 0:
        pytest.skip("not a git checkout")
    return [ROOT / name for name in done.stdout.decode().split("\0") if name]


def test_tests_have_names_of_their_own():
    """There are no packages under tests/, so pytest takes two files of one name for one module."""
    names = sorted(
        path.name
        for path in (ROOT / "tests").rglob("*.py")
        if path.name not in ("conftest.py", "__init__.py", "__main__.py")
    )
    assert [name for name in set(names) if name.startswith("test_") and names.count(name) > 1] == []


def test_no_registry_host_and_no_path_of_a_machine():
    forbidden = re.compile(
        rb"pypi\.org|pythonhosted|maven\.org|npmjs|deb\.debian|crates\.io|/work" rb"/|/root" rb"/"
    )
    named = [
        f"{path.relative_to(ROOT)}: {match.group().decode()}"
        for path in tracked()
        if path.is_file() and path != Path(__file__)
        for match in [forbidden.search(path.read_bytes())]
        if match
    ]
    assert not named


def test_sources_carry_their_licence_and_stay_readable():
    long, bare = [], []
    for path in tracked():
        if path.suffix not in {".py", ".c", ".h"} or not path.is_file():
            continue
        text = path.read_text(encoding="utf-8")
        if "SPDX-License-Identifier: Apache-2.0" not in text[:200]:
            bare.append(str(path.relative_to(ROOT)))
        if text.count("\n") > 450:
            long.append(str(path.relative_to(ROOT)))
    assert not bare, "without an SPDX line"
    assert not long, "too long to read in one go"
