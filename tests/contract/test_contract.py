# SPDX-License-Identifier: Apache-2.0
"""The contract between the embedded Contiki and a Contiki-NG tree: every application and module runs from
both.

Here a few seeds on one shape an application and MAC; all shapes and 30 seeds are `make contract`.
"""

from __future__ import annotations

import math
import os
from pathlib import Path

import pandas as pd
import pytest

from orchestrator.statistics.effects import paired_difference
from orchestrator.topology.shapes import known_shapes
from tests import needs
from tools.contract import document
from tools.contract.cases import applications, cases, modules, on_both
from tools.contract.judge import DIFFERENT, EQUAL, EQUIVALENT, UNDECIDED, Row, further_seeds, one_sided, rows
from tools.contract.measure import Measured, measured
from tools.contract.sources import NotMeasured, Sources
from tools.contract.store import Store

needs.a_compiler()
TREE = os.environ.get("CONTIKI_NG", "")
on_the_tree = pytest.mark.skipif(
    not TREE or not Path(TREE).is_dir(), reason="CONTIKI_NG names no Contiki-NG tree"
)
SEEDS = range(1, 4)
# As many events in the mean only, which three seeds don't tell.
DRAWN = {
    "duty-cycle",  # draws how many readings a burst has
    "lorry",  # beside its readings, which are equal, a mote's policies publish 2 to 12 events in a run
}


def test_every_application_and_module_on_every_shape_is_a_case(tmp_path):
    refused = []
    found = list(cases(tmp_path, refused=refused, wanted=on_both))
    assert {case.application for case in found} == set(applications()) and len(applications()) >= 4
    for name in applications():
        shapes = {case.shape for case in found if case.application == name}
        assert shapes | {
            said.partition(": ")[0].rpartition(" ")[2] for said in refused if said.startswith(f"{name} on ")
        } == set(known_shapes())
    chosen = _chosen(found)
    assert len(chosen) == len({(case.application, case.mac) for case in found})
    for shape, case in zip(list(known_shapes()) * len(chosen), chosen, strict=False):
        alike = {one.shape for one in found if (one.application, one.mac) == (case.application, case.mac)}
        assert case.shape == shape or shape not in alike, "each on another shape"
    assert {case.mac for case in found} == {"", "csma", "nullmac"}, "Contiki-NG has no radio-csma on Cooja"
    # eeprom-image is for a user's application that reads its image by position.
    assert {module for module, users in modules().items() if not users} == {"eeprom-image"}


def _chosen(found):
    """One case an application and MAC, each on another shape if the application runs on it."""
    kinds: dict[tuple[str, str], list] = {}
    for case in found:
        kinds.setdefault((case.application, case.mac), []).append(case)
    shapes = list(known_shapes())
    return [
        min(of_kind, key=lambda case: (shapes.index(case.shape) - turn) % len(shapes))
        for turn, of_kind in enumerate(kinds.values())
    ]


@pytest.mark.contiki_ng
@on_the_tree
def test_both_sources_print_the_same_records_and_send_as_much(tmp_path):
    both = Sources(TREE, 2, tmp_path / "store")
    for case in _chosen(list(cases(tmp_path, refused=[], wanted=on_both))):
        compared = both.compare(case, SEEDS, tmp_path)
        found = compared.rows
        assert compared.apart == [], case
        said = {row.metric: row for row in found}
        assert any(row.found.a.mean > 0 and row.found.b.mean > 0 for row in found), case
        if "events_published" in said and case.application not in DRAWN:
            assert said["events_published"].verdict == EQUAL, case
        assert not [row.cells() for row in found if row.verdict == DIFFERENT]
        again = Sources(TREE, 2, tmp_path / "store").compare(
            case, SEEDS, tmp_path, run=False
        )  # what was kept is enough
        assert [row.cells() for row in again.rows] == [row.cells() for row in found]
    with pytest.raises(NotMeasured):
        both.compare(case, range(1, 6), tmp_path, run=False)


def _sides(shift: float):
    a = {
        seed: Measured(frozenset({(1, "!end")}), {"packets_sent": 1000 + seed % 3}, ())
        for seed in range(1, 31)
    }
    b = {
        seed: Measured(one.records, {"packets_sent": one.counts["packets_sent"] * (1 + shift) + seed % 2}, ())
        for seed, one in a.items()
    }
    return a, b


@pytest.mark.parametrize(
    ("shift", "verdict"), [(0.0, EQUIVALENT), (0.008, EQUIVALENT), (0.02, DIFFERENT), (-0.02, DIFFERENT)]
)
def test_a_shift_beyond_the_margin_is_a_difference(shift, verdict):
    assert [row.verdict for row in rows("x", "chain", *_sides(shift))] == [verdict]


def test_what_spreads_across_the_margin_is_not_shown():
    noisy = paired_difference(pd.Series([100.0] * 6), pd.Series([90.0, 110, 95, 105, 99, 102]))
    assert Row("x", "chain", "packets_sent", noisy, 1.0, noisy.equivalence(1.0)).verdict == UNDECIDED


def test_the_share_of_no_events_is_no_metric():
    sides = [
        {
            seed: Measured(frozenset(), {"events_published": number, "events_delivered": number}, ())
            for seed, number in published.items()
        }
        for published in ({1: 0, 2: 4, 3: 5}, {1: 3, 2: 0, 3: 9})
    ]
    found = rows("x", "chain", *sides)
    assert [row.metric for row in found] == ["events_published", "events_delivered"]
    assert further_seeds(found) > 0


def test_as_many_further_seeds_as_the_spread_asks_for():
    """Two one-sided tests at 5 % with power 95 %: 1.645 + 1.960 standard errors in the margin."""
    noisy = paired_difference(pd.Series([100.0] * 6), pd.Series([90.0, 110, 95, 105, 99, 102]))
    row = Row("x", "chain", "packets_sent", noisy, 1.0, noisy.equivalence(1.0))
    assert further_seeds([row]) == math.ceil(6 * (3.6048 * noisy.error) ** 2)
    assert further_seeds(rows("x", "chain", *_sides(0.0))) == 0


def test_who_offered_the_same_is_paired_by_seed():
    a = {
        seed: Measured(frozenset(), {"packets_sent": seed, "events_delivered": 90 + seed}, ())
        for seed in range(1, 4)
    }
    b = {seed: Measured(frozenset(), {"packets_sent": seed, "events_delivered": 90 + seed}, ()) for seed in a}
    assert all(row.found.paired and row.verdict == EQUAL for row in rows("x", "chain", a, b))
    b[3] = Measured(frozenset(), {"packets_sent": 4, "events_delivered": 93}, ())
    assert not any(row.found.paired for row in rows("x", "chain", a, b))


def test_what_was_measured_is_kept_by_what_determines_it(tmp_path):
    store, runs = Store(tmp_path / "store"), _sides(0)[0]
    path = store.path("mesh-grid", b"csc", b"firmware")
    assert store.load(path) == {}
    store.keep(path, runs)
    assert store.load(path) == runs
    assert (
        len({path, store.path("mesh-grid", b"csc", b"other"), store.path("mesh-grid", b"cscf", b"irmware")})
        == 3
    )


def test_a_metric_that_one_source_lacks_differs():
    a, b = _sides(0)
    assert [
        row.verdict
        for row in rows(
            "x", "chain", a, {seed: Measured(one.records, {"other": 1}, ()) for seed, one in b.items()}
        )
    ][0] == DIFFERENT


def test_records_of_one_source_alone_are_named():
    a, b = _sides(0)
    b[3] = Measured(b[3].records | {(2, "!cnt queue_dropped")}, b[3].counts, ("1\tID:2\t!cnt,x",))
    assert one_sided(a, b) == [
        "only with Contiki-NG: mote 2 prints !cnt queue_dropped",
        "malformed: 1\tID:2\t!cnt,x",
    ]


def test_a_log_is_measured(tmp_path):
    (tmp_path / "events.csv").write_bytes(b"time_us,mote,event\n1,2,sent,1\n2,3,received,1\n3,2,sent,2\n")
    (tmp_path / "log").write_text(
        "Random seed: 1\n5\tID:2\t[INFO: Main      ] "
        "Starting\n6\tID:2\t!cnt,packets_sent,7\n7\tID:3\t!cnt,packets_sent,5\n"
        "8\tID:1\t!from,1,9,0\n9\tID:1\theard 3 from 2\n10\tID:1\t!cnt,mac_sent,x\n"
        "11\tID:1\t#1b01ff\n12\tID:1\t#1b02a000\n13\tID:1\t#1801\n14\tID:1\t#1 of 2\n"
        "18\tID:5\t#1b\n"
        "15\tID:4\tsay 1 power 100\n16\tID:4\tsay 2 power default\n17\tID:4\tby default\n"
    )
    found = measured(tmp_path / "log", tmp_path, {})
    assert found.counts == {"packets_sent": 12, "individual events delivered": 9, "frames on the air": 2}
    assert found.records == {
        (2, "!cnt packets_sent"),
        (3, "!cnt packets_sent"),
        (1, "!from of 3 fields"),
        (1, "heard # from #"),
        (1, "frames #1b"),
        (1, "frames #18"),
        (1, "## of #"),
        (5, "##b"),
        (4, "say # power #"),
        (4, "by default"),
    }
    assert found.malformed == ("10\tID:1\t!cnt,mac_sent,x",)


def test_the_document_s_table_is_replaced(tmp_path):
    page = tmp_path / "contract.md"
    page.write_text("# Words\nby hand\n\n## Measured\nold\n")
    document.renew(
        rows("app", "chain", *_sides(0.02)), ["mote 1 prints x"], 30, ["mesh on star"], document=page
    )
    text = page.read_text()
    assert text.startswith(
        "# Words\nby hand\n\n## Measured\nSeeds 1 to 30; where more are named, those after 30 alone. "
        "1 cases, 1 metrics: 1 DIFFERENT; 1 records"
    )
    assert (
        "- mote 1 prints x" in text
        and "| app | chain | packets_sent | 30 | 1,001.0 |" in text
        and "old" not in text
    )
    assert "- not measured: mesh on star" in text


def test_what_a_call_did_not_measure_keeps_its_rows_and_the_text_says_so(tmp_path):
    page = tmp_path / "contract.md"
    page.write_text("# Words\n\n## Measured\n")
    document.renew(
        [*rows("old (MAC csma)", "chain", *_sides(0.02)), *rows("new", "star", *_sides(0.02))],
        ["old (MAC csma) on chain: mote 1 prints x", "new on star: mote 2 prints y"],
        30,
        document=page,
    )
    assert "earlier calls" not in page.read_text()
    standing = document.Standing(30, page)
    kept = standing.rows("old (MAC csma)", "chain")
    assert [row.cells() for row in kept] == [
        row.cells() for row in rows("old (MAC csma)", "chain", *_sides(0.02))
    ]
    assert (
        standing.rows("old (MAC csma)", "star") == []
        and document.Standing(29, page).rows("old (MAC csma)", "chain") == []
    )
    document.renew(
        [*kept, *rows("new", "star", *_sides(0.0))],
        standing.apart("old (MAC csma)", "chain"),
        30,
        document=page,
    )
    text = page.read_text()
    assert "2 cases, 2 metrics: 1 DIFFERENT, 1 equivalent; 1 records" in text
    assert (
        "The last call measured 1 cases. The rows of the other 1 (old) stand as earlier calls wrote them"
        in text
    )
    assert "mote 1 prints x" in text and "mote 2 prints y" not in text
    document.renew(
        [
            row
            for case in (("old (MAC csma)", "chain"), ("new", "star"))
            for row in document.Standing(30, page).rows(*case)
        ],
        [],
        30,
        document=page,
    )
    assert page.read_text().partition("| --- |")[2] == text.partition("| --- |")[2]
