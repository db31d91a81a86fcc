# SPDX-License-Identifier: Apache-2.0
"""Figures as files for a paper: every format, the same bytes, the numbers that are drawn."""

import base64
import csv
import os
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree as etree

import metrics_store
import pytest
from markup import Markup

from orchestrator.cli.app import main
from orchestrator.features.aggregation.paper.measures import MEASURES
from orchestrator.report import charts, layouts, page, quantiles
from orchestrator.report.data import read
from orchestrator.report.drawing import COLUMNS, FORMATS
from orchestrator.report.pgf import escape
from orchestrator.scenario.model import TopologySpec
from orchestrator.statistics.estimates import NOTHING, estimate
from orchestrator.topology import draw
from orchestrator.topology.shapes import layout
from tests.waiting import HANG_S

HOSTILE = "100 % of $x_1^2$ & \\input{x} # {}~\u2212\u2013\u00fc"
LAYOUT = layout(TopologySpec("chain", {}), 50.0)
LATEX = shutil.which("pdflatex")


def drawings() -> dict:
    """One of each kind, with names that a user could choose."""
    some = [estimate([3.0, 4.0, 5.5]), NOTHING, estimate([7.0])]
    labels = ["H5", HOSTILE, "a rather long name of a cell"]
    return {
        "bars": charts.bars(
            labels,
            [
                charts.Series("one", some, [1.0, None, 2.0], [(3.5, "paper"), None, None]),
                charts.Series(HOSTILE, some),
            ],
            "events, %",
            notes=["a\nb", "", ""],
        ),
        "profile": charts.profile(
            labels, [charts.Series("H5", some, cell="H5"), charts.Series("L5", some, cell="L5")], "packets"
        ),
        "forest": charts.forest(
            [charts.Row(name, [value, value]) for name, value in zip(labels, some)],
            ["without", "with"],
            "loss, %",
            references=(charts.Reference(4.0), charts.Reference(5.0, "paper: 5 %")),
        ),
        "spans": quantiles.spans(
            labels, [1.0, 2.0, 3.0], [2.0, 3.0, 4.0], [3.0, 4.0, 5.0], [400.0, 5.0, 6.0], "ms"
        ),
        "curves": quantiles.curves([("H5", [0.0, 10.0, 1000.0], [0.0, 0.5, 1.0])], "delay, ms", "share"),
        "layout": layouts.drawing(LAYOUT, draw.picture(LAYOUT, 50.0)),
    }


@pytest.fixture(scope="module")
def few(tmp_path_factory):
    return metrics_store.store(
        tmp_path_factory.mktemp("few"), cells=("H5", "H5A", "H10", "H10A"), seeds=range(1, 4)
    )


@pytest.fixture(scope="module")
def whole(few):
    """A report of four cells in every format, its figures as wide as a journal's column."""
    assert (
        main(
            [
                "report",
                "aggregation-paper",
                "--store",
                str(few),
                "--figures",
                "csv,pgf, PDF,svg",
                "--figure-width",
                "84mm",
            ]
        )
        == 0
    )
    return few / "aggregation-paper" / "report"


def test_every_figure_has_its_files_and_the_page_links_them(whole):
    shown = Markup((whole / "index.html").read_text(encoding="utf-8"))
    names = {tag["id"].removeprefix("figure-") for tag in shown.all("figure")}
    assert {file.name for file in (whole / "figures").iterdir()} == {
        f"{name}.{form}" for name in names for form in FORMATS
    }
    links = {tag["href"] for tag in shown.all("a")}
    beside = {link for link in links if not link.startswith(("#", "data:text/csv;base64,"))}
    assert beside == {f"figures/{name}.{form}" for name in names for form in ("pdf", "pgf")}
    assert "beside this page" in shown.text
    within = {base64.b64decode(link.split(",", 1)[1]) for link in links if link.startswith("data:")}
    assert within == {file.read_bytes() for file in (whole / "figures").glob("*.csv")}


def test_files_are_as_wide_as_the_column_and_the_page_is_not_changed_by_that(whole):
    assert 'width="238.11' in (whole / "figures" / "figure-7e.svg").read_text()[:900]  # 84 mm in pt
    assert 'width="3.3071in"' in (whole / "figures" / "topology-h10.svg").read_text()[:900]
    assert b"/MediaBox [ 0 0 238.11" in (whole / "figures" / "figure-7e.pdf").read_bytes()
    assert "{3.307087in}" in (whole / "figures" / "figure-7e.pgf").read_text()
    shown = Markup((whole / "index.html").read_text(encoding="utf-8")).all("img")
    assert (
        all(b"238.11" not in base64.b64decode(tag["src"].split(",", 1)[1])[:900] for tag in shown)
        and len(shown) > 10
    )


def test_the_csv_has_the_numbers_that_are_drawn(whole, few):
    rows = list(csv.DictReader((whole / "figures" / "figure-7e.csv").read_text().splitlines()))
    assert tuple(rows[0]) == COLUMNS and [row["cell"] for row in rows] == ["H5", "H5A", "H10", "H10A"]
    results = read(few, "aggregation-paper")
    for row in rows:
        ours = MEASURES["counted"].estimate(results, row["cell"])
        assert (int(row["n"]), float(row["mean"]), float(row["ci_low"]), float(row["ci_high"])) == (
            3,
            ours.mean,
            ours.low,
            ours.high,
        )
    assert float(rows[3]["paper"]) > 0 and rows[2]["paper"] == "" and float(rows[2]["ideal"]) > 0
    nodes = list(csv.DictReader((whole / "figures" / "figure-7a-h10.csv").read_text().splitlines()))
    assert {(row["cell"], row["key"]) for row in nodes} >= {
        ("H10", "packets_sent/P1"),
        ("H10", "packets_received/S"),
    }
    motes = list(csv.DictReader((whole / "figures" / "topology-h5.csv").read_text().splitlines()))
    assert motes[2] == {
        "mote": "3",
        "name": "P2",
        "role": "publisher",
        "x_m": "10.0",
        "y_m": "0.0",
        "parent": "2",
    }


def digests(hash_seed: str) -> str:
    code = (
        "import hashlib, test_figure_files as t\n"
        "print([hashlib.sha256(d.file(f, 3.3)).hexdigest() for d in map(t.drawings().get, ('bars', "
        "'layout')) for f in t.FORMATS])"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=os.path.dirname(__file__),
        capture_output=True,
        text=True,
        check=True,
        env={**os.environ, "PYTHONHASHSEED": hash_seed, "TZ": f"UTC+{hash_seed}"},
    )
    return done.stdout


def test_the_same_bytes_in_another_process():
    assert digests("1") == digests("2")


def test_files_hold_no_date_and_no_path():
    for name, one in drawings().items():
        for form in ("pdf", "pgf", "svg"):
            content = one.file(form)
            assert not re.search(rb"CreationDate|ModDate|matplotlib\.org|<dc:date>|/usr/|/home/", content), (
                name,
                form,
            )
        assert one.file("pdf").startswith(b"%PDF") and etree.fromstring(one.file("svg")).get("viewBox")


def test_pgf_is_written_without_latex(monkeypatch):
    monkeypatch.setenv("PATH", "")
    for one in drawings().values():
        content = one.file("pgf").decode()
        assert "mathdefault" not in content
        assert content.count("\\begin{pgfscope}") == content.count("\\end{pgfscope}") > 3
    assert (
        "\\input" not in escape(HOSTILE).replace("\\textbackslash{}input", "")
        and escape("\u4e2d\x07") == "??"
        and escape("a_b%") == "a\\_b\\%"
    )


@pytest.mark.skipif(not LATEX, reason="no LaTeX (pdflatex with pgf)")
def test_latex_compiles_every_kind_of_figure(tmp_path, whole):
    for name, one in drawings().items():
        (tmp_path / f"{name}.pgf").write_bytes(one.file("pgf", 3.3))
    names = [*drawings(), "figure-7a-h10", "figure-7e", "headline-reduction", "topology-h10"]
    for name in names[6:]:
        shutil.copy(whole / "figures" / f"{name}.pgf", tmp_path)
    body = "\n\n".join(f"\\noindent\\input{{{name}.pgf}}" for name in names)
    (tmp_path / "paper.tex").write_text(
        "\\documentclass{article}\\usepackage[T1]{fontenc}\\usepackage{pgf}\n"
        f"\\begin{{document}}\n{body}\n\\end{{document}}\n"
    )
    done = subprocess.run(
        [LATEX, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "paper.tex"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        timeout=HANG_S,
        errors="replace",
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert (tmp_path / "paper.pdf").stat().st_size > 10_000
    assert "Missing character" not in done.stdout and "Overfull" not in done.stdout


@pytest.mark.parametrize(
    ("option", "said"),
    [
        (["--figures", "svg,eps"], "no format eps"),
        (["--figure-width", "84"], "millimetres"),
        (["--figure-width", "9m"], "between"),
    ],
)
def test_what_cannot_be_is_said(option, said, store, capsys):
    assert main(["report", "aggregation-paper", "--store", str(store), *option]) == 2
    assert said in capsys.readouterr().err


def test_a_default_report_makes_svg_and_csv_only(index):
    assert {file.suffix for file in (index.parent / "figures").iterdir()} == {
        f".{form}" for form in page.DEFAULT_FORMATS
    }


OURS = pytest.mark.full(instead="aggregation-figures and an experiment that is no paper's have them")


@pytest.mark.parametrize(
    "experiment",
    [
        "aggregation-figures",
        pytest.param("aggregation-deployment", marks=OURS),
        pytest.param("aggregation-sensitivity", marks=OURS),
        "any",
    ],
)
def test_every_report_of_ours_has_each_figure_in_each_format(tmp_path, experiment):
    store = metrics_store.store(tmp_path, experiment, cells=("H5", "H5A"), seeds=range(1, 3))
    folder = page.write(store, experiment, FORMATS, 3.3).parent
    names = {
        tag["id"].removeprefix("figure-")
        for tag in Markup((folder / "index.html").read_text(encoding="utf-8")).all("figure")
    }
    assert names and {file.name for file in (folder / "figures").iterdir()} == {
        f"{name}.{form}" for name in names for form in FORMATS
    }
