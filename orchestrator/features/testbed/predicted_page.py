# SPDX-License-Identifier: Apache-2.0
"""The page that shows what was measured on a lab beside what simulations on its survey predict."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from orchestrator import __version__
from orchestrator.report import style
from orchestrator.report.comparison import phrases
from orchestrator.report.comparison.rows import Comparison, Row
from orchestrator.report.comparison.sides import Side
from orchestrator.report.drawing import Drawing
from orchestrator.report.model import Block, Entry, Figure, Section, Table, Text, paragraph
from orchestrator.report.plot import Key, Mark, Plot
from orchestrator.report.render import Page
from orchestrator.report.statistics import CI
from orchestrator.statistics.estimates import Estimate

_SHOWN_ROWS = 400  # of links; the CSV of the figure has all
_COLUMNS = ("direction", "length_m", "sent", "measured", "low", "high", "rssi_dbm", "graph", "model")
_MEASURED = Mark("o", 5.5, style.BLUE, style.INK)
_GRAPH = Mark("D", 3.5, style.GREEN, style.INK)
_ALIKE = 0.1  # of the share of frames


@dataclass(frozen=True)
class LinkRow:
    """One direction: what was measured, with its interval, and what is predicted.

    `graph`: by a simulated survey on the directed graph; `model`: by the fitted one, with the band that nine
    of ten links stay in; None: there is no model.
    """

    source: str
    destination: str
    length: float  # m
    sent: int
    measured: float
    low: float
    high: float
    rssi: float | None  # dBm
    graph: float | None
    model: float | None
    model_low: float = 0.0
    model_high: float = 1.0

    @property
    def in_band(self) -> bool | None:
        """Whether the measured interval meets the model's band."""
        return None if self.model is None else self.low <= self.model_high and self.high >= self.model_low


@dataclass(frozen=True)
class CellRows:
    """A cell's measured side, and its comparison with the simulation on each medium, by its name."""

    name: str
    measured: Side
    compared: Mapping[str, Comparison]
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class Predicted:
    """All that the page shows. `about`: sentences about the survey and the model."""

    lab: str
    experiment: str
    margin: float
    links: tuple[LinkRow, ...]
    cells: tuple[CellRows, ...]
    about: tuple[str, ...]
    refused: tuple[str, ...] = ()

    @property
    def media(self) -> list[str]:
        """The media on which any cell was simulated."""
        return list(dict.fromkeys(medium for cell in self.cells for medium in cell.compared))


def build(prediction: Predicted) -> Page:
    """Return the page as values."""
    return Page(
        f"{prediction.experiment}: measured on {prediction.lab}, and predicted",
        "Measured on the testbed; simulated on the links of a survey of the same motes.",
        (
            ("Directions of links", str(len(prediction.links))),
            ("Cells", str(len(prediction.cells))),
            ("Media", str(len(prediction.media))),
            *(
                (f"Equivalent on the {medium}", _of_all(rows_on(prediction, medium)))
                for medium in prediction.media
            ),
        ),
        (
            Section("trust", "How far the simulation can be trusted", tuple(_trust(prediction))),
            Section("metrics", "Metric by metric", tuple(_metrics(prediction))),
            Section("links", "Link by link", tuple(_links(prediction))),
        ),
        f"orchestrate {__version__}",
    )


def rows_on(prediction: Predicted, medium: str) -> list[tuple[str, Row]]:
    """All rows of a medium, with their cell."""
    return [
        (cell.name, row)
        for cell in prediction.cells
        if medium in cell.compared
        for row in cell.compared[medium].rows
    ]


def _of_all(rows: Sequence[tuple[str, Row]]) -> str:
    return f"{sum(bool(row.equivalent) for _, row in rows)} of {len(rows)}"


def sentences(prediction: Predicted) -> list[str]:
    """Return what the counts show, a sentence for each medium and class of verdict; nothing beyond them."""
    texts = []
    several = len(prediction.cells) > 1
    for medium in prediction.media:
        rows = rows_on(prediction, medium)
        alike = [(cell, row) for cell, row in rows if row.equivalent]
        other = [(cell, row) for cell, row in rows if not row.equivalent and row.differs]
        few = [(cell, row) for cell, row in rows if row.equivalent is None and not row.differs]
        open_ = [(cell, row) for cell, row in rows if row.equivalent is False and not row.differs]
        texts.append(
            f"On the {medium}, the simulation gives {len(alike)} of {len(rows)} metrics within "
            f"{phrases.share(prediction.margin)} of what was measured" + _named(alike, several) + "."
        )
        if other:
            are = "is" if len(other) == 1 else "are"
            words = f"{len(other)} of its metrics {are} larger or smaller than what was measured"
            texts.append(words + _named(other, several, True) + ".")
        if open_:
            texts.append(f"For {len(open_)} metrics the runs show neither" + _named(open_, several) + ".")
        if few:
            texts.append(
                f"For {len(few)} metrics there are too few runs to tell" + _named(few, several) + "."
            )
    texts.append(
        "This holds for this scenario on these motes as they stood when the survey and the runs were made; "
        "nothing here tells of other scenarios, places or days."
    )
    return texts


def _named(rows: Sequence[tuple[str, Row]], several: bool, changes: bool = False) -> str:
    if not rows:
        return ""
    named = [
        row.title
        + (f" ({cell})" if several else "")
        + (f" {phrases.signed(row.percent, 1)} %" if changes and not math.isnan(row.percent) else "")
        for cell, row in rows
    ]
    return ": " + "; ".join(named)


def _trust(prediction: Predicted) -> list[Block]:
    notes = [
        note
        for cell in prediction.cells
        for note in (
            *(f"{cell.name}: {line}." for line in phrases.excluded(cell.measured)),
            *cell.notes,
        )
    ]
    notes += [f"Not simulated: {line}." for line in prediction.refused]
    blocks: list[Block] = [
        Text(tuple(sentences(prediction)), "lead"),
        Text((*prediction.about, *_of_links(prediction))),
    ]
    return blocks + ([Text(tuple(notes), "warning")] if notes else [])


def _of_links(prediction: Predicted) -> list[str]:
    graph = [row for row in prediction.links if row.graph is not None]
    near = sum(abs(row.measured - (row.graph or 0.0)) <= _ALIKE for row in graph)
    texts = [
        f"Of {len(graph)} directions of links, {near} carry within {100 * _ALIKE:.0f} points the same "
        "share of the frames in a simulated survey on the directed graph."
    ]
    model = [row for row in prediction.links if row.model is not None]
    if model:
        inside = sum(bool(row.in_band) for row in model)
        texts.append(
            f"The log-distance model's band for nine of ten links agrees with {inside} of {len(model)} "
            "measured directions. It tells how links of a length differ, not which one is good."
        )
    return texts


def _metrics(prediction: Predicted) -> list[Block]:
    blocks: list[Block] = [
        paragraph(
            f"Means with their {CI}. Equivalent: two one-sided tests at 5 %, within "
            f"{phrases.share(prediction.margin)} of the measured mean (of a share: points).",
            "note",
        )
    ]
    for cell in prediction.cells:
        by_medium = {
            medium: {(row.metric, row.key): row for row in comparison.rows}
            for medium, comparison in cell.compared.items()
        }
        keys = list(dict.fromkeys(key for rows in by_medium.values() for key in rows))
        columns = ["Metric", "Measured"]
        for medium in by_medium:
            columns += [f"On the {medium}", "Verdict"]
        blocks.append(
            Table(
                cell.name,
                tuple(columns),
                tuple(_metric(key, by_medium) for key in keys),
            )
        )
    return blocks


def _metric(
    key: tuple[str, str], by_medium: Mapping[str, Mapping[tuple[str, str], Row]]
) -> tuple[Entry, ...]:
    any_row = next(rows[key] for rows in by_medium.values() if key in rows)
    unit = any_row.how.unit
    entries = [
        Entry(any_row.title + (f", {unit}" if unit else "")),
        _mean(any_row.difference.a),
    ]
    for rows in by_medium.values():
        row = rows.get(key)
        if row is None:
            entries += [Entry("–", number=True), Entry("")]
            continue
        words, tone = row.equivalence
        detail = "" if row.equivalent else row.verdict[0]
        entries += [_mean(row.difference.b), Entry(words, detail, tone)]
    return tuple(entries)


def _mean(of: Estimate) -> Entry:
    interval = "" if math.isnan(of.low) or math.isnan(of.high) else f"{of.low:.4g} to {of.high:.4g}, "
    return Entry(f"{of.mean:.4g}", f"{interval}n = {of.n}", number=True)


def _links(prediction: Predicted) -> list[Block]:
    columns = ("Direction", "Length, cm", "Measured, %", "RSSI, dBm", "Directed graph, %", "Log-distance, %")
    ordered = _by_length(prediction.links)
    rows = tuple(map(_link, ordered[:_SHOWN_ROWS]))
    note = (
        "Measured: share of the frames heard, with its 95 % interval (Wilson). Directed graph: of a "
        "simulated survey. Log-distance: mean over the shadows, and what nine of ten links stay between."
    )
    if len(ordered) > _SHOWN_ROWS:
        note += f" The first {_SHOWN_ROWS} of {len(ordered)} directions; the figure's CSV has all."
    blocks: list[Block] = [_figure(prediction.links)] if prediction.links else []
    return [*blocks, Table("Share of frames received", columns, rows, note)]


def _by_length(links: Sequence[LinkRow]) -> list[LinkRow]:
    return sorted(links, key=lambda row: (row.length, row.source, row.destination))


def _link(row: LinkRow) -> tuple[Entry, ...]:
    unlike = row.graph is not None and abs(row.graph - row.measured) > _ALIKE
    band = "" if row.model is None else f"{100 * row.model_low:.0f} to {100 * row.model_high:.0f}"
    measured = f"{100 * row.low:.0f} to {100 * row.high:.0f}, of {row.sent} frames"
    return (
        Entry(f"{row.source} → {row.destination}"),
        _hundred(row.length),
        _hundred(row.measured, measured),
        Entry("–" if row.rssi is None else f"{row.rssi:.1f}", number=True),
        _hundred(row.graph, bad=unlike),
        _hundred(row.model, band, row.in_band is False),
    )


def _hundred(value: float | None, detail: str = "", bad: bool = False) -> Entry:
    """Return a hundred times the value: cm of m, % of a share."""
    text = "–" if value is None else f"{100 * value:.1f}"
    return Entry(text, detail, "bad" if bad else "", number=True)


def _figure(links: Sequence[LinkRow]) -> Figure:
    ordered = _by_length(links)
    with_model = [row for row in ordered if row.model is not None]

    def paint(plot: Plot) -> None:
        plot.x.label, plot.y.label = "length of the link, cm", "frames received, %"
        plot.x.low, plot.y.low, plot.y.high, plot.y.grid = 0.0, 0.0, 100.0, True
        if with_model:
            band = [(100 * row.length, 100 * row.model_high) for row in with_model]
            band += [(100 * row.length, 100 * row.model_low) for row in reversed(with_model)]
            plot.area(band, style.ORANGE, 0.18)
            plot.line([(100 * row.length, 100 * (row.model or 0)) for row in with_model], style.ORANGE)
            plot.keys.append(Key("log-distance, nine of ten links", stroke=style.ORANGE))
        for row in ordered:
            if row.graph is not None:
                plot.mark(100 * row.length, 100 * row.graph, _GRAPH)
            plot.mark(100 * row.length, 100 * row.measured, _MEASURED)
        for name, mark in (("measured", _MEASURED), ("directed graph, simulated", _GRAPH)):
            plot.keys.append(Key(name, marker=mark.form, fill=mark.fill, edge=mark.edge, size=mark.size))

    rows = [
        (f"{row.source}-{row.destination}", row.length, row.sent, row.measured, row.low, row.high)
        + tuple("" if value is None else value for value in (row.rssi, row.graph, row.model))
        for row in ordered
    ]
    return Figure(
        "links",
        "Frames received, by the length of the link",
        Drawing(paint, style.WIDTH, style.HEIGHT, rows, _COLUMNS),
        caption=(
            f"{len(ordered)} directions. The line is the fitted model's mean, the band what nine of ten "
            "links stay between by its shadowing."
            if with_model
            else f"{len(ordered)} directions."
        ),
        alt="Measured and predicted share of frames over the length of links",
    )
