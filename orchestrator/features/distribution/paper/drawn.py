# SPDX-License-Identifier: Apache-2.0
"""The data of Figures 8 to 13: completion times and deadlines, ages and validity, simulated or run."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from orchestrator.features.distribution.paper.systems import SCENARIOS, analysed, data, system
from orchestrator.features.distribution.scaled import scaled
from orchestrator.report.lines import Guides, Line, lines
from orchestrator.report.model import Entry, Figure

COLUMNS = ("Figure", "What", "Values", "Largest, us", "Line of the paper, us")
# Section 5.3 runs each system over 100 periods "of the data source"; there are two, of different periods.
LENGTH = (
    "A run lasts 100 periods of the slower data source. In scenarios 1 to 3 these are 10 s, in which "
    "DataSource1 has 100 periods of 100 ms and DataSource2 has 125 of 80 ms; in scenario 4 they are 50 s. "
    "There is a completion time for each period of the source, and an age for each read of a target that had "
    "a value."
)
Times = Callable[[str, str], list[int]]  # of a scenario and one of its distributions or targets
Series = list[tuple[str, list[int], int]]  # what, its values in us, the paper's line for it


@dataclass(frozen=True)
class Drawn:
    """A figure: its number (None: the paper draws none), its scenario, and what it shows of distributions."""

    number: int | None
    name: str
    distributions: list[str]
    kind: str

    def series(self, completions: Times, ages: Times, scale: int = 1) -> Series:
        """Return its series, of a system whose times are `scale` times as long."""
        series_: Series = []
        for distribution in self.distributions:
            of = system(self.name).distributions[distribution]
            if self.kind == "completion":
                series_.append(
                    (
                        distribution,
                        completions(self.name, distribution),
                        _deadline(self.name, distribution) * scale,
                    )
                )
            else:
                validity = scaled(system(self.name), scale).objects[of.object]
                series_ += [(target, ages(self.name, target), validity) for target in of.targets]
        return series_

    def figure(self, series: Series, run: bool, caption: str) -> Figure:
        """Draw its series beside the paper's lines. `run`: they ran, and are not of a simulated schedule."""
        completion = self.kind == "completion"
        what = "completion time, ms" if completion else "age, ms"
        several = len(self.distributions) > 1
        levels = {
            line: (f"deadline {name}" if several else "deadline") if completion else "validity"
            for name, _, line in series
        }
        return Figure(
            f"figure-{self.number}{'-run' if run else ''}",
            f"Figure {self.number}{' as it ran' if run else ''}: {'deadlines' if completion else 'ages'} of "
            f"{' and '.join(self.distributions)}, scenario {SCENARIOS[self.name]}",
            lines(
                [Line(name, range(1, len(us) + 1), [time / 1000 for time in us]) for name, us, _ in series],
                "period" if completion else "read",
                what,
                guides=Guides([(us / 1000, text) for us, text in levels.items()]),
            ),
            caption=f"{caption} Dotted: the paper's line."
            + (" The section cites them as Figures 20 and 21." if self.number > 11 else ""),
            alt=f"{what} over periods",
            wide=True,
        )

    def row(self, what: Entry, values: list[int], line: int) -> tuple[Entry, ...]:
        """Return the largest of the values beside the paper's line, with COLUMNS."""
        valid = values and max(values) <= line
        return (
            Entry("–" if self.number is None else str(self.number)),
            what,
            Entry(f"{len(values):,}", number=True),
            Entry(f"{max(values, default=0):,}", number=True, tone="good" if valid else "bad"),
            Entry(f"{line:,}", number=True),
        )


def figures() -> list[Drawn]:
    """Return the paper's figures."""
    printed = data.load("published.yaml")["figures"]
    return [Drawn(number, name, names.split(), kind) for number, (name, names, kind) in printed.items()]


def _deadline(name: str, distribution: str) -> int:
    (result,) = [
        result.deadline for result in analysed(name).deadlines if result.distribution.name == distribution
    ]
    return result or 0
