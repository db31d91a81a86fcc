# SPDX-License-Identifier: Apache-2.0
"""What the hypotheses come to, in sentences and one figure: every word follows from the runs."""

from __future__ import annotations

from orchestrator.papers.aggregation.causes import AIR, REFUSED, losses
from orchestrator.papers.aggregation.data import published
from orchestrator.papers.aggregation.hypotheses import (
    COUNTED,
    TRANSMISSIONS,
    Hypotheses,
    Judged,
    Place,
    Stack,
    listed,
)
from orchestrator.report import charts, style
from orchestrator.report.model import Figure
from orchestrator.report.statistics import number
from orchestrator.statistics.estimates import estimate
from orchestrator.words import counted

COLOURS = {"csma": style.AGGREGATED, "none": style.PLAIN, "radio-csma": style.GREEN}


def lead(found: Hypotheses) -> str:
    """Two sentences: how many of the published numbers each hypothesis has inside, which and over how much of
    the sweep; and which of them none has, or all have.
    """
    own = list({one.number["id"]: one for one in found.own()}.values())
    everywhere = [
        one
        for one in own
        if len(found.stacks) > 1
        and all(len(found.ever(stack, one.number["id"])) == len(found.places) for stack in found.stacks)
    ]
    never = [one for one in own if not any(found.ever(stack, one.number["id"]) for stack in found.stacks)]
    best = [(*found.best(stack), stack) for stack in found.stacks]
    most = max(count for count, _, _ in best)
    first = [(places, stack) for count, places, stack in best if count == most]
    if len(first) == 1 and most:
        places, stack = first[0]
        head = (
            f"{_first(stack.words)} puts the most of the {len(own)} published numbers within the range of "
            "our single runs at one "
            f"placement, {most} ({_at(places, found)})"
        )
    else:
        head = (
            f"No hypothesis of what lay below the middleware has more than {most} of the {len(own)} "
            "published numbers within the range "
            "of our single runs at one placement"
        )
    told = "; ".join(
        f"{stack.words} has {_which(found, stack, [one for one in own if one not in everywhere])}"
        for stack in found.stacks
    )
    return f"{head}: {told}. {_rest(found, own, never, everywhere)}"


def _which(found: Hypotheses, stack: Stack, own: list[Judged]) -> str:
    """Name the numbers that a stack ever has inside: `the saving of H10 (50.4 %) at 7 of 9 placements`."""
    parts = [(one, len(found.ever(stack, one.number["id"]))) for one in own]
    return (
        ", ".join(
            f"{_names([one])} at {count} of {counted(len(found.places), 'placement')}"
            for one, count in parts
            if count
        )
        or "none of them anywhere"
    )


def _at(places: list[Place], found: Hypotheses) -> str:
    return "at every placement" if len(places) == len(found.places) else listed(places)


def _first(words: str) -> str:
    return words[0].upper() + words[1:]


def _rest(found: Hypotheses, own: list[Judged], never: list[Judged], everywhere: list[Judged]) -> str:
    """Which numbers no hypothesis has inside anywhere; which all have everywhere, so that they decide
    nothing.
    """
    if never:
        text = (
            f"What lay below the middleware does not explain {_names(never)}, outside it under all of them "
            "at every placement"
        )
    elif any(len(found.inside(stack, place)) == len(own) for stack in found.stacks for place in found.places):
        text = "One placement is enough for all of them"
    else:
        text = (
            "Each lies within it under one of them somewhere, but no hypothesis has all of them at one "
            "placement"
        )
    return text + (
        f"; {_names(everywhere)} decide nothing, inside it under all of them everywhere."
        if everywhere
        else "."
    )


def _names(judged: list[Judged]) -> str:
    names = [f"{one.number['short']} ({_value(one)})" for one in judged]
    return names[0] if len(names) == 1 else ", ".join(names[:-1]) + " and " + names[-1]


def _value(one: Judged) -> str:
    value = float(one.number["value"])
    unit = " %" if "reduction" in one.number["measure"] or "share" in one.number["measure"] else ""
    return number(value, 0 if value.is_integer() else 1) + unit


def paragraphs(found: Hypotheses) -> list[str]:
    """How the lead is to be read, and by what counts."""
    other = [
        f"{stack.name} {most}" + (f" ({_at(places, found)})" if most else "")
        for stack in found.stacks
        for most, places in [found.best(stack, COUNTED)]
    ]
    own = len({one.number["id"] for one in found.own()})
    return [
        f"The range of single runs: smallest to largest of {counted(found.seeds, 'run')}, each with boot "
        "order, publications and "
        "what else is drawn from its own seed; one more run lies in it with at least "
        f"{number(100 * found.coverage, 0)} %. The paper ran "
        "once, so this is what its numbers are to be set against, not the interval of a mean. The numbers "
        "are the four savings, read "
        f"as {TRANSMISSIONS} (5.1.2), the counts of H10A and L10AD, and the aggregated share of L10AD. With "
        "the savings read as "
        f"{COUNTED} events (6.3) it is, of {own}: {'; '.join(other)}.",
        *(text for text in (_savings(found, stack) for stack in found.stacks) if text),
    ]


def _savings(found: Hypotheses, stack: Stack) -> str:
    """A stack's savings over the sweep, and what its runs without aggregation lose by which cause."""
    parts, sent, deaf, lost = [], 0.0, 0.0, dict.fromkeys((*REFUSED, AIR), 0.0)
    for name in ("H5", "H10", "L5", "L10"):
        inside = found.ever(stack, f"reduction-{name}")
        parts.append(
            f"{name} ({number(published(f'reduction-{name}'), 1)} %) "
            f"{listed(inside) if inside else 'nowhere'}"
        )
        for place in found.places:
            cell = losses(found.view(stack, place), name)
            if cell is not None:
                sent += cell.sent.sum()
                for cause, values in cell.by.items():
                    lost[cause] += values.sum()
                deaf += found.view(stack, place).values(name, "dropped", "contending").sum()
    total = sum(lost.values())
    if not sent:
        return ""
    causes = (
        "; ".join(
            f"{number(100 * value / total, 1)} % {REFUSED.get(cause, AIR)}"
            for cause, value in lost.items()
            if value
        )
        if total
        else ""
    )
    return (
        f"{stack.name} has the savings within the range at: {', '.join(parts)}. Over all placements its runs "
        "without aggregation "
        f"or delay lose {number(100 * total / sent, 1)} % of the event "
        f"packets{', of these: ' + causes if causes else ''}."
        + (
            " Frames that came while the receiver's radio was contending or sending, those for other motes "
            f"too: {number(deaf / sent, 2)} for "
            "each packet sent; how many of the unreceived ones collided these counts don't tell."
            if deaf
            else ""
        )
    )


def figure(found: Hypotheses) -> Figure:
    """How many published numbers lie within the range of single runs, by stack and place."""
    own = len({one.number["id"] for one in found.own()})
    drawn = [
        charts.Series(
            stack.name,
            [estimate([len(found.inside(stack, place))]) for place in found.places],
            colour=COLOURS[stack.key],
            key=stack.key,
        )
        for stack in found.stacks
    ]
    drawing = charts.bars(
        [_short(place) for place in found.places],
        drawn,
        "published numbers within",
        top=own,
        xlabel="length of a hop, m (f: the chain is folded)",
    )
    return Figure(
        "hypotheses-inside",
        "Published numbers within the range of our single runs",
        drawing,
        alt="Published numbers within the range of our single runs, by hypothesis and placement",
        caption=(
            f"Of the {own} numbers that the paper publishes, how many lie within the range of "
            f"{counted(found.seeds, 'single run')} of ours, "
            "by what is below the middleware and how the motes stand."
        ),
    )


def _short(place: Place) -> str:
    return ("f" if place.shape == "folded" else "") + str(place.metres)
