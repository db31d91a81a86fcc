# SPDX-License-Identifier: Apache-2.0
"""Sizes that a test makes up: their sums and limits, the tables, plain values and Markdown of them."""

from __future__ import annotations

import re
from dataclasses import replace

import pytest

from orchestrator.build import machines, sizes
from orchestrator.build.compiler import Compiler
from orchestrator.build.machines import MACHINES, Machine
from orchestrator.build.sizes import Part, Size, held, total
from orchestrator.cli import sizes as command
from orchestrator.cli import sizes_table
from orchestrator.cli.app import main
from orchestrator.errors import MissingTool, NoSuchThing, Unsupported

ARM = Machine("arm", "An ARM", "arm-", ("-mthumb",), "gcc-arm", limited=True)
AVR = Machine("avr", "An AVR", "avr-", (), "gcc-avr", constants_in_ram=True, clock_bits=32)
SMALL = Part("small", {"a.c": Size(1000, 20, 3, 4)}, (40, "f"), symbols=((9, "T", "f"), (5, "Q", "g")))
LARGE = Part(
    "large",
    {"b.c": Size(4000, 90, 1, 10), "c.c": Size(5, 0, 0, 1000)},
    (0, ""),
    {"pool": 14},
    symbols=(
        (1234, "t", "h"),
        (7, "B", "v"),
        (6, "b", "w"),
        (5, "D", "x"),
        (4, "d", "y"),
        (3, "R", "z"),
        (2, "r", "q"),
    ),
)


@pytest.fixture(autouse=True)
def compiler(monkeypatch):
    monkeypatch.setattr(Machine, "compiler", lambda self: Compiler(("gcc",), f"{self.prefix}gcc 1", "m"))


def test_sums_of_sizes():
    assert Size() == Size(0, 0, 0, 0)
    size = Size(1, 20, 300, 4000)
    assert size.flash() == 321 and size.ram(ARM) == 4300 and size.ram(AVR) == 4320
    assert total([size, Size(5, 6, 7, 8)]) == Size(6, 26, 307, 4008) and total([]) == Size()
    assert LARGE.size == Size(4005, 90, 1, 1010) and LARGE.flash() == 4096
    assert LARGE.ram(ARM) == 1025 and LARGE.ram(AVR) == 1115


def part(flash, ram):
    return (
        Part("p", {"a.c": Size(flash - ram, 0, 0, 0)}, (0, ""), {"v": ram})
        if ram
        else Part("p", {"a.c": Size(flash)}, (0, ""))
    )


@pytest.mark.parametrize(
    ("flash", "ram", "over"),
    [
        (4095, 0, []),
        (4096, 0, ["flash"]),
        (2000, 1023, []),
        (2000, 1024, ["RAM"]),
        (5120, 1024, ["flash", "RAM"]),
    ],
)
def test_limits_are_of_a_limited_machine(flash, ram, over):
    assert part(flash, ram).over(ARM) == over and part(flash, ram).over(AVR) == []


def test_one_module_may_be_over_its_limits():
    assert held(ARM, [SMALL, LARGE]) and not held(ARM, [LARGE, SMALL, LARGE]) and held(AVR, [LARGE, LARGE])


def squeezed(capsys):
    text = capsys.readouterr().out
    return re.sub(r"─+", "-", re.sub(r"(?<=\S) {2,}", "|", text))


STACK = "The stack is not in it: the largest frame is one function's, without those that it calls.\n"


def test_modules_as_they_are_printed(capsys):
    sizes_table.of_modules(ARM, [SMALL, LARGE], "small")
    out, err = capsys.readouterr()
    assert err == ""
    print(out, end="")
    assert squeezed(capsys) == (
        "An ARM, bytes, by arm-gcc 1\narm-gcc -Os -ffunction-sections -fdata-sections -mthumb\n\n"
        "module|code|constants|data|bss|flash|RAM|limits|largest frame\n-\n"
        "small|1,000|20|3|4|1,023|7|held|40 f\n"
        "  a.c|1,000|20|3|4|1,023|7\n"
        "large|4,005|90|1|1,010|4,096|1,025|over: flash, RAM\n"
        "  b.c|4,000|90|1|10|4,091|11\n"
        "  c.c|5|0|0|1,000|5|1,000\n"
        "  pool (declared)|14\n\n"
        "small, symbols:\n      9 code|f\n      5 Q|g\n\n"
        "large, symbols:\n  1,234 code|h\n      7 bss|v\n      6 bss|w\n      5 data|x\n      4 data|y\n"
        "      3 constants z\n      2 constants q\n\n"
        "flash = code + constants + data; RAM = data + bss + what an application declares, once each.\n"
        f"{STACK}Times have 64 bits, as on Cooja's motes; where a board's have 32, all of it is less.\n"
        "Limits, a module in its default configuration: under 4096 bytes of flash and 1024 of RAM, with "
        "one exception "
        "at most.\n\n"
    )


def test_two_modules_over_the_limits_are_named(capsys):
    sizes_table.of_modules(ARM, [LARGE, SMALL, replace(LARGE, name="other")], None)
    out, err = capsys.readouterr()
    assert err == "An ARM: 2 modules over the limits: large, other\n" and "small, symbols" not in out


def test_modules_of_a_machine_without_limits(capsys):
    sizes_table.of_modules(AVR, [LARGE], None)
    assert squeezed(capsys) == (
        "An AVR, bytes, by avr-gcc 1\navr-gcc -Os -ffunction-sections -fdata-sections\n\n"
        "module|code|constants|data|bss|flash|RAM|largest frame\n-\n"
        "large|4,005|90|1|1,010|4,096|1,115\n"
        "  b.c|4,000|90|1|10|4,091|101\n"
        "  c.c|5|0|0|1,000|5|1,000\n"
        "  pool (declared)|14\n\n"
        "flash = code + constants + data; RAM = constants + data + bss + what an application declares, "
        "once each.\n"
        "Constants are in both: the compiler's start-up code copies them to RAM.\n"
        f"{STACK}Times have 32 bits, as Contiki's have there. Modules that policies don't need are left "
        f"out.\n"
    )


def test_an_application_as_it_is_printed(capsys):
    parts = [replace(SMALL, linked=Size(900, 10, 2, 1)), replace(LARGE, linked=Size(100, 5, 1, 9))]
    sizes_table.of_application(ARM, parts)
    assert squeezed(capsys) == (
        "An ARM, bytes, by arm-gcc 1\narm-gcc -Os -ffunction-sections -fdata-sections -mthumb\n\n"
        "part|flash|RAM|linked flash|linked RAM|largest frame\n-\n"
        "small|1,023|7|912|3|40 f\n"
        "large|4,096|1,025|106|10\n"
        "in all|5,119|1,032|1,018|13\n\n"
        "flash = code + constants + data; RAM = data + bss.\n"
        f"{STACK}Times have 64 bits, as on Cooja's motes; where a board's have 32, all of it is less.\n"
        "Linked: what is left after --gc-sections, from the boot on. os/platform and os/dev are a mote's "
        "in Cooja: a "
        "board\nhas others. The context switch (the host's) and the compiler's own library are not in it.\n\n"
    )


def test_plain_values():
    made = sizes_table.plain(ARM, [SMALL, replace(LARGE, linked=Size(1, 2, 3, 4))])
    assert {name: made[name] for name in ("compiler", "flags", "limits")} == {
        "compiler": "arm-gcc 1",
        "flags": ["-Os", "-ffunction-sections", "-fdata-sections", "-mthumb"],
        "limits": {"flash": 4096, "ram": 1024},
    }
    file = {"code": 1000, "constants": 20, "data": 3, "bss": 4, "flash": 1023, "ram": 7}
    assert made["parts"]["small"] == {
        **file,
        "declared": {},
        "largest_frame": {"bytes": 40, "function": "f"},
        "files": {"a.c": file},
    }
    large = made["parts"]["large"]
    assert (large["ram"], large["declared"]) == (1025, {"pool": 14})
    assert large["linked"] == {"code": 1, "constants": 2, "data": 3, "bss": 4, "flash": 6, "ram": 7}
    assert sizes_table.plain(AVR, [])["limits"] is None


def test_markdown():
    assert sizes_table.markdown({ARM: [LARGE], AVR: [LARGE, SMALL]}) == (
        "- An ARM: `arm-gcc -Os -ffunction-sections -fdata-sections -mthumb`, arm-gcc 1\n"
        "- An AVR: `avr-gcc -Os -ffunction-sections -fdata-sections`, avr-gcc 1\n"
        "\n"
        "| bytes | An ARM: flash | RAM | An AVR: flash | RAM |\n"
        "|---|---:|---:|---:|---:|\n"
        "| **large** | **4096** | **1025** | **4096** | **1115** |\n"
        "| b.c | 4091 | 11 | 4091 | 101 |\n"
        "| c.c | 5 | 1000 | 5 | 1000 |\n"
        "| `pool`, declared | | 14 | | 14 |\n"
        "| **small** |  |  | **1023** | **27** |\n"
        "| a.c |  |  | 1023 | 27 |\n"
    )


@pytest.fixture
def measured(monkeypatch):
    """The command without compilers: LARGE on every machine, and a second one if `over`."""
    parts = [SMALL, LARGE]
    monkeypatch.setattr(sizes, "modules", lambda machine: parts)
    monkeypatch.setattr(sizes_table, "_papers_sums", lambda *_: None)
    return parts


@pytest.mark.parametrize(("words", "code"), [([], 0), (["--machine", "avr"], 0), (["--json"], 0)])
def test_one_module_over_its_limits_is_no_failure(measured, words, code, capsys):
    assert main(["sizes", *words]) == code
    measured.append(replace(LARGE, name="other"))
    assert main(["sizes", *words]) == (0 if words[:1] == ["--machine"] else 1)


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (
            ["aggregation", "--symbols", "pubsub"],
            "--write and --symbols are for the modules, not for an application",
        ),
        (
            ["aggregation", "--write", "a.md"],
            "--write and --symbols are for the modules, not for an application",
        ),
        (["--variant", "A=b"], "--variant needs an application"),
        (["--write", "a.md", "--machine", "avr"], "--write needs all machines: leave --machine out"),
    ],
)
def test_options_that_do_not_go_together(words, said, capsys):
    assert main(["sizes", *words]) == 2
    assert capsys.readouterr().err.startswith(f"orchestrate: {said}\n")


def test_a_module_that_is_not_there(measured, capsys):
    assert main(["sizes", "--symbols", "smal"]) == 9
    assert (
        "no middleware module 'smal'; did you mean small? there are: small, large" in capsys.readouterr().err
    )


def test_machines_without_compilers_are_left_out_but_not_the_limited_one(monkeypatch, capsys):
    def missing(self):
        raise MissingTool(f"no {self.name}")

    monkeypatch.setattr(Machine, "compiler", lambda self: missing(self) if self.name != "cortex-m3" else None)
    assert [one.name for one in command._machines(None)] == ["cortex-m3"]
    assert capsys.readouterr().err == "no avr\nno msp430\n"
    with pytest.raises(MissingTool, match="no avr"):
        command._machines("avr")
    monkeypatch.setattr(Machine, "compiler", missing)
    with pytest.raises(MissingTool, match="no cortex-m3"):
        command._machines(None)


def test_a_table_is_written_between_its_marks(measured, tmp_path, capsys):
    path = tmp_path / "a.md"
    path.write_text(f"before\n{sizes_table.BEGIN}\nold\n{sizes_table.END}\nafter\n")
    assert main(["sizes", "--write", str(path)]) == 0
    assert capsys.readouterr().out == f"written: {path}\n"
    text = path.read_text()
    assert (
        text.startswith(f"before\n{sizes_table.BEGIN}\n- ARM Cortex-M3: `arm-none-eabi-gcc ")
        and "old" not in text
    )
    assert text.endswith(f"|\n{sizes_table.END}\nafter\n")
    path.write_text(f"{sizes_table.BEGIN}\n")
    assert main(["sizes", "--write", str(path)]) == 3
    assert "no place for the table\n    put <!-- sizes --> and <!-- /sizes --> on lines of their own" in (
        capsys.readouterr().err
    )
    assert main(["sizes", "--write", str(tmp_path / "none.md")]) == 9
    assert "No such file or directory; --write changes a file that has the marks" in capsys.readouterr().err


def test_no_application_on_a_machine_without_a_linker():
    with pytest.raises(Unsupported) as raised:
        sizes.application("aggregation", MACHINES["msp430"], {})
    assert str(raised.value) == (
        "there is no linker for the MSP430 here, so no application can be measured for it\n"
        "    measure the modules by themselves, or name another machine"
    )


def test_the_machines():
    assert ARM.command == ("arm-gcc", "-mthumb") and MACHINES["msp430"].command[0] == "clang"
    assert {
        name: (one.limited, one.bare, one.constants_in_ram, one.clock_bits) for name, one in MACHINES.items()
    } == {
        "cortex-m3": (True, False, False, 64),
        "avr": (False, False, True, 64),
        "msp430": (False, True, False, 32),
    }
    assert ARM.only == () and "policies" in MACHINES["msp430"].only


def test_what_is_missing_of_a_machine_s_tools(monkeypatch):
    monkeypatch.undo()
    there = set()
    monkeypatch.setattr(machines.shutil, "which", lambda name: name if name in there else None)

    def cross(command, what, remedy):
        raise MissingTool(f"{command.split()[0]} {what}: {remedy}")

    monkeypatch.setattr(machines.compiler, "cross", cross)
    for name, said in (
        ("avr", "avr-gcc sizes on AVR ATmega1284P: apt-get install gcc-avr avr-libc"),
        ("msp430", "no llvm-nm, so no sizes on MSP430\n    apt-get install clang llvm"),
    ):
        with pytest.raises(MissingTool) as raised:
            MACHINES[name].compiler()
        assert str(raised.value) == said
    there.add("llvm-nm")
    with pytest.raises(MissingTool, match="^clang sizes on MSP430: apt-get install clang llvm$"):
        MACHINES["msp430"].compiler()
    there.add("clang")
    with pytest.raises(MissingTool) as raised:
        MACHINES["msp430"].compiler()
    assert str(raised.value) == (
        "this clang is built without the target MSP430, so no sizes on MSP430\n    apt-get install clang llvm"
    )


def test_frames_and_symbols_are_read_from_what_tools_say(tmp_path, monkeypatch):
    (tmp_path / "a.o").write_bytes(b"")
    (tmp_path / "a.o.su").write_text("x.c:3:1:small\t16\tstatic\nx.c:9:1:large\t48\tstatic\n")
    (tmp_path / "a.o.12.su").write_text("x.c:9:1:other\t40\tstatic\n")
    assert sizes._frame(tmp_path / "a.o") == (48, "large") and sizes._frame(tmp_path / "b.o") == (0, "")
    listed = (
        "00000000 00000010 T main\n00000004 00000009 b held\n00000008 U extern\n00000010 00000003 D given\n"
    )
    asked = []

    class Done:
        stdout = listed

    monkeypatch.setattr(sizes, "_tool", lambda words: asked.append(words) or Done)
    assert sizes._symbols(tmp_path / "a.o", ARM) == [(16, "T", "main"), (9, "b", "held"), (3, "D", "given")]
    assert asked == [["arm-nm", "--print-size", "--size-sort", str(tmp_path / "a.o")]]
    assert sizes._variables(tmp_path / "a.o", ARM) == {"held": 9, "given": 3}


def test_a_tool_that_fails_says_what():
    with pytest.raises(sizes.BuildFailed) as raised:
        sizes._tool(["sh", "-c", "echo out; echo bad >&2; exit 3"])
    assert str(raised.value) == "sh failed\n    out\n    bad"
    assert sizes._tool(["sh", "-c", "pwd"]).returncode == 0


def test_unknown_modules_are_told(measured):
    with pytest.raises(NoSuchThing):
        command._known("x", measured)
    command._known("small", measured)
