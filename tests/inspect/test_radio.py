# SPDX-License-Identifier: Apache-2.0
"""orchestrate pcap and show --radio over stored runs: the run again, with a record of its radios."""

from __future__ import annotations

import json
import shutil
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st
from orchestrate_spark.metrics.energy_model import CURRENT_MA, SUPPLY_V

from orchestrator.cli.app import main
from orchestrator.cli.show_tables import of_radios
from orchestrator.engines.embedded import cut_states
from orchestrator.errors import NoSuchThing
from orchestrator.inspect import pcap, radio
from orchestrator.inspect.find import Found
from tests import needs
from tests.lossy_chain import scenario

needs.a_compiler()

SCENARIO = scenario(
    "air",
    """\
duration: 20 s
drain: 10 s
seeds: 1
""",
)


@pytest.fixture(scope="module")
def store(tmp_path_factory):
    folder = tmp_path_factory.mktemp("air")
    (folder / "air.yaml").write_text(SCENARIO)
    assert main(["run", str(folder / "air.yaml"), "--store", str(folder / "store"), "--no-report"]) in (0, 1)
    return folder / "store"


@pytest.fixture(scope="module")
def run_folder(store):
    return next((store / "air" / "runs").iterdir())


def asked(capsys, *words):
    assert main([*words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_times_sum_up_and_energy_is_the_model_s(store, run_folder, capsys):
    log = (run_folder / "COOJA.testlog").read_bytes()
    shown = asked(capsys, "show", "air", run_folder.name, "--radio", "--store", str(store))
    sim_us = json.loads((run_folder / "manifest.json").read_text())["statistics"]["sim_us"]
    assert [mote["name"] for mote in shown["motes"]] == ["S", "P1", "P2", "P3", "C"] and shown[
        "sim_us"
    ] == sim_us
    for mote in shown["motes"]:
        states = mote["states_us"]
        assert sum(states.values()) == sim_us and states["transmitting"] > 0 and states["receiving"] > 0
        on = sim_us - states["transmitting"] - states["off"]
        by_hand = (
            (
                on * CURRENT_MA["RX_ON"]
                + states["transmitting"] * CURRENT_MA["BUSY_TX"]
                + states["off"] * CURRENT_MA["SLEEP"]
            )
            * SUPPLY_V
            / 1e6
        )
        assert mote["energy_mj"] == pytest.approx(by_hand)
    assert (run_folder / "COOJA.testlog").read_bytes() == log
    assert main(["runs", "verify", "air", "--store", str(store)]) == 0


def test_the_energy_of_the_measured_time_stands_beside_that_from_boot_on(store, run_folder, capsys):
    """The first is what `show` has; both say over which time they are counted."""
    name = ["air", run_folder.name, "--store", str(store)]
    radios, counted = asked(capsys, "show", *name, "--radio"), asked(capsys, "show", *name)
    experiment_us = counted["run"]["experiment_us"]
    assert experiment_us < radios["sim_us"]
    for whole, own in zip(radios["motes"], counted["motes"], strict=True):
        assert (whole["measured_mj"], whole["measured_us"]) == (own["energy_mj"], own["measured_us"])
        assert (
            own["measured_us"] == pytest.approx(experiment_us, abs=3000)
            and whole["measured_mj"] < whole["energy_mj"]
        )
        # The radio is on all the time: the same power in both.
        assert whole["energy_mj"] / radios["sim_us"] == pytest.approx(
            own["energy_mj"] / own["measured_us"], rel=0.005
        )
    measured = f"the measured {max(mote['measured_us'] for mote in counted['motes']) / 1e6:,.3f} s"
    assert main(["show", *name]) == 0
    said = capsys.readouterr().out
    assert (
        f"energy over {measured}\n" in said
        and f"duration and drain, {experiment_us / 1e6:.3f} s, at " in said
    )
    run = counted["run"]
    assert run["speed"] == pytest.approx(experiment_us / 1e6 / run["wall_s"])
    assert main(["show", *name, "--radio"]) == 0
    said = capsys.readouterr().out
    assert (
        "from boot to the run's end" in said
        and "measured, mJ" in said
        and f"measured: over {measured} alone" in said
    )


def test_a_mote_s_capture_is_what_it_sent_and_received(store, run_folder, capsys, tmp_path):
    target = tmp_path / "p1.pcap"
    told = asked(
        capsys, "pcap", "air", run_folder.name, "--mote", "P1", "-o", str(target), "--store", str(store)
    )
    record = run_folder / "radio"
    whole = list(pcap.read(record / "radio.pcap"))
    mine = [
        event
        for event in radio.events(record)
        if event.mote == 2 and event.event in ("transmitting", "received")
    ]
    assert told["frames"] == len(mine) > 20
    parsed = read_tap(target.read_bytes())
    assert [data for _, data, _ in parsed] == [
        whole[event.frame - 1].data for event in sorted(mine, key=lambda e: e.frame)
    ]
    assert [time for time, _, _ in parsed] == [
        whole[event.frame - 1].time_us for event in sorted(mine, key=lambda e: e.frame)
    ]
    # A neighbour at 40 m of 50 m: -10 - 85 * 40 / 50 dBm.
    assert {struct.unpack("<f", tags[1])[0] for _, _, tags in parsed if 1 in tags} == {-78.0}
    assert {struct.unpack("<HB", tags[3]) for _, _, tags in parsed} == {(26, 0)}


def test_another_log_is_refused_and_no_record_is_left(store, run_folder, capsys, tmp_path):
    import shutil

    copy = tmp_path / "store"
    shutil.copytree(store, copy)
    folder = copy / "air" / "runs" / run_folder.name
    shutil.rmtree(folder / "radio", ignore_errors=True)
    manifest = json.loads((folder / "manifest.json").read_text())
    manifest["log_sha256"] = "0" * 64
    (folder / "manifest.json").write_text(json.dumps(manifest))
    assert main(["pcap", "air", run_folder.name, "--store", str(copy)]) == 7
    assert "is not the same run" in capsys.readouterr().err
    assert not (folder / "radio").exists() and not list((copy / "air").glob(".tmp-*"))


def test_what_can_t_be_asked(store, run_folder, capsys):
    name = ["air", run_folder.name, "--store", str(store)]
    assert main(["pcap", *name, "--mote", "P9"]) == 9
    assert "there are: S, P1, P2, P3, C" in capsys.readouterr().err
    assert (
        main(["pcap", str(run_folder / "COOJA.testlog"), "--store", str(store), "-o", "/nowhere/at/all"]) == 8
    )
    assert "can't be written" in capsys.readouterr().err


def test_times_of_a_run_that_stopped_are_told_as_such(store, run_folder, tmp_path, capsys):
    """Made of the whole run's events they are the kernel's own; shown they are marked."""
    whole = asked(capsys, "show", "air", run_folder.name, "--radio", "--store", str(store))
    record = tmp_path / "radio"
    shutil.copytree(run_folder / "radio", record)
    states = (record / "states.csv").read_bytes()
    cut_states.keep(record, whole["sim_us"])
    assert not (record / "states-cut.csv").exists()
    (record / "states.csv").unlink()
    with (record / "events.csv").open("ab") as stream:
        stream.write(b"99,1,of")
    cut_states.keep(record, whole["sim_us"])
    assert (record / "states-cut.csv").read_bytes() == states
    shown = radio.times(Found(run_folder, None), record)
    assert shown["cut"] and not whole["cut"] and shown["sim_us"] == whole["sim_us"]
    assert "stopped before its end" in "".join(str(part) for part in of_radios(shown))
    (record / "states-cut.csv").unlink()
    with pytest.raises(NoSuchThing, match="did not come to an end"):
        radio.times(Found(run_folder, None), record)


def test_simulate_records_beside_its_log(run_folder, tmp_path, capsys):
    assert main(["simulate", str(run_folder / "simulation.csc"), "--logdir", str(tmp_path), "--radio"]) == 0
    assert (tmp_path / "COOJA.testlog").read_bytes() == (run_folder / "COOJA.testlog").read_bytes()
    assert sorted(path.name for path in (tmp_path / "radio").iterdir()) == [
        "events.csv",
        "radio.pcap",
        "states.csv",
    ]


def read_tap(data: bytes) -> list[tuple[int, bytes, dict[int, bytes]]]:
    """(time, frame, tags) of each packet, written from the formats' descriptions."""
    assert struct.unpack_from("<I", data)[0] == 0xA1B2C3D4 and struct.unpack_from("<I", data, 20)[0] == 283
    found, at = [], 24
    while at < len(data):
        seconds, microseconds, kept, whole = struct.unpack_from("<IIII", data, at)
        assert kept == whole
        packet, at = data[at + 16 : at + 16 + kept], at + 16 + kept
        assert packet[:2] == b"\0\0"
        length, tags, place = struct.unpack_from("<H", packet, 2)[0], {}, 4
        while place < length:
            kind, size = struct.unpack_from("<HH", packet, place)
            tags[kind] = packet[place + 4 : place + 4 + size]
            place += 4 + (size + 3) // 4 * 4
        assert place == length
        found.append((seconds * 1_000_000 + microseconds, packet[length:], tags))
    return found


frames = st.builds(
    pcap.Frame,
    st.integers(0, 2**32 * 1_000_000 - 1),
    st.binary(max_size=200),
    st.none() | st.integers(0, 65535),
    st.none() | st.integers(-120, 20),
)


@given(st.lists(frames, max_size=5))
def test_tags_come_back(given):
    back = read_tap(b"".join(pcap.tap(given)))
    assert [(time, data) for time, data, _ in back] == [(frame.time_us, frame.data) for frame in given]
    for (_, _, tags), frame in zip(back, given):
        assert (struct.unpack("<f", tags[1])[0] if 1 in tags else None) == frame.signal_dbm
        assert (struct.unpack("<HB", tags[3])[0] if 3 in tags else None) == frame.channel
