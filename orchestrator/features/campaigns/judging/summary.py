# SPDX-License-Identifier: Apache-2.0
"""A verdict in words: its sentences, and the page for servers of continuous integration in Markdown."""

from __future__ import annotations

from orchestrator.features.campaigns.judging import blame_words
from orchestrator.features.campaigns.judging.judge import Kind
from orchestrator.features.campaigns.judging.model import RED_KINDS, Colour, Standing, Verdict, said
from orchestrator.features.campaigns.model import Why
from orchestrator.words import counted

JSON, JUNIT, SUMMARY, PAGE, RUNS = "verdict.json", "junit.xml", "summary.md", "index.html", "runs.html"
SHOWN = 20  # rows of a summary


def headline(verdict: Verdict) -> str:
    """Return the verdict in one sentence."""
    ok, planned = sum(cell.ok for cell in verdict.cells), sum(cell.planned for cell in verdict.cells)
    out = sum(cell.left.get(Why.QUARANTINE.value, 0) for cell in verdict.cells)
    reds = sum(reason.colour is Colour.RED for reason in verdict.reasons)
    gaps = len(verdict.reasons) - reds
    text = f"{ok} of {counted(planned, 'planned run')} ended ok"
    text += f", {out} in quarantine" if out else ""
    why = [f"{counted(reds, 'reason')} for red"] if reds else []
    why += [f"{counted(gaps, 'thing')} not run or not compared"] if gaps else []
    return f"{text}; " + (", ".join(why) if why else "nothing changed by more than the stated effect")


def summary(verdict: Verdict) -> str:
    """Return the page of a server of continuous integration, in Markdown."""
    base = verdict.baseline
    lines = [
        f"## {verdict.campaign}, round {verdict.round.id}: {verdict.colour.value}",
        "",
        f"{headline(verdict)}.",
        "",
    ]
    for title, colour in (("Red", Colour.RED), ("Not run, or not compared", Colour.INCOMPLETE)):
        theirs = [reason for reason in verdict.reasons if reason.colour is colour]
        if theirs:
            lines += [f"### {title}", "", "| where | what |", "|---|---|"]
            lines += [
                f"| {_cell(reason.place or 'the round')} | {_cell(' '.join(reason.text.split()))} |"
                for reason in theirs[:SHOWN]
            ]
            if len(theirs) > SHOWN:
                lines.append(f"| | and {len(theirs) - SHOWN} more, in verdict.json |")
            lines.append("")
    if verdict.blame is not None:
        lines += ["### What changed since the baseline", ""]
        lines += [f"- {_cell(blame_words.change(change))}" for change in verdict.blame.changes[:SHOWN]]
        rest = len(verdict.blame.changes) - SHOWN
        lines += [f"- and {rest} more, in verdict.json"] if rest > 0 else []
        lines += ["", *(_cell(remark) + "\n" for remark in blame_words.remarks(verdict.blame))]
    out = [cell for cell in verdict.cells if cell.quarantine]
    if out:
        lines += ["### In quarantine", ""]
        lines += [f"- {_cell(cell.place)}: {_cell(cell.quarantine)}" for cell in out] + [""]
    better = verdict.of_kind(Kind.BETTER)
    if better:
        lines += ["### Better", ""]
        lines += [
            f"- {_cell(f'{finding.experiment}/{finding.cell}')}: {said(finding)}"
            for finding in better[:SHOWN]
        ] + [""]
    if verdict.notes:
        lines += ["### Notes", ""] + [f"- {' '.join(note.split())}" for note in verdict.notes] + [""]
    lines += [how(verdict), ""]
    if base is not None:
        lines += [
            f"Baseline: round {base.round}, promoted {base.promoted} by {base.by}: {_cell(base.reason)}",
            "",
        ]
    return "\n".join(lines)


def how(verdict: Verdict) -> str:
    """Describe the tests and the certainty of a verdict."""
    same = sum(cell.standing is Standing.SAME_CODE for cell in verdict.cells)
    parts = []
    if same:
        parts.append(
            f"{counted(same, 'cell')} of the baseline's firmware, medium and engine, byte for byte, "
            f"{'needs' if same == 1 else 'need'} no test."
        )
    if verdict.findings:
        tested = counted(len({(finding.experiment, finding.cell) for finding in verdict.findings}), "cell")
        red = sum(finding.kind in RED_KINDS for finding in verdict.findings)
        parts += [
            f"{counted(len(verdict.findings), 'metric')} of {tested} tested against changes of more than "
            f"{100 * verdict.judging.effect:g} % (points of a share), {red} red.",
            f"Since the promotion this is tested night {verdict.night}: all its tests together give a "
            f"false alarm in at most {100 * verdict.level:.2g} % of cases, and all nights until the next "
            f"promotion in at most {100 * verdict.judging.false_alarms:g} %.",
        ]
    return " ".join(parts) or "Nothing was tested."


def _cell(text: str) -> str:
    """Text for a cell of a table in Markdown."""
    return text.replace("|", "\\|").replace("<", "&lt;")
