# SPDX-License-Identifier: Apache-2.0
"""The middleware keeps its limits on a Cortex-M3, the numbers are the toolchain's own, and the committed
table is current.
"""

from __future__ import annotations

import json
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.build import elf, sizes
from orchestrator.build.machines import MACHINES
from orchestrator.cli import app, sizes_table
from orchestrator.errors import BuildFailed, MissingTool, Unsupported

M3, AVR = MACHINES["cortex-m3"], MACHINES["avr"]
README = Path(__file__).resolve().parents[2] / "contiki-apps" / "middleware" / "README.md"


def needs(*machines) -> None:
    for machine in machines:
        try:
            machine.compiler()
        except MissingTool as missing:
            pytest.skip(str(missing))


@pytest.fixture(scope="module")
def modules() -> dict[str, sizes.Part]:
    needs(M3)
    return {part.name: part for part in sizes.modules(M3)}


def test_every_module_but_one_at_most_keeps_its_limits(modules):
    assert {"aggregation", "experiment", "pubsub", "diffusion"} <= set(modules)
    over = {name for name, part in modules.items() if not (part.flash() < 4096 and part.ram(M3) < 1024)}
    assert over <= {"diffusion"}
    assert sizes.held(M3, modules.values())
    assert {name for name, part in modules.items() if part.over(M3)} == over


def test_each_merge_function_has_its_row_and_what_is_declared_counts(modules):
    aggregation = modules["aggregation"]
    assert {"mean.c", "sum.c", "min.c", "max.c", "count.c", "histogram.c", "patience.c"} <= set(
        aggregation.files
    )
    assert aggregation.size.ram(M3) == 0  # all of its state is declared by applications
    assert aggregation.ram(M3) == sum(aggregation.declared.values()) >= 100  # it holds an event
    assert modules["pubsub"].frame[0] >= 100  # input() and publish() make a frame on the stack


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_sections_add_up_to_what_the_toolchain_says(machine, tmp_path):
    needs(machine)
    source = tmp_path / "a.c"
    source.write_text(
        'const char text[] = "constants"; int set = 7; static long zero[5];\n'
        "long *f(int i) { static const short t[] = {1, 2, 3, 4}; zero[1] += t[i & 3]; return zero; }\n"
    )
    made = tmp_path / "a.o"
    subprocess.run([*machine.compiler().command, "-Os", "-c", source, "-o", made], check=True)
    said = subprocess.run([f"{machine.prefix}size", made], capture_output=True, text=True, check=True).stdout
    assert tuple(elf.sizes(made).values()) == tuple(map(int, said.splitlines()[1].split()[:3]))
    measured = sizes.total(sizes.Size(**{section.kind: section.size}) for section in elf.sections(made))
    assert measured.constants >= 18 and measured.code > 0
    assert (measured.data, measured.bss) == ((4, 20) if machine is M3 else (2, 20))
    assert measured.ram(machine) == measured.data + 20 + (measured.constants if machine is AVR else 0)


@pytest.mark.parametrize("machine", MACHINES.values(), ids=MACHINES)
def test_an_application_links_less_than_there_is(machine):
    needs(machine)
    if machine.bare:
        with pytest.raises(Unsupported, match="there is no linker for the MSP430 here"):
            sizes.application("pubsub-hello", machine, {})
        return
    parts = {part.name: part for part in sizes.application("pubsub-hello", machine, {})}
    pubsub = parts["middleware/pubsub"]
    assert "middleware/aggregation" not in parts
    assert 0 < pubsub.linked.flash() < pubsub.flash()  # it never lets an attribute's interceptor go
    assert parts["pubsub-hello"].linked == parts["pubsub-hello"].size
    assert parts["os/sys"].linked.flash() > 500  # processes and timers are linked, from the boot on


def test_the_table_in_the_readme_is_current(modules):
    """The numbers are those of the compilers that the table names; of others there is nothing to compare."""
    needs(*MACHINES.values())
    written = (
        README.read_text(encoding="utf-8").split(sizes_table.BEGIN)[1].split(sizes_table.END)[0].lstrip("\n")
    )
    if not all(f", {machine.compiler().version}\n" in written for machine in MACHINES.values()):
        pytest.skip("the table is of other compilers")
    made = sizes_table.markdown(
        {
            machine: list(modules.values()) if machine == M3 else sizes.modules(machine)
            for machine in MACHINES.values()
        }
    )
    assert written == made, "orchestrate sizes --write contiki-apps/middleware/README.md"


def test_two_modules_over_their_limits_are_a_failure(modules, monkeypatch, capsys):
    monkeypatch.setattr(sizes, "FLASH_LIMIT", 2000)
    assert not sizes.held(M3, modules.values())
    assert sizes.held(AVR, modules.values())  # which has no limits
    monkeypatch.setattr(sizes, "modules", lambda machine: list(modules.values()))
    assert app.main(["sizes", "--machine", "cortex-m3"]) == 1
    said = capsys.readouterr()
    assert "over: flash" in said.out and "pubsub, symbols:" in said.out and "pubsub_publish" in said.out
    assert "modules over the limits" in said.err


def test_as_json(modules, monkeypatch, capsys):
    monkeypatch.setattr(sizes, "modules", lambda machine: list(modules.values()))
    assert app.main(["sizes", "--machine", "cortex-m3", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)["cortex-m3"]
    assert found["limits"] == {"flash": 4096, "ram": 1024}
    assert found["parts"]["pubsub"]["flash"] == modules["pubsub"].flash()


def test_without_a_compiler(monkeypatch, tmp_path, capsys):
    monkeypatch.setenv("PATH", str(tmp_path))
    assert app.main(["sizes"]) == MissingTool.exit_code
    assert "apt-get install gcc-arm-none-eabi" in capsys.readouterr().err


def test_a_compiler_without_a_library(monkeypatch, tmp_path, capsys):
    (tmp_path / "avr-gcc").write_text("#!/bin/sh\ncase $* in *-E*) exit 1;; *) echo 1.0;; esac\n")
    (tmp_path / "avr-gcc").chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/bin")
    assert app.main(["sizes", "--machine", "avr"]) == MissingTool.exit_code
    assert "no C library" in capsys.readouterr().err


def test_an_application_that_does_not_compile(tiny, capsys):
    needs(M3)
    assert app.main(["sizes", str(tiny)]) == BuildFailed.exit_code  # its Makefile isn't ours
    assert "objects" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        (["aggregation", "--symbols", "pubsub"], 2),
        (["--variant", "A=1"], 2),
        (["nothing-like-it"], 9),
        (["--machine", "avr", "--symbols", "nothing"], 9),
        (["--write", "none.md"], 9),
        (["--write", "marks.md"], 3),
    ],
)
def test_wrong_usage(arguments, code, tmp_path, monkeypatch, capsys):
    needs(*MACHINES.values())
    monkeypatch.chdir(tmp_path)
    Path("marks.md").write_text("no marks\n")
    assert app.main(["sizes", *arguments]) == code
    assert capsys.readouterr().err and Path("marks.md").read_text() == "no marks\n"


def test_no_part_of_an_object_is_taken_for_a_whole(tmp_path):
    whole = Path(shutil.which("true") or "/bin/true").read_bytes()
    for length in (0, 3, 20, 63, len(whole) // 2):
        (tmp_path / "cut").write_bytes(whole[:length])
        with pytest.raises(BuildFailed, match="cut"):
            elf.sections(tmp_path / "cut")


def test_a_module_with_other_settings_is_measured_by_their_names():
    needs(AVR)
    made = sizes.variants(
        AVR,
        "aggregation",
        {"usual": "", "more": "char more[40];"},
        files=["sum.c", "mean.c"],
        uses=("pubsub",),
        probe="char probe[3];",
    )
    assert list(made) == ["usual", "more"] and [part.name for part in made.values()] == ["usual", "more"]
    usual, more = made.values()
    assert [name.partition("-")[2] for name in usual.files] == ["mean.c", "sum.c"]
    assert {size.bss for size in usual.files.values()} == {3} and usual.size.code > 100
    assert {size.bss for size in more.files.values()} == {43} and more.size.code == usual.size.code
    assert {letter for size, letter, name in usual.symbols if name.startswith("probe")} <= {"b", "B", "C"}
    with pytest.raises(BuildFailed, match=r"sizes for AVR(?s:.)*pubsub\.h"):
        sizes.variants(AVR, "aggregation", {"usual": ""}, files=["mean.c"])
