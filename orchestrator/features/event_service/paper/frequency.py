# SPDX-License-Identifier: Apache-2.0
"""Tables 6-1 to 6-3: events received over the interval between pushes (the thesis: the frequency)."""

from __future__ import annotations

from dataclasses import dataclass, replace

from orchestrator.features.event_service.paper.received import Mean, Received, intervals, published, received
from orchestrator.papers.result import Found, without_runs
from orchestrator.report import style
from orchestrator.report.lines import Line, lines
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, paragraph
from orchestrator.report.statistics import number

LOCAL = "P8"  # configuration 2's local consumer
CALIBRATED = (
    "The calibrated variant differs in one number: a frame that is sent over the whole range is received "
    "with a probability of 92 % instead of 100 %, and over a shorter way with a higher one. We chose the "
    "number after seeing the thesis's results, so that the level of Table 6-2 comes out. That this level "
    "agrees is therefore no finding. Where the counts bend, what a second supplier or a local consumer "
    "costs, and the other tables were not fitted. The thesis did not measure what its links lost."
)


@dataclass(frozen=True)
class Column:
    """A column of a published table: our case and which consumers' mean it is."""

    published: str
    title: str
    case: str
    consumers: tuple[str, ...] = ()


@dataclass(frozen=True)
class FrequencyTable:
    """A table of the thesis. `scale`: what our counts are multiplied by to be of its number of pushes."""

    name: str
    title: str
    experiment: str
    published: str
    pushes: int
    columns: tuple[Column, ...]
    note: str
    scale: int = 1

    @property
    def calibrated(self) -> FrequencyTable:
        """The same of the calibrated variant's runs."""
        return replace(self, title=f"{self.title}, calibrated", experiment=f"{self.experiment}-calibrated")

    def tables(self, results: Found) -> list[Table]:
        """Return the table with ours beside the thesis's numbers, and that of the calibrated variant."""
        return [
            *self._table(results),
            *(self.calibrated._table(results) if self._calibrated(results) else []),
        ]

    def _calibrated(self, results: Found) -> Received | None:
        """Return the calibrated variant's runs, if there are any."""
        experiment = self.calibrated.experiment
        return received(results[experiment]) if experiment in results else None

    def _table(self, results: Found) -> list[Table]:
        ours = received(results.get(self.experiment))
        if ours is None:
            return []
        rows = [
            (Entry(str(interval), number=True), *self._entries(ours, interval, place))
            for place, interval in enumerate(intervals())
        ]
        heads = [head for column in self.columns for head in (f"{column.title}: thesis", "ours", "of all")]
        return [Table(self.title, ("Interval, ms", *heads), tuple(rows), self._note(ours), cards=False)]

    def sections(self, results: Found) -> list[Section]:
        """Return its section of the page."""
        ours = received(results.get(self.experiment))
        if ours is None:
            return without_runs(self.name, self.title, self.experiment, self.title.split(":")[0])
        calibrated = self._calibrated(results)
        figures = tuple(self._figure(ours, calibrated, column) for column in self.columns)
        texts = [paragraph(self._note(ours)), *([paragraph(CALIBRATED)] if calibrated else [])]
        blocks: tuple[Block, ...] = (*texts, Gallery(figures), *self.tables(results))
        return [Section(self.name, self.title, blocks, self.title.split(":")[0])]

    def _note(self, ours: Received) -> str:
        readings = ours.frame.groupby(["case", "interval"])["seed"].nunique()
        each = f"{readings.min()} to {readings.max()}" if readings.min() != readings.max() else readings.max()
        scaled = f", times {self.scale}" if self.scale > 1 else ""
        means = (
            "without the least and the most, as in the thesis, and of all"
            if readings.min() > 2
            else "too few to leave the least and the most out, as the thesis does"
        )
        return (
            f"Events received by a consumer, of {self.pushes} pushes{scaled}; {each} readings: {means}. "
            f"{self.note}"
        )

    def _mean(self, ours: Received, interval: int, column: Column) -> Mean | None:
        mean = ours.mean(column.case, interval, column.consumers)
        if mean is None or self.scale == 1:
            return mean
        return Mean(tuple(self.scale * value for value in mean.values))

    def _entries(self, ours: Received, interval: int, place: int) -> list[Entry]:
        entries = []
        for column in self.columns:
            mean = self._mean(ours, interval, column)
            entries += [
                Entry(str(published(self.published)[column.published][place]), number=True),
                Entry("–" if mean is None else number(mean.trimmed, 1), number=True),
                Entry("–" if mean is None else number(mean.of_all, 1), number=True),
            ]
        return entries

    def _figure(self, ours: Received, calibrated: Received | None, column: Column) -> Figure:
        """Draw the lines over the intervals, one as far from the next as in the thesis's figures."""
        places = {interval: place for place, interval in enumerate(intervals(), 1)}
        drawn = [
            Line(
                "thesis",
                list(places.values()),
                published(self.published)[column.published],
                colour=style.SERIES[1],
                dashed=True,
            )
        ]
        for name, runs, colour in (
            ("ours, no frame is lost by chance", ours, style.BLUE),
            ("ours, calibrated", calibrated, style.GREEN),
        ):
            means = {
                place: mean
                for interval, place in places.items()
                if runs is not None and (mean := self._mean(runs, interval, column)) is not None
            }
            if means:
                lows, highs = ([getattr(mean, end) for mean in means.values()] for end in ("low", "high"))
                trimmed = [mean.trimmed for mean in means.values()]
                drawn.append(Line(name, list(means), trimmed, lows, highs, f"{name}: least to most", colour))
        ticks = [(place, str(interval)) for interval, place in places.items()]
        return Figure(
            f"{self.name}-{column.published}-{column.case}",
            column.title,
            lines(drawn, "interval between pushes, ms", "events received", ticks=ticks, wide=False),
            alt=f"Events received over the interval between pushes, {column.title}",
            caption=f"{column.title}; of {self.pushes * self.scale} pushes. Intervals aren't to scale.",
        )


def _single(name: str, title: str, experiment: str, pushes: int, note: str) -> FrequencyTable:
    columns = (
        Column("one", "1 supplier, 1 consumer", "one"),
        Column("two", "1 supplier, 2 consumers", "two"),
        Column("three", "1 supplier, 3 consumers", "three"),
        Column("events", "2 events, 1 supplier and 1 consumer of each", "events"),
    )
    return FrequencyTable(name, title, experiment, "table-6-1", pushes, columns, note, 300 // pushes)


SINGLE = _single(
    "table-6-1",
    "Table 6-1: one board",
    "event-service-6-1",
    300,
    "All 52 numbers of the thesis are multiples of three. Of two suppliers the second starts 250 ms after "
    "the first and up to an interval later, which the seed draws for each reading: simulated clocks are "
    "exact, and would otherwise keep one phase in all readings. Each reading keeps the phase that it drew, "
    "so the readings of that column lie far apart.",
)
SINGLE_OF_100 = _single(
    "table-6-1-of-100",
    "Table 6-1, read as a hundred pushes counted three times",
    "event-service-6-1-of-100",
    100,
    "Section 3.4's instructor has a mote push a hundred times; three times that makes multiples of three.",
)
REMOTE = FrequencyTable(
    "table-6-2",
    "Table 6-2: configuration 1, remote consumers",
    "event-service-6-2",
    "table-6-2",
    100,
    tuple(Column(f"N{n}", f"N = {n}", f"N{n}") for n in range(1, 5)),
    "The supplier is on SN2, the N consumers are on SN3, the root SN1 is between them.",
)
REMOTE_CONSUMERS = ("P9", "P10", "P11", "P12")
BOTH = FrequencyTable(
    "table-6-3",
    "Table 6-3: configuration 2, a local consumer and remote ones",
    "event-service-6-3",
    "table-6-3",
    100,
    tuple(
        column
        for n in range(1, 5)
        for column in (
            Column("local", f"local, N = {n}", f"N{n}", (LOCAL,)),
            Column("remote", f"remote, N = {n}", f"N{n}", REMOTE_CONSUMERS),
        )
    ),
    'The thesis prints one column for the remote consumers of N = 1 to 4, whose results are "almost same".',
)
