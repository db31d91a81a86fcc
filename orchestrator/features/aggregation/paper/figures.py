# SPDX-License-Identifier: Apache-2.0
"""Figures 2 to 6 of the paper as scenarios (figures.yaml): what each should show, checked run by run.

Section 5.1 counts transmissions of one event of every publisher over ideal links, so the numbers are exact: a
check holds only if every run of the cell sends exactly that many in each round, and every event arrives.
"""

from __future__ import annotations

from dataclasses import dataclass

import pandas as pd

from orchestrator.features.aggregation.paper import data
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.report.data import Results
from orchestrator.report.model import Section, paragraph
from orchestrator.report.statistics import number
from orchestrator.words import counted

EXPERIMENT = "aggregation-figures"
TIMEOUT_MS = 5000  # 5.2.2


@dataclass(frozen=True)
class Claim:
    """The expected numbers of a figure.

    `plain`, `merged`: transmissions per round in CELL and CELL-A. `messages`: received per round in CELL-A.
    `later`: the least and most ms that aggregation adds to the mean delay; None: not claimed.
    """

    cell: str
    figure: str
    text: str
    where: str
    plain: int
    merged: int
    messages: int
    later: tuple[float, float] | None = None


CLAIMS = (
    Claim("F2-parallel", "Figure 2", "Parallel flows are not aggregated", "4", 6, 6, 2, (-1, 1)),
    Claim("F2-merged", "Figure 2", "Routed to meet early, the same publishers' flows are", "4", 6, 4, 1),
    Claim("F3", "Figure 3", "Two topics, routed apart at R5, each meet their own", "4", 15, 11, 2),
    Claim("F3-common", "Figure 3", "Both topics by R3: more packets in a global view", "4", 15, 13, 3),
    Claim("F4", "Figure 4", "Disjoint ways: no reduction of packets, nor of time", "5.1.1", 3, 3, 2, (-1, 1)),
    Claim(
        "F4-joined",
        "Figure 4",
        "Merging at R1 costs the packet that it saves: three as well",
        "5.1.1",
        4,
        3,
        1,
    ),
    Claim(
        "F4-extended",
        "Figure 4",
        "Three more chains of one publisher: still no reduction",
        "5.1.1",
        9,
        9,
        5,
        (-1, 1),
    ),
    Claim("F5", "Figure 5", "The last publisher of the chain first: 15 packets become 5", "5.1.2", 15, 5, 1),
    Claim(
        "F5-P1-first",
        "Figure 5",
        "P1 first: every event arrives individually, after additional delays",
        "5.1.2",
        15,
        15,
        5,
        (TIMEOUT_MS, 5 * TIMEOUT_MS),
    ),
    Claim(
        "F6",
        "Figure 6",
        "Publishers shortly after each other: R1 sends one aggregate, the delay is small",
        "5.1.3",
        10,
        6,
        1,
        (-TIMEOUT_MS, 100),
    ),
    Claim(
        "F6-wide",
        "Figure 6",
        "Publishers wide apart in time: R1 withholds each event until timed out",
        "5.1.3",
        10,
        10,
        5,
        (TIMEOUT_MS - 10, TIMEOUT_MS + 10),
    ),
)


def checks(results: Results) -> list[Check]:
    """Check each claim, and the order of packets in Figure 5 with P1 first."""
    return [*(_check(results, claim) for claim in CLAIMS), _one_event_after_five_packets(results)]


def _per_round(results: Results, cell: str, metric: str) -> pd.Series:
    publishers = len([key for key in results.keys("events_published", cell) if key != "total"])
    rounds = results.values(cell, "events_published") / max(1, publishers)
    return results.values(cell, metric) / rounds


def _delay_added(results: Results, claim: Claim) -> pd.Series:
    plain, merged = (results.values(cell, "delay_ms", "mean") for cell in (claim.cell, f"{claim.cell}-A"))
    return merged - plain


def _check(results: Results, claim: Claim) -> Check:
    name, text = f"figure-{claim.cell}", f"{claim.figure}: {claim.text}"
    cells = (claim.cell, f"{claim.cell}-A")
    if any(not results.seeds(cell) for cell in cells):
        return Check(name, text, claim.where, MISSING, f"no runs of {cells[0]} and {cells[1]}")
    sent = [_per_round(results, cell, "events_transmitted") for cell in cells]
    came = _per_round(results, cells[1], "aggregates")
    added = _delay_added(results, claim)
    lost = sum(
        float((results.values(cell, "events_published") - results.values(cell, "events_delivered")).sum())
        for cell in cells
    )
    right = bool(
        (sent[0] == claim.plain).all() and (sent[1] == claim.merged).all() and (came == claim.messages).all()
    )
    if claim.later is not None:
        right = right and not added.empty and bool(added.between(*claim.later).all())
    evidence = (
        f"{_span(sent[0])} packets a round without aggregation, {_span(sent[1])} with (expected "
        f"{claim.plain} and {claim.merged}), {_messages(came)} at the subscriber (expected "
        f"{claim.messages}), mean delay {_signed(float(added.mean()))} ms, {counted(round(lost), 'event')} "
        f"lost, in {counted(len(sent[1]), 'seed')}"
    )
    return Check(name, text, claim.where, HOLDS if right and lost == 0 else FAILS, evidence)


def _span(values: pd.Series) -> str:
    low, high = (
        number(value, 0 if float(value).is_integer() else 1) for value in (values.min(), values.max())
    )
    return low if low == high else f"{low} to {high}"


def _messages(values: pd.Series) -> str:
    span = _span(values)
    return f"{span} message{'' if span == '1' else 's'}"


def _signed(value: float) -> str:
    return ("+" if value >= 0 else "") + number(value, 0)


def _one_event_after_five_packets(results: Results) -> Check:
    """Check in the trace of the cell with P1 first how many events arrived before the sixth packet."""
    cell = "F5-P1-first-A"
    name, text = "figure-F5-order", "Figure 5: P1 first, one event has arrived after five sent packets"
    trace = _trace(results, cell)
    if trace is None:
        return Check(name, text, "5.1.2", MISSING, f"no traced runs of {cell}")
    early = []
    for _, group in trace.groupby(["seed", "round"]):
        sent = sorted(group.loc[group["kind"] == "snd", "time_us"])
        if len(sent) > 5:
            early.append(int((group.loc[group["kind"] == "dlv", "time_us"] < sent[5]).sum()))
    right = bool(early) and all(count == 1 for count in early)
    seen = ", ".join(str(count) for count in sorted(set(early))) or "none"
    return Check(
        name,
        text,
        "5.1.2",
        HOLDS if right else FAILS,
        f"events delivered before the sixth packet: {seen}, in {counted(len(early), 'round')} of "
        f"{counted(trace['seed'].nunique(), 'seed')}",
    )


def _trace(results: Results, cell: str) -> pd.DataFrame | None:
    """Return seed, round, kind and time_us of a cell's sent packets and delivered messages of one event."""
    runs = [manifest.run_id for manifest in results.manifests if manifest.cell == cell]
    columns = ["seed", "run_id", "kind", "time_us", "events"]
    wanted = [("run_id", "in", runs), ("kind", "in", ["snd", "dlv"])]
    frame = results.table("events", columns, wanted) if runs else None
    if frame is None or frame.empty:
        return None
    frame["round"] = [events[0]["sequence"] for events in frame["events"]]
    return frame.drop(columns=["events", "run_id"])


def title(results: Results) -> str:
    """Return the title of the report."""
    return "The aggregation paper's Figures 2 to 6"


def sections(results: Results) -> list[Section]:
    """Return the experiment's sections of the report."""
    tested = checks(results)
    paper = data.load("published.yaml")["paper"].strip()
    intro = (
        f"{paper}. Its sections 4 and 5.1 reason about small topologies with ideal links; here they run. "
        "Every publisher publishes once a round; a packet is an event message handed to the MAC, an "
        "aggregate counting once. A claim holds only if every round of every run has just the expected "
        "number and no event is lost."
    )
    return [
        Section(
            "figures",
            "What each figure is to show",
            (paragraph(intro), checks_table(tested, "Figures of the paper, run")),
            "Figures",
        )
    ]
