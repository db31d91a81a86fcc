# SPDX-License-Identifier: Apache-2.0
"""A new metric is one file, in the package's folder or of the user's own: what it says of itself is in
tables, report and comparison.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
from dataclasses import asdict

import pytest
from compared_store import cell, store, values
from orchestrate_spark import document, metrics
from orchestrate_spark.jobs.metrics import own_metrics_in
from orchestrate_spark.metrics import built_in, families
from orchestrate_spark.metrics.model import SHARE, Family, Metric

from orchestrator.report import page
from orchestrator.report.comparison.phrases import entries
from orchestrator.report.comparison.rows import compare
from orchestrator.report.comparison.sides import side
from orchestrator.report.data import read
from orchestrator.report.metrics import order, ranked, shown
from orchestrator.report.model import Table
from orchestrator.report.render import figures

FILE = """
from orchestrate_spark.metrics.model import SHARE, Family, Metric

FAMILY = Family("idling", None, {"idle_share": Metric(
    SHARE, "time without a frame / measured time", "section 9", title="Idle air", kind="total", better="higher", decimals=1,
    meaning="no frame on the air", needs="nrg", by="publisher", place=15, column=15, step=15, expected=15)})
"""  # noqa: E501
OWN = Metric(
    "V", "what the battery has left", title="Battery left", better="higher", decimals=2, by="mote", least=None
)


@pytest.fixture
def one_file(tmp_path, monkeypatch):
    """The file in a folder of the package."""
    folder = tmp_path / "package"
    folder.mkdir()
    (folder / "idling.py").write_text(FILE)
    monkeypatch.setattr(metrics, "__path__", [*metrics.__path__, str(folder)])
    for cached in (families, built_in):
        cached.cache_clear()
    yield
    sys.modules.pop("orchestrate_spark.metrics.idling", None)
    for cached in (families, built_in):
        cached.cache_clear()


def stored(tmp_path, metric: str, least: float = 0.5):
    """Two cells of three seeds, with a metric of that name by publisher and in total."""

    def of(name: str, seed: int):
        value = least + (0.25 if name == "6" else 0.0) + seed / 100
        return [*values(100, 0.0), *((metric, key, value) for key in ("P1", "P2", "total"))]

    cells = {"5": cell(), "6": cell(rx=0.9)}
    return store(tmp_path, "one", cells, of, seeds=range(1, 4))


def tables(of_page) -> dict[str, Table]:
    return {
        block.title: block
        for section in of_page.sections
        for block in section.blocks
        if isinstance(block, Table)
    }


def test_one_file_is_in_tables_report_and_comparison(one_file, tmp_path):
    assert (
        "| `idle_share` | share | higher | time without a frame / measured time | section 9 | `nrg` |"
        in document.metrics()
    )
    folder = stored(tmp_path, "idle_share")
    results = read(folder, "one")
    how = results.shown("idle_share")
    assert (how.title, how.unit, how.scale, how.kind, how.bounds, how.declared.better) == (
        "Idle air",
        "%",
        100,
        "total",
        (0, 1),
        "higher",
    )
    assert order("events_transmitted") < order("idle_share") < order("reduction")
    built = page.build(results)
    whole = tables(built)["All cells"]
    place = whole.columns.index("Idle air, %")
    assert whole.columns[place - 1] == "Published events" and [row[place].text for row in whole.rows] == [
        "52.0",
        "77.0",
    ]
    captions = {figure.title: figure.caption for figure in figures(built)}
    assert "Idle air by cell, in %: no frame on the air." in captions["Idle air"]
    assert captions["Idle air, by publisher"].startswith("Idle air by publisher, in %; no frame on the air")
    rows = compare(side(folder, "one/5"), side(folder, "one/6")).rows
    (row,) = (row for row in rows if row.metric == "idle_share")
    assert (
        entries(row)[0] == "Idle air, %"
        and row.difference.mean == pytest.approx(25)
        and row.verdict[0].startswith("larger")
    )


def test_where_it_is_expected_and_missing_the_report_says_so(one_file, tmp_path):
    assert all("idle_share" in ranked(rank) for rank in ("expected", "column", "step"))
    results = read(store(tmp_path, "one", {"5": cell()}, lambda name, seed: values(100, 0.0)), "one")
    missing = {row[0].text: row[2].text for row in tables(page.build(results))["Not measured"].rows}
    (why,) = (why for titles, why in missing.items() if "Idle air" in titles)
    assert "!nrg" in why


def test_one_of_the_user_s_own_says_as_much(tmp_path):
    folder = stored(tmp_path, "battery", least=2.0)
    entry = {"own": {"power": {"given": "power.py", "sha256": "0", "metrics": {"battery": asdict(OWN)}}}}
    (folder / "one" / "metrics" / "index.json").write_text(json.dumps(entry))
    assert own_metrics_in(folder / "one") == {"battery": OWN}
    results = read(folder, "one")
    how = results.shown("battery")
    assert (how.title, how.unit, how.bounds) == ("Battery left", "V", (-math.inf, math.inf))
    built = page.build(results)
    assert tables(built)["All cells"].columns[-1] == "Battery left, V"
    captions = {figure.title: figure.caption for figure in figures(built)}
    for title in ("Battery left", "Battery left, by mote"):
        assert "what the battery has left; higher is better" in captions[title]
    rows = compare(side(folder, "one/5"), side(folder, "one/6"), metrics=["battery"]).rows
    assert [(entries(row)[0], row.how.declared.better) for row in rows] == [("Battery left, V", "higher")]


def test_short_declarations_and_those_of_stores_from_before(tmp_path):
    family = Family(
        "f",
        None,
        {"sizes": ("messages", "what", "-"), "rate": (SHARE, "how often", "-")},
        histograms=("sizes",),
    )
    assert (family.declared["sizes"].kind, family.declared["rate"].kind) == ("histogram", "")
    assert [one.least for one in family.declared.values()] == [None, 0.0]
    (tmp_path / "metrics").mkdir()
    entry = {
        "metrics": {"sizes": ["messages", "what", "-"], "rate": [SHARE, "how often", "-"]},
        "histograms": ["sizes"],
    }
    (tmp_path / "metrics" / "index.json").write_text(json.dumps({"own": {"f": entry}}))
    assert own_metrics_in(tmp_path) == family.declared
    assert shown("rate", ["total", "P1"], family.declared).meaning == "how often"


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        ({"kind": "pie"}, "kind is 'pie'; there are: total, node"),
        ({"better": "more"}, "there are: higher, lower"),
    ],
)
def test_a_kind_or_direction_that_is_none_is_refused(wrong, said):
    with pytest.raises(ValueError, match=said):
        Metric("V", "what it is", **wrong)


def test_what_metrics_say_of_themselves_takes_no_spark():
    """A report that is up to date does not pay for importing it."""
    check = (
        "import sys; from orchestrator.report import page; from orchestrate_spark.metrics import built_in; "
        "assert built_in()"
    )
    subprocess.run([sys.executable, "-c", check + "; assert 'pyspark' not in sys.modules"], check=True)
