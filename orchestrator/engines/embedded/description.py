# SPDX-License-Identifier: Apache-2.0
"""Writes a simulation as the plain text that the kernel reads (kernel/run/description.h has the format)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from orchestrator.csc.model import (
    BIT_RATE,
    DeclaredMedium,
    DirectedGraph,
    Edge,
    EndScript,
    JavaScript,
    LogisticLoss,
    Medium,
    Mote,
    OwnSignal,
    Silent,
    Simulation,
    UdgmConstantLoss,
)
from orchestrator.engines.embedded import interpreter
from orchestrator.engines.embedded.described import Described
from orchestrator.errors import Unsupported

if TYPE_CHECKING:
    from pathlib import Path

MOST_ADDED = 1000  # motes of each type that a script may add; address space is reserved for them


@dataclass(frozen=True)
class Driven:
    """Another process drives the simulation, in place of its script.

    It may add so many motes, and there may be so many types in all.
    """

    motes: int
    types: int


def described(simulation: Simulation, driven: Driven | None = None) -> Described:
    """Describe a simulation.

    Raises Unsupported for what the format can't express; the kernel checks ranges.
    """
    numbers = {mote_type.identifier: number for number, mote_type in enumerate(simulation.mote_types)}
    setting = [
        f"start-delay {simulation.motedelay_us}".encode(),
        *_medium(simulation.medium),
        *(_script(simulation) if driven is None else _driven(driven)),
    ]
    lines: list[bytes] = []
    for mote in simulation.motes:
        if mote.type_identifier not in numbers:
            raise Unsupported(
                f"mote {mote.id} is of the type {mote.type_identifier!r}, which the simulation doesn't have"
            )
        lines.append(b"mote " + mote_words(mote, numbers[mote.type_identifier]))
    lines += _own_signals(simulation.medium, simulation.motes)
    if isinstance(simulation.medium, DirectedGraph):
        lines += _edges(simulation.medium, simulation.motes)
    for moves in simulation.mobility:
        lines += [
            b"mobility",
            *(f"move {move.place} {move.time_us} {move.x!r} {move.y!r}".encode() for move in moves),
        ]
    lines.append(b"end\n")
    return Described(
        simulation.seed,
        simulation.mote_types,
        b"\n".join(setting),
        b"\n".join(lines),
        driven is None and isinstance(simulation.script, JavaScript),
        lambda: simulation,
        simulation.notes,
        simulation.serial_sockets,
        simulation.speed_limit,
    )


def describe(
    simulation: Simulation,
    seed: int,
    firmware: dict[str, Path],
    ruleset: str,
    driven: Driven | None = None,
) -> bytes:
    """Write the description of one run. Raises Unsupported as `described` and `Described.text`."""
    return described(simulation, driven=driven).text(seed, firmware, ruleset)


def _script(simulation: Simulation) -> list[bytes]:
    script = simulation.script
    if isinstance(script, EndScript):
        spare, lines = 0, [_ends(script)]
    else:
        spare, lines = MOST_ADDED if script.adds_motes else 0, interpreter.lines(script, simulation)
    return [
        f"timeout {script.timeout_us}".encode(),
        f"spare {spare}".encode(),
        *([b"power-tracker"] if simulation.power_tracker else []),
        *(line.encode() for line in lines),
    ]


def _ends(script: EndScript) -> str:
    at = "at-once" if script.ends_at_verdict else "late"
    timeout = "verdict" if script.verdict_at_timeout else "none"
    return f"ends {at} {timeout} {_wanted(script.success_line)} {_wanted(script.fail_line)}"


def _wanted(text: str | None) -> str:
    if text is None:
        return "none"
    try:
        return f"text {text.encode().hex() or '-'}"
    except UnicodeEncodeError:
        raise Unsupported("the script's line has half of a pair of surrogates; give another") from None


def _driven(driven: Driven) -> list[bytes]:
    return [b"timeout 1", f"spare {driven.motes}".encode(), f"driven {driven.types}".encode()]


def _medium(medium: Medium) -> list[bytes]:
    if isinstance(medium, DirectedGraph):
        return [b"medium directed-graph"]
    if isinstance(medium, Silent):
        return [b"medium silent"]
    if isinstance(medium, DeclaredMedium):
        numbers = (repr(getattr(medium, name)) for name in medium.numbers())
        return [
            f"medium {medium.name}".encode(),
            f"ranges {medium.horizon!r} {medium.horizon!r}".encode(),
            b"ratios 1 1",
            " ".join((medium.line, *numbers)).encode(),
        ]
    if isinstance(medium, LogisticLoss):
        return [
            b"medium logistic-loss",
            f"ranges {medium.transmitting_range!r} {medium.transmitting_range!r}".encode(),
            f"ratios {medium.success_ratio_tx!r} 1".encode(),
            f"loss {medium.rx_sensitivity!r} {medium.rssi_inflection_point!r} {medium.path_loss_exponent!r} "
            f"{medium.awgn_sigma!r}".encode(),
            f"varies {'yes' if medium.enable_time_variation else 'no'} {medium.time_variation_min_pl_db!r} "
            f"{medium.time_variation_max_pl_db!r}".encode(),
        ]
    return [
        b"medium udgm-constant-loss" if isinstance(medium, UdgmConstantLoss) else b"medium udgm",
        f"ranges {medium.transmitting_range!r} {medium.interference_range!r}".encode(),
        f"ratios {medium.success_ratio_tx!r} {medium.success_ratio_rx!r}".encode(),
    ]


def _by_id(motes: tuple[Mote, ...]) -> dict[int, int]:
    """Return the place of the first mote with each id, which is the one that Cooja finds."""
    index: dict[int, int] = {}
    for number, mote in enumerate(motes):
        index.setdefault(mote.id, number)
    return index


def _own_signals(medium: Medium, motes: tuple[Mote, ...]) -> list[bytes]:
    index = _by_id(motes)
    return [signal_line(signal, index[signal.mote]) for signal in getattr(medium, "own_signals", ())]


def _edges(medium: DirectedGraph, motes: tuple[Mote, ...]) -> list[bytes]:
    """Return the edges with those of one source together, in their order."""
    index = _by_id(motes)
    missing = sorted({end for edge in medium.edges for end in (edge.source, edge.destination)} - index.keys())
    if missing:
        raise Unsupported(f"the directed graph has edges of motes that are not there: {missing[:10]}")
    return [
        edge_line(edge, index[edge.source], index[edge.destination])
        for edge in sorted(medium.edges, key=lambda edge: index[edge.source])
    ]


def mote_words(mote: Mote, mote_type: int) -> bytes:
    """Return what a line says of a mote behind its keyword; types count from 0."""
    place = " ".join(repr(value) for value in (mote.x, mote.y, mote.z))
    eeprom = mote.eeprom.hex() if mote.eeprom else "-"
    usual = mote.bit_rate == BIT_RATE and mote.deviation == 1.0
    rate = "" if usual else f" {mote.bit_rate if mote.deviation == 1.0 else mote.deviation!r}"
    return f"{mote_type} {mote.id} {place} {eeprom}{rate}".encode()


def signal_line(signal: OwnSignal, mote: int) -> bytes:
    """Return the line of a mote's own signal strength; motes count from 0."""
    return f"{'sending' if signal.sending else 'quiet'} {mote} {signal.dbm!r}".encode()


def edge_line(edge: Edge, source: int, destination: int) -> bytes:
    """Return the line of an edge between these motes, which count from 0."""
    return (
        f"edge {source} {destination} {edge.ratio!r} {edge.signal_dbm!r} {edge.lqi} {edge.delay_us} "
        f"{edge.channel}"
    ).encode()
