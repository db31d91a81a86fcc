# SPDX-License-Identifier: Apache-2.0
"""tshark reads the captures: as many frames, with the addresses, times and check sequences that they have."""

from __future__ import annotations

import subprocess

import pytest

from orchestrator.cli.app import main
from orchestrator.inspect import radio
from tests import needs
from tests.lossy_chain import scenario
from tests.waiting import HANG_S

needs.a_compiler()
needs.a_program("tshark")

SCENARIO = scenario(
    "sniffed",
    """\
duration: 10 s
trace: true
seeds: 1
""",
)


@pytest.fixture(scope="module")
def run_folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sniffed")
    (folder / "sniffed.yaml").write_text(SCENARIO)
    assert main(["run", str(folder / "sniffed.yaml"), "--store", str(folder / "store"), "--no-report"]) == 0
    found = next((folder / "store" / "sniffed" / "runs").iterdir())
    assert main(["pcap", str(found)]) == 0
    return found


def dissected(capture, *fields):
    words = [word for field in fields for word in ("-e", field)]
    done = subprocess.run(
        ["tshark", "-r", str(capture), "-T", "fields", *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=HANG_S,
    )
    return [line.split("\t") for line in done.stdout.splitlines()]


def mote_of(address: str) -> int:
    """Our link-layer addresses: the mote's id in the first octet, the others 0."""
    octets = [int(octet, 16) for octet in address.split(":")]
    assert octets[1:] == [0] * 7
    return octets[0]


def test_tshark_sees_every_transmission(run_folder):
    sent = [event for event in radio.events(run_folder / "radio") if event.event == "transmitting"]
    rows = dissected(
        run_folder / "radio" / "radio.pcap",
        "frame.time_epoch",
        "wpan.src64",
        "wpan.fcs_ok",
        "frame.protocols",
    )
    assert len(rows) == len(sent) > 100
    for event, (time, source, intact, protocols) in zip(sent, rows):
        assert round(float(time) * 1e6) == event.time_us
        assert mote_of(source) == event.mote and intact in ("1", "True") and protocols.startswith("wpan")


def test_the_log_has_the_same_clock(run_folder):
    """A traced mote prints a frame's arrival in the tick in which its reception ended."""
    arrived = {
        (int(line.split("\t")[0]), int(line.split("\t")[1][3:]))
        for line in (run_folder / "COOJA.testlog").read_text().splitlines()
        if "\t!rcv," in line
    }
    received = {
        (event.time_us, event.mote)
        for event in radio.events(run_folder / "radio")
        if event.event == "received"
    }
    assert len(arrived) > 20 and arrived <= received


def test_tshark_sees_a_mote_s_signal_strengths(run_folder, tmp_path):
    assert main(["pcap", str(run_folder), "--mote", "P1", "-o", str(tmp_path / "p1.pcap")]) == 0
    rows = dissected(tmp_path / "p1.pcap", "wpan-tap.rss", "wpan-tap.ch_num", "wpan.src64", "wpan.fcs_ok")
    assert {channel for _, channel, _, _ in rows} == {"26"} and {intact for *_, intact in rows} <= {
        "1",
        "True",
    }
    for strength, _, source, _ in rows:
        assert (strength == "") == (mote_of(source) == 2), "its own frames have no signal strength"
        assert strength == "" or float(strength) == -78
