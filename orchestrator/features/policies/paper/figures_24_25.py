# SPDX-License-Identifier: Apache-2.0
"""Figures 24 and 25: messages of each operation, all motes together and for each mote, counted in runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from orchestrator.features.policies.paper.measured import EXPERIMENT, Cell, Measured, measured
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found, without_runs
from orchestrator.report.model import Entry, Section, Table
from orchestrator.report.statistics import number

TITLE = "Figures 24 and 25: messages of each operation"
# Cells of the case study whose runs are counted, and what happens in them. Both are traced.
CELLS = {"fire": "a fire at one sensor", "sun": "every temperature sensor hot, no smoke"}
QUIET = "fire"  # where the claims are tested: few floods at a time
NEAR = 5  # percent that a flood may lack: a frame lost here or there
HEADING = f"Messages that the paper counts, to within {NEAR} %: {CELLS[QUIET]}"
PUSHED = ("TempForFireAlarm", "FireAlarm", "Smoke", "GetSmokeReading")
PULLED = "ACSTemp"
_FREE = "advertisements, and subscriptions to what is pushed"
# Figure 24's operation that is not a notification, and what Figure 15's sprinkler does with the topic.
_ROLES = {
    "TempForFireAlarm": ("advertises", "subscribes"),
    "FireAlarm": ("advertises", "advertises"),
    "Smoke": ("subscribes", "subscribes"),
    "GetSmokeReading": ("subscribes", "advertises"),
}
_NOTE = (
    "Means over the runs of a cell. Frames that the routing layer of any mote handed to its MAC, divided "
    "by the operations that they are of. Repetitions are not in them: those of the MAC, and those of "
    "ReliableCPC, which the last table has. "
)
_PUSH_NOTE = (
    "6.2.2 says that a push costs n messages, n being the nodes that subscribe, and that all brokers "
    "forward it; the last two columns have what each sentence would come to. Subscribers are motes to "
    "whose component, or policy before it, the topic came. The figure reverses two roles of Figure 15's "
    "sprinkler; both are shown. Neither changes a number: whoever publishes, all of a push is counted."
)
_PULL_NOTE = (
    "A pull is refreshed, and its frames are those of the subscription and its refreshes, divided by "
    "how many there were. Figure 25 names TempControl as the subscription that is pulled. "
    "Figure 18 subscribes to it without an extension, so that here it is pushed; what is pulled is the air "
    "conditioning unit's subscription to ACSTemp. A notification that is pulled costs a message for each hop."
)


@dataclass(frozen=True)
class Cost:
    """Frames of one operation, and the motes of the network; means over runs."""

    frames: float
    motes: float
    subscribers: float = 0.0

    @property
    def a_mote(self) -> float:
        """Frames for each mote."""
        return self.frames / self.motes


def _mean(values: Sequence[float]) -> float:
    return sum(values) / len(values)


def _cost(
    cell: Cell, frames: Sequence[int], operations: Sequence[int], subscribers: Sequence[int]
) -> Cost | None:
    """Return the cost in the runs that have such an operation; None if there are none."""
    several = [row for row in zip(frames, operations, cell.motes(), subscribers, strict=True) if row[1]]
    if not several:
        return None
    return Cost(
        _mean([sent / of for sent, of, _, _ in several]),
        _mean([motes for _, _, motes, _ in several]),
        _mean([subscribed for _, _, _, subscribed in several]),
    )


def notified(cell: Cell, topic: str) -> Cost | None:
    """Return the cost of a notification."""
    return _cost(cell, cell.events_of("snd", topic), cell.events_of("pub", topic), cell.subscribers(topic))


def pulled(cell: Cell) -> Cost | None:
    """Return the cost of a pull message for a subscription."""
    sent, originated = cell.counted("pulls_sent"), cell.counted("pulls_originated")
    return _cost(cell, sent, originated, cell.subscribers(PULLED))


def of_neither(cell: Cell) -> list[int]:
    """Return the frames that are neither a notification nor a pull message, run by run."""
    sent, pulls = cell.counted("packets_sent"), cell.counted("pulls_sent")
    events = cell.events[cell.events["kind"] == "snd"]
    counted = [int((events["run_id"] == run).sum()) for run in cell.runs]
    return [all_of - of - pull for all_of, of, pull in zip(sent, counted, pulls, strict=True)]


def _cells(results: Found) -> dict[str, Cell]:
    runs: Measured | None = measured(results.get(EXPERIMENT))
    cells = {name: runs.cell(name) for name in CELLS} if runs else {}
    return {name: cell for name, cell in cells.items() if cell is not None}


def _numbers(cost: Cost | None, readings: bool) -> tuple[Entry, ...]:
    values: list[float | None] = [None, None] if cost is None else [cost.frames, cost.a_mote]
    if readings:
        values += [None, None] if cost is None else [cost.motes, cost.subscribers]
    return tuple(Entry(number(value, 2), number=True) for value in values)


def _pushes(cells: dict[str, Cell]) -> Table:
    rows = []
    for name, cell in cells.items():
        for topic in PUSHED:
            roles = "Figure 24: {}; Figure 15: {}".format(*_ROLES[topic])
            cost = notified(cell, topic)
            rows.append(
                (
                    Entry(f"notify {topic}", roles),
                    Entry(CELLS[name]),
                    Entry("1 broadcast"),
                    *_numbers(cost, True),
                )
            )
    columns = ("Operation", "Runs", "Paper, a node", "Frames", "A mote", "All forward", "Subscribers")
    return Table(
        "Figure 24: the sprinkler's topics, pushed", columns, tuple(rows), _NOTE + _PUSH_NOTE, cards=False
    )


def _pulls(cells: dict[str, Cell]) -> Table:
    rows = []
    for name, cell in cells.items():
        runs = Entry(CELLS[name])
        rows += [
            (
                Entry(f"subscribe {PULLED}", "the paper: TempControl"),
                runs,
                Entry("1 broadcast a node"),
                *_numbers(pulled(cell), False),
            ),
            (Entry(f"notify {PULLED}"), runs, Entry("1"), *_numbers(notified(cell, PULLED), False)),
        ]
    columns = ("Operation", "Runs", "Paper", "Frames", "A mote")
    return Table(
        "Figure 25: the air conditioning, pulled", columns, tuple(rows), _NOTE + _PULL_NOTE, cards=False
    )


def _others(cells: dict[str, Cell]) -> Table:
    rows = []
    for name, cell in cells.items():
        columns = [
            of_neither(cell),
            *map(cell.counted, ("packets_sent", "cpc_repeated", "queue_dropped", "mac_sent")),
        ]
        entries = (Entry(number(_mean(values), 0), number=True) for values in columns)
        rows.append((Entry(CELLS[name]), *entries))
    note = (
        f"A run, all motes together; means over the runs of a cell. The first column is what {_FREE} could "
        "have cost. The paper counts no repetitions. ReliableCPC repeats a push to each neighbour that was "
        "not heard to have it, while its mote has nothing else to send; a full queue drops frames before "
        "they are sent."
    )
    columns = (
        "Runs",
        "Neither notification nor pull",
        "Handed to the MAC once",
        "Repeated by ReliableCPC",
        "Dropped by a full queue",
        "Sent by the MAC",
    )
    return Table("All frames of a run", columns, tuple(rows), note, cards=False)


def tables(results: Found) -> list[Table]:
    """Return both figures beside ours, and the frames that they leave out, if there are runs."""
    cells = _cells(results)
    return [_pushes(cells), _pulls(cells), _others(cells)] if cells else []


def checks(results: Found) -> list[Check]:
    """Test both figures, and both readings of a push."""
    cell = _cells(results).get(QUIET)
    pushes = {topic: cost for topic in PUSHED if cell and (cost := notified(cell, topic))}
    asked, given = (pulled(cell), notified(cell, PULLED)) if cell else (None, None)
    return [
        _free(cell),
        _push("all", "all nodes", pushes, "motes"),
        _push("subscribers", "the nodes that subscribe", pushes, "subscribers"),
        _one("pull", "a subscription to be pulled costs a broadcast a node", asked, True),
        _one("pulled", "a notification that is pulled costs one message", given),
    ]


def _free(cell: Cell | None) -> Check:
    claim = f"{_FREE} cost no message"
    if cell is None:
        return Check("free", claim, "6.2.2", MISSING, "no run ended well")
    most = max(map(abs, of_neither(cell)))
    other = most or "none"
    evidence = f"of {sum(cell.counted('packets_sent')):,} frames, {other} of a run are of anything else"
    return Check("free", claim, "6.2.2", FAILS if most else HOLDS, evidence)


def _push(name: str, who: str, costs: dict[str, Cost], count: str) -> Check:
    claim = f"a push costs n messages, n being {who}"
    if not costs:
        return Check(f"push-{name}", claim, "6.2.2", MISSING, "no run ended well")
    expected = {topic: getattr(cost, count) for topic, cost in costs.items()}
    holds = all(
        abs(cost.frames - expected[topic]) <= NEAR / 100 * expected[topic] for topic, cost in costs.items()
    )
    several = (
        f"{topic} {number(cost.frames, 1)} of {number(expected[topic], 1)}" for topic, cost in costs.items()
    )
    return Check(f"push-{name}", claim, "6.2.2", HOLDS if holds else FAILS, "; ".join(several))


def _one(name: str, claim: str, cost: Cost | None, a_mote: bool = False) -> Check:
    if cost is None:
        return Check(name, claim, "6.2.2", MISSING, "no run ended well")
    mine = cost.a_mote if a_mote else cost.frames
    evidence = f"{number(mine, 2)} {'a mote' if a_mote else 'in all'}"
    return Check(name, claim, "6.2.2", HOLDS if abs(mine - 1) <= NEAR / 100 else FAILS, evidence)


def sections(results: Found) -> list[Section]:
    """Return the figures' part of the page."""
    tables_ = tables(results)
    if not tables_:
        return without_runs("figures-24-25", TITLE, EXPERIMENT, "Figures 24, 25")
    tested = checks_table(checks(results), HEADING)
    return [Section("figures-24-25", TITLE, (*tables_, tested), "Figures 24, 25")]
