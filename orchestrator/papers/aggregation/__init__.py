# SPDX-License-Identifier: Apache-2.0
"""Schiefer, Steup and Kaiser (2013), "Real World Testing of Aggregation in Publish/Subscribe Systems": its
twelve configurations as a scenario, its published numbers and contradictions as data, its Figure 7 from our
runs.
"""

from __future__ import annotations

from orchestrator.papers.aggregation import data, figures, finding, hypotheses, hypotheses_page, sensitivity
from orchestrator.papers.aggregation.checks import checks
from orchestrator.papers.aggregation.comparison import Row, blocks, rows
from orchestrator.papers.aggregation.contradictions import contradictions
from orchestrator.papers.aggregation.hypotheses import Hypotheses
from orchestrator.papers.aggregation.panels import headline, panels
from orchestrator.papers.check import EQUAL, HOLDS, MISSING, Check
from orchestrator.papers.result import Found, Result
from orchestrator.report.data import Results
from orchestrator.report.model import Beside, Block, Gallery, Section, Text
from orchestrator.report.statistics import number

EXPERIMENT = "aggregation-paper"


def scenarios() -> list[tuple[str, str]]:
    """(file name, text) of the paper's scenarios: the twelve configurations; the same under each hypothesis
    of what was below the middleware; the sensitivity sweep.
    """
    return [(name, data.text(name)) for name in ("scenario.yaml", "hypotheses.yaml", "sensitivity.yaml")]


def figure_scenarios() -> list[tuple[str, str]]:
    """(file name, text) of the experiments around its drawn topologies: Figures 2 to 6, partly deployed merge
    functions.
    """
    return [(name, data.text(name)) for name in ("figures.yaml", "deployment.yaml")]


def results() -> tuple[Result, ...]:
    main, *varied = scenarios()
    return (
        Result(
            "numbers",
            "its twelve configurations, its published numbers beside ours",
            (main,),
            tuple(varied),
            rows=lambda found: rows(found[EXPERIMENT]) if EXPERIMENT in found else [],
            checks=lambda found: checks(found[EXPERIMENT]) if EXPERIMENT in found else [],
        ),
        Result(
            "figures",
            "the topologies that it draws, what each is to show, and partly deployed merge functions",
            tuple(figure_scenarios()),
            checks=_figure_checks,
            heading="What each figure is to show",
            asked=False,
        ),
    )


def _figure_checks(found: Found) -> list[Check]:
    return figures.checks(found[figures.EXPERIMENT]) if figures.EXPERIMENT in found else []


def title(results: Results) -> str:
    return "Aggregation in publish/subscribe systems, measured again"


def sections(results: Results) -> list[Section]:
    """The paper's part of the report."""
    swept, supposed = sensitivity.read_beside(results), hypotheses.read_beside(results)
    tested = checks(results)
    found = [Section("summary", "The paper and this run", _summary(results, tested, supposed), "Summary")]
    if supposed is not None:
        found.append(
            Section(
                "hypotheses",
                "What lay below the middleware",
                tuple(hypotheses_page.blocks(supposed)),
                "Hypotheses",
            )
        )
    return [
        *found,
        Section(
            "numbers", "The paper's numbers beside a modern stack's", tuple(blocks(results, swept)), "Numbers"
        ),
        Section(
            "figure-7",
            "Figure 7, measured",
            (
                Text(
                    (
                        "Each panel of the paper's Figure 7 from our runs. The paper shows one run each and "
                        "prints few values; "
                        "where it does, they are marked.",
                    )
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
            "What hangs on our decisions",
            tuple(sensitivity.blocks(results, swept)),
            "Sensitivity",
        ),
    ]


def _summary(results: Results, tested: list[Check], supposed: Hypotheses | None) -> tuple[Block, ...]:
    """The finding first, where the hypotheses were run."""
    what = (
        f"{data.load('published.yaml')['paper'].strip()} measured on real motes what merging events on their "
        "way saves in a "
        "chain of publishers. We run its twelve configurations in simulation, with firmware that follows its "
        "sections 3 to 5, "
        "and set its numbers beside ours."
    )
    modern = (
        "With CSMA/CA and all motes in range of each other (our main runs, 4 m apart): " + _orders(tested),
        _numbers(rows(results)),
    )
    names = Text(
        (
            "Names: H and L are high rate (2 to 4 events a second, 15 minutes) and low rate (one a minute, "
            "30 minutes); 5 and 10 "
            "publishers in a chain; A with aggregation; D with a delay before publishing that grows with "
            "the publisher's number.",
        ),
        "note",
    )
    if supposed is not None:
        texts = (Text((finding.lead(supposed),), "lead"), Text((what,)), names)
        return (Beside(texts, finding.figure(supposed)), Text((*finding.paragraphs(supposed), *modern)))
    texts = (Text((what,), "lead"), Text(modern), names)
    picture = headline(results)
    return (Beside(texts, picture),) if picture else texts


def _orders(tested: list[Check]) -> str:
    """How many of the claimed orders and shapes hold, and which do not."""
    measured = [check for check in tested if check.verdict != MISSING]
    count = {verdict: sum(check.verdict == verdict for check in measured) for verdict in (HOLDS, EQUAL)}
    text = f"{count[HOLDS]} of {len(measured)} orders and shapes that the paper claims hold in our runs"
    if count[EQUAL]:
        text += f"; {count[EQUAL]} show no order, both sides being equal in every seed"
    others = [check for check in measured if check.verdict not in (HOLDS, EQUAL)]
    if others:
        text += "; not so: " + "; ".join(f"{check.claim} ({check.verdict})" for check in others)
    if len(measured) < len(tested):
        text += f"; {len(tested) - len(measured)} could not be measured here"
    return text + ". Evidence and reasons are in the tables below."


def _numbers(found: list[Row]) -> str:
    """How many of the published numbers our runs agree with."""
    measured = [row for row in found if row.ours.known]
    agreeing = [row for row in measured if row.tone == "good"]
    if not agreeing:
        return f"None of the {len(measured)} published numbers lies in the range of our single runs."
    listed = "; ".join(
        f"{row.what.lower()} in {row.cell}, {row.paper_text}, ours "
        f"{number(row.ours.mean, row.measure.decimals)}"
        for row in agreeing
    )
    return (
        f"{len(agreeing)} of the {len(measured)} published numbers, each reading counted, lie in the range "
        f"of our single runs: {listed}."
    )
