# SPDX-License-Identifier: Apache-2.0
"""Records of radios written by hand: rows that were cut, damaged ones, and times."""

from __future__ import annotations

import struct

import pytest

from orchestrator.errors import NoSuchThing, StorageFailed
from orchestrator.inspect import pcap, radio
from orchestrator.inspect.find import Found
from orchestrator.inspect.radio import Event
from tests.inspect.test_air import frame

HEAD = "time_us,mote,event,frame,channel,power,signal_dbm\n"


def write(folder, text):
    (folder / "events.csv").write_text(HEAD + text)
    return folder


def test_rows_as_they_are(tmp_path):
    write(tmp_path, "5,1,listening,,26,31,\n7,2,received,3,11,30,-78\n")
    assert list(radio.events(tmp_path)) == [
        Event(5, 1, "listening", 0, 26, 31, None),
        Event(7, 2, "received", 3, 11, 30, -78),
    ]


@pytest.mark.parametrize("text", ["", "5,1,listening", "5,1,listening,,26,31,"])
def test_the_last_row_without_its_end_is_left_out(tmp_path, text):
    assert list(radio.events(write(tmp_path, text))) == []


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("x,1,off,,26,31,\n7,1,off,,26,31,\n", 2),
        ("5,1,off,,26,31,\n7,1,off\n8,1,off,,26,31,\n", 3),
        ("5,1,off,,26,31,\n7,1,off,,26,31,,\n", 3),
        ("5,1,off,,26,31,\n7,1,off,,26,31,x\n", 3),
    ],
)
def test_damage_is_told_with_its_line(tmp_path, text, line):
    with pytest.raises(StorageFailed) as raised:
        list(radio.events(write(tmp_path, text)))
    assert str(raised.value) == (
        f"{tmp_path / 'events.csv'}:{line}: not a row of the engine's record\n"
        f"    remove the folder {tmp_path}; the record is made again"
    )


def test_a_mote_s_capture_has_what_it_sent_and_received_intact(tmp_path):
    content = struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, 262144, 195)
    for number in range(1, 5):
        data = frame(number)
        content += struct.pack("<IIII", number, 0, len(data), len(data)) + data
    (tmp_path / "radio.pcap").write_bytes(content)
    write(
        tmp_path,
        "1,2,transmitting,1,26,31,\n1,1,receiving,1,26,31,\n2,1,received,1,26,31,-50\n3,1,transmitting,2,15,31,\n"
        "4,1,lost,3,26,31,-60\n5,1,received,,26,31,-60\n6,2,received,4,26,31,-60\n",
    )
    assert list(radio.capture_of(tmp_path, 1)) == [
        pcap.Frame(1_000_000, frame(1), 26, -50),
        pcap.Frame(2_000_000, frame(2), 15, None),
    ]


STATES = "mote,off_us,listening_us,receiving_us,interfered_us,transmitting_us\n"


@pytest.mark.parametrize(("name", "cut"), [("states.csv", False), ("states-cut.csv", True)])
def test_times_and_energy_of_each_mote(tmp_path, name, cut):
    log = tmp_path / "COOJA.testlog"
    log.write_text(
        "Random seed: 1\n9\tID:2\t!nrg,listen,4000000\n9\tID:2\t!nrg,transmit,0\n9\tID:2\t!nrg,off,0\n"
    )
    (tmp_path / name).write_text(STATES + "2,0,1000000,0,0,2000000\n7,3000000,0,0,0,0\n")
    shown = radio.times(Found(log, None), tmp_path)
    assert (shown["record"], shown["cut"], shown["sim_us"]) == (str(tmp_path), cut, 3_000_000)
    first, second = shown["motes"]
    assert first == {
        "mote": 2,
        "name": "mote 2",
        "states_us": {
            "off": 0,
            "listening": 1_000_000,
            "receiving": 0,
            "interfered": 0,
            "transmitting": 2_000_000,
        },
        "energy_mj": pytest.approx(3.0 * (12.5 + 2 * 14.5)),
        "measured_us": 4_000_000,
        "measured_mj": pytest.approx(3.0 * 12.5 * 4),
    }
    assert (second["name"], second["measured_us"], second["measured_mj"]) == ("mote 7", None, None)


def test_no_motes_and_no_times(tmp_path):
    log = tmp_path / "COOJA.testlog"
    log.write_text("Random seed: 1\n")
    with pytest.raises(NoSuchThing) as raised:
        radio.times(Found(log, None), tmp_path)
    assert str(raised.value) == (
        "no states.csv of this run: it did not come to an end\n"
        f"    `orchestrate pcap` writes its frames up to then; if you remove the folder {tmp_path}, "
        "the record is made again"
    )
    (tmp_path / "states.csv").write_text(STATES)
    assert radio.times(Found(log, None), tmp_path)["sim_us"] == 0
