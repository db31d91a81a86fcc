# SPDX-License-Identifier: Apache-2.0
"""The tables of `orchestrate sizes`: for the terminal, as plain values, as Markdown."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.table import Table

from orchestrator.build.machines import Machine
from orchestrator.build.sizes import FLAGS, FLASH_LIMIT, RAM_LIMIT, Part, Size
from orchestrator.console import console, say
from orchestrator.words import counted

BEGIN, END = "<!-- sizes -->", "<!-- /sizes -->"
_KINDS = {"B": "bss", "b": "bss", "D": "data", "d": "data", "R": "constants", "r": "constants", "T": "code", "t": "code"}


def of_modules(machine: Machine, parts: Sequence[Part], symbols: str | None) -> None:
    """One row a module, below it its files and the variables that an application declares to use it."""
    table = _table("module", "code", "constants", "data", "bss", "flash", "RAM", "largest frame", *["limits"] * machine.limited)
    for part in parts:
        table.add_row(f"[bold]{part.name}", *_numbers(part.size), _bold(part.flash()), _bold(part.ram(machine)),
                      _frame(part), *[_verdict(part, machine)] * machine.limited)
        for name, size in part.files.items():
            table.add_row(f"  {name}", *_numbers(size), str(size.flash()), str(size.ram(machine)))
        for name, size in part.declared.items():
            table.add_row(f"  {name} (declared)", *[""] * 5, str(size))
    _title(machine)
    console().print(table)
    print()
    over = [part for part in parts if part.over(machine)]
    for part in parts:
        if part in over or part.name == symbols:
            _symbols(part)
    _explain(machine, " + what an application declares, once each")
    if machine.limited:
        print(f"Limits, a module in its default configuration: under {FLASH_LIMIT} bytes of flash and {RAM_LIMIT} of RAM, "
              "with one exception at most.\n")
    if len(over) > 1:
        say(f"{machine.title}: {counted(len(over), 'module')} over the limits: {', '.join(part.name for part in over)}")


def of_application(machine: Machine, parts: Sequence[Part], _: str | None) -> None:
    """One row an application, module and folder of the embedded Contiki: what there is and what is linked of it."""
    table = _table("part", "flash", "RAM", "linked flash", "linked RAM", "largest frame")
    for part in parts:
        table.add_row(part.name, str(part.flash()), str(part.ram(machine)), str(part.linked.flash()),
                      str(part.linked.ram(machine)), _frame(part))
    table.add_section()
    table.add_row("[bold]in all", _bold(sum(part.flash() for part in parts)), _bold(sum(part.ram(machine) for part in parts)),
                  _bold(sum(part.linked.flash() for part in parts)), _bold(sum(part.linked.ram(machine) for part in parts)))
    _title(machine)
    console().print(table)
    print()
    _explain(machine)
    print("Linked: what is left after --gc-sections, from the boot on. os/platform and os/dev are a mote's in Cooja: a board\n"
          "has others. The context switch (the host's) and the compiler's own library are not in it.\n")


def plain(machine: Machine, parts: Sequence[Part]) -> dict:
    return {
        "compiler": machine.compiler().version, "flags": [*FLAGS, *machine.flags],
        "limits": {"flash": FLASH_LIMIT, "ram": RAM_LIMIT} if machine.limited else None,
        "parts": {part.name: {
            **_values(part.size, machine), "ram": part.ram(machine), "declared": part.declared,
            "largest_frame": {"bytes": part.frame[0], "function": part.frame[1]},
            "files": {name: _values(size, machine) for name, size in part.files.items()},
            **({"linked": _values(part.linked, machine)} if part.linked else {}),
        } for part in parts},
    }


def markdown(measured: Mapping[Machine, Sequence[Part]]) -> str:
    """Flash and RAM of every module and of its files on all machines."""
    lines = [f"- {machine.title}: `{_command(machine)}`, {machine.compiler().version}" for machine in measured]
    lines += ["", "| bytes | " + " | ".join(f"{machine.title}: flash | RAM" for machine in measured) + " |",
              "|---|" + "---:|---:|" * len(measured)]
    for each in zip(*measured.values()):
        cells = [f"**{part.flash()}** | **{part.ram(machine)}**" for machine, part in zip(measured, each)]
        lines.append(f"| **{each[0].name}** | " + " | ".join(cells) + " |")
        for name in each[0].files:
            cells = [f"{part.files[name].flash()} | {part.files[name].ram(machine)}" for machine, part in zip(measured, each)]
            lines.append(f"| {name} | " + " | ".join(cells) + " |")
        for name in each[0].declared:
            lines.append(f"| `{name}`, declared | " + " | ".join(f"| {part.declared[name]}" for part in each) + " |")
    return "\n".join(lines) + "\n"


def _table(first: str, *numbers: str) -> Table:
    table = Table(box=None, pad_edge=False)
    table.add_column(first, no_wrap=True)
    for heading in numbers:
        table.add_column(heading, justify="left" if heading in ("largest frame", "limits") else "right", no_wrap=True)
    return table


def _title(machine: Machine) -> None:
    print(f"{machine.title}, bytes, by {machine.compiler().version}\n{_command(machine)}\n")


def _command(machine: Machine) -> str:
    return " ".join((f"{machine.prefix}gcc", *FLAGS, *machine.flags))


def _explain(machine: Machine, more: str = "") -> None:
    ram = "constants + data + bss" if machine.constants_in_ram else "data + bss"
    print(f"flash = code + constants + data; RAM = {ram}{more}.")
    if machine.constants_in_ram:
        print("Constants are in both: the compiler's start-up code copies them to RAM.")
    print("The stack is not in it: the largest frame is one function's, without those that it calls.\n"
          "Times have 64 bits, as on Cooja's motes; where a board's have 32, all of it is less.")


def _numbers(size: Size) -> list[str]:
    return [str(size.code), str(size.constants), str(size.data), str(size.bss)]


def _values(size: Size, machine: Machine) -> dict[str, int]:
    return {"code": size.code, "constants": size.constants, "data": size.data, "bss": size.bss, "flash": size.flash(),
            "ram": size.ram(machine)}


def _bold(number: int) -> str:
    return f"[bold]{number}"


def _frame(part: Part) -> str:
    return f"{part.frame[0]} {part.frame[1]}" if part.frame[1] else ""


def _verdict(part: Part, machine: Machine) -> str:
    missed = part.over(machine)
    return f"[red]over: {', '.join(missed)}[/]" if missed else "[green]held[/]"


def _symbols(part: Part) -> None:
    print(f"{part.name}, symbols:")
    for size, letter, name in part.symbols:
        print(f"{size:>7} {_KINDS.get(letter, letter):<9} {name}")
    print()
