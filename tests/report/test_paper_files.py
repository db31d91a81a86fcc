# SPDX-License-Identifier: Apache-2.0
"""`report --for paper`: LaTeX that compiles, with the page's numbers, whatever the cells are called."""

import json
import re
import shutil
import subprocess

import metrics_store
import pytest
from test_page import HOSTILE

from orchestrator.cli.app import main
from orchestrator.report import latex
from orchestrator.report.data import read
from orchestrator.report.statistics import number

NAMES = {"H5": HOSTILE, "H5A": "[a] \\end{document} 5 m × Ω%", "L5": "* ~ `x` “y” – #1 {"}


@pytest.fixture(scope="module")
def paper(tmp_path_factory):
    """The folder of the files for a paper, and the experiment's results."""
    folder = tmp_path_factory.mktemp("paper")
    store = metrics_store.store(folder, "hostile", cells=tuple(NAMES), seeds=(1, 2), rename=NAMES)
    (folder / "hostile" / "campaign.json").unlink(missing_ok=True)
    assert main(["report", "hostile", "--store", str(store), "--for", "paper", "--json"]) == 0
    return folder / "hostile" / "report" / "paper", read(store, "hostile")


def test_the_table_has_the_page_s_means_and_intervals(paper):
    folder, results = paper
    text = (folder / "results.tex").read_text()
    for cell in results.cells:
        value = results.estimate(cell, "event_loss_rate", scale=100)
        for shown in (value.mean, value.low, value.high):
            assert number(shown, 2) in text, f"the loss of {cell}"
    assert text.count(r"\toprule") == text.count(r"\bottomrule") > 0


def test_the_paragraph_states_setup_seeds_intervals_and_versions(paper):
    folder, results = paper
    text = (folder / "setup.tex").read_text()
    run = results.manifests[0]
    for word in ("2 seeds", "confidence interval", run.orchestrate, run.engine.name, run.engine.rules):
        assert word in text
    assert all(digest[:12] in text for digest in run.firmware.values())


def test_every_figure_is_there_as_pdf_and_pgf(paper):
    folder, _ = paper
    names = re.findall(r"\\includegraphics\[[^]]*\]\{(.*?)\.pdf\}", (folder / "figures.tex").read_text())
    assert len(names) == len(set(names)) > 2
    for name in names:
        assert (folder / f"{name}.pdf").read_bytes().startswith(b"%PDF")
        assert (folder / f"{name}.pgf").is_file() and (folder / f"{name}.csv").is_file()


def test_hostile_names_leave_the_latex_whole(paper):
    folder, _ = paper
    for name in ("setup", "results", "figures"):
        text = re.sub(r"\\[\\{}$&#%_]", "", (folder / f"{name}.tex").read_text())
        depth = 0
        for sign in text:
            depth += {"{": 1, "}": -1}.get(sign, 0)
            assert depth >= 0, name
        assert depth == 0 and r"\end{document}" not in text
        begun, ended = (sorted(re.findall(rf"\\{word}{{(\w+)}}", text)) for word in ("begin", "end"))
        assert begun == ended


def test_a_table_of_many_rows_goes_on_over_pages():
    rows = [(f"cell {place}", [("1", "0 to 2")]) for place in range(latex.MOST_ROWS + 1)]
    text = latex.table(["Cell", "Loss"], rows, "Means", "tab:x")
    begun, ended = (re.findall(rf"\\{word}{{(\w+)}}", text) for word in ("begin", "end"))
    assert sorted(begun) == sorted(ended) and "longtable" in begun and "table" not in begun
    assert text.count("Loss") == 2, "each page has the head"
    assert all(name in text for name, _ in rows) and text.count(r"\caption") == 1


@pytest.mark.skipif(not shutil.which("pdflatex"), reason="no pdflatex")
def test_pdflatex_compiles_it(paper, tmp_path):
    folder, _ = paper
    command = ["pdflatex", "-interaction=nonstopmode", "-halt-on-error", f"-output-directory={tmp_path}"]
    done = subprocess.run([*command, "paper.tex"], cwd=folder, capture_output=True, check=False)
    assert done.returncode == 0, done.stdout.decode("latin-1")[-1500:]
    assert (tmp_path / "paper.pdf").is_file()


def test_options_of_the_page_are_refused(paper):
    folder, _ = paper
    for option in (["--open"], ["--figures", "pgf"]):
        assert main(["report", "hostile", "--store", str(folder.parents[2]), "--for", "paper", *option]) == 2


def test_json_names_the_document(paper, capsys):
    folder, _ = paper
    store = folder.parents[2]
    assert main(["report", "hostile", "--store", str(store), "--for", "paper", "--json"]) == 0
    shown = json.loads(capsys.readouterr().out)
    assert shown["paper"] == str(folder / "paper.tex") and len(shown["figures"]) > 5
