# SPDX-License-Identifier: Apache-2.0
"""The finding from the hypotheses, in sentences and one figure that are made from the runs."""

from __future__ import annotations

from orchestrator.features.aggregation.paper.causes import AIR, REFUSED, losses
from orchestrator.features.aggregation.paper.data import published
from orchestrator.features.aggregation.paper.hypotheses import (
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
from orchestrator.words import counted, enumerated

COLOURS = {"csma": style.AGGREGATED, "none": style.PLAIN, "radio-csma": style.GREEN}


def lead(found: Hypotheses) -> str:
    """Return two sentences on which published numbers lie in the range of our single runs ("inside").

    The first says which and how many each hypothesis has inside, and at how many placements; the second,
    which no hypothesis has inside, or all have.
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
            f"our single runs at one placement, {most} ({_at(places, found)})"
        )
    else:
        head = (
            f"No hypothesis of what lay below the middleware has more than {most} of the {len(own)} "
            "published numbers within the range of our single runs at one placement"
        )
    told = "; ".join(
        f"{stack.words} has {_which(found, stack, [one for one in own if one not in everywhere])}"
        for stack in found.stacks
    )
    return f"{head}: {told}. {_rest(found, own, never, everywhere)}"


def _which(found: Hypotheses, stack: Stack, own: list[Judged]) -> str:
    """Name the numbers that a stack has inside: "the saving of H10 (50.4 %) at 7 of 9 placements"."""
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
    """Name the numbers that no hypothesis has inside anywhere, and those that all have inside everywhere."""
    if never:
        text = (
            f"What lay below the middleware does not explain {_names(never)}, outside the range under all "
            "hypotheses at every placement"
        )
    elif any(len(found.inside(stack, place)) == len(own) for stack in found.stacks for place in found.places):
        text = "At one placement a hypothesis has all of them within the range"
    else:
        text = (
            "Each lies within the range under some hypothesis at some placement, but no hypothesis has all "
            "of them at one placement"
        )
    same = "inside the range under all hypotheses everywhere, which distinguishes none"
    return text + (f"; {_names(everywhere)}: {same}." if everywhere else ".")


def _names(judged: list[Judged]) -> str:
    names = [f"{one.number['short']} ({_value(one)})" for one in judged]
    return enumerated(names)


def _value(one: Judged) -> str:
    value = float(one.number["value"])
    unit = " %" if "reduction" in one.number["measure"] or "share" in one.number["measure"] else ""
    return number(value, 0 if value.is_integer() else 1) + unit


def paragraphs(found: Hypotheses) -> list[str]:
    """Return paragraphs on how to read the lead, and on the counters behind it."""
    other = [
        f"{stack.name} {most}" + (f" ({_at(places, found)})" if most else "")
        for stack in found.stacks
        for most, places in [found.best(stack, COUNTED)]
    ]
    own = len({one.number["id"] for one in found.own()})
    return [
        f"The range of single runs is from the smallest to the largest of {counted(found.seeds, 'run')}, in "
        "each of which boot order, publications and everything else that is random is drawn from its own "
        f"seed; one more run lies in it with a probability of at least {number(100 * found.coverage, 0)} %. "
        "The paper ran once, so its numbers have to be compared with this range and not with the interval of "
        f"a mean. The numbers are the four savings, read as {TRANSMISSIONS} (5.1.2), the counts of H10A and "
        f"L10AD, and the aggregated share of L10AD. With the savings read as {COUNTED} events (6.3), the "
        f"most of {own} within the range at one placement are: {'; '.join(other)}.",
        *(text for text in (_savings(found, stack) for stack in found.stacks) if text),
    ]


def _savings(found: Hypotheses, stack: Stack) -> str:
    """Say where a stack's savings lie in the range, and why its runs without aggregation lose packets."""
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
        f"without aggregation or delay lose {number(100 * total / sent, 1)} % of the event "
        f"packets{', of these: ' + causes if causes else ''}."
        + (
            f" For each packet sent, {number(deaf / sent, 2)} frames (those for other motes included) came "
            "while the receiver's radio was contending or sending; the counters don't tell how many of the "
            "unreceived packets collided."
            if deaf
            else ""
        )
    )


def figure(found: Hypotheses) -> Figure:
    """Draw how many published numbers lie within the range of single runs, by stack and placement."""
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
            f"How many of the {own} numbers that the paper publishes lie within the range of "
            f"{counted(found.seeds, 'single run')} of ours, by what is below the middleware and by placement."
        ),
    )


def _short(place: Place) -> str:
    return ("f" if place.shape == "folded" else "") + str(place.metres)
