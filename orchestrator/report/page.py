# SPDX-License-Identifier: Apache-2.0
"""Writes an experiment's report: report/index.html and the files in report/figures/, from its metrics."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from orchestrator import __version__, feature
from orchestrator.durable import rewrite
from orchestrator.report import (
    axes,
    figure_files,
    findings,
    generic,
    layouts,
    missing,
    paper,
    provenance,
    replay,
    twice,
)
from orchestrator.report.budget import fitted
from orchestrator.report.data import Results, read
from orchestrator.report.model import Listing, Section, paragraph
from orchestrator.report.render import Page, figures, with_distinct_names
from orchestrator.report.replay import cells
from orchestrator.report.statistics import number
from orchestrator.words import counted

DEFAULT_FORMATS = ("svg", "csv")


def write(
    store_folder: Path,
    experiment: str,
    formats: Sequence[str] = DEFAULT_FORMATS,
    width: float | None = None,
    replays: bool = True,
    stage: Callable[..., None] = lambda *_: None,
    out: Path | None = None,
    audience: str = "screen",
) -> Path:
    """Write the report of an experiment and return the path of its index.html.

    `audience`: "paper" writes LaTeX with figures into the folder `paper` instead (paper.py), and returns the
    path of its document.

    `formats`: of the files made of each figure in figures/ (drawing.FORMATS); `width`: of these, inches
    (default: each figure's own). The page itself contains every picture with its numbers and links to files
    of other formats. `replays`: also write the replay of each traced cell's first seed. `stage` gets the
    progress. `out`: the folder to write to, by default STORE/EXPERIMENT/report.

    The page replaces an older one in one step; figures that are no longer part of it are removed. Raises
    NoSuchThing if the store has no metrics of the experiment, StorageFailed if they can't be read.
    """
    stage("reading the metrics")
    results = read(Path(store_folder), experiment)
    folder = out or results.folder / "report"

    if audience == "paper":
        return paper.write(results, with_distinct_names(build(results)), folder / "paper", width, stage)

    def with_replays(page: str) -> str:
        without = cells.write(results.folder, folder, results.manifests) if replays else []
        return replay.linked(page, results.folder, folder, cells.note(experiment, without))

    stage("arranging the page")
    return write_page(folder, build(results), formats, width, stage, with_replays)


def write_page(
    folder: Path,
    page: Page,
    formats: Sequence[str] = DEFAULT_FORMATS,
    width: float | None = None,
    stage: Callable[..., None] = lambda *_: None,
    finished: Callable[[str], str] = str,
) -> Path:
    """Write folder/index.html, whose path is returned, and folder/figures/; `finished` ends the HTML."""
    linked = tuple(form for form in formats if form not in DEFAULT_FORMATS)
    page = fitted(replace(page, linked=linked), stage=stage)
    stage("writing the page")
    folder.mkdir(parents=True, exist_ok=True)
    files = [
        (figure, sorted({*formats, *(DEFAULT_FORMATS if figure.name in page.outside else ())}))
        for figure in figures(page)
    ]
    figure_files.write(folder, files, width)
    index = folder / "index.html"
    rewrite(index, finished(page.html).encode())
    return index


def build(results: Results) -> Page:
    """Return the page as values: the experiment's own sections, then those that every report has."""
    # A paper's results that need several experiments have a page of their own instead (papers/page.py); this
    # one is written in the formats and widths that `orchestrate report` is asked for.
    reference = feature.find("experiments", results.experiment)
    extension = feature.resolve(reference) if reference else None
    own = extension.sections(results) if extension else []
    lacks = missing.missing(results)
    rows = axes.compared(results)
    findings_section = findings.section(results, rows, lacks)
    kinds = feature.listed("sections")
    leading = [kind for kind in kinds if getattr(kind, "LEADS", False)]
    first = [section for kind in leading if (section := kind.section(results))]
    common = twice.without(generic.sections(results, lacks, axes.section(rows)), [*own, *first])
    rest = [
        *(kind.section(results) for kind in (*kinds, layouts) if kind not in leading),
        _scenario(results),
        provenance.section(results),
    ]
    title = extension.title(results) if extension else results.experiment
    # Sections of an experiment's own come first: they answer what it asked.
    sections = (*own, findings_section, *first, *common, *filter(None, rest))
    return Page(title, _subtitle(results), _facts(results), sections, f"orchestrate {__version__}")


def _subtitle(results: Results) -> str:
    return (
        f"Experiment {results.experiment}: {counted(len(results.cells), 'cell')} with the "
        f"seed{'s' if len(_seeds(results)) != 1 else ''} {provenance.seeds_in_words(_seeds(results))}"
    )


def _seeds(results: Results) -> list[int]:
    return sorted({int(seed) for seed in results.per_run["seed"]})


def _facts(results: Results) -> tuple[tuple[str, str], ...]:
    runs = results.manifests
    facts = [
        ("Cells", number(len(results.cells), 0)),
        ("Seeds", number(len(_seeds(results)), 0)),
        ("Runs in the numbers", f"{number(len(results.measured), 0)} of {number(results.planned, 0)}"),
    ]
    if runs:
        seconds = provenance.simulated_s(runs)
        spent = f"{number(seconds / 60, 0)} min" if seconds >= 60 else f"{number(seconds, 0)} s"
        facts += [(provenance.time_title(runs), spent)]
    return tuple(facts)


def _scenario(results: Results) -> Section | None:
    if not results.scenario:
        return None
    return Section(
        "scenario", "Scenario", (paragraph(_came_from(results)), Listing("scenario.yaml", results.scenario))
    )


def _came_from(results: Results) -> str:
    embedded = {manifest.engine.name for manifest in results.manifests} == {"embedded"}
    return "The scenario file of this experiment." + (
        " With the engine and the firmware named below, the same file and seeds give the same logs, byte for "
        "byte."
        if embedded
        else ""
    )
