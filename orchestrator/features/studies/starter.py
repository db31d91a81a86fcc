# SPDX-License-Identifier: Apache-2.0
"""The scenario that `orchestrate init --from FILE.csc` writes: everything that may vary, as comments."""

from __future__ import annotations

import json
import re

from orchestrator.csc.model import (
    DeclaredMedium,
    DirectedGraph,
    EndScript,
    LogisticLoss,
    Medium,
    Udgm,
    UdgmConstantLoss,
)
from orchestrator.csc.mote_type import MspType
from orchestrator.features.studies import scripts
from orchestrator.features.studies.model import Base, Kind
from orchestrator.vocabulary import units

_PLAIN = re.compile(r"-?[0-9]+(\.[0-9]+)?|[A-Za-z_][A-Za-z0-9_.-]*")
_COLUMN = 44


def text(base: Base, experiment: str, csc: str) -> str:
    """Return the scenario of a .csc; `csc`: its path as seen from the scenario's folder."""
    script = base.simulation.script
    lines = [
        f"# Experiments with {csc}. Lines behind # show what the file has. Without the #, they can be",
        "# changed, and each of these settings can be an axis of the matrix.",
        f"experiment: {experiment}",
        f"simulation: {{csc: {_yaml(csc)}}}",
        "seeds: 1..10",
        "",
        _with(
            f"# duration: {_time(script.timeout_us)}",
            "in place of the script's time-out"
            if base.scripted
            else "the file has no script: a run ends after this time",
        ),
        _with(f"# start-delay: {_time(base.simulation.motedelay_us)}", "motes boot at random within it"),
        *_radio(base.simulation.medium),
        "# topology: {shape: grid, spacing: 30 m}    # places the motes anew; `orchestrate topology --help`",
        "# topology: {shape: positions, file: places.csv}    # its first line: name,x,y",
        "# motes:",
        *(line for kind in base.kinds for line in _kind(kind)),
        *_script(script),
        '# engine: embedded    # or {name: embedded, rules: "2026.07"}, or cooja',
        "",
        "# matrix:    # every combination is a cell",
        *_matrix(base),
    ]
    return "\n".join(lines) + "\n"


def _with(line: str, note: str) -> str:
    return f"{line:<{_COLUMN}}# {note}"


def _yaml(value: str) -> str:
    return value if _PLAIN.fullmatch(value) else json.dumps(value)


def _time(value_us: int) -> str:
    return units.show(value_us, units.TIME)


def _length(metres: float) -> str:
    return units.show(metres, units.LENGTH)


def _ratio(value: float) -> str:
    return units.show(value, units.RATIO)


def _radio(medium: Medium) -> list[str]:
    if isinstance(medium, DirectedGraph):
        return [
            "# radio: {links: links.csv}    # in place of the file's edges; its first line: from,to,ratio"
        ]
    if isinstance(medium, LogisticLoss):
        return [
            f"# radio: {{range: {_length(medium.transmitting_range)}, tx: {_ratio(medium.success_ratio_tx)}}}"
        ]
    if isinstance(medium, DeclaredMedium):
        pairs = zip(medium.settings, medium.numbers(), strict=True)
        values = ", ".join(f"{setting.name}: {getattr(medium, number):g}" for setting, number in pairs)
        return [f"# radio: {{{values}}}"]
    if not isinstance(medium, Udgm):
        return []
    name = "udgm-constant-loss" if isinstance(medium, UdgmConstantLoss) else "udgm"
    return [
        "# radio:",
        _with(f"#   medium: {name}", "udgm, udgm-constant-loss, directed-graph or log-distance"),
        f"#   range: {_length(medium.transmitting_range)}",
        f"#   interference: {_length(medium.interference_range)}",
        f"#   tx: {_ratio(medium.success_ratio_tx)}",
        f"#   rx: {_ratio(medium.success_ratio_rx)}",
    ]


def _kind(kind: Kind) -> list[str]:
    title = f", {' '.join(kind.type.description.split())}" if kind.type.description.strip() else ""
    lines = [
        _with(f"#   {kind.name}:", f"{kind.type.identifier}{title}: {kind.file}"),
        f"#     count: {kind.count}",
    ]
    if isinstance(kind.type, MspType):
        lines.append(_with("#     # firmware: FILE.sky", "a compiled file in its place, which is not built"))
    if not kind.type.source:
        return lines
    return [
        *lines,
        _with("#     # defines: {NAME: value}", "macros of its build (-DNAME=value)"),
        _with("#     # make: {NAME: value}", f"make variables beside `{_command(kind.type.commands)}`"),
    ]


def _command(commands: str) -> str:
    return next((" ".join(line.split()) for line in commands.split("\n") if line.strip()), "")[:80]


def _script(script: object) -> list[str]:
    if isinstance(script, EndScript):
        return []
    values = {
        name: value
        for name, value in scripts.variables(script).items()
        if re.fullmatch(r"""[+-]?[0-9]+(\.[0-9]+)?|true|false|"[^"\\]*"|'[^'\\]*'""", value)
    }
    if not values:
        return []
    lines = [f"#   {name}: {_yaml(value.strip(chr(34) + chr(39)))}" for name, value in values.items()]
    return ["# script:    # variables that it sets", *lines]


def _matrix(base: Base) -> list[str]:
    medium, lines = base.simulation.medium, []
    if isinstance(medium, Udgm):
        reach = medium.transmitting_range
        lines.append(f"#   radio.range: [{_length(reach)}, {_length(round(reach * 1.5, 1))}]")
        lines.append("#   radio.rx: [100 %, 90 %, 80 %]")
    largest = max(base.kinds, key=lambda kind: kind.count)
    if largest.count > 1:
        lines.append(f"#   motes.{largest.name}.count: [{max(1, largest.count // 2)}, {largest.count}]")
    return lines or ["#   duration: [1 min, 10 min]"]
