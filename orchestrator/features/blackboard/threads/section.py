# SPDX-License-Identifier: Apache-2.0
"""The section "Threads and the blackboard", for experiments whose motes have threads or a blackboard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from orchestrator.errors import NoSuchThing
from orchestrator.features.blackboard.threads import charts
from orchestrator.features.blackboard.threads.diagram import MOST_LANES, diagram
from orchestrator.features.blackboard.threads.execution import Execution, read
from orchestrator.features.blackboard.threads.subscriptions import Subscription, of_cell
from orchestrator.report import style
from orchestrator.report.data import Results
from orchestrator.report.generic import file_name, in_parts, seeds_phrase
from orchestrator.report.metrics import Shown, order
from orchestrator.report.model import Block, Entry, Figure, Gallery, Section, Table, paragraph
from orchestrator.report.statistics import number, with_interval
from orchestrator.runs.manifest import LOG_FILE, Manifest
from orchestrator.runs.model import Outcome
from orchestrator.statistics.estimates import Estimate
from orchestrator.words import counted

MODELLED = (
    "Modelled: computing takes the time that the firmware declares with cpu_use(), and no time elsewhere; on "
    "a mote of another speed the times differ."
)
MOST_ROWS = 24  # of a figure; a table has twice as many
MOST_DIAGRAMS = 12  # cells
MOST_LOG = 64_000_000  # bytes; to read a longer log takes too long for one figure


def section(results: Results) -> Section | None:
    """Return the section; None if no run has threads or a blackboard."""
    metrics = ("cpu_share", "context_switches", "notification_delay_ms")
    cells = [cell for cell in results.cells if any(cell in results.cells_with(metric) for metric in metrics)]
    if not cells:
        return None
    subscriptions = [subscription for cell in cells for subscription in of_cell(results, cell)]
    blocks: list[Block] = [paragraph(MODELLED, "warning")]
    figures = [*_delays(results, subscriptions), *_shares(results, cells)]
    blocks += [Gallery(tuple(figures))] if figures else []
    blocks += [_notifications(results, subscriptions)] if subscriptions else []
    blocks += _nodes(results, cells)
    diagrams = _diagrams(results, cells)
    blocks += [Gallery(tuple(diagrams))] if diagrams else []
    return Section("threads", "Threads and the blackboard", tuple(blocks), "Threads")


def _named(subscriptions: list[Subscription]) -> list[str]:
    """Name subscriptions by the properties in which they differ."""
    forms = {"cell": "{}", "node": "{}", "event": "event {}"}
    several = {
        name: form
        for name, form in forms.items()
        if len({getattr(subscription, name) for subscription in subscriptions}) > 1
    }
    return [
        " ".join(
            (
                *(form.format(getattr(subscription, name)) for name, form in several.items()),
                subscription.thread,
            )
        )
        for subscription in subscriptions
    ]


def _delays(results: Results, subscriptions: list[Subscription]) -> Iterator[Figure]:
    named = list(zip(subscriptions, _named(subscriptions), strict=True))
    for part, which, part_rows in in_parts(named, MOST_ROWS):
        some, labels = zip(*part_rows, strict=True)
        yield Figure(
            f"threads-notification-{part}",
            f"Notification delay by subscriber{which}",
            charts.delays(some, labels),
            alt="Delay of notifications of each subscriber, with its deadline",
            caption=(
                "Time in ms from a value's publication on the blackboard until the subscriber's thread runs, "
                f"with its deadline: means over {seeds_phrase(results, _cells(some))} of each run's mean "
                "(with its 95 % confidence interval), largest and, if runs are traced, percentiles. Modelled."
            ),
        )


def _shares(results: Results, cells: list[str]) -> Iterator[Figure]:
    bars: list[charts.Shares] = []
    for cell in results.cells_with("cpu_share"):
        nodes: dict[str, dict[str, Estimate]] = {}
        for key in results.keys("cpu_share", cell):
            node, _, thread = key.rpartition("/")
            nodes.setdefault(node, {})[thread] = results.estimate(cell, "cpu_share", key, 100)
        alone = len(nodes) == 1
        bars += [
            charts.Shares(cell if alone else f"{cell} {node}" if len(cells) > 1 else node, cell, node, parts)
            for node, parts in nodes.items()
        ]
    threads = list(dict.fromkeys(name for bar in bars for name in bar.parts))
    for part, which, some in in_parts(bars, MOST_ROWS):
        yield Figure(
            f"threads-cpu-{part}",
            f"CPU time by thread{which}",
            charts.shares(some, threads),
            alt="Share of the CPU's time that each thread used",
            caption=(
                "Share of the simulated time in which each thread used the CPU; idle: no thread did, and the "
                "mote sleeps. Mean over "
                f"{seeds_phrase(results, list(dict.fromkeys(bar.cell for bar in some)))}. Modelled."
            ),
        )


def _notifications(results: Results, subscriptions: list[Subscription]) -> Table:
    listed = subscriptions[: 2 * MOST_ROWS]
    rows = tuple(
        (
            Entry(subscription.cell, f"{subscription.node}, event {subscription.event}"),
            Entry(subscription.thread),
            Entry(subscription.due, number=True),
            *(_entry(subscription.delay.get(which), 2) for which in ("mean", "p50", "p95", "max")),
            _entry(subscription.misses, 1),
            _entry(subscription.rate, 1),
        )
        for subscription in listed
    )
    return Table(
        "Notifications",
        (
            "Cell",
            "Subscriber",
            "Deadline",
            "Mean, ms",
            "Median, ms",
            "95 %, ms",
            "Largest, ms",
            "Missed",
            "Missed, %",
        ),
        rows,
        cards=False,
        note=(
            f"Means over {seeds_phrase(results, _cells(listed))} of each run's values; missed: later than "
            "the deadline. The median and the 95th percentile need a trace. Modelled."
            f"{_more(len(subscriptions) - len(listed))}"
        ),
    )


def _nodes(results: Results, cells: list[str]) -> Iterator[Table]:
    columns = {
        metric: how
        for metric in sorted(results.metrics(), key=order)
        if (how := results.shown(metric)).declared.apart and not how.declared.by
    }
    places = [
        (cell, node)
        for cell in cells
        for node in dict.fromkeys(
            key for metric in columns for key in results.keys(metric, cell) if key != "total"
        )
    ]
    if not places:
        return
    listed = places[: 2 * MOST_ROWS]
    rows = tuple(
        (
            Entry(cell, node),
            *(
                _entry(results.estimate(cell, metric, node), how.declared.decimals)
                for metric, how in columns.items()
            ),
        )
        for cell, node in listed
    )
    yield Table(
        "Switches and memory",
        ("Cell", *(how.title + _unit(how) for how in columns.values())),
        rows,
        cards=False,
        note=f"Means over {seeds_phrase(results, cells)} for each mote"
        + (
            "; the bytes are the high-water mark of the blackboard's array."
            if "blackboard_bytes_high_water" in columns
            else "."
        )
        + _more(len(places) - len(listed)),
    )


def _unit(how: Shown) -> str:
    """Return the unit with a comma, unless the title contains it."""
    return f", {how.unit}" if how.kind == "node" else ""


def _entry(value: Estimate | None, decimals: int) -> Entry:
    if value is None:
        return Entry("–", number=True)
    text, detail = with_interval(value, decimals)
    interval = (
        f"{number(value.low, decimals)} to {number(value.high, decimals)}"
        if value.n > 1 and value.half > 0
        else ""
    )
    return Entry(text, interval if detail else "", number=True)


def _more(count: int) -> str:
    return f" The table metrics/summary has {counted(count, 'more row')}." if count else ""


def _cells(subscriptions: Iterable[Subscription]) -> list[str]:
    return list(dict.fromkeys(subscription.cell for subscription in subscriptions))


def _diagrams(results: Results, cells: list[str]) -> list[Figure]:
    """Draw the diagram of each traced cell's first seed whose log is complete."""
    from orchestrate_spark.jobs.ingest import damaged_in

    damaged = set(damaged_in(results.folder))
    firsts: dict[str, Manifest] = {}
    for manifest in results.manifests:
        if (
            manifest.cell in cells
            and manifest.run_id not in damaged
            and manifest.outcome is Outcome.OK
            and manifest.resolved.trace
        ):
            firsts.setdefault(manifest.cell, manifest)
    figures = []
    for cell, manifest in list(firsts.items())[:MOST_DIAGRAMS]:
        run = results.folder / "runs" / manifest.run_id
        try:
            if (run / LOG_FILE).stat().st_size <= MOST_LOG:
                figures.append(
                    figure(read(run), f"{cell}, seed {manifest.seed}", file_name("threads", "run", cell))
                )
        except (NoSuchThing, FileNotFoundError):
            continue
    return figures


def figure(
    execution: Execution, of: str, name: str, start_us: int | None = None, length_us: int | None = None
) -> Figure:
    """Return the run-time diagram as a figure.

    `of`: the run, in words. `name`: of the file. The window is that of diagram().
    """
    hidden = len(execution.threads) - MOST_LANES
    caption = (
        f"Which thread used the CPU of {execution.mote} in {of}, with one lane for each thread; idle: the "
        "mote sleeps. A run that takes no time is a thin line. White triangles: a value was published; black "
        "ones: it was written to the board; circles: a subscriber's thread got its notification; crosses: it "
        "got it after the deadline, which is the upright line in its lane. Modelled."
    )
    others = len(execution.others)
    caption += f" {others} other mote{'s have' if others > 1 else ' has'} threads too." if others else ""
    caption += f" Not drawn: {counted(hidden, 'more thread')}." if hidden > 0 else ""
    return Figure(
        name,
        f"Run-time diagram: {of}",
        diagram(execution, start_us, length_us, width=style.WIDTH),
        caption,
        alt=f"Run-time diagram of the threads of {execution.mote}",
    )
