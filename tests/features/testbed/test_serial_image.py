# SPDX-License-Identifier: Apache-2.0
"""Images by the serial line: the sender, the mote's firmware in virtual time, and the daemon."""

from __future__ import annotations

import hashlib
import json
import os
import select
import threading
import zlib

import pytest
from orchestrate_testbed.client import Lost, Refused
from orchestrate_testbed.errors import LabError
from orchestrate_testbed.gateway.flashing.tool import Job
from orchestrate_testbed.gateway.serial_image import AT_ONCE, BEGINS, TRIES, Sending

from orchestrator.applications import descriptor, place
from orchestrator.build import host
from orchestrator.engines.embedded.live import Live, LiveMote, Stage
from orchestrator.scenario.load import loads
from tests import needs
from tests.features.event_service.gateways.test_cosimulation import SCENARIO
from tests.features.testbed.daemons import fetched
from tests.waiting import HANG_S

IMAGE = bytes(range(1, 101))
CRC = b"%08x" % zlib.crc32(IMAGE)


def test_lines_and_answers():
    sending = Sending(IMAGE)
    assert sending.line == b"image begin 100 " + CRC
    assert not sending.heard(b"event-service: the EEPROM holds no image of this application")
    assert sending.heard(b"image ok 0\r") and sending.line == b"image at 0 " + IMAGE[:40].hex().encode()
    assert sending.heard(b"image ok 40") and not sending.heard(b"image ok 40"), "an answer that came twice"
    assert sending.heard(b"image ok 80") and sending.line == b"image at 80 " + IMAGE[80:].hex().encode()
    assert sending.heard(b"image ok 100") and sending.line == b"image end"
    assert not sending.done
    assert not sending.heard(b"image stored 00000000") and not sending.done, "another image"
    assert not sending.heard(b"image stored " + CRC) and sending.done
    assert len(sending.line) <= 127 and 2 * AT_ONCE + len("image at 65535 ") <= 127


def test_a_mote_that_has_it_is_sent_nothing():
    sending = Sending(IMAGE)
    sending.heard(b"image stored " + CRC)
    assert sending.done


def test_a_mote_that_began_anew_is_sent_all_again_but_not_for_ever():
    sending = Sending(IMAGE)
    for _ in range(BEGINS - 1):
        assert sending.heard(b"image ok 0")
        assert sending.heard(b"image no begin") and sending.line.startswith(b"image begin")
    assert sending.heard(b"image ok 0")
    assert not sending.heard(b"image no begin")
    assert sending.failure == "the mote refused its image: begin"


@pytest.mark.parametrize(
    ("answers", "failure"),
    [
        ([], "the mote did not take its image by the serial line: it did not answer"),
        (
            [b"image ok 0", b"image ok 40"],
            "the mote did not take its image by the serial line: it fell silent after 40 bytes",
        ),
    ],
)
def test_silence(answers, failure):
    sending = Sending(IMAGE)
    for answer in answers:
        assert sending.heard(answer)
    for _ in range(TRIES - 1):
        assert sending.silent()
    assert not sending.silent() and sending.failure == failure


def test_answers_to_somebody_before_are_not_believed_for_long():
    """A daemon was killed; what the mote answered it is still in the line."""
    sending = Sending(IMAGE)
    assert not sending.heard(b"image ok 40"), "the mote hasn't begun"
    assert sending.heard(b"image ok 0") and sending.heard(b"image ok 40") and sending.heard(b"image ok 80")
    assert not sending.heard(b"image ok 40"), "the mote's own"
    assert sending.silent() and sending.line == b"image at 40 " + IMAGE[40:80].hex().encode()
    assert sending.heard(b"image ok 80") and sending.heard(b"image ok 100")


@pytest.mark.parametrize("line", [b"image ok 101", b"image ok -1", b"image ok x", b"image ok \xff", b"image"])
def test_what_a_mote_may_say_does_no_harm(line):
    sending = Sending(IMAGE)
    sending.heard(b"image ok 0")
    before = sending.line
    assert not sending.heard(line) and sending.line == before and not sending.failure


def test_a_refusal_has_no_terminal_escape():
    sending = Sending(IMAGE)
    assert not sending.heard(b"image no \x1b[2J") and not sending.failure
    assert not sending.heard(b"image no room") and sending.failure == "the mote refused its image: room"


# --- the firmware, in virtual time


class OneMote:
    """P1 of a board without its image, on the embedded engine."""

    def __init__(self, folder, image=b""):
        needs.a_compiler()
        text = SCENARIO.format(application="consumers: P3", boards=1, duration="3 s")
        deployment = place.place(loads(text, "boards.yaml").cells[0]).deployment(1)
        self.image = next(mote for mote in deployment.motes if mote.id == 4).image
        library = host.firmware(descriptor.load("event-service"), {"MAC": "csma"}).path
        stage = Stage(deployment.medium, 1, folder / "log", 0, "5.0")
        self.live = Live(stage, [LiveMote(library, 4, 0.0, 0.0, image=image)])
        self.live.listen(4)
        self.said: list[bytes] = []

    def passes(self, time_us: int = 50_000) -> list[bytes]:
        until = self.live.now_us + time_us
        new = []
        while self.live.now_us < until:
            new += [line.text for line in self.live.advance(until)]
        self.said += new
        return new

    def told(self, line: bytes) -> list[bytes]:
        self.live.write(4, line)
        return [one for one in self.passes() if one.startswith(b"image ")]


@pytest.fixture
def mote(tmp_path):
    found = OneMote(tmp_path)
    with found.live:
        found.passes(1_000_000)
        yield found


NO_IMAGE = b"event-service: the EEPROM holds no image of this application"


def send(mote: OneMote, sending: Sending, lost: int = 0) -> None:
    """All of it; of the answers every `lost`-th is lost, and the line sent again."""
    count = 0
    while not sending.done and not sending.failure:
        for answer in mote.told(sending.line):
            count += 1
            if not lost or count % lost:
                sending.heard(answer)


@pytest.mark.parametrize("lost", [0, 2, 3])
def test_a_mote_gets_its_image_and_starts_with_it(mote, lost):
    assert NO_IMAGE in mote.said
    sending = Sending(mote.image)
    send(mote, sending, lost)
    assert sending.done and not sending.failure
    mote.passes(20_000_000)
    assert mote.said.count(NO_IMAGE) == 1
    assert any(line.startswith(b"!cnt,") for line in mote.said), "it ran as P1 to the end"


def test_a_part_of_an_image_is_none(mote):
    sending = Sending(mote.image)
    for _ in range(2):
        (answer,) = mote.told(sending.line)
        sending.heard(answer)
    assert mote.told(b"image end") == [b"image ok 40"]
    again = Sending(mote.image)
    assert mote.told(again.line) == [b"image ok 0"], "it begins anew"
    assert mote.told(b"image begin 2 " + b"%08x" % zlib.crc32(mote.image[:2])) == [b"image ok 0"]


def test_another_checksum_stores_nothing(mote):
    assert mote.told(b"image begin 4 00000001") == [b"image ok 0"]
    assert mote.told(b"image at 0 01020304") == [b"image ok 4"]
    assert mote.told(b"image at 2 0a0b") == [b"image ok 4"], "a repeated line changes nothing"
    assert mote.told(b"image end") == [b"image no checksum"]
    assert mote.told(b"image end") == [b"image no begin"]
    right = b"%08x" % zlib.crc32(bytes([0, 0, 3, 4]))
    assert mote.told(b"image begin 4 " + right) == [b"image stored " + right], (
        "its first bytes were not written"
    )


def test_the_same_image_again_moves_no_byte(mote):
    send(mote, Sending(mote.image))
    again = Sending(mote.image)
    send(mote, again)
    assert again.done and again.line.startswith(b"image begin")


def test_what_is_no_octet_that_comes_next_changes_nothing(mote):
    image = bytes([1, 2, 3, 4])
    crc = b"%08x" % zlib.crc32(image)
    assert mote.told(b"image begin 4 " + crc) == [b"image ok 0"]
    assert mote.told(b"image at 1 ff") == [b"image ok 0"], "the octet before it hasn't come"
    assert mote.told(b"image at 0 0102x3") == [b"image ok 2"]
    assert mote.told(b"image at 2") == [b"image ok 2"]
    assert mote.told(b"image at 2x0a0b") == [b"image ok 2"]
    assert mote.told(b"image at 2 3") == [b"image ok 2"], "half an octet"
    assert mote.told(b"image nothing") == []
    assert mote.told(b"at 2 0a0b") == []
    assert mote.told(b"image at 2 030405") == [b"image ok 4"], "what is beyond its end"
    assert mote.told(b"image at 4 05") == [b"image ok 4"]
    assert mote.told(b"image end") == [b"image stored " + crc]


@pytest.mark.parametrize("refused", [b"0 00000000", b"2 " + b"%08x" % zlib.crc32(bytes(2))])
def test_a_begin_that_needs_no_octets_ends_the_one_before(mote, refused):
    """It has an impossible size, or the mote has that image: what was coming isn't awaited any longer."""
    assert mote.told(b"image begin 4 00000001") == [b"image ok 0"]
    assert mote.told(b"image at 0 01") == [b"image ok 1"]
    (answer,) = mote.told(b"image begin " + refused)
    assert not answer.startswith(b"image ok")
    assert mote.told(b"image at 1 02") == [b"image no begin"]


def test_another_image_takes_the_place_of_the_first_and_starts_the_application_again(mote):
    send(mote, Sending(mote.image))
    mote.passes(1_000_000)
    other = b"\xff" * 1024
    sending = Sending(other)
    (answer,) = mote.told(sending.line)
    sending.heard(answer)
    (answer,) = mote.told(sending.line)
    assert answer == b"image ok %d" % AT_ONCE
    assert mote.told(Sending(mote.image).line) == [b"image ok 0"], "it was no longer whole when another began"
    again = Sending(other)
    send(mote, again)
    assert again.done, "an image may fill the memory"
    mote.passes(1_000_000)
    assert mote.said.count(NO_IMAGE) == 2, "once without any image, and once with this one"
    back = Sending(mote.image)
    send(mote, back)
    mote.passes(20_000_000)
    assert back.done and any(line.startswith(b"!cnt,") for line in mote.said)


@pytest.mark.parametrize("size", [b"0", b"1", b"1025", b"70000", b"x", b""])
def test_a_size_that_no_image_has(mote, size):
    assert mote.told(b"image begin " + size + b" 00000000") == [b"image no room"]


@pytest.mark.parametrize(
    ("eeprom", "eui64"),
    [
        (b"", b"unknown"),
        (bytes(1016) + bytes.fromhex("00124b000102030a"), b"00124b000102030a"),
        (bytes(1023) + b"\x01", b"0000000000000001"),
        (bytes(1015) + b"\x01" + bytes(8), b"unknown"),
    ],
)
def test_a_mote_says_who_it_is(tmp_path, eeprom, eui64):
    """Its firmware's name, its address, the one of the hardware if there is one, and the platform."""
    mote = OneMote(tmp_path, eeprom)
    with mote.live:
        mote.passes(1_000_000)
        mote.live.write(4, b"who")
        assert mote.passes() == [
            b"who event-service address 0400000000000000 eui64 %b platform cooja" % eui64
        ]
        mote.live.write(4, b"whom")
        assert mote.passes() == []


# --- the daemon; the test is the mote


class Answering:
    """A mote at a pseudo-terminal that keeps an image as the firmware does, a line at a time."""

    def __init__(self, terminal):
        self.terminal, self.rest = terminal, b""
        self.image = self.coming = b""

    def line(self) -> bytes:
        """The next line that came."""
        while b"\n" not in self.rest:
            assert select.select([self.terminal.master], [], [], HANG_S)[0], "nothing came"
            self.rest += os.read(self.terminal.master, 4096)
        line, self.rest = self.rest.split(b"\n", 1)
        return line

    def answers(self, line: bytes) -> None:
        words = line.split()
        if words[1] == b"begin":
            self.image = self.coming = b""
            self.terminal.say(b"image ok 0\n")
        elif words[1] == b"at":
            if int(words[2]) == len(self.coming):
                self.coming += bytes.fromhex(words[3].decode())
            self.terminal.say(b"image ok %d\n" % len(self.coming))
        elif len(self.coming) < len(IMAGE):
            self.terminal.say(b"image ok %d\n" % len(self.coming))
        else:
            self.image = self.coming
            self.terminal.say(b"image stored %08x\n" % zlib.crc32(self.image))

    def takes_it(self) -> None:
        while not self.image:
            self.answers(self.line())


class Asked(threading.Thread):
    """A request that takes as long as the mote does."""

    def __init__(self, call):
        super().__init__(daemon=True)
        self.call, self.answer, self.error = call, None, None
        self.start()

    def run(self):
        try:
            self.answer = self.call()
        except LabError as error:
            self.error = error


@pytest.fixture
def files(tmp_path):
    (tmp_path / "firmware").write_bytes(b"code")
    (tmp_path / "image").write_bytes(IMAGE)
    return str(tmp_path / "firmware"), hashlib.sha256(b"code").hexdigest(), str(tmp_path / "image")


def flashing(gateway, terminal, files) -> Asked:
    file, digest, image = files
    daemon, job = gateway.ask(), Job(file, str(terminal.link), image, {"command": ["true"]})
    return Asked(lambda: daemon.flash("command", job, digest))


def test_after_a_tool_that_writes_no_image_the_daemon_sends_it(gateway, plugged, files):
    terminal = plugged("M1")
    mote = Answering(terminal)
    asked = flashing(gateway, terminal, files)
    mote.takes_it()
    asked.join()
    assert asked.answer["failure"] == "" and mote.image == IMAGE
    recorded = json.loads((gateway.root / "flashed.jsonl").read_text().splitlines()[-1])
    assert recorded["image"] == {"sha256": hashlib.sha256(IMAGE).hexdigest(), "by": "serial line"}


def test_where_the_port_is_logged_the_lines_are_in_its_log(gateway, plugged, files):
    terminal = plugged("M1")
    gateway.ask().open("r", "M1", str(terminal.link), 115200)
    mote = Answering(terminal)
    asked = flashing(gateway, terminal, files)
    mote.takes_it()
    asked.join()
    assert asked.answer["failure"] == ""
    assert b"image stored " + CRC in fetched(gateway.ask(), "r", "M1")


def test_a_mote_that_was_reset_gets_it_again(gateway, plugged, files):
    terminal = plugged("M1")
    mote = Answering(terminal)
    daemon = gateway.ask()
    asked = Asked(lambda: daemon.image(str(terminal.link), files[2]))
    mote.answers(mote.line())
    with pytest.raises(Refused, match="is being flashed"):
        gateway.ask().image(str(terminal.link), files[2])
    mote.takes_it()
    asked.join()
    assert asked.answer == "" and mote.image == IMAGE


def test_a_refusal_of_the_mote_is_the_failure(gateway, plugged, files):
    terminal = plugged("M1")
    asked = flashing(gateway, terminal, files)
    Answering(terminal).line()
    terminal.say(b"image no room\n")
    asked.join()
    assert asked.answer["failure"] == "the mote refused its image: room"


@pytest.mark.parametrize("lines", [1, 2, 4])
def test_killed_in_the_middle_nothing_looks_finished(own, plugged, files, lines):
    terminal = plugged("M1")
    mote = Answering(terminal)
    asked = flashing(own, terminal, files)
    for _ in range(lines):
        mote.answers(mote.line())
    own.kill()
    asked.join()
    assert isinstance(asked.error, Lost) and mote.image == b""
    assert not (own.root / "flashed.jsonl").exists()
    own.start()
    again = flashing(own, terminal, files)
    mote.takes_it()
    again.join()
    assert again.answer["failure"] == "" and mote.image == IMAGE


@pytest.mark.parametrize("content", [None, b"", b"1", bytes(65536)])
def test_a_file_that_is_no_image_is_refused(gateway, files, tmp_path, content):
    image = tmp_path / "other"
    if content is not None:
        image.write_bytes(content)
    job = Job(files[0], "/dev/no", str(image), {"command": ["true"]})
    with pytest.raises(Refused) as caught:
        gateway.ask().flash("command", job, files[1])
    assert caught.value.kind == "image"
