# SPDX-License-Identifier: Apache-2.0
"""The report, replay and show of runs with a record of the air, against networks that are known."""

import json
from statistics import mean

import pandas as pd
import pytest

from orchestrator.cli.app import main
from orchestrator.features.air import replay, routing
from orchestrator.report import page
from orchestrator.report.data import read
from orchestrator.report.model import Table, Text, of_section
from orchestrator.report.replay.columns import read as columns
from tests import needs
from tests.features.air import air_store
from tests.features.air.network import LISTENING, Record, beacon, zigzag
from tests.spark.synthetic import Chain, write_run

needs.a_compiler()


@pytest.fixture(scope="module")
def measured(tmp_path_factory):
    """A store with metrics, and its networks."""
    folder = tmp_path_factory.mktemp("net")
    networks = air_store.store(folder)
    assert main(["metrics", "net", "--store", str(folder)]) == 0
    return folder, networks


@pytest.fixture(scope="module")
def silent(tmp_path_factory):
    """A store whose motes listen and send nothing."""
    folder = tmp_path_factory.mktemp("silent")
    air_store.store(folder, packets=0, cells=("A",))
    assert main(["metrics", "net", "--store", str(folder)]) == 0
    return folder


def sections(folder):
    return {section.id: section for section in page.build(read(folder, "net")).sections}


def test_the_report_begins_with_delivery_latency_and_energy(measured):
    folder, networks = measured
    built = sections(folder)
    assert list(built)[:2] == ["found", "air"]
    first = built["air"].blocks[0]
    assert isinstance(first, Table) and len(first.columns) == 4
    for row in first.rows:
        wanted = mean(air_store.ratio(networks[row[0].text, seed]) for seed in (1, 2))
        assert float(row[1].text) == pytest.approx(100 * wanted, abs=0.01)
        assert all(entry.detail for entry in row[1:]), "each number has its interval"


def test_it_goes_on_with_hops_distribution_map_overhead_and_courses(measured):
    figures = of_section(sections(measured[0])["air"])
    titles = " ".join(figure.title.lower() for figure in figures)
    for word in ("by hops", "distribution", "each mote", "links", "by protocol", "over time"):
        assert word in titles, word
    for figure in figures:
        assert figure.drawing.rows and figure.caption and figure.alt
        if figure.drawing.own is None:
            plot = figure.drawing.svg.decode()
            assert "<text" in plot


def test_delivery_over_time_is_that_of_the_network(tmp_path):
    """A datagram a second, for three minutes."""
    networks = air_store.store(tmp_path, packets=180, cells=("A",), equal=True)
    assert main(["metrics", "net", "--store", str(tmp_path)]) == 0
    figures = of_section(sections(tmp_path)["air"])
    course = next(figure for figure in figures if figure.title == "Packet delivery ratio over time")
    shown = [dict(zip(course.drawing.columns, row)) for row in course.drawing.rows]
    assert [row["x"] for row in shown] == [0.5, 1.5, 2.5], "the middle of each minute"
    for minute, row in enumerate(shown):
        shares = [
            mean(network.truth[number]["delivered"] for number in range(60 * minute, 60 * minute + 60))
            for network in networks.values()
        ]
        assert row["y"] == pytest.approx(100 * mean(shares))


def test_the_map_has_the_energy_of_each_mote(measured):
    folder, networks = measured
    energy = next(one for one in of_section(sections(folder)["air"]) if "each mote" in one.title.lower())
    long_s = networks["A", 1].record.now / 1e6, networks["A", 2].record.now / 1e6
    value = dict(zip(energy.drawing.columns, energy.drawing.rows[0]))["energy_mj"]
    assert value == pytest.approx(18.8 * 3.0 * mean(long_s), rel=0.01), "it listens all the time, or sends"


def test_without_a_datagram_nothing_is_claimed_about_one(silent):
    built = sections(silent)
    said = [text for block in built["air"].blocks if isinstance(block, Text) for text in block.paragraphs] + [
        block.title for block in built["air"].blocks if isinstance(block, Table)
    ]
    assert said and not any("datagram" in text.lower() or "latency" in text.lower() for text in said)
    assert not any("latency" in figure.title.lower() for figure in of_section(built["air"]))


@pytest.mark.parametrize(("slots", "known"), [((0, 3), False), ((0, 7), True)])
def test_the_report_shows_tsch_s_cells_and_explains_what_is_not_known_of_them(tmp_path, slots, known):
    """Beacons in two timeslots, or in one of a slotframe of 7."""
    record = Record()
    record.item(LISTENING, 0, zigzag(1))
    for number in range(30):
        asn = 14 * number + slots[number % 2]
        record.frame(1, 10_000 * asn + 2120, beacon(asn), {2: 0}, 1120)
    run = write_run(tmp_path / "net", Chain("A"), 1, log=b"")
    (run / "air").write_bytes(record.end(10_000_000))
    assert main(["metrics", "net", "--store", str(tmp_path)]) == 0
    built = sections(tmp_path)["air"]
    assert any("TSCH cell" in figure.title for figure in of_section(built))
    notes = [text for block in built.blocks if isinstance(block, Text) for text in block.paragraphs]
    assert any("question mark" in note for note in notes) is not known


def test_a_replay_has_each_delivery(measured, silent, capsys):
    folder, networks = measured
    for run in read(folder, "net").manifests:
        network = networks[run.cell, run.seed]
        events = replay.events(folder / "net" / "runs" / run.run_id).to_pandas()
        arrived = events[events["kind"] == "dlv"]
        wanted = sorted(truth["end_us"] for truth in network.truth.values() if truth["delivered"])
        assert sorted(arrived["time_us"]) == wanted and set(arrived["mote"]) == {1}
        assert (events["kind"] == "pub").sum() == len(network.truth)
        facts = columns(folder / "net" / "runs" / run.run_id).facts
        assert facts["item"] == "datagram" and len(facts["motes"]) >= air_store.MOTES
    assert main(["replay", "net/A/1", "--store", str(folder)]) == 0
    assert main(["replay", "net/A/1", "--store", str(silent)]) == 9
    assert "Traceback" not in capsys.readouterr().err


def test_show_has_a_row_for_each_mote(measured, capsys):
    folder, networks = measured
    assert main(["show", "net/A/1", "--store", str(folder), "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)["air"]
    truth = networks["A", 1].truth.values()
    assert sum(row["datagrams"] for row in rows) == len(truth)
    assert sum(row["delivered"] for row in rows) == sum(one["delivered"] for one in truth)
    assert {row["duty_cycle"] for row in rows if row["duty_cycle"] is not None} == {1.0}
    name = rows[1]["mote"]
    assert main(["show", "net/A/1", "--store", str(folder), "--mote", name, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["air"] == [rows[1]]


def dao(frame, mote, source, parent, target="fd00::1", lifetime=30):
    return {
        "run_id": "r", "frame": frame, "t_us": frame * 1000, "mote": mote, "kind": "dao",
        "ip_src": f"fd00::{source}", "ip_dst": target, "parent": parent, "path_lifetime": lifetime,
    }  # fmt: skip


def test_a_parent_is_the_one_of_a_mote_s_own_dao():
    """Non-storing DAOs name it, storing ones go to it; those forwarded or without a path don't count."""
    dio = dao(0, 1, 1, None) | {"kind": "dio", "ip_src": "fe80::1"}
    rows = [
        dio,
        dao(1, 2, 2, "fd00::1"),
        dao(2, 3, 3, "fd00::2"),
        dao(3, 2, 3, "fd00::2"),  # forwarded by 2
        dao(4, 3, 3, "fd00::1", lifetime=0),
        dao(5, 4, 4, None, target="fe80::2"),  # storing mode
        dao(6, 3, 3, "fd00::1"),
    ]
    found = routing.announced(pd.DataFrame(rows))
    assert found[["mote", "parent"]].to_numpy().tolist() == [[2, 1], [3, 2], [4, 2], [3, 1]]


def test_depths_leave_loops_out():
    assert routing.depths({2: 1, 3: 2, 4: 3}) == {2: 1, 3: 2, 4: 3}
    assert routing.depths({2: 3, 3: 2, 5: 1}) == {5: 1}
