# SPDX-License-Identifier: Apache-2.0
"""The texts of an artifact that people read: README.md and LICENSE."""

from __future__ import annotations

from collections.abc import Sequence

from orchestrator import __version__
from orchestrator.features.export.citation import About
from orchestrator.features.export.contents import STORE, Chosen
from orchestrator.runs.manifest import AIR_FILE, Manifest
from orchestrator.words import counted


def readme(about: About, chosen: Chosen, paths: Sequence[str]) -> bytes:
    """Return README.md."""
    there = set(paths)
    engines = sorted({f"{run.engine.name}, rules {run.engine.rules}" for run in chosen.all()})
    trees = {run.built.tree for run in chosen.all() if run.built.tree}
    lines = [
        f"# {about.title}",
        "Simulation runs of Contiki motes, made by `orchestrate`.",
        "",
        "## Run it again and check it",
        f"Install `orchestrate` {__version__} with the packages of requirements.txt, a C compiler and make.",
        "Then, in this folder:",
        "```",
        "orchestrate export --check .",
        "```",
        "The command compares every file with checksums.sha256. Then it writes the .csc of each run again",
        "from its manifest, compiles the firmware again of the sources in here, runs the engine again, and",
        "compares every byte. Its exit code is 0 if all is the same. With another compiler the firmware's",
        "bytes differ; `--results` then lets the logs alone decide.",
        *(
            [
                f"Firmware was built on {counted(len(trees), 'Contiki-NG tree')} that is not in here: "
                "set $CONTIKI_NG to the same one."
            ]
            if trees
            else []
        ),
        "",
        "`sha256sum -c checksums.sha256` checks the files without `orchestrate`, and",
        f"`orchestrate reproduce EXPERIMENT/CELL/SEED --store {STORE}` makes one run again.",
        "",
        "## What is in it",
        "| experiment | runs | cells | seeds | not ok | metrics | report |",
        "|---|---|---|---|---|---|---|",
        *(_row(name, runs, there) for name, runs in sorted(chosen.runs.items())),
        "",
        f"Engine: {'; '.join(engines)}.",
        "",
        "| path | content |",
        "|---|---|",
        f"| `{STORE}/EXPERIMENT/scenario.yaml` | the scenario |",
        f"| `{STORE}/EXPERIMENT/runs/ID/` | manifest.json, simulation.csc (for Cooja) and COOJA.testlog |",
        *(
            [f"| `{STORE}/EXPERIMENT/runs/ID/{AIR_FILE}` | what was on the air, for `orchestrate ingest` |"]
            if any(path.endswith(f"/{AIR_FILE}") for path in paths)
            else []
        ),
        f"| `{STORE}/firmware/` | sources of the firmware, and application.yaml of its applications |",
        "| `versions.json` | versions of what made the runs and of what packed them |",
        "| `ro-crate-metadata.json` | the same for machines (RO-Crate 1.1) |",
    ]
    if chosen.campaigns:
        lines.append(f"| `{STORE}/campaigns/NAME/` | rounds, baselines and verdicts of the campaign |")
    if chosen.gone:
        counts = ", ".join(
            f"{counted(number, 'run')} of {name}" for name, number in sorted(chosen.gone.items())
        )
        lines += ["", f"Not in it, as the store no longer had them: {counts}."]
    return ("\n".join(lines) + "\n").encode()


def _row(name: str, runs: Sequence[Manifest], paths: set[str]) -> str:
    """Return an experiment's row in the table of README.md."""
    cells, seeds = {run.cell for run in runs}, {run.seed for run in runs}
    failed = sum(run.outcome.value != "ok" for run in runs)
    measured = "yes" if any(path.startswith(f"{STORE}/{name}/metrics/") for path in paths) else "–"
    page = f"{STORE}/{name}/report/index.html"
    link = f"[report]({page})" if page in paths else "–"
    return f"| {name} | {len(runs)} | {len(cells)} | {len(seeds)} | {failed} | {measured} | {link} |"


def licence(about: About) -> bytes:
    """Return LICENSE: an identifier, and where its text is."""
    return (
        f"SPDX-License-Identifier: {about.licence}\n\n"
        f"The data of this artifact are under the licence {about.licence}:\n"
        f"https://spdx.org/licenses/{about.licence}.html\n\n"
        f"Files in {STORE}/firmware with an SPDX-License-Identifier are under the licence that it names.\n"
    ).encode()
