# SPDX-License-Identifier: Apache-2.0
"""The section "On the air": delivery, latency, energy, fates of datagrams, maps, overhead, time series."""

from __future__ import annotations

from typing import TYPE_CHECKING

from orchestrate_spark.metrics.tsch import UNKNOWN
from orchestrate_spark.sources.air import APPLICATIONS, platform

from orchestrator.features.air import courses, maps
from orchestrator.report import charts, generic, quantiles
from orchestrator.report.data import Results
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, paragraph
from orchestrator.report.statistics import number
from orchestrator.statistics.estimates import estimate
from orchestrator.words import counted, enumerated

if TYPE_CHECKING:
    from collections.abc import Sequence

LEADS = True  # the section stands before the common ones: it has what its reader wants first
FATES = "datagram_fates"
DELIVERED = "delivered"
HEADLINES = {
    "pdr": "delivery",
    "multicast_receivers": "multicast",
    "mean_latency_ms": "latency",
    "mote_energy_mj": "energy",
    "board_energy_mj": "energy with the microcontroller",
}
OVERHEAD = ("air_time_ms", "air_bytes", "air_frames")
MOST_KEYS = 30  # of a figure by key
MOST_POINTS = 200  # of a curve
UNSEEN = (
    "These numbers count datagrams from their first frame on. A datagram that never got on the air, because "
    "its mote had no route or its queue was full, cannot be seen in frames; log patterns for what the "
    "application prints when it sends and receives (the scenario's key log) count it."
)


def section(results: Results) -> Section | None:
    """Return the section; None if no run has a record of the air or a capture."""
    if not any(map(results.cells_with, (*HEADLINES, FATES, *OVERHEAD))):
        return None
    profile, cells = platform(results.folder), results.cells_with(FATES)
    headlines = [metric for metric in HEADLINES if results.cells_with(metric)]
    blocks: list[Block] = []
    if headlines:
        words = enumerated([HEADLINES[metric] for metric in headlines])
        blocks.append(generic.cells_table(results, headlines, words[:1].upper() + words[1:]))
    if "mote_energy_mj" in headlines:
        blocks.append(
            paragraph(
                f"Energy is that of transceivers, with the currents of {profile.title} at "
                f"{profile.volts:g}\u00a0V; "
                + (
                    "the microcontroller's is that of emulated motes, whose modes are counted as they run. "
                    if "board_energy_mj" in headlines
                    else "microcontrollers are not in it. "
                )
                + "The setting platform of the scenario's key air chooses another one.",
                "note",
            )
        )
    blocks += [paragraph(UNSEEN, "note")] if cells else []
    figures = [figure for metric in headlines if (figure := generic.total_figure(results, metric))]
    blocks += _gallery([*figures, *_by_hops(results), *_latency(results)])
    blocks += [_ends(results, cells)] if cells else []
    blocks += _gallery(drawn := maps.figures(results, profile.title))
    if drawn and (more := len(results.cells_with("radio_duty_cycle")) - maps.MOST) > 0:
        blocks.append(paragraph(f"Maps of {counted(more, 'further cell')} are not drawn.", "note"))
    blocks += _gallery([figure for metric in OVERHEAD for figure in _overhead(results, metric)])
    blocks += _schedule(results)
    blocks += _gallery(courses.figures(results, profile))
    return Section("air", "On the air", tuple(blocks), "On the air")


def _gallery(figures: Sequence[Figure]) -> list[Block]:
    return [Gallery(tuple(figures))] if figures else []


def _by_hops(results: Results) -> list[Figure]:
    parts = generic.in_parts(results.cells_with("pdr_by_hops"), generic.CURVES_A_FIGURE)
    return [generic.by_key_figure(results, "pdr_by_hops", list(some), which) for _, which, some in parts]


def _latency(results: Results) -> list[Figure]:
    """Draw the distributions of latency; all seeds of a cell together."""
    figures = []
    measured = results.cells_with("mean_latency_ms")
    for part, which, cells in generic.in_parts(measured, generic.CURVES_A_FIGURE):
        rows = results.table(
            "datagrams",
            ["run_id", "cell", "t_us", "end_us"],
            [("cell", "in", list(cells)), ("protocol", "in", list(APPLICATIONS)), ("fate", "==", DELIVERED)],
        )
        rows = rows[rows["run_id"].isin(results.measured)]
        curves = []
        for cell in cells:
            ms = sorted(((rows["end_us"] - rows["t_us"]) / 1000)[rows["cell"] == cell])
            if not ms:  # the store has metrics without tables
                continue
            places = sorted({-(-len(ms) * i // MOST_POINTS) for i in range(1, MOST_POINTS + 1)})
            steps = [(ms[place - 1], place / len(ms)) for place in places]
            curves.append((cell, [0.0, *(at for at, _ in steps)], [0.0, *(share for _, share in steps)]))
        if not curves:
            continue
        figures.append(
            Figure(
                f"air-latency-{part}",
                "Distribution of the latency" + which,
                quantiles.curves(
                    curves,
                    "latency, ms (logarithmic beyond 10)",
                    "share of delivered datagrams",
                    places=[results.place(cell) for cell, _, _ in curves],
                ),
                alt="Cumulative distribution of the latency of datagrams",
                caption=(
                    "Share of the delivered unicast datagrams whose latency, from the beginning of their "
                    "first frame to delivery, is at most x; all seeds together "
                    f"({generic.seeds_phrase(results, list(cells))})."
                ),
            )
        )
    return figures


def _ends(results: Results, cells: list[str]) -> Table:
    keys = sorted(
        {key for cell in cells for key in results.keys(FATES, cell)}, key=lambda key: (key != DELIVERED, key)
    )
    rows = []
    for cell in cells:
        sums = {key: results.values(cell, FATES, key).sum() for key in keys}
        rows.append((Entry(cell), *(Entry(number(sums[key], 0), number=True) for key in keys)))
    return Table(
        "Where unicast datagrams ended",
        ("Cell", *keys),
        tuple(rows),
        "Datagrams of applications, all seeds together. “lost:” is followed by what became of the last "
        "frame at its receiver; “not-forwarded” datagrams reached a mote that sent them no further; "
        "“left-the-air” went to an address that no mote has; “under-way” ones had a frame in the run's last "
        "10 s."
        + (
            f" “orchestrate trace {results.experiment}/{cells[0]}/SEED --datagrams” lists those of a run; "
            "“orchestrate replay” plays it."
            if results.manifest(cells[0])
            else ""
        ),
    )


def _schedule(results: Results) -> list[Block]:
    """Draw the frames of TSCH's cells, and say what isn't known of them."""
    metric = "tsch_cell_frames"
    cells = results.cells_with(metric)
    blocks = _gallery([_by_key(results, metric, [cell], f", {cell}") for cell in cells[: maps.MOST]])
    if any(UNKNOWN in key for key in results.keys(metric)):
        blocks.append(
            paragraph(
                "A question mark stands for what beacons don't say and frames don't show: the timeslot and "
                "the length of the slotframe, or the channel offset. The settings slotframes and hopping "
                "of the scenario's key air give them.",
                "note",
            )
        )
    return blocks


def _overhead(results: Results, metric: str) -> list[Figure]:
    parts = generic.in_parts(results.cells_with(metric), generic.CURVES_A_FIGURE)
    return [_by_key(results, metric, cells, which) for _, which, cells in parts]


def _by_key(results: Results, metric: str, cells: Sequence[str], which: str) -> Figure:
    """Draw a metric's counts by key, those with the largest ones only, as bars for each cell."""
    how = results.shown(metric)
    keys = [
        key
        for key in results.keys(metric)
        if key != "total" and any(len(results.values(cell, metric, key)) for cell in cells)
    ]
    counts = {key: [results.counts(cell, metric, key).tolist() for cell in cells] for key in keys}
    largest = sorted(keys, key=lambda key: -sum(map(sum, counts[key])))[:MOST_KEYS]
    chosen = [key for key in keys if key in largest]
    series = [
        charts.Series(
            cell,
            [estimate(counts[key][at], how.bounds) for key in chosen],
            cell=cell,
            place=results.place(cell),
        )
        for at, cell in enumerate(cells)
    ]
    named = how.title if f" by {how.declared.by}" in how.title else f"{how.title} by {how.declared.by}"
    left = f" The {MOST_KEYS} largest of {len(keys)} are shown." if len(keys) > MOST_KEYS else ""
    return Figure(
        generic.file_name("air", metric, *cells[:1]),
        named + which,
        charts.bars(chosen, series, how.unit, xlabel=how.declared.axis, ylabel=how.label),
        alt=f"Bar chart: {named}",
        caption=f"{named} in {how.unit}, all motes: {generic.over(results, list(cells))}.{left}",
    )
