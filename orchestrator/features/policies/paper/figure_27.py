# SPDX-License-Identifier: Apache-2.0
"""Figure 27: battery drain of a radio with policies, and with the same rules in its mote's C."""

from __future__ import annotations

import csv
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.engines.protocol import engine, run_one
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.data import Data
from orchestrator.papers.result import Found
from orchestrator.papers.simulated import job
from orchestrator.report.model import Entry, Section, Table
from orchestrator.report.statistics import number
from orchestrator.runs.model import Outcome
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import Cell

FILE = "figure-27.yaml"
POLICIES, CODED = "policies", "coded"  # the last part of a cell's name
_BITS_A_US = 0.25  # IEEE 802.15.4 at 250 kbit/s
_RANGE_M = 20.0
# nJ a bit, sent and received. 6.2.4 prints 5 for both; its source, Heinzelman, Chandrakasan and Balakrishnan
# (2000), has 50 for the electronics of each, and an amplifier of 0.1 nJ a bit and square metre for sending.
PRINTED, SOURCE = (5.0, 5.0), (50.0 + 0.1 * _RANGE_M**2, 50.0)
_NOTE = (
    "Microjoules of a mote's radio, the mean over all motes and the whole run, for the bits that it sent "
    "and received (also those of frames for others). The figure's curves are lost in our copy. Its text "
    "compares shares of a battery; a share of the same battery has the ratio of the last column, whatever "
    "the battery. Without policies the components' own code has the rules of Figures 14 to 18, and "
    "everything is broadcast, as the paper says of its TinyOS implementation. Messages are those that the "
    "paper's percentage may mean: readings that are hot enough to be sent. Smoke is read when it is asked "
    "for, as in Figure 16. The figure's caption says computational power, which its text doesn't speak of; "
    "Figure 26 has what the manager adds to computing."
)


@dataclass(frozen=True)
class Drain:
    """Microseconds of a mote's radio, the mean over all motes."""

    sent_us: float
    received_us: float

    def microjoules(self, nanojoules: tuple[float, float]) -> float:
        """Return the energy. `nanojoules`: of a bit that is sent, and of one that is received."""
        sent, received = nanojoules
        return _BITS_A_US * (self.sent_us * sent + self.received_us * received) / 1000


@cache
def measured() -> Mapping[tuple[str, str], Drain]:
    """Run every cell; return the drain of its motes by case and behaviour."""
    cells = loads(Data(__file__).text(FILE), FILE).cells
    kernel = engine("embedded")
    kernel.prepare()
    values = {}
    for cell in cells:
        with tempfile.TemporaryDirectory(prefix="orchestrate-drain-") as folder:
            drain = _run(cell, kernel, Path(folder))
        if drain is not None:
            case, _, behaviour = cell.name.rpartition("-")
            values[case, behaviour] = drain
    return values


def _run(cell: Cell, kernel: object, folder: Path) -> Drain | None:
    radio = folder / "radio"
    radio.mkdir()
    result = run_one(kernel, job(cell, folder, radio=radio))
    if result.outcome is not Outcome.OK:
        return None
    with (radio / "states.csv").open(newline="", encoding="ascii") as stream:
        rows = list(csv.DictReader(stream))
    sums = (sum(int(row[name]) for row in rows) for name in ("transmitting_us", "receiving_us"))
    return Drain(*(total / len(rows) for total in sums))


def _cases() -> list[tuple[str, Drain, Drain]]:
    values = measured()
    return [
        (case, drain, values[case, CODED])
        for (case, behaviour), drain in values.items()
        if behaviour == POLICIES and (case, CODED) in values
    ]


def _words(case: str) -> str:
    """Return what a cell's name says: fire-8-25% are 8 sensors, of whose readings 25 % are hot."""
    what, sensors, *hot = case.split("-")
    if what == "air":
        return f"air conditioning, {sensors} sensors"
    return f"fire alarm, {sensors} sensors, {hot[0].replace('%', ' %')} hot"


def _ratio(mine: float, other: float) -> str:
    return f"{100 * mine / other:.0f} %" if other else "–"


def tables(results: Found) -> list[Table]:
    """Return the table, if there are runs."""
    rows = []
    for case, mine, other in _cases():
        values = [drain.microjoules(bit) for bit in (PRINTED, SOURCE) for drain in (mine, other)]
        ratios = [_ratio(values[0], values[1]), _ratio(values[2], values[3])]
        texts = [number(values[0], 1), number(values[1], 1), ratios[0]]
        texts += [number(values[2], 1), number(values[3], 1), ratios[1]]
        rows.append((Entry(_words(case)), *(Entry(text, number=True) for text in texts)))
    columns = (
        "Motes and readings",
        "5 nJ a bit: policies",
        "coded",
        "ratio",
        "Its source's: policies",
        "coded",
        "ratio",
    )
    return [Table("Figure 27: what radios draw", columns, tuple(rows), _NOTE, cards=False)] if rows else []


def checks(results: Found) -> list[Check]:
    """Test that policies draw no more than the plain application, in each case and by both figures."""
    cases = _cases()
    claim = "a mote draws no more with policies than without them"
    if not cases:
        return [Check("drain", claim, "6.2.4", MISSING, "no run ended well")]
    more = [
        case
        for case, mine, other in cases
        if any(mine.microjoules(bit) > other.microjoules(bit) for bit in (PRINTED, SOURCE))
    ]
    evidence = f"in {len(cases) - len(more)} of {len(cases)} cases"
    return [Check("drain", claim, "6.2.4", FAILS if more else HOLDS, evidence)]


def sections(results: Found) -> list[Section]:
    """Return the figure's part of the page."""
    tested = checks_table(checks(results), "What radios draw")
    return [Section("figure-27", "Figure 27: battery drain", (*tables(results), tested), "Figure 27")]
