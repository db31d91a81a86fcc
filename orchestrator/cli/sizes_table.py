# SPDX-License-Identifier: Apache-2.0
"""The tables of `orchestrate sizes`: for the terminal, as plain values, as Markdown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from orchestrator import feature
from orchestrator.build.machines import Machine
from orchestrator.build.sizes import FLAGS, FLASH_LIMIT, RAM_LIMIT, Part, Size
from orchestrator.cli.numbers import count
from orchestrator.cli.tables import Table, numbers
from orchestrator.console import say, show
from orchestrator.words import counted

BEGIN, END = "<!-- sizes -->", "<!-- /sizes -->"
_KINDS = {"b": "bss", "d": "data", "r": "constants", "t": "code"}  # in capitals: for other files, too


def of_modules(machine: Machine, parts: Sequence[Part], symbols: str | None) -> None:
    """One row a module, below it its files and the variables that an application declares to use it."""
    rows = [row for part in parts for row in _rows(part, machine)]
    columns = (
        "module",
        *numbers("code", "constants", "data", "bss", "flash", "RAM"),
        *["limits"] * machine.limited,
        "largest frame",
    )
    _title(machine)
    show(Table("", columns, [row + [""] * (len(columns) - len(row)) for row in rows]))
    over = [part for part in parts if part.over(machine)]
    for part in parts:
        if part in over or part.name == symbols:
            _symbols(part)
    _explain(machine, " + what an application declares, once each")
    for table in feature.listed("module_tables"):
        table(machine, parts)
    if machine.limited:
        print(
            f"Limits, a module in its default configuration: under {FLASH_LIMIT} bytes of flash and "
            f"{RAM_LIMIT} of RAM, with one exception at most.\n"
        )
    if len(over) > 1:
        say(
            f"{machine.title}: {counted(len(over), 'module')} over the limits: "
            f"{', '.join(part.name for part in over)}"
        )


def _rows(part: Part, machine: Machine) -> Iterator[list]:
    yield [
        (part.name, "bold"),
        *_numbers(part.size),
        _bold(part.flash()),
        _bold(part.ram(machine)),
        *[_verdict(part, machine)] * machine.limited,
        _frame(part),
    ]
    for name, size in part.files.items():
        yield [f"  {name}", *_numbers(size), count(size.flash()), count(size.ram(machine))]
    for name, size in part.declared.items():
        yield [f"  {name} (declared)", *[""] * 5, count(size)]


def of_application(machine: Machine, parts: Sequence[Part]) -> None:
    """Return a row an application, module and folder of the embedded Contiki: all, and what is linked."""
    columns = ("part", *numbers("flash", "RAM", "linked flash", "linked RAM"), "largest frame")
    rows = [
        (
            part.name,
            count(part.flash()),
            count(part.ram(machine)),
            count(part.linked.flash()),
            count(part.linked.ram(machine)),
            _frame(part),
        )
        for part in parts
    ]
    sums = (
        sum(part.flash() for part in parts),
        sum(part.ram(machine) for part in parts),
        sum(part.linked.flash() for part in parts),
        sum(part.linked.ram(machine) for part in parts),
    )
    _title(machine)
    show(Table("", columns, [*rows, (("in all", "bold"), *map(_bold, sums), "")]))
    _explain(machine)
    print(
        "Linked: what is left after --gc-sections, from the boot on. os/platform and os/dev are a mote's in "
        "Cooja: a board\n"
        "has others. The context switch (the host's) and the compiler's own library are not in it.\n"
    )


def plain(machine: Machine, parts: Sequence[Part]) -> dict:
    """Return the sizes on one machine as plain values."""
    return {
        "compiler": machine.compiler().version,
        "flags": [*FLAGS, *machine.flags],
        "limits": {"flash": FLASH_LIMIT, "ram": RAM_LIMIT} if machine.limited else None,
        "parts": {
            part.name: {
                **_values(part.size, machine),
                "ram": part.ram(machine),
                "declared": part.declared,
                "largest_frame": {"bytes": part.frame[0], "function": part.frame[1]},
                "files": {name: _values(size, machine) for name, size in part.files.items()},
                **({"linked": _values(part.linked, machine)} if part.linked else {}),
            }
            for part in parts
        },
    }


def markdown(measured: Mapping[Machine, Sequence[Part]]) -> str:
    """Flash and RAM of every module and of its files on all machines."""
    lines = [
        f"- {machine.title}: `{_command(machine)}`, {machine.compiler().version}" for machine in measured
    ]
    lines += [
        "",
        "| bytes | " + " | ".join(f"{machine.title}: flash | RAM" for machine in measured) + " |",
        "|---|" + "---:|---:|" * len(measured),
    ]
    for part in max(measured.values(), key=len):
        each = [
            (machine, next((sizes for sizes in parts if sizes.name == part.name), None))
            for machine, parts in measured.items()
        ]
        cells = [f"**{part.flash()}** | **{part.ram(machine)}**" if part else " | " for machine, part in each]
        lines.append(f"| **{part.name}** | " + " | ".join(cells) + " |")
        for name in part.files:
            cells = [
                f"{part.files[name].flash()} | {part.files[name].ram(machine)}" if part else " | "
                for machine, part in each
            ]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        for name in part.declared:
            cells = [f"| {part.declared[name]}" if part else " | " for _, part in each]
            lines.append(f"| `{name}`, declared | " + " | ".join(cells) + " |")
    return "\n".join(lines) + "\n"


def _title(machine: Machine) -> None:
    print(f"{machine.title}, bytes, by {machine.compiler().version}\n{_command(machine)}\n")


def _command(machine: Machine) -> str:
    program, *flags = machine.command
    return " ".join((program, *FLAGS, *flags))


def _explain(machine: Machine, more: str = "") -> None:
    ram = "constants + data + bss" if machine.constants_in_ram else "data + bss"
    print(f"flash = code + constants + data; RAM = {ram}{more}.")
    if machine.constants_in_ram:
        print("Constants are in both: the compiler's start-up code copies them to RAM.")
    print(
        "The stack is not in it: the largest frame is one function's, without those that it calls.\n"
        + (
            "Times have 64 bits, as on Cooja's motes; where a board's have 32, all of it is less."
            if machine.clock_bits == 64
            else "Times have 32 bits, as Contiki's have there. Modules that policies don't need are left out."
        )
    )


def _numbers(size: Size) -> list[str]:
    return [count(size.code), count(size.constants), count(size.data), count(size.bss)]


def _values(size: Size, machine: Machine) -> dict[str, int]:
    return {
        "code": size.code,
        "constants": size.constants,
        "data": size.data,
        "bss": size.bss,
        "flash": size.flash(),
        "ram": size.ram(machine),
    }


def _bold(number: int) -> tuple[str, str]:
    return count(number), "bold"


def _frame(part: Part) -> str:
    return f"{count(part.frame[0])} {part.frame[1]}" if part.frame[1] else ""


def _verdict(part: Part, machine: Machine) -> tuple[str, str]:
    missed = part.over(machine)
    return (f"over: {', '.join(missed)}", "red") if missed else ("held", "green")


def _symbols(part: Part) -> None:
    print(f"{part.name}, symbols:")
    for size, letter, name in part.symbols:
        print(f"{count(size):>7} {_KINDS.get(letter.lower(), letter):<9} {name}")
    print()
