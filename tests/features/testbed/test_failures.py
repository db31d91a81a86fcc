# SPDX-License-Identifier: Apache-2.0
"""Killed at any point: what was logged before is collected after, and what is missing is said."""

from __future__ import annotations

import os
import random
import resource
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest
from orchestrate_testbed.client import Lost, Refused
from orchestrate_testbed.clock_fit import fitted
from orchestrate_testbed.collect import collect
from orchestrate_testbed.gateway_log import Chunk, records
from orchestrate_testbed.merge import Source, merged

from tests.features.testbed.daemons import Gateway, fetched
from tests.waiting import wait_until

SCHEDULES = int(os.environ.get("ORCHESTRATE_SCHEDULES", "3"))  # hundreds by hand


def port(daemon, mote="M1"):
    return daemon.status("r")["motes"][mote]["port"]


def log_of(daemon, folder: Path, mote: str = "M1", epoch_us: int = 0):
    """What a controller gets of a mote: the texts of its lines, and what it lacks."""
    collected = collect(daemon, "r", folder / "collected")
    clocks = tuple(fitted([daemon.clock() for _ in range(4)]))
    source = Source(mote, 1, collected.segments[mote], clocks, collected.unwritten.get(mote, 0))
    told = merged([source], epoch_us, folder / "log")
    return [line.split("\t")[2] for line in (folder / "log").read_text().splitlines()], told[mote]


@pytest.fixture
def small(tmp_path, pyz):
    """A gateway that isn't started yet."""
    found = Gateway(tmp_path / "small", pyz)
    yield found
    found.end()


def test_a_daemon_that_is_killed_leaves_what_was_logged_and_goes_on(own, plugged, tmp_path):
    daemon, mote = own.bridge(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    mote.say(b"before\n")
    wait_until(lambda: port(daemon)["lines"] == 1)
    own.kill()
    with pytest.raises(Lost):
        daemon.hello()
    mote.say(b"!between\n")  # the kernel keeps it
    own.start()
    daemon = own.bridge()
    wait_until(lambda: port(daemon)["lines"] == 1)
    mote.say(b"after\n")
    wait_until(lambda: port(daemon)["lines"] == 2)
    texts, told = log_of(daemon, tmp_path)
    assert texts == ["before", "!between", "after"]
    assert told.restarts == 1 and "daemon was down" in told.gaps[0].why
    assert any("started again 1 times" in each for each in told.missing())


def test_a_controller_that_disappears_stops_nothing(gateway, plugged, tmp_path):
    daemon, mote = gateway.bridge(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    pid = gateway.pid
    gateway.hang_up()
    mote.say(b"alone\n")
    daemon = gateway.bridge()
    wait_until(lambda: port(daemon)["lines"] == 1)
    assert gateway.pid == pid
    texts, told = log_of(daemon, tmp_path)
    assert texts == ["alone"] and told.missing() == []


def test_a_cut_in_the_middle_of_collecting_costs_nothing(gateway, plugged, tmp_path):
    daemon, mote = gateway.bridge(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    lines = [b"%06d %b\n" % (number, b"x" * 90) for number in range(6000)]
    for number in range(0, len(lines), 40):
        mote.say(b"".join(lines[number : number + 40]))
    wait_until(lambda: port(daemon)["lines"] == len(lines))
    fetches = []
    fetch = daemon.fetch

    def cut(*asked):
        if fetches:
            gateway.hang_up()
        fetches.append(asked)
        return fetch(*asked)

    daemon.fetch = cut
    with pytest.raises(Lost):
        collect(daemon, "r", tmp_path / "collected")
    came = (tmp_path / "collected" / "M1.1.log").stat().st_size
    assert came > 0
    daemon = gateway.bridge()
    again = collect(daemon, "r", tmp_path / "collected")
    assert again.fetched == (tmp_path / "collected" / "M1.1.log").stat().st_size - came
    texts, told = log_of(daemon, tmp_path)
    assert [f"{text}\n".encode() for text in texts] == lines and told.missing() == []


def test_an_unplugged_mote_is_said_at_once_and_logged_again_when_it_is_back(gateway, plugged, tmp_path):
    daemon, mote = gateway.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    mote.say(b"one\ntw")
    wait_until(lambda: port(daemon)["bytes"] == 6)
    mote.unplug()
    wait_until(lambda: port(daemon)["state"] == "gone")
    assert port(daemon)["gone"] == 1 and "gone" in daemon.status()["alarms"][0]
    with pytest.raises(Refused, match="not open"):
        daemon.write("r", "M1", b"hello")
    mote.plug()
    wait_until(lambda: port(daemon)["state"] == "open")
    assert daemon.status()["alarms"] == []
    mote.say(b"back\n")
    wait_until(lambda: port(daemon)["lines"] == 2)
    texts, told = log_of(daemon, tmp_path)
    assert texts == ["one", "back"] and told.torn_bytes == 2
    assert told.gaps[0].until_us > told.gaps[0].from_us


def test_a_full_disk_is_alarmed_and_what_waits_is_written_when_there_is_room(small, plugged, tmp_path):
    small.start("--quota", "9000", "--reserve", "0")
    daemon, old, new = small.ask(), plugged("M0"), plugged("M1")
    daemon.open("old", "M0", str(old.link), 115200)
    old.say(b"x" * 4000)
    wait_until(lambda: daemon.status("old")["used"] > 4000)
    daemon.close("old")
    daemon.open("r", "M1", str(new.link), 115200)
    lines = [b"%04d %b\n" % (number, b"y" * 94) for number in range(70)]
    for line in lines:
        new.say(line)
    wait_until(lambda: port(daemon)["lines"] == len(lines))
    alarms = daemon.status()["alarms"]
    assert any("9000 bytes" in each for each in alarms) and any("can't be written" in each for each in alarms)
    daemon.remove("old")
    wait_until(lambda: not port(daemon)["log_error"])
    texts, told = log_of(daemon, tmp_path)
    assert [f"{text}\n".encode() for text in texts] == lines and told.missing() == []


def test_what_a_full_disk_and_a_full_memory_cost_is_counted(small, plugged, tmp_path):
    small.start("--quota", "2000", "--reserve", "0")
    daemon, mote = small.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    sent = 0
    while not port(daemon)["lost_bytes"]:
        mote.say(b"%06d %b\n" % (sent, b"x" * 3992))
        sent += 1
    wait_until(lambda: port(daemon)["bytes"] == sent * 4000)
    daemon.close("r")  # the disk is full to the end
    texts, told = log_of(daemon, tmp_path)
    assert len(texts) == 0 and told.bytes < 2000 and told.torn_lines == 1
    assert told.unwritten + told.bytes >= sent * 4000 and told.cut_bytes > 0
    sentences = told.missing()
    assert any("found no room" in each for each in sentences)
    assert any("where its log was cut" in each for each in sentences)


def test_a_file_system_that_takes_no_more_is_a_full_disk(small, plugged):
    limit = 20_000

    def limited():
        resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit))

    small.start("--reserve", "0", preexec_fn=limited)
    daemon, mote = small.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    for _ in range(10):
        mote.say(b"x" * 3999 + b"\n")
    wait_until(lambda: port(daemon)["lines"] == 10)
    assert "too large" in port(daemon)["log_error"]
    assert daemon.segments("r")[0][2] == limit
    assert daemon.hello()["pid"] == small.pid


def test_a_full_disk_hinders_neither_the_end_of_a_run_nor_its_removal(small, plugged, tmp_path):
    small.start("--reserve", "0")
    daemon, mote = small.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    mote.say(b"one\n")
    wait_until(lambda: port(daemon)["lines"] == 1)
    resource.prlimit(small.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    daemon.close("r")
    texts, told = log_of(daemon, tmp_path)
    assert texts == ["one"] and told.unwritten, "the note that its port was closed"
    daemon.remove("r")
    assert daemon.runs() == []
    small.kill()
    small.hang_up()
    small.start()
    daemon = small.ask()
    daemon.open("other", "M1", str(mote.link), 115200)
    assert b'"r"' not in (small.root / "ports.json").read_bytes(), "that run was removed"


def test_what_is_open_is_kept_as_soon_as_the_disk_has_room_again(small, plugged):
    small.start("--reserve", "0")
    daemon, motes = small.ask(), [plugged(name) for name in ("M1", "M2")]
    for number, mote in enumerate(motes, 1):
        daemon.open("r", f"M{number}", str(mote.link), 115200)
    resource.prlimit(small.pid, resource.RLIMIT_FSIZE, (0, resource.RLIM_INFINITY))
    daemon.close("r", "M1")
    ports = small.root / "ports.json"
    assert b"M1" in ports.read_bytes() and not (small.root / "ports.json.new").exists()
    resource.prlimit(small.pid, resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
    wait_until(lambda: b"M1" not in ports.read_bytes())
    assert b"M2" in ports.read_bytes()


def test_the_reserve_of_the_disk_is_left_alone(small, plugged):
    free = os.statvfs(small.root.parent).f_bavail * os.statvfs(small.root.parent).f_frsize
    small.start("--reserve", str(2 * free))
    daemon, mote = small.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    mote.say(b"x\n")
    wait_until(lambda: port(daemon)["lines"] == 1)
    assert daemon.segments("r") == [("M1", 1, 0)]
    assert any("stay with the gateway's system" in each for each in daemon.status()["alarms"])


def test_a_mote_that_prints_binary_at_full_speed_is_logged_byte_by_byte(gateway, plugged):
    daemon, mote = gateway.ask(), plugged("M1")
    daemon.open("r", "M1", str(mote.link), 115200)
    content = random.Random(5).randbytes(300_000)
    for start in range(0, len(content), 2000):
        mote.say(content[start : start + 2000])
    wait_until(lambda: port(daemon)["bytes"] == len(content))
    chunks = [each for each in records(fetched(daemon, "r", "M1")) if isinstance(each, Chunk)]
    assert b"".join(each.content for each in chunks) == content
    assert port(daemon)["lines"] == content.count(b"\n")


def test_a_daemon_that_nobody_asks_ends_after_its_patience(tmp_path):
    """Without `start`, which asks it, and on a busy machine might come too late for a patience of 1 s."""
    code = "from orchestrate_testbed.gateway.daemon import Daemon; Daemon('.', '', 0, 0, 1, {}).serve()"
    assert subprocess.run([sys.executable, "-c", code], cwd=tmp_path).returncode == 0
    assert not (tmp_path / "control").exists()


def test_a_daemon_whose_folder_was_removed_ends_and_frees_its_ports(small, plugged):
    small.start()
    mote, pid = plugged("M1"), small.pid
    small.ask().open("r", "M1", str(mote.link), 115200)
    shutil.rmtree(small.root)
    wait_until(lambda: not Path(f"/proc/{pid}/exe").exists())
    assert not small.root.exists()


class Story:
    """A run in which things fail at random, and what has to be true at its end."""

    def __init__(self, gateway: Gateway, plugged, seed: int):
        self.chance = random.Random(seed)
        self.gateway = gateway
        self.motes = {name: plugged(name) for name in ("M1", "M2", "M3")}
        self.sent: dict[str, list[str]] = {name: [] for name in self.motes}
        self.sure: dict[str, set[str]] = {name: set() for name in self.motes}
        self.since = dict.fromkeys(self.motes, 0)  # the first line of which no failure took the end
        self.out: set[str] = set()
        for mote in self.motes.values():
            os.set_blocking(mote.master, False)

    def begin(self) -> None:
        self.gateway.start()
        self.daemon = self.gateway.ask()
        self.epoch = time.monotonic_ns() // 1000
        for name, mote in self.motes.items():
            self.daemon.open("r", name, str(mote.link), 115200)

    def speak(self) -> None:
        for name in self.motes.keys() - self.out:
            for _ in range(self.chance.randrange(20)):
                text = f"!{name},{len(self.sent[name])},{'x' * self.chance.randrange(80)}"
                try:
                    os.write(self.motes[name].master, text.encode() + b"\n")
                except BlockingIOError:
                    break  # the line is full, as nobody reads
                self.sent[name].append(text)

    def settle(self) -> None:
        """All that was said has been logged: from now on it must not be lost."""
        self.speak()
        for name in self.motes.keys() - self.out:
            if port(self.daemon, name)["state"] == "open" and not port(self.daemon, name)["log_error"]:
                self.marked(name)

    def marked(self, name: str) -> None:
        """When its log has the mark, it has all before it: a count of lines tells nothing, as the kernel
        hands on what was written when it likes.
        """
        text = f"!mark,{len(self.sent[name])},"
        self.sent[name].append(text)
        os.write(self.motes[name].master, text.encode() + b"\n")
        segment = port(self.daemon, name)["segment"]
        wait_until(lambda: text.encode() in fetched(self.daemon, "r", name, segment))
        self.sure[name].update(self.sent[name][self.since[name] :])

    def kill(self) -> None:
        self.gateway.kill()
        self.since = {name: len(sent) for name, sent in self.sent.items()}
        self.gateway.hang_up()
        self.speak()  # the kernel keeps it for the next daemon
        self.gateway.start()
        self.daemon = self.gateway.ask()

    def hang_up(self) -> None:
        self.gateway.hang_up()
        self.speak()
        self.daemon = self.gateway.ask()

    def unplug(self) -> None:
        name = self.chance.choice(sorted(self.motes))
        if name in self.out:
            self.motes[name].plug()
            os.set_blocking(self.motes[name].master, False)
            self.out.discard(name)
            wait_until(lambda: port(self.daemon, name)["state"] == "open")
        else:
            self.motes[name].unplug()
            self.since[name] = len(self.sent[name])
            self.out.add(name)
            wait_until(lambda: port(self.daemon, name)["state"] == "gone")

    def collect(self, folder: Path) -> None:
        collect(self.daemon, "r", folder)


@pytest.mark.parametrize("seed", range(SCHEDULES))
def test_a_random_schedule_of_failures_loses_nothing_that_was_logged(seed, small, plugged, tmp_path):
    story = Story(small, plugged, seed)
    story.begin()
    for _ in range(8):
        story.speak()
        step = story.chance.choice(["settle", "settle", "kill", "hang_up", "unplug", "collect"])
        getattr(story, step)(*([tmp_path / "collected"] if step == "collect" else []))
    story.settle()
    daemon = story.daemon
    collected = collect(daemon, "r", tmp_path / "collected")
    clocks = tuple(fitted([daemon.clock() for _ in range(4)]))
    sources = [
        Source(name, number, collected.segments[name], clocks) for number, name in enumerate(story.motes, 1)
    ]
    # The error of the clocks: the first line may be that much earlier than the epoch.
    told = merged(sources, story.epoch - 10_000_000, tmp_path / "log")
    got: dict[str, list[str]] = {name: [] for name in story.motes}
    times = []
    for line in (tmp_path / "log").read_text().splitlines():
        time_us, number, text = line.split("\t")
        times.append(int(time_us))
        got[f"M{number.removeprefix('ID:')}"].append(text)
    assert times == sorted(times)
    for name, texts in got.items():
        places = [story.sent[name].index(text) for text in texts]  # each is one that was said, whole
        assert places == sorted(set(places)), "in order, none twice"
        assert story.sure[name] <= set(texts)
        if len(texts) < len(story.sent[name]):
            assert told[name].missing(), "what is missing is said"
