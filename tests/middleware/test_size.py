# SPDX-License-Identifier: Apache-2.0
"""Unused channel attributes cost nothing: not linked, no memory but a pointer a channel (which the C file
asserts).
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import c_tests
import pytest

FLAGS = ("-Os", "-ffunction-sections", "-fdata-sections", "-Wl,--gc-sections")


def link(folder: Path, name: str, modules: tuple[str, ...], *defines: str) -> Path:
    """The program with an archive of these modules."""
    work = folder / name
    work.mkdir()
    sources = [str(path) for path in c_tests.SOURCES if path.parent.name in modules]
    command = [c_tests.compiler(), *c_tests.WARNINGS, *FLAGS[:3], *c_tests.includes(), *defines]
    subprocess.run([*command, "-c", *sources], cwd=work, check=True)
    subprocess.run(
        ["ar", "rcs", "lib.a", *sorted(path.name for path in work.glob("*.o"))], cwd=work, check=True
    )
    main = Path(__file__).parent / "unit" / "size_main.c"
    subprocess.run([*command, *FLAGS[3:], str(main), "lib.a", "-o", "program"], cwd=work, check=True)
    return work / "program"


def symbols(program: Path) -> set[str]:
    listed = subprocess.run(["nm", program], capture_output=True, text=True, check=True).stdout
    return {line.split()[-1] for line in listed.splitlines()}


def sizes(program: Path) -> tuple[int, ...]:
    """Bytes of text, data and bss."""
    out = subprocess.run(["size", program], capture_output=True, text=True, check=True).stdout
    return tuple(int(n) for n in out.splitlines()[1].split()[:3])


@pytest.mark.skipif(not shutil.which("nm") or not shutil.which("size"), reason="no binutils")
def test_unused_attributes_cost_nothing(tmp_path):
    without = link(tmp_path, "without", ("pubsub",))
    every = ("pubsub", "aggregation", "experiment", "diffusion")
    unused = link(tmp_path, "unused", every)
    used = link(tmp_path, "used", every, "-DWITH_MERGE")
    diffused = link(tmp_path, "diffused", every, "-DWITH_DIFFUSION")
    assert sizes(unused) == sizes(without)
    assert not any(name.startswith(("merge_", "mean_", "run_", "diffusion_")) for name in symbols(unused))
    # The comparison can fail: with the attribute, code and its buffer are there.
    assert {"merge_attribute_init", "merge_mean_function"} <= symbols(used)
    assert sizes(used)[0] > sizes(unused)[0] and sizes(used)[2] > sizes(unused)[2]
    assert not any(name.startswith("diffusion_") for name in symbols(used))
    assert "diffusion_routes" in symbols(diffused)
    assert not any(name.startswith(("merge_", "mean_")) for name in symbols(diffused))
    assert sizes(diffused)[0] > sizes(unused)[0] and sizes(diffused)[2] > sizes(unused)[2]


HOOK = re.compile(r"^  if\(!pubsub_enforce\w*\([^;{]*\)\) \{\n    return[^;]*;\n  \}\n", re.MULTILINE)
HOOKS = re.compile(r"^#if PUBSUB_CONF_ENFORCEMENT\n.*?^#endif\n", re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("name", ["pubsub.c", "pubsub-routing.c"])
def test_enforcement_points_cost_nothing_where_there_is_no_policy_manager(tmp_path, name):
    """The object is that of the source without them, octet by octet."""
    source = (c_tests.MIDDLEWARE / "pubsub" / name).read_text()
    without = HOOK.sub("", HOOKS.sub("", source))
    # An event that is received is routed within the point's condition.
    without = re.sub(r"if\(pubsub_enforce_notify\([^;{]*\)\) \{\n(.*;\n)  \}", r"\1", without)
    assert without != source and not re.search(r"pubsub_enforce\w*\(", without)
    made = [compiled(tmp_path, text, name) for text in (source, without)]
    assert made[0] == made[1]
    assert compiled(tmp_path, source, name, "-DPUBSUB_CONF_ENFORCEMENT=1") != made[0]


def compiled(folder: Path, text: str, name: str, *flags: str) -> bytes:
    (folder / name).write_text(text)
    command = [c_tests.compiler(), "-std=gnu11", "-w", "-Os", *flags, *c_tests.includes()]
    subprocess.run([*command, "-c", name, "-o", "object.o"], cwd=folder, check=True)
    return (folder / "object.o").read_bytes()
