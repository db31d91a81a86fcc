# SPDX-License-Identifier: Apache-2.0
r"""Writes what a paper needs of an experiment: figures, tables, and a paragraph on setup and versions.

FOLDER/paper.tex is a document of all of it, to try; a paper reads setup.tex and results.tex by \input.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from orchestrate_spark.jobs.metrics import computed_by

from orchestrator.durable import rewrite
from orchestrator.report import figure_files, findings, latex, provenance
from orchestrator.report.data import Results
from orchestrator.report.generic import file_name
from orchestrator.report.latex import tex
from orchestrator.report.metrics import ranked
from orchestrator.report.model import Figure, Section, Text, of_section
from orchestrator.report.render import Page
from orchestrator.report.statistics import CI, METHOD, with_interval
from orchestrator.runs.manifest import LOG_FILE, Manifest
from orchestrator.words import enumerated, first_of

FORMATS = ("pdf", "pgf", "csv")
MOST_COLUMNS = 4  # of metrics in a table, which then fits a page
MOST_VALUES = 8  # of an axis that are named
FIRST_BYTES = 65_536  # of a log, in which Contiki-NG says what it is
_NOT_FIRST = ("found", "results")  # sections: before these two stand those that answer what was asked
_VERSION = re.compile(rb"Starting (Contiki[!-~]*)")


def write(
    results: Results,
    page: Page,
    folder: Path,
    width: float | None = None,
    stage: Callable[..., None] = lambda *_: None,
) -> Path:
    """Write the files into `folder` and return the path of paper.tex. `width`: of the figures, inches."""
    chosen = _sections(page)
    figures = [figure for section in chosen for figure in of_section(section)]
    stage("writing figures and tables")
    folder.mkdir(parents=True, exist_ok=True)
    figure_files.write(folder, [(figure, FORMATS) for figure in figures], width)
    files = {
        "setup.tex": _paragraph(results, chosen),
        "results.tex": tables(results),
        "figures.tex": "".join(map(_figure, figures)),
        "paper.tex": _document(results),
    }
    for name, text in files.items():
        rewrite(folder / name, text.encode())
    return folder / "paper.tex"


def _sections(page: Page) -> list[Section]:
    """Return the sections that answer what the experiment asked; without any, the common results."""
    ids = [section.id for section in page.sections]
    first = page.sections[: ids.index("results")] if "results" in ids else page.sections
    asked = [section for section in first if section.id not in _NOT_FIRST and of_section(section)]
    return asked or [section for section in page.sections if section.id == "results"]


def tables(results: Results) -> str:
    """Return the totals of all cells as booktabs tables, with their intervals and definitions."""
    own = [metric for metric in sorted(results.own) if "total" in results.keys(metric)]
    metrics = [metric for metric in (*ranked("column"), *own) if results.cells_with(metric)]
    parts = []
    for at in range(0, len(metrics), MOST_COLUMNS):
        some = metrics[at : at + MOST_COLUMNS]
        shown = [results.shown(metric) for metric in some]
        rows = [(cell, [_entry(results, cell, metric) for metric in some]) for cell in results.cells]
        meanings = "; ".join(
            f"{how.title}: {how.declared.definition.rstrip('.')}" for how in shown if how.declared.definition
        )
        several = any(len(results.seeds(cell)) > 1 for cell in results.cells)
        interval = ", below it the 95\u00a0% confidence interval" if several else ""
        caption = tex(f"Mean over seeds{interval}. {meanings}.")
        part = at // MOST_COLUMNS + 1
        heads = ["Cell", *(how.head for how in shown)]
        parts.append(latex.table(heads, rows, caption, f"tab:{file_name(results.experiment)}-{part}"))
    return "\n".join(parts)


def _entry(results: Results, cell: str, metric: str) -> tuple[str, str]:
    how = results.shown(metric)
    value = results.estimate(cell, metric, scale=how.scale)
    text, detail = with_interval(value, how.declared.decimals)
    return text, detail.removeprefix(CI + " ").split(", n")[0]


def _paragraph(results: Results, sections: Sequence[Section]) -> str:
    sentences = [findings.ran(results), *setup(results.manifests)]
    several = any(len(results.seeds(cell)) > 1 for cell in results.cells)
    if several:
        sentences.append(f"Numbers are means over seeds with 95\u00a0% confidence intervals ({METHOD}).")
    sentences += _versions(results)
    notes = [
        text
        for section in sections
        for block in section.blocks
        if isinstance(block, Text) and block.kind == "note"
        for text in block.paragraphs
    ]
    return "\n\n".join([tex(" ".join(sentences)), *map(tex, notes)]) + "\n"


def setup(runs: Sequence[Manifest]) -> list[str]:
    """Return sentences about networks, radio, run time and what cells differ in; none without manifests."""
    if not runs:
        return []
    sentences = []
    sizes = [len(run.motes) for run in runs if run.motes]
    if sizes:
        shapes = sorted({run.resolved.topology.shape for run in runs})
        sentences.append(f"A network has {_span(sizes)} motes (topology: {enumerated(shapes)}).")
    if media := _radio(runs):
        sentences.append(f"The radio {'medium is' if len(media) == 1 else 'media are'} {enumerated(media)}.")
    long = [run.statistics.sim_us / 1e6 for run in runs]
    where = "on motes" if all(run.engine.name == "testbed" for run in runs) else "of simulated time"
    sentences.append(f"A run takes {_span([round(s, 1) for s in long])}\u00a0s {where}.")
    axes: dict[str, list[str]] = {}
    for run in runs:
        for axis, value in run.settings.items():
            values = axes.setdefault(axis, [])
            if str(value) not in values:
                values.append(str(value))
    varied = [f"{axis} ({first_of(values, MOST_VALUES)})" for axis, values in axes.items() if len(values) > 1]
    if varied:
        sentences.append(f"Cells differ in {enumerated(varied)}.")
    return sentences


def _span(numbers: Iterable[float]) -> str:
    ordered = sorted(numbers)
    return f"{ordered[0]:g}" if ordered[0] == ordered[-1] else f"{ordered[0]:g} to {ordered[-1]:g}"


def _radio(runs: Sequence[Manifest]) -> list[str]:
    """Return the media, those of unit disk graphs with their numbers; none of runs on real motes."""
    radios = [run.resolved.radio for run in runs if run.engine.name != "testbed"]
    media = sorted({radio.medium for radio in radios})
    disks = [radio for radio in radios if radio.medium == "udgm"]
    numbers = [
        f"{name} {_span(round(factor * getattr(radio, field), 6) for radio in disks)}\u00a0{unit}"
        for name, field, factor, unit in (
            ("range", "range_m", 1, "m"),
            ("interference", "interference_m", 1, "m"),
            ("success of transmission", "tx_ratio", 100, "%"),
            ("success of reception", "rx_ratio", 100, "%"),
        )
        if disks
    ]
    return [f"{medium} ({', '.join(numbers)})" if medium == "udgm" else medium for medium in media]


def _versions(results: Results) -> list[str]:
    runs = results.manifests
    if not runs:
        return []
    engines = sorted({(run.engine.name, run.engine.version[:12], run.engine.rules) for run in runs})
    described = [
        f"{name} (version {version}{f', rules of Cooja {rules}' if rules else ''})"
        for name, version, rules in engines
    ]
    sentences = [
        f"Runs were made by orchestrate {enumerated(sorted({run.orchestrate for run in runs}))} with the "
        f"engine{'s' if len(described) > 1 else ''} {enumerated(described)}."
    ]
    if names := _systems(results):
        sentences.append(f"The firmware calls its system {enumerated(names)}.")
    firmware = sorted({f"{kind} {digest[:12]}" for run in runs for kind, digest in run.firmware.items()})
    if firmware:
        sentences.append(f"Firmware (SHA-256): {first_of(firmware, MOST_VALUES)}.")
    if by := computed_by(results.folder):
        sentences.append(f"Metrics were computed by {by}.")
    sentences.append(f"Digest of all logs: {provenance.log_digest(runs)[:16]}.")
    return sentences


def _systems(results: Results) -> list[str]:
    """Return what the firmware of each cell prints as its system's name and version when it boots."""
    names = set()
    for run in filter(None, map(results.manifest, results.cells)):
        log = results.folder / "runs" / run.run_id / LOG_FILE
        if log.is_file():
            with log.open("rb") as stream:
                names.update(_VERSION.findall(stream.read(FIRST_BYTES)))
    return sorted(name.decode() for name in names)


def _figure(figure: Figure) -> str:
    size = r"\textwidth" if figure.wide else r"0.6\textwidth"
    named = figure.caption.startswith(figure.title)
    caption = tex(figure.caption if named else f"{figure.title}. {figure.caption}")
    return (
        f"\\begin{{figure}}[tbp]\n\\centering\n\\includegraphics[width={size}]{{figures/{figure.name}.pdf}}\n"
        f"\\caption{{{caption}}}\\label{{fig:{figure.name}}}\n\\end{{figure}}\n"
    )


def _document(results: Results) -> str:
    return rf"""\documentclass{{article}}
\usepackage[T1]{{fontenc}}
\usepackage[utf8]{{inputenc}}
\usepackage{{textcomp,graphicx,booktabs,longtable}}
\extrafloats{{200}}
\title{{{tex(results.experiment)}}}
\author{{}}
\date{{}}
\begin{{document}}
\maketitle
\section*{{Setup}}
\input{{setup}}
\section*{{Results}}
\input{{results}}
\clearpage
\input{{figures}}
\end{{document}}
"""
