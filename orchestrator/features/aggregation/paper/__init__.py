# SPDX-License-Identifier: Apache-2.0
"""Schiefer, Steup and Kaiser (2013), "Real World Testing of Aggregation in Publish/Subscribe Systems".

Its twelve configurations are a scenario, its published numbers and contradictions are data files, and its
Figure 7 is drawn from our runs.
"""

from __future__ import annotations

from orchestrator.features.aggregation.paper import (
    data,
    figures,
    finding,
    hypotheses,
    hypotheses_page,
    merging,
    sensitivity,
)
from orchestrator.features.aggregation.paper.checks import checks
from orchestrator.features.aggregation.paper.comparison import Row, blocks, rows
from orchestrator.features.aggregation.paper.contradictions import contradictions
from orchestrator.features.aggregation.paper.hypotheses import Hypotheses
from orchestrator.features.aggregation.paper.panels import headline, panels
from orchestrator.papers.check import EQUAL, HOLDS, MISSING, Check
from orchestrator.papers.result import Found, Result
from orchestrator.report.data import Results
from orchestrator.report.model import Beside, Block, Gallery, Section, Table, Text, paragraph
from orchestrator.report.statistics import number

EXPERIMENT = "aggregation-paper"


def scenarios() -> tuple[tuple[str, str], ...]:
    """Return (file name, text) of the scenarios of the paper's experiments.

    These are the twelve configurations, the same under each hypothesis of what the paper leaves open, and
    the sensitivity sweep.
    """
    return data.texts("scenario.yaml", "hypotheses.yaml", "sensitivity.yaml")


def figure_scenarios() -> tuple[tuple[str, str], ...]:
    """Return (file name, text) of the scenarios for Figures 2 to 6 and partly deployed merge functions."""
    return data.texts("figures.yaml", "deployment.yaml")


def results() -> tuple[Result, ...]:
    """Return the paper's results."""
    main, *varied = scenarios()
    return (
        Result(
            "numbers",
            "its twelve configurations, its published numbers beside ours",
            (main,),
            tuple(varied),
            rows=lambda results: rows(results[EXPERIMENT]) if EXPERIMENT in results else [],
            tables=_closest,
            checks=lambda results: checks(results[EXPERIMENT]) if EXPERIMENT in results else [],
        ),
        Result(
            "hypotheses",
            "every medium access, placement, jitter and carrier sense with each other (9,800 runs)",
            data.texts("grid.yaml"),
            tables=_closest,
            asked=False,
        ),
        Result(
            "figures",
            "the topologies that it draws, what each of them shows, and partly deployed merge functions",
            figure_scenarios(),
            checks=_figure_checks,
            heading="What each figure should show",
            asked=False,
        ),
        Result.of(
            merging, "merging", "what merging costs the processor of a Tmote Sky, executed", asked=False
        ),
    )


def _closest(results: Found) -> list[Table]:
    """Return the finding and the closest hypotheses for the terminal, as far as they were run."""
    there = [results[name] for name in (hypotheses.EXPERIMENT, hypotheses.GRID) if name in results]
    supposed = Hypotheses(*there) if there else None
    ranking = supposed.ranking() if supposed else []
    return [hypotheses_page.brief(supposed, ranking)] if ranking else []


def _figure_checks(results: Found) -> list[Check]:
    return figures.checks(results[figures.EXPERIMENT]) if figures.EXPERIMENT in results else []


def title(results: Results) -> str:
    """Return the title of the report."""
    return "Aggregation in publish/subscribe systems, measured again"


def sections(results: Results) -> list[Section]:
    """Return the paper's sections of the report."""
    swept, supposed = sensitivity.read_beside(results), hypotheses.read_beside(results)
    tested = checks(results)
    begin = [Section("summary", "The paper and this run", _summary(results, tested, supposed), "Summary")]
    if supposed is not None:
        begin.append(
            Section(
                "hypotheses",
                "What lay below the middleware",
                tuple(hypotheses_page.blocks(supposed)),
                "Hypotheses",
            )
        )
    return [
        *begin,
        Section(
            "numbers", "The paper's numbers beside a modern stack's", tuple(blocks(results, swept)), "Numbers"
        ),
        Section(
            "figure-7",
            "Figure 7, measured",
            (
                paragraph(
                    "These are the panels of the paper's Figure 7, drawn from our runs. The paper shows "
                    "one run in each panel and prints few values; those that it prints are marked."
                ),
                Gallery(tuple(panels(results))),
            ),
            "Figure 7",
        ),
        Section(
            "readings",
            "Where the paper can be read in two ways",
            tuple(contradictions(results, swept)),
            "Two readings",
        ),
        Section(
            "sensitivity",
            "What depends on our decisions",
            tuple(sensitivity.blocks(results, swept)),
            "Sensitivity",
        ),
    ]


def _summary(results: Results, tested: list[Check], supposed: Hypotheses | None) -> tuple[Block, ...]:
    """Return the summary; it begins with the finding if the hypotheses were run."""
    what = (
        f"{data.load('published.yaml')['paper'].strip()} measured on real motes how much a chain of "
        "publishers saves if events are merged on their way. We run its twelve configurations in simulation, "
        "with firmware that follows its sections 3 to 5, and compare its numbers with ours."
    )
    modern = (
        "With CSMA/CA and all motes in range of each other (our main runs, 4 m apart): " + _orders(tested),
        _numbers(rows(results)),
    )
    names = paragraph(
        "Names: H is the high rate (2 to 4 events a second, 15 minutes) and L the low rate (one a "
        "minute, 30 minutes); 5 and 10 are the publishers in the chain; A is with aggregation; D is with "
        "a delay before publishing that grows with the publisher's number.",
        "note",
    )
    if supposed is not None and (picture := finding.figure(supposed)):
        texts = (paragraph(finding.lead(supposed), "lead"), paragraph(what), names)
        return (Beside(texts, picture), Text((*finding.paragraphs(supposed), *modern)))
    lead = finding.main_lead(results) if supposed is None else finding.lead(supposed)
    texts = (paragraph(lead, "lead"), paragraph(what), Text(modern), names)
    picture = headline(results)
    return (Beside(texts, picture),) if picture else texts


def _orders(tested: list[Check]) -> str:
    """Say how many of the claimed orders and shapes hold, and which do not."""
    measured = [check for check in tested if check.verdict != MISSING]
    count = {verdict: sum(check.verdict == verdict for check in measured) for verdict in (HOLDS, EQUAL)}
    text = f"{count[HOLDS]} of {len(measured)} orders and shapes that the paper claims hold in our runs"
    if count[EQUAL]:
        text += f"; {count[EQUAL]} show no order because both sides are equal in every seed"
    others = [check for check in measured if check.verdict not in (HOLDS, EQUAL)]
    if others:
        text += "; the others: " + "; ".join(f"{check.claim} ({check.verdict})" for check in others)
    if len(measured) < len(tested):
        text += f"; {len(tested) - len(measured)} could not be measured here"
    return text + ". Evidence and reasons are in the tables below."


def _numbers(rows: list[Row]) -> str:
    """Say how many of the published numbers our runs agree with."""
    measured = [row for row in rows if row.ours.known]
    if not measured:
        return "None of the published numbers could be measured here."
    agreeing = [row for row in measured if row.tone == "good"]
    if not agreeing:
        return f"None of the {len(measured)} published numbers lies in the range of our single runs."
    listed = "; ".join(
        f"{row.what.lower()} in {row.cell}, {row.paper_text}, ours "
        f"{number(row.ours.mean, row.measure.decimals)}"
        for row in agreeing
    )
    return (
        f"{len(agreeing)} of the {len(measured)} published numbers (with each reading counted) lie in the "
        f"range of our single runs: {listed}."
    )
