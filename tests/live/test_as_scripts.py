# SPDX-License-Identifier: Apache-2.0
"""A Python program does what a script of a .csc does, and the log has the bytes that Cooja's has."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.csc import driven, javascript
from orchestrator.engines.model import Job
from orchestrator.engines.protocol import engine, run_one
from orchestrator.errors import Unsupported
from orchestrator.live import Live, LiveMote, Stage
from orchestrator.runs.model import Outcome
from tests import needs
from tests.waiting import HANG_S

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "golden"))
from golden_cases import first_difference, log_for
from golden_cases import simulation as file_of
from probes import firmware

needs.a_compiler()


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("probes")


class Script:
    """What a script has at each line: `n` counts lines, `id` and `mote` are of the line."""

    def __init__(self, live: Live, libraries: list[Path]):
        self.live, self.libraries = live, libraries
        self.n = self.mote = self.id = self.time = 0
        self.msg = ""
        self.known: dict = {}

    def log(self, text: str) -> None:
        self.live.log_text(text + "\n")


def buttons(s: Script) -> None:
    which = 1 + (s.n * 7) % 6
    if s.n % 5 == 0 and s.time - s.known.get(f"button {which}", 0) > 300_000:
        s.known[f"button {which}"] = s.time
        if s.n % 3 == 0:
            s.live.click(which)
            s.log(f"click {which}")
        elif s.live.read_variable(which, "simButtonIsDown", "b") == 1:
            s.live.release(which)
            s.log(f"release {which}")
        else:
            s.live.press(which)
            s.log(f"press {which}")


def serial_input(s: Script) -> None:
    if not s.msg.startswith(("out", "active")):
        s.n -= 1
        return
    text = "0123456789abcdef" * 512
    if s.n % 2 == 0:
        s.live.write(1 + s.n % 6, f"line {s.n} for {s.id}")
    if s.n % 9 == 0:
        s.live.write(s.mote, "twice")
        s.live.write(s.mote, " in one event")
    if s.n % 11 == 0:
        s.live.write(3, "caf\u00e9 \u20ac \U0001f600 \t tab")
    if s.n % 12 == 0:
        s.live.write(s.mote, text)
    if s.n % 31 == 0:
        s.live.write(s.mote, text * 3)


def mote_removal(s: Script) -> None:
    motes = [one.mote for one in s.live.snapshot()] if s.n % 97 == 0 else []
    gone = s.known.setdefault("gone", [])
    added = s.known.setdefault("added", [])
    if s.n % 60 == 0 and s.msg.startswith("out") and len(gone) < 8:
        gone.append(s.mote)
        s.log(f"remove {s.id}")
        s.live.take_out(s.mote)
    if s.n % 97 == 0 and len(gone) < 8:
        other = motes[s.n % len(motes)]
        gone.append(other)
        s.log(f"remove {other}")
        s.live.take_out(other)
    if s.n % 150 == 0 and len(added) < 4:
        added.append(100 + len(added) + 1)
        library = s.libraries[len(added) % 2]
        s.live.add(LiveMote(library, added[-1], 10 * len(added), 5, 0))
        s.live.listen(added[-1])
        s.log(f"add {added[-1]}")


def moved_and_renamed(s: Script) -> None:
    if s.n % 5 == 0:
        s.live.move(s.mote, (s.n * 37) % 60, (s.n * 13) % 45, s.n % 3)
    if s.n % 70 == 0:
        s.known[s.mote] = 200 + s.n
        s.live.set_id(s.mote, 200 + s.n)


def play(case: str, rules: str, act: Callable[[Script], None], end_us: int, folder: Path, log: Path) -> None:
    """Do in Python what the script of a case does: log each line, and act."""
    simulation = driven.read(file_of(case))
    libraries = firmware(simulation, folder)
    stage = Stage(simulation.medium, simulation.seed, log, simulation.motedelay_us, rules)
    with Live.of(stage, simulation, libraries) as live:
        script = Script(live, [libraries[one.identifier] for one in simulation.mote_types])
        live.log_lines(False)
        for mote in live.motes:
            live.listen(mote)
        while (output := live.next_line(end_us)) is not None:
            script.n += 1
            script.mote, script.time = output.mote, output.time_us
            script.id = script.known.get(output.mote, output.mote)
            script.msg = output.text.decode()
            script.log(f"{script.time}\tID:{script.id}\t{script.msg}")
            act(script)
        live.end()


@pytest.mark.parametrize("rules", ["5.0", "2026.07"])
@pytest.mark.parametrize(
    ("case", "act", "end_us"),
    [
        ("buttons", buttons, 4_000_000),
        ("serial-input", serial_input, 3_000_000),
        ("mote-removal", mote_removal, 4_000_000),
        ("moved-and-renamed", moved_and_renamed, 3_000_000),
    ],
)
def test_the_log_is_that_of_cooja_with_the_script(case, act, end_us, rules, folder, tmp_path):
    log = tmp_path / "COOJA.testlog"
    play(case, rules, act, end_us, folder, log)
    golden = log_for(case, rules).read_bytes()
    assert log.read_bytes() == golden, first_difference(golden, log.read_bytes())


JAVASCRIPT = r"""
TIMEOUT(3000, log.testOK());
GENERATE_MSG(150, "again");
n = 0;
while(true) {
  log.log(time + "\tID:" + id + "\t" + msg + "\n");
  if(msg == "again") {
    n = n + 1;
    other = sim.getMoteWithID(2 + n % 4);
    if(other != null) {
      other.getInterfaces().getPosition().setCoordinates((n * 37) % 60, (n * 13) % 45, n % 3);
      if(n % 4 == 0) {
        sim.removeMote(other);
        taken = other;
      }
    }
    if(n % 4 == 2 && n > 4) {
      sim.addMote(taken);
    }
    GENERATE_MSG(n % 5 == 0 ? 0 : 70 + n, "again");
  }
  YIELD();
}
"""


def with_reminders(live: Live, end_us: int) -> None:
    """Do what that script does, with reminders in place of its messages to itself."""
    n, first, taken = 0, None, None
    while live.now_us < end_us:
        for output in live.advance(end_us):
            if first is None:  # at the first line the script begins
                first = output.mote
                live.remind(150_000, b"again")
            mote = first if output.mote is None else output.mote
            live.log_text(f"{output.time_us}\tID:{mote}\t{output.text.decode()}\n")
            if output.mote is not None:
                continue
            n += 1
            other = 2 + n % 4
            if other in live.motes:
                live.move(other, (n * 37) % 60, (n * 13) % 45, n % 3)
                if n % 4 == 0:
                    live.take_out(other)
                    taken = other
            if n % 4 == 2 and n > 4:
                live.put_back(taken)
            live.remind(0 if n % 5 == 0 else (70 + n) * 1000, b"again")


def test_the_middle_of_an_event_is_no_place_to_copy_from(folder):
    simulation = driven.read(file_of("chain"))
    stage = Stage(simulation.medium, 5, None, simulation.motedelay_us)
    with Live.of(stage, simulation, firmware(simulation, folder)) as live:
        live.listen(1)
        line = live.next_line("1 s")
        with pytest.raises(Unsupported, match="middle of an event"):
            live.fork()
        live.add(LiveMote(live.libraries[0], 77))  # which is there when the event is over
        live.listen(77)
        live.step(line.time_us + 1)
        assert 77 in {state.mote for state in live.snapshot()}
        with live.fork() as copy:
            assert copy.step("2 s")
            copy.end()


def test_motes_that_share_an_id_are_refused(folder):
    simulation = driven.read(file_of("chain"))
    twins = replace(simulation, motes=(*simulation.motes, simulation.motes[0]))
    with pytest.raises(Unsupported, match=f"several motes have the id {simulation.motes[0].id}"):
        Live.of(Stage(simulation.medium, 5, None), twins, firmware(simulation, folder))


def test_reminders_come_as_the_messages_that_a_script_generates(folder, tmp_path):
    simulation = driven.read(file_of("chain"))
    libraries = firmware(simulation, folder)
    script, missing = javascript.read([javascript.Part(JAVASCRIPT, "s.js", 1)])
    assert not missing
    scripted = tmp_path / "scripted.log"
    job = Job(replace(simulation, script=script), 5, libraries, scripted, wall_limit_s=HANG_S)
    assert run_one(engine("embedded"), job).outcome is Outcome.OK
    stage = Stage(simulation.medium, 5, tmp_path / "driven.log", simulation.motedelay_us)
    with Live.of(stage, simulation, libraries) as live:
        live.log_lines(False)
        for mote in live.motes:
            live.listen(mote)
        with_reminders(live, 3_000_000)
        live.end()
    assert scripted.read_text().count("again") > 10
    assert live.log.read_text() == scripted.read_text()
