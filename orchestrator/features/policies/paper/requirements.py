# SPDX-License-Identifier: Apache-2.0
"""Requirements R1 to R5 (section 2): each by a run that meets it, and by one without its policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import methodcaller

from orchestrator.features.policies.paper.measured import EXPERIMENT, Cell, measured
from orchestrator.papers.check import FAILS, HOLDS, MISSING, Check, checks_table
from orchestrator.papers.result import Found, without_runs
from orchestrator.report.model import Entry, Section, Table
from orchestrator.report.statistics import number
from orchestrator.words import counted

TITLE = "Requirements R1 to R5"
HEADING = "Each requirement with its policy and without it"
_MOST_TRANSMISSIONS = 2.0  # of a reading that is for one mote next door: its own, and one repetition


@dataclass(frozen=True)
class Requirement:
    """A requirement: what the paper says of it, what a run shows it by, and the cells that do.

    `measure`: one number for each run of a cell; `meets`: whether such a number meets the requirement.
    `untested`: what the requirement also asks, and no run here shows. `quiet`: a cell in which the number is
    to be 0 by another measure, what that is, and the measure.
    """

    name: str
    paper: str
    policy: str
    shown_by: str
    unit: str
    given: str
    without: str
    measure: Callable[[Cell], Sequence[float]]
    meets: Callable[[float], bool]
    untested: str = ""
    quiet: tuple[str, str, Callable[[Cell], Sequence[float]]] | None = None


_opened = methodcaller("motes_that_did", "sprinkler opened")


def _transmissions(cell: Cell) -> list[float]:
    """How often motes sent a reading of ACSTemp, for each that was published."""
    sent, published = cell.events_of("snd", "ACSTemp"), cell.events_of("pub", "ACSTemp")
    return [count / of for count, of in zip(sent, published, strict=True) if of]


def _passed(cell: Cell) -> list[float]:
    """How many percent of the readings that components handed over for the fire alarm were published.

    Where no policy is asked about them, every reading that is handed over is published.
    """
    asked, published = (
        cell.asked_policies("C-B", "notify", "TempForFireAlarm"),
        cell.events_of("pub", "TempForFireAlarm"),
    )
    handed = asked if any(asked) else published
    return [100 * count / of for count, of in zip(published, handed, strict=True) if of]


def _sealed(cell: Cell) -> list[float]:
    """How many percent of the packages' readings that the attacker overheard were sealed."""
    sealed, clear = cell.counted("overheard_sealed"), cell.counted("overheard_in_clear")
    return [
        100 * hidden / (hidden + other) for hidden, other in zip(sealed, clear, strict=True) if hidden + other
    ]


def _answers(cell: Cell) -> list[float]:
    """How many smoke readings were taken for each request that reached a detector's policy.

    Without that policy nothing notes who a request reaches; then for each request that was published.
    """
    reached = cell.asked_policies("B-C", "notify", "GetSmokeReading")
    asked = reached if any(reached) else cell.events_of("pub", "GetSmokeReading")
    return [events / of for events, of in zip(cell.events_of("pub", "Smoke"), asked, strict=True) if of]


_taken = methodcaller("events_of", "pub", "Smoke")

REQUIREMENTS = (
    Requirement(
        "R1",
        "the component of a temperature sensor provides readings and knows no rule; policies say which of "
        "them an application gets",
        "FATempPolicy (Figure 14)",
        "share of the readings that the component hands over, nothing being hot, that the fire alarm gets",
        "%",
        "calm",
        "calm-without-14",
        _passed,
        lambda value: value == 0,
        "that components are reused in other applications, which is a property of their code",
    ),
    Requirement(
        "R2",
        "diffusion, delivery and cryptography are woven in by policies",
        "SecureGroupPolicy (Figure 20)",
        "share of the packages' overheard readings that is sealed, though no component encrypts",
        "%",
        "opened-injected",
        "opened-injected-without-20",
        _sealed,
        lambda value: value == 100,
        "delivery; diffusion is tested at R4",
    ),
    Requirement(
        "R3",
        "a sprinkler goes from normal to pre-alarm when it is hot, and to alarm when there is smoke",
        "SprinklerPolicy (Figure 15)",
        "sprinklers that opened in a fire",
        "of 2",
        "fire",
        "fire-without-15",
        _opened,
        lambda value: value == 2,
    ),
    Requirement(
        "R4",
        "readings need not flood the network",
        "ACSTempPolicy (Figure 17)",
        "transmissions of a temperature reading, all motes together, for each that was published",
        "transmissions",
        "sun",
        "sun-without-17",
        _transmissions,
        lambda value: value <= _MOST_TRANSMISSIONS,
    ),
    Requirement(
        "R5",
        "data is generated when it is asked for",
        "SmokePolicy (Figure 16)",
        "smoke readings taken in a fire for each request that reaches a detector",
        "readings",
        "fire",
        "fire-without-16",
        _answers,
        lambda value: value == 1,
        quiet=("calm", "smoke readings taken while nobody asks", _taken),
    ),
)


def _mean(values: Sequence[float]) -> str:
    return number(sum(values) / len(values), 1) if values else "–"


def _numbers(results: Found, requirement: Requirement) -> tuple[Sequence[float], Sequence[float]] | None:
    runs = measured(results.get(EXPERIMENT))
    cells = [runs.cell(name) for name in (requirement.given, requirement.without)] if runs else [None]
    if None in cells:
        return None
    return requirement.measure(cells[0]), requirement.measure(cells[1])


def checks(results: Found) -> list[Check]:
    """Test each requirement: all runs with its policy meet it, and none without does."""
    tested = []
    for requirement in REQUIREMENTS:
        numbers = _numbers(results, requirement)
        if numbers is None or not all(numbers):
            tested.append(
                Check(
                    requirement.name,
                    f"{requirement.name}: {requirement.paper}",
                    "2",
                    MISSING,
                    "no run ended well",
                )
            )
            continue
        given, without = numbers
        holds = all(map(requirement.meets, given)) and not any(map(requirement.meets, without))
        evidence = (
            f"{requirement.shown_by}: {_mean(given)} {requirement.unit} in {counted(len(given), 'run')}, "
            f"{_mean(without)} in {len(without)} without {requirement.policy}"
        )
        if requirement.quiet:
            name, words, measure = requirement.quiet
            cell = measured(results.get(EXPERIMENT)).cell(name)
            taken = measure(cell) if cell else []
            holds = holds and bool(taken) and not any(taken)
            evidence += f"; {words}: {_mean(taken)} in {counted(len(taken), 'run')}"
        if requirement.untested:
            evidence += f". Not tested: {requirement.untested}"
        verdict = HOLDS if holds else FAILS
        tested.append(
            Check(requirement.name, f"{requirement.name}: {requirement.paper}", "2", verdict, evidence)
        )
    return tested


def tables(results: Found) -> list[Table]:
    """Return the table of requirements, if there are runs."""
    rows = []
    for requirement in REQUIREMENTS:
        numbers = _numbers(results, requirement)
        if numbers is None:
            continue
        given, without = numbers
        rows.append(
            (
                Entry(requirement.name, requirement.policy),
                Entry(requirement.shown_by),
                Entry(
                    _mean(given), number=True, tone="good" if all(map(requirement.meets, given)) else "bad"
                ),
                Entry(_mean(without), number=True),
            )
        )
    columns = ("Requirement", "Measured", "With the policy", "Without it")
    note = (
        "Means over the runs of a cell; the shares of R1 and R2 are in %. The paper argues for each "
        "requirement in section 7 and measures none."
    )
    return [Table(HEADING, columns, tuple(rows), note, cards=False)] if rows else []


def sections(results: Found) -> list[Section]:
    """Return the section of the page."""
    tables_ = tables(results)
    if not tables_:
        return without_runs("requirements", TITLE, EXPERIMENT)
    return [
        Section("requirements", TITLE, (*tables_, checks_table(checks(results), "What the paper requires")))
    ]
