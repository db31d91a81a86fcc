# SPDX-License-Identifier: Apache-2.0
"""The page of the calibration, docs/evidence/nightly-calibration.md, and the numbers it is made of."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from scipy.stats import binomtest

from tools.calibration import nights
from tools.calibration.cases import BASELINE_NIGHTS, FAULTS, SEEDS, STREAM_NIGHTS, STREAMS, UNCHANGED
from tools.calibration.nights import ALPHA, Alarms, Cell, Detection

TEMPLATE, FAULTS_TEMPLATE = (Path(__file__).with_name(name) for name in ("template.md", "faults.md"))
PAGE = Path(__file__).resolve().parents[2] / "docs" / "evidence" / "nightly-calibration.md"
EFFECTS = (0.0, 0.01)
SEQUENCES = 40
BASELINES = (BASELINE_NIGHTS, 10 * BASELINE_NIGHTS)  # nights that it pools
FAULTS_HEAD = "## Faults of known size"
_NIGHTS = (1, 2, 3, 5, 10, 20)
_LARGEST = 4


def text(store: Path, say=print) -> str:
    """Judges all nights."""
    unchanged = nights.cells(store, UNCHANGED)
    return alarms(unchanged, say) + faults(store, unchanged, say)


def alarms(unchanged: Mapping[str, Cell], say=print) -> str:
    """The part on nights of unchanged code."""
    each = [nights.streams(unchanged, effect, pool=False) for effect in EFFECTS]
    say(f"unchanged: {[_streams(one) for one in each]} of {STREAMS} streams")
    pooled = nights.streams(unchanged, EFFECTS[-1], pool=True)
    say(f"pooled: {_streams(pooled)} of {STREAMS} streams")
    wrong, _ = nights.false_change_points(unchanged)
    missed, students, campaigns = nights.coverage(unchanged)
    return TEMPLATE.read_text(encoding="utf-8").format(
        runs=sum(len(cell.seeds) for cell in unchanged.values()),
        cells=len(unchanged),
        names=", ".join(unchanged),
        streams=STREAMS,
        baseline_nights=BASELINE_NIGHTS,
        stream_nights=STREAM_NIGHTS,
        seeds=SEEDS,
        nights=STREAMS * STREAM_NIGHTS,
        tests=sum(len(cell.measures) for cell in unchanged.values()),
        alpha=f"{100 * ALPHA:g}",
        alarms=_alarms(each, pooled),
        wrong=wrong,
        campaigns=campaigns,
        missed=_share(missed, campaigns),
        students=_share(students, campaigns),
    )


def faults(store: Path, unchanged: Mapping[str, Cell], say=print) -> str:
    """The part on faults of known size."""
    found = []
    for fault in FAULTS:
        faulty = nights.cells(store, fault)
        each = []
        for base_nights in BASELINES:
            each.append(nights.detection(unchanged, faulty, EFFECTS[1], SEQUENCES, base_nights))
            say(f"{fault.name}, {base_nights}: {[each[-1].by_night(night) for night in _NIGHTS]}")
        found.append((fault, nights.size(unchanged, faulty)[:_LARGEST], each))
    return FAULTS_TEMPLATE.read_text(encoding="utf-8").format(
        sequences=SEQUENCES, seeds=SEEDS, power=_power(found)
    )


def write(store: Path, only_faults: bool = False) -> None:
    """Renews the page, or its part on faults alone."""
    if only_faults:
        kept = PAGE.read_text(encoding="utf-8").partition(FAULTS_HEAD)[0]
        made = kept + faults(store, nights.cells(store, UNCHANGED))
    else:
        made = text(store)
    PAGE.write_text(made, encoding="utf-8")


def _alarms(each: list[Alarms], pooled: Alarms) -> str:
    lines = ["| what was looked at | effect 0 % | effect 1 % | stated |", "|---|---|---|---|"]

    def row(what: str, cells: list[str], stated: str) -> None:
        lines.append(f"| {what} | {' | '.join(cells)} | {stated} |")

    row(
        "nights with any uncorrected t test at 5 %",
        [f"{one.naive} of {len(one.lowest):,}" for one in each],
        "not ours",
    )
    row(
        "nights whose tests together are below 5 % (Holm), without the correction over nights",
        [_share(one.nights_below, len(one.lowest)) for one in each],
        f"at most {100 * ALPHA:g} %",
    )
    row(
        f"streams of {STREAM_NIGHTS} nights with any red night",
        [_share(_streams(one), len(one.streams)) for one in each],
        f"at most {100 * ALPHA:g} %",
    )
    row(
        "the same, if each night is judged with those before it",
        ["not measured", _share(_streams(pooled), len(pooled.streams))],
        f"at most {100 * ALPHA:g} %",
    )
    return "\n".join(lines)


def _streams(one: Alarms) -> int:
    return sum(bool(reds) for reds in one.streams)


def _share(count: int, of: int) -> str:
    found = binomtest(count, of).proportion_ci()
    return f"{count} of {of:,}: {100 * count / of:.1f} % ({100 * found.low:.1f} to {100 * found.high:.1f})"


def _power(found: list) -> str:
    lines = [
        "| fault | runs of a baseline | "
        + " | ".join(f"by night {night}" for night in _NIGHTS)
        + " | median |",
        "|---|---|" + "---|" * (len(_NIGHTS) + 1),
    ]
    for fault, _, each in found:
        for base_nights, detection in zip(BASELINES, each, strict=True):
            cells = [f"{100 * detection.by_night(night):.0f} %" for night in _NIGHTS]
            lines.append(
                f"| {fault.what} | {base_nights * SEEDS} | {' | '.join(cells)} | {_median(detection)} |"
            )
    lines += ["", "What each fault does over all runs (its largest changes), and what found it:"]
    for fault, sizes, each in found:
        lines += ["", f"**{fault.what}**", ""]
        lines += [
            f"- {name}: {before:.4g} to {after:.4g} ({apart:+.1f} standard errors)"
            for name, before, after, apart in sizes
        ]
        first = sorted(each[-1].by.items(), key=lambda item: -item[1])[:_LARGEST]
        if first:
            lines.append("- found by: " + "; ".join(f"{name} ({count})" for name, count in first))
    return "\n".join(lines)


def _median(detection: Detection) -> str:
    ordered = sorted(STREAM_NIGHTS + 1 if night is None else night for night in detection.nights)
    middle = ordered[(len(ordered) - 1) // 2]
    return f"night {middle}" if middle <= STREAM_NIGHTS else f"after night {STREAM_NIGHTS}"
