# SPDX-License-Identifier: Apache-2.0
"""Figure 7: the time to notification over the publisher's extra work.

The series are deadlines of 10, 11, 20 and 30 ms, and a publisher that gives up the CPU at once.
"""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.features.blackboard.paper.definitions import data
from orchestrator.features.blackboard.paper.notifications import MODELLED, Delays, Sweep, published, sweep
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found, without_runs
from orchestrator.report import style
from orchestrator.report.lines import Guides, Line, lines
from orchestrator.report.model import Block, Entry, Figure, Gallery, Notes, Section, Table, Text
from orchestrator.report.statistics import number
from orchestrator.words import counted

EXPERIMENT = "blackboard-figure-7"
MAIN, GIVES_UP = "D10", "G10"
SERIES = {
    "D10": "deadline 10 ms",
    "D11": "deadline 11 ms",
    "D20": "deadline 20 ms",
    "D30": "deadline 30 ms",
    "G10": "deadline 10 ms, gives up the CPU at once",
}
MOST = 40  # ms of extra work
ABOUT = 1.0  # ms: the mean may differ by so much from the paper's "about 11 msec"


def checks(found: Found) -> list[Check]:
    """Check what section 6.1 says about the series, in its order."""
    ours = sweep(found.get(EXPERIMENT))
    if ours is None or not ours.of(MAIN):
        claim, why = "Time to notification against extra work", f"no runs of {EXPERIMENT}"
        return [Check("figure-7", claim, "6.1, Figure 7", MISSING, why)]
    return [
        _below(ours),
        _fluctuates(ours),
        _level(ours),
        _above_eleven(ours),
        _never("D20", ours),
        _never("D30", ours),
        _gives_up(ours),
    ]


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
    whole = ours.pooled("D11", int(slice_ms) + 1, MOST)
    claim = f"A deadline above {level:g} ms would be met in the over-load scenario"
    if whole is None:
        return Check("above-eleven", claim, "6.1", MISSING, "no runs of D11")
    late = whole.later_than(level)
    return Check(
        "above-eleven",
        claim,
        "6.1",
        HOLDS if late == 0 else FAILS,
        f"deadline {level:g} ms, extra work over {slice_ms:g} ms: {late} of {whole.n} later than that "
        f"({_percent(late / whole.n)}); a deadline has to be above {_ms(whole.high)} for all to be met",
    )


def _never(series: str, ours: Sweep) -> Check:
    """Check that a deadline is met with every amount of extra work."""
    ms = series.removeprefix("D")
    claim = f"A deadline of {ms} ms is always met"
    return _met(f"always-{ms}", claim, '6.1: "20 msec and above would be always met"', series, ours)


def _gives_up(ours: Sweep) -> Check:
    claim = "A publisher that gives up the CPU right after its publication always meets 10 ms"
    return _met("gives-up", claim, "6.1", GIVES_UP, ours)


def _met(name: str, claim: str, where: str, series: str, ours: Sweep) -> Check:
    of = ours.of(series)
    if not of:
        return Check(name, claim, where, MISSING, f"no runs of {series}")
    missed = sum(delays.missed for delays in of.values())
    worst = max(of, key=lambda extra: of[extra].high)
    times = f"the latest after {_ms(of[worst].high)} (extra work {worst} ms)"
    if series == GIVES_UP:
        earliest = min(delays.low for delays in of.values())
        times = f"notified after {_ms(earliest)} to {_ms(of[worst].high)}, whatever the extra work"
    evidence = f"missed {missed} of {sum(delays.n for delays in of.values())}; {times}"
    return Check(name, claim, where, HOLDS if missed == 0 else FAILS, evidence)


def _late(late: int, of: Iterable[Delays]) -> str:
    return f"{late} of {sum(delays.n for delays in of)} later"


def _ms(value: float) -> str:
    return f"{number(value, 2)} ms"


def _percent(share: float) -> str:
    return f"{number(100 * share, 1)} %"


def tables(found: Found) -> list[Table]:
    """Return the tables for the terminal."""
    ours = sweep(found.get(EXPERIMENT))
    if ours is None:
        return []
    names = [name for name in SERIES if name != MAIN]
    rows = []
    for extra, main in ours.of(MAIN).items():
        times = (number(value, 2) for value in (main.mean, main.low, main.high))
        missed = (
            "–" if one is None else _percent(one.missed / one.n)
            for one in (main, *(ours.cells.get((name, extra)) for name in names))
        )
        rows.append(tuple(Entry(text, number=True) for text in (str(extra), *times, *missed)))
    return [
        Table(
            "Figure 7: subscriber 1's time to notification, ms",
            (
                "Extra work, ms",
                "Mean",
                "Least",
                "Most",
                "Missed 10 ms",
                *(
                    f"Missed, {'gives up' if name == GIVES_UP else name.removeprefix('D') + ' ms'}"
                    for name in names
                ),
            ),
            tuple(rows),
            cards=False,
            note=_note(ours),
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


def sections(found: Found) -> list[Section]:
    """Return the sections of the paper's page."""
    ours = sweep(found.get(EXPERIMENT))
    if ours is None:
        return without_runs("figure-7", "Figure 7", EXPERIMENT, "Figure 7")
    tested = checks(found)
    blocks: list[Block] = [
        Text(
            (
                "The publisher goes on computing after each publication; the blackboard must not interrupt "
                "it, so it waits for the end of the 20 ms slice or for the publisher to give up the CPU.",
                MODELLED,
            )
        ),
        *_figures(ours),
        checks_table(tested, "What the paper says of Figure 7"),
        *_notes(tested),
        *tables(found),
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
    found = {check.id: check.verdict for check in tested}
    items = []
    for note in data.load("explanations.yaml"):
        stale = [name for name, verdict in note["covers"].items() if found.get(name) != verdict]
        items.append(
            (
                note["title"].strip(),
                note["text"].strip()
                + (f" (Written for another result of: {', '.join(stale)}.)" if stale else ""),
            )
        )
    return [Notes("Why", tuple(items))]


def _line(of: dict[int, Delays], colour: str) -> Line:
    means, lows, highs = ([getattr(one, name) for one in of.values()] for name in ("mean", "low", "high"))
    return Line("mean", list(of), means, lows, highs, "earliest to latest", colour)


EXTRA, TIME = "publisher's extra work after the publication, ms", "time to notification, ms"


def _figures(ours: Sweep) -> list[Block]:
    colours = dict(zip(SERIES, style.SERIES, strict=False))
    shown = {name: words for name, words in SERIES.items() if ours.of(name)}
    others = (_series(ours, name, words, colours[name]) for name, words in shown.items() if name != MAIN)
    return [_main(ours), _missed(ours, shown, colours), Gallery(tuple(others))]


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


def _missed(ours: Sweep, shown: dict[str, str], colours: dict[str, str]) -> Figure:
    """Draw the share of missed deadlines of each series."""
    drawn = [
        Line(
            words,
            list(ours.of(name)),
            [100 * one.missed / one.n for one in ours.of(name).values()],
            colour=colours[name],
        )
        for name, words in shown.items()
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
            "Notifications later than subscriber 1's deadline, %, for each deadline, and for a publisher "
            f"that gives up the CPU (dispatch) right after the publication. {MODELLED}"
        ),
    )


def _series(ours: Sweep, name: str, words: str, colour: str) -> Figure:
    """Draw a series with another deadline."""
    ms = float(name[1:])
    return Figure(
        f"figure-7-{name.lower()}",
        words[0].upper() + words[1:],
        lines(
            [_line(ours.of(name), colour)],
            "extra work, ms",
            TIME,
            guides=Guides(((ms, f"{ms:g} ms"),)),
            bounds=(0, max(22.0, ms + 2)),
            wide=False,
        ),
        alt=f"Time to notification over extra work, {words}",
        caption=f"As Figure 7, {words}. {MODELLED}",
    )
