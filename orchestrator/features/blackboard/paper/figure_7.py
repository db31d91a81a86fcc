# SPDX-License-Identifier: Apache-2.0
"""Figure 7: the time to notification over the publisher's extra work.

There are two series of runs: a publisher that goes on computing, and one that gives up the CPU at once. The
deadline doesn't change when a notification comes, so deadlines of 10, 11, 20 and 30 ms are judged on the
notifications of the first.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.features.blackboard.paper.definitions import data
from orchestrator.features.blackboard.paper.notifications import MODELLED, Delays, Sweep, published, sweep
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found, without_runs
from orchestrator.report import style
from orchestrator.report.lines import Guides, Line, lines
from orchestrator.report.model import Block, Entry, Figure, Notes, Section, Table, Text
from orchestrator.report.statistics import number
from orchestrator.words import counted

EXPERIMENT = "blackboard-figure-7"
MAIN, GIVES_UP = "D10", "G10"
SERIES = {MAIN: "goes on computing", GIVES_UP: "gives up the CPU at once"}
DEADLINES = (10, 11, 20, 30)  # ms
ONE_SERIES = (
    "The deadline only orders threads that wait at the same time, and subscriber 2's is always 10 ms later: "
    "runs with deadlines of 11, 20 and 30 ms notify at the same moments as those with 10 ms. One series is "
    "therefore simulated, and every deadline is compared with its notifications."
)
MOST = 40  # ms of extra work
ABOUT = 1.0  # ms: the mean may differ by so much from the paper's "about 11 msec"


def checks(results: Found) -> list[Check]:
    """Check what section 6.1 says about the series, in its order."""
    ours = sweep(results.get(EXPERIMENT))
    if ours is None or not _whole(ours):
        claim, why = "Time to notification against extra work", f"not all runs of {EXPERIMENT}"
        return [Check("figure-7", claim, "6.1, Figure 7", MISSING, why)]
    return [
        _below(ours),
        _fluctuates(ours),
        _level(ours),
        _above_eleven(ours),
        _never(20, ours),
        _never(30, ours),
        _gives_up(ours),
    ]


def _whole(ours: Sweep) -> bool:
    """Whether there are runs below the deadline, up to a slice, and in both halves of what is beyond it."""
    slice_ms, limit = int(published("slice-ms")), int(published("met-below-ms"))
    middle = (slice_ms + MOST) // 2
    parts = ((0, limit - 1), (limit + 1, slice_ms), (slice_ms + 1, middle), (middle + 1, MOST))
    return all(ours.pooled(MAIN, *part) for part in parts)


def _below(ours: Sweep) -> Check:
    limit = published("met-below-ms")
    of = {extra: delays for extra, delays in ours.of(MAIN).items() if extra < limit}
    worst = max(of, key=lambda extra: of[extra].high)
    late = sum(delays.later_than(limit) for delays in of.values())
    return Check(
        "below",
        f"All notifications within {limit:g} ms as long as the extra work is below {limit:g} ms",
        "6.1, Figure 7",
        HOLDS if late == 0 else FAILS,
        f"0 to {max(of)} ms: the latest after {_ms(of[worst].high)} (extra work {worst} ms); "
        f"{_late(late, of.values())}",
    )


def _fluctuates(ours: Sweep) -> Check:
    """Check that above 10 ms the same extra work gives times more than 1 ms apart, and less below."""
    slice_ms, limit = published("slice-ms"), published("met-below-ms")
    spread = {extra: delays.high - delays.low for extra, delays in ours.of(MAIN).items()}
    before = max(value for extra, value in spread.items() if extra < limit)
    after = [value for extra, value in spread.items() if limit < extra <= slice_ms]
    missed = [
        delays.missed / delays.n for extra, delays in ours.of(MAIN).items() if limit < extra <= slice_ms
    ]
    return Check(
        "fluctuates",
        f"With more than {limit:g} ms the time fluctuates, and is not predictable",
        "6.1, Figure 7",
        HOLDS if min(after) > before else FAILS,
        f"latest less earliest, {limit:g} < extra work ≤ {slice_ms:g} ms: {_ms(min(after))} to "
        f"{_ms(max(after))}; below {limit:g} ms of extra work at most {_ms(before)}; missed there: "
        f"{_percent(min(missed))} to {_percent(max(missed))}",
    )


def _level(ours: Sweep) -> Check:
    """Check the level by the means over extra work beyond a slice, and over its lower and upper half."""
    slice_ms, level = published("slice-ms"), published("level-ms")
    first, middle = int(slice_ms) + 1, (int(slice_ms) + MOST) // 2
    whole, lower, upper = (
        ours.pooled(MAIN, *between) for between in ((first, MOST), (first, middle), (middle + 1, MOST))
    )
    right = abs(whole.mean - level) <= ABOUT and abs(lower.mean - upper.mean) <= ABOUT
    return Check(
        "level",
        f"With more than {slice_ms:g} ms the time levels off at about {level:g} ms (we ask for a mean within "
        f"{ABOUT:g} ms of it, and the same within {ABOUT:g} ms up to {middle} ms and beyond)",
        "6.1, Figure 7",
        HOLDS if right else FAILS,
        f"mean {_ms(whole.mean)}; {first} to {middle} ms: {_ms(lower.mean)}, {middle + 1} to {MOST} ms: "
        f"{_ms(upper.mean)}; single notifications after {_ms(whole.low)} to {_ms(whole.high)}",
    )


def _above_eleven(ours: Sweep) -> Check:
    slice_ms, level = published("slice-ms"), published("level-ms")
    claim = f"A deadline above {level:g} ms would be met in the over-load scenario"
    whole = ours.pooled(MAIN, int(slice_ms) + 1, MOST)
    late = whole.later_than(level)
    return Check(
        "above-eleven",
        claim,
        "6.1",
        HOLDS if late == 0 else FAILS,
        f"extra work over {slice_ms:g} ms: {late} of {whole.n} notifications came later than {level:g} ms "
        f"({_percent(late / whole.n)}); only a deadline above {_ms(whole.high)} would meet all of them",
    )


def _never(ms: int, ours: Sweep) -> Check:
    """Check that a deadline is met with every amount of extra work."""
    of = ours.of(MAIN)
    missed = sum(delays.later_than(ms) for delays in of.values())
    worst = max(of, key=lambda extra: of[extra].high)
    return Check(
        f"always-{ms}",
        f"A deadline of {ms} ms is always met",
        '6.1: "20 msec and above would be always met"',
        HOLDS if missed == 0 else FAILS,
        f"missed {missed} of {sum(delays.n for delays in of.values())}; the latest after "
        f"{_ms(of[worst].high)} (extra work {worst} ms)",
    )


def _gives_up(ours: Sweep) -> Check:
    claim = "A publisher that gives up the CPU right after its publication always meets 10 ms"
    of = ours.of(GIVES_UP)
    if not of:
        return Check("gives-up", claim, "6.1", MISSING, f"no runs of {GIVES_UP}")
    missed = sum(delays.missed for delays in of.values())
    low, high = min(delays.low for delays in of.values()), max(delays.high for delays in of.values())
    return Check(
        "gives-up",
        claim,
        "6.1",
        HOLDS if missed == 0 else FAILS,
        f"missed {missed} of {sum(delays.n for delays in of.values())}; notified after {_ms(low)} to "
        f"{_ms(high)}, whatever the extra work",
    )


def _late(late: int, of: Iterable[Delays]) -> str:
    return f"{late} of {sum(delays.n for delays in of)} later"


def _ms(value: float) -> str:
    return f"{number(value, 2)} ms"


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)} %"


def tables(results: Found) -> list[Table]:
    """Return the tables for the terminal."""
    ours = sweep(results.get(EXPERIMENT))
    if ours is None:
        return []
    rows = []
    for extra, main in ours.of(MAIN).items():
        other = ours.cells.get((GIVES_UP, extra))
        texts = (
            str(extra),
            *(number(value, 2) for value in (main.mean, main.low, main.high)),
            *(_percent(main.later_than(ms) / main.n) for ms in DEADLINES),
            "–" if other is None else _percent(other.missed / other.n),
        )
        rows.append(tuple(Entry(text, number=True) for text in texts))
    return [
        Table(
            "Figure 7: subscriber 1's time to notification, ms",
            (
                "Extra work, ms",
                "Mean",
                "Least",
                "Most",
                *(f"Missed {ms} ms" for ms in DEADLINES),
                "Missed 10 ms where the publisher gives up the CPU",
            ),
            tuple(rows),
            cards=False,
            note=f"{_note(ours)} {ONE_SERIES}",
        )
    ]


def _note(ours: Sweep) -> str:
    main = ours.of(MAIN)
    each = sorted({delays.seeds for delays in main.values()})
    seeds = counted(each[0], "seed") if len(each) == 1 else f"{each[0]} to {counted(each[-1], 'seed')}"
    return (
        f"{MODELLED} {seeds}, "
        f"{min(d.n for d in main.values())} to {max(d.n for d in main.values())} notifications each."
    )


def sections(results: Found) -> list[Section]:
    """Return the sections of the paper's page."""
    ours = sweep(results.get(EXPERIMENT))
    if ours is None:
        return without_runs("figure-7", "Figure 7", EXPERIMENT, "Figure 7")
    tested = checks(results)
    blocks: list[Block] = [
        Text(
            (
                "The publisher goes on computing after each publication; the blackboard must not interrupt "
                "it, so it waits for the end of the 20 ms slice or for the publisher to give up the CPU.",
                ONE_SERIES,
                MODELLED,
            )
        ),
        *_figures(ours),
        checks_table(tested, "What the paper says of Figure 7"),
        *_notes(tested),
        *tables(results),
    ]
    return [
        Section(
            "figure-7",
            "Figure 7: time to notification against the publisher's extra work",
            tuple(blocks),
            "Figure 7",
        )
    ]


def _notes(tested: list[Check]) -> list[Block]:
    """Return the explanations written by hand; they say if they were written for another verdict."""
    verdicts = {check.id: check.verdict for check in tested}
    items = []
    for note in data.load("explanations.yaml"):
        stale = [name for name, verdict in note["covers"].items() if verdicts.get(name) != verdict]
        items.append(
            (
                note["title"].strip(),
                note["text"].strip()
                + (f" (Written for another result of: {', '.join(stale)}.)" if stale else ""),
            )
        )
    return [Notes("Why", tuple(items))]


def _line(of: dict[int, Delays], colour: str) -> Line:
    means, lows, highs = (
        [getattr(estimate, name) for estimate in of.values()] for name in ("mean", "low", "high")
    )
    return Line("mean", list(of), means, lows, highs, "earliest to latest", colour)


EXTRA, TIME = "publisher's extra work after the publication, ms", "time to notification, ms"


def _figures(ours: Sweep) -> list[Block]:
    other = [_gives_up_figure(ours)] if ours.of(GIVES_UP) else []
    return [_main(ours), _missed(ours), *other]


def _main(ours: Sweep) -> Figure:
    """Draw the series of Figure 7 for which the paper draws values."""
    levels = (10, "deadline, 10 ms"), (published("level-ms"), "the paper's level, 11 ms")
    return Figure(
        "figure-7",
        "Figure 7: deadline 10 ms",
        lines(
            [_line(ours.of(MAIN), style.BLUE)],
            EXTRA,
            TIME,
            guides=Guides(levels, ((published("slice-ms"), "a slice"),)),
            bounds=(0, 22),
        ),
        alt="Time to notification over extra work",
        wide=True,
        caption=(
            "Subscriber 1's time from publication to its run, over the time that the publisher goes on "
            "computing: mean, and from the earliest to the latest notification. The paper draws one value "
            f"for each. {_note(ours)}"
        ),
    )


def _missed(ours: Sweep) -> Figure:
    """Draw the share of missed deadlines by deadline, and where the publisher gives up the CPU."""
    colours = iter(style.SERIES)
    shares = {
        f"deadline {ms} ms": [
            (extra, missed.later_than(ms) / missed.n) for extra, missed in ours.of(MAIN).items()
        ]
        for ms in DEADLINES
    }
    if other := ours.of(GIVES_UP):
        words = f"deadline 10 ms, {SERIES[GIVES_UP]}"
        shares[words] = [(extra, missed.missed / missed.n) for extra, missed in other.items()]
    drawn = [
        Line(
            words,
            [extra for extra, _ in points],
            [100 * share for _, share in points],
            colour=next(colours),
        )
        for words, points in shares.items()
    ]
    return Figure(
        "figure-7-missed",
        "Missed deadlines",
        lines(
            drawn, EXTRA, "missed deadlines, %", guides=Guides(steps=((published("slice-ms"), "a slice"),))
        ),
        alt="Share of missed deadlines over extra work",
        wide=True,
        caption=(
            "The share of notifications that came later than each deadline, and where the publisher "
            f"gives up the CPU (dispatch) right after its publication. {MODELLED}"
        ),
    )


def _gives_up_figure(ours: Sweep) -> Figure:
    """Draw the series whose publisher gives up the CPU."""
    return Figure(
        f"figure-7-{GIVES_UP.lower()}",
        "The publisher gives up the CPU at once",
        lines(
            [_line(ours.of(GIVES_UP), style.BLUE)],
            EXTRA,
            TIME,
            guides=Guides(((10, "deadline, 10 ms"),)),
            bounds=(0, 22),
        ),
        alt="Time to notification over extra work of a publisher that gives up the CPU",
        wide=True,
        caption=f"As Figure 7, but the publisher gives up the CPU right after its publication. {MODELLED}",
    )
