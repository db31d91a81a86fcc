# SPDX-License-Identifier: Apache-2.0
"""What merging costs a mote's processor: cycles of a Tmote Sky, executed (execution/merging.c).

The paper has no time of it. Simulated Cooja motes compute in no time, so neither have our other results.
"""

from __future__ import annotations

import tempfile
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from orchestrator.console import say
from orchestrator.engines.embedded import executed
from orchestrator.engines.embedded.executed import HZ
from orchestrator.errors import MissingTool
from orchestrator.papers.result import Found
from orchestrator.report.model import Entry, Section, Table, paragraph
from orchestrator.resources import contiki_apps

FUNCTIONS = ("max", "min", "count", "sum", "mean", "histogram")  # in the program's order
HELD = (1, 5, 9)  # contributors of the stored event, in the program
_HERE = Path(__file__).with_name("execution")
_SOURCES = ("pubsub/pubsub-event.c", "pubsub/pubsub-counters.c", "aggregation/merge-function.c")
_AIR_US_A_BYTE = 32  # IEEE 802.15.4 at 250 kbit/s
FRAME = 48  # bytes on air of an event of its own: 6 of the PHY, 17 of the MAC, 25 of ours with 2 of data
AIR_MS = FRAME * _AIR_US_A_BYTE / 1000
_NOTE = (
    f"Executed: cycles of {executed.PROCESSOR}; timers and the radio take none here. A merge is the whole of "
    "what the middleware does with an event that it has received: it looks for publishers that both have, "
    "copies both events, calls the merge function, and compares what that left with the copies, because it "
    "doesn't trust the application's code. The merge function is a part of it. The paper gives no time, and "
    "calls its nodes limited in computing; our other results are of simulated motes that compute in no time."
)


@dataclass(frozen=True)
class Cost:
    """Cycles: of an event that is stored, of merges by contributors held, of the merge function alone."""

    stored: int
    merged: dict[int, int]
    function: int


@cache
def measured() -> dict[str, Cost]:
    """Return the costs by merge function; empty, and says why, where clang or lld are missing."""
    middleware = contiki_apps() / "middleware"
    sources = [_HERE / "merging.c", *(middleware / name for name in _SOURCES)]
    sources += [middleware / "aggregation" / f"{name}.c" for name in FUNCTIONS]
    folders = (middleware, middleware / "pubsub", middleware / "aggregation")
    try:
        with tempfile.TemporaryDirectory(prefix="orchestrate-executed-") as folder:
            cycles = executed.cycles(sources, [f"-I{path}" for path in folders], Path(folder))
    except MissingTool as missing:
        say(str(missing))
        return {}
    nothing, *rest = cycles
    each = len(HELD) + 2
    rows = ([count - nothing for count in rest[at : at + each]] for at in range(0, len(rest), each))
    return {
        name: Cost(stored, dict(zip(HELD, merged, strict=True)), function)
        for name, (stored, *merged, function) in zip(FUNCTIONS, rows, strict=True)
    }


def _ms(cycles: int) -> Entry:
    return Entry(f"{1000 * cycles / HZ:.2f} ms", f"{cycles:,} cycles", number=True)


def tables(results: Found) -> list[Table]:
    """Return the table, if the tools are here."""
    rows = tuple(
        (Entry(name), _ms(cost.function), _ms(cost.stored), *map(_ms, cost.merged.values()))
        for name, cost in measured().items()
    )
    columns = (
        "Merge function",
        "The function alone",
        "First event stored",
        *(f"Merged into {count} event{'s' * (count > 1)}" for count in HELD),
    )
    return [Table("Cost of merging on a Tmote Sky", columns, rows, note=_NOTE)] if rows else []


def sections(results: Found) -> list[Section]:
    """Return the result's part of the page."""
    if not (costs := measured()):
        why = "clang or lld for the MSP430 is missing here, so that nothing was executed."
        return [Section("merging", "What merging costs", (paragraph(why, "warning"),), "Merging")]
    most = max(max(cost.merged.values()) for cost in costs.values())
    ms = 1000 * most / HZ
    text = (
        f"A merge saves a frame of {FRAME} bytes, which is {AIR_MS:.2f} ms on air without the back-offs "
        f"before it. The most expensive merge that we executed takes the processor {ms:.2f} ms: "
        + ("less than that." if ms < AIR_MS else "as long as that or longer.")
    )
    return [Section("merging", "What merging costs", (paragraph(text), *tables(results)), "Merging")]
