# SPDX-License-Identifier: Apache-2.0
"""What a Python program sees of motes and changes in them while the simulation stands still."""

from __future__ import annotations

import threading
import time

import pytest

from orchestrator.csc.model import DirectedGraph, Edge, Silent, Udgm
from orchestrator.errors import NoSuchThing, Unsupported, WrongUsage
from orchestrator.live import CallbackHung, Frame, Live, LiveMote, MoteState, Output, Stage, time_us
from orchestrator.runs.model import Outcome
from tests import needs
from tests.engines.engine_firmware import compile_firmware

needs.a_compiler()

# Every 10 ms mote 1 sends a frame with its counter; the others say what they hear, and print their variables
# when the button is pressed.
BODY = """
char simButtonIsDown, simButtonChanged, simButtonIsActive = 1;
uint16_t counter = 500;
int32_t pair[2] = {-1, 70000};
const uint8_t FIXED = 9;
static int one_function(void) { static int shared = 5; return shared++; }
static int another_function(void) { static int shared = 6; return shared++; }
static int other_file(void) { static int hidden = 3; return hidden++; }
void cooja_tick(void) {
  if(first()) { etimer(10); other_file(); one_function(); another_function(); return; }
  if(simButtonChanged) { simButtonChanged = 0; SAY("button %d %d\\n", simButtonIsDown, pair[1]); }
  if(!simReceiving && simInSize > 0) { SAY("heard %d\\n", simInDataBuffer[0]); simInSize = 0; }
  if(due()) {
    etimer(10);
    if(simMoteID == 1) { simOutSize = 20; simOutDataBuffer[0] = counter++ & 127; }
  }
}"""


@pytest.fixture(scope="module")
def library(tmp_path_factory):
    return compile_firmware(tmp_path_factory.mktemp("firmware"), "operated", BODY)


def row(library, count):
    return [LiveMote(library, number, 10.0 * number) for number in range(1, count + 1)]


@pytest.fixture
def live(library):
    with Live(Stage(Udgm(50.0, 70.0), 1, None), row(library, 3)) as simulation:
        yield simulation


def test_a_variable_is_read_and_written_by_its_name(live):
    live.step("25 ms")
    assert live.read_variable(1, "counter", "H") == 502 and live.read_variable(2, "counter", "H") == 500
    assert live.read_variable(1, "pair", "2i") == (-1, 70000)
    assert live.read_variable(1, "FIXED") == b"\x09"
    assert live.read_variable(1, "hidden", "i") == 4
    live.write_variable(1, "counter", 77, "H")
    live.write_variable(2, "pair", [5, -6], "2i")
    live.write_variable(3, "pair", b"\1\0\0\0\2\0\0\0")
    live.listen(2)
    live.click(2)
    live.click(3)
    live.listen(3)
    said = {(one.mote, one.text) for one in live.step(by="10 ms")}
    assert {(2, b"heard 77"), (2, b"button 1 -6"), (3, b"button 1 2")} <= said
    assert live.variables(1)["pair"] == 8


def test_variables_that_share_a_name_have_longer_names_of_their_own(live):
    live.step("25 ms")
    with pytest.raises(WrongUsage, match="several variables") as raised:
        live.read_variable(1, "shared", "i")
    names = [name for name in live.variables(1) if name.endswith(":shared")]
    assert {live.read_variable(1, name, "i") for name in names} == {6, 7}
    assert all(name in str(raised.value) for name in names)


@pytest.mark.parametrize(
    ("error", "words", "act"),
    [
        (NoSuchThing, "countre.*did you mean.*counter", lambda one: one.read_variable(1, "countre")),
        (WrongUsage, "2 bytes, and the format 'i' 4", lambda one: one.read_variable(1, "counter", "i")),
        (WrongUsage, "no format", lambda one: one.read_variable(1, "counter", "nonsense")),
        (WrongUsage, "2 bytes, and the value 3", lambda one: one.write_variable(1, "counter", b"abc")),
        (WrongUsage, "70000", lambda one: one.write_variable(1, "counter", 70000, "H")),
        (WrongUsage, "constant", lambda one: one.write_variable(1, "FIXED", b"1")),
        (NoSuchThing, "no mote 9.*1, 2, 3", lambda one: one.read_variable(9, "counter")),
        (NoSuchThing, "no mote 9", lambda one: one.write(9, b"x")),
        (NoSuchThing, "no mote 9", lambda one: one.switch_on(9)),
        (NoSuchThing, "no mote 2", lambda one: one.put_back(2)),
        (Unsupported, "simPirIsActive", lambda one: one.signal_pir(1)),
        (Unsupported, "no links", lambda one: one.link(1, 2)),
        (ValueError, "nan", lambda one: one.move(1, float("nan"), 0)),
        (ValueError, "success_ratio_tx", lambda one: one.set_medium(success_ratio_tx=1.5)),
        (ValueError, "range", lambda one: one.set_medium(range=3)),
        (WrongUsage, "no unit", lambda one: one.step("5")),
        (WrongUsage, "-1", lambda one: one.step(-1)),
        (WrongUsage, "one of both", lambda one: one.step()),
    ],
)
def test_what_can_t_be_is_refused_and_the_simulation_goes_on(error, words, act, live):
    live.step("25 ms")
    with pytest.raises(error, match=f"(?s){words}"):
        act(live)
    live.step("30 ms")
    assert live.end().outcome is Outcome.OK and live.read_log().endswith(
        "Test ended at simulation time: 30000\n"
    )


def test_reading_and_looking_change_no_byte(library):
    logs = []
    for looks in (False, True):
        with Live(Stage(Udgm(50.0, 70.0, 1.0, 0.7), 5, None), row(library, 3)) as live:
            for until in range(0, 300_000, 777):
                live.step(until)
                if looks:
                    live.snapshot(), live.read_variable(1, "counter"), live.take_frames(), live.read_log()
                    live.listen_to_frames()
            live.end()
            logs.append(live.read_log())
    assert logs[0] == logs[1] and "heard" in logs[0]


def test_frames_come_with_the_time_at_which_they_begin(live):
    live.listen_to_frames()
    live.step("35 ms")
    frames = live.take_frames()
    assert [(one.time_us, one.mote, one.channel, one.content[0], len(one.content)) for one in frames] == [
        (10_000, 1, 26, 500 & 127, 22),
        (20_000, 1, 26, 501 & 127, 22),
        (30_000, 1, 26, 502 & 127, 22),
    ]
    assert isinstance(frames[0], Frame) and frames[0].power == 100
    live.listen_to_frames(False)
    live.step("60 ms")
    assert live.take_frames() == []


def test_a_snapshot_says_where_motes_are_and_what_radios_do(live):
    live.step("10300 us")  # mote 1's frame takes 640 us
    live.move(3, 31.5, -2.0, 4.0)
    live.set_id(2, 88)
    states = live.snapshot()
    assert [one.radio for one in states] == ["transmitting", "receiving", "receiving"]
    assert states[2] == MoteState(3, 3, 31.5, -2.0, 4.0, "receiving", 26, 100, states[2].signal_dbm)
    live.move(3, 30.0, 0.0)
    assert live.snapshot()[2].z == 4.0
    assert (states[1].mote, states[1].id) == (2, 88) and -60 < states[1].signal_dbm < -10
    live.switch_off(2)
    assert [one.mote for one in live.snapshot()] == [1, 3] and live.motes == {1, 3}


def test_a_mote_that_is_switched_on_boots_again_where_it_was_moved(live):
    live.step("25 ms")
    live.write_variable(1, "counter", 9, "H")
    live.move(1, 12.0, 1.0)
    live.switch_off(1)
    live.step("50 ms")
    live.switch_on(1)
    live.step("65 ms")
    assert live.read_variable(1, "counter", "H") == 501
    assert [(one.x, one.y) for one in live.snapshot() if one.mote == 1] == [(12.0, 1.0)]
    live.take_out(1)
    assert live.motes == {2, 3}
    live.put_back(1)
    live.step("70 ms")
    assert live.read_variable(1, "counter", "H") == 501, "it keeps its memory"


def heard(live, until) -> set[int | None]:
    return {one.mote for one in live.step(until) if one.text.startswith(b"heard")}


def test_links_of_a_directed_graph_are_made_changed_and_cut(library):
    graph = DirectedGraph((Edge(1, 2),))
    with Live(Stage(graph, 1, None), row(library, 3)) as live:
        for mote in (2, 3):
            live.listen(mote)
        assert heard(live, "15 ms") == {2}
        live.link(1, 3)
        assert heard(live, "25 ms") == {2, 3}
        live.unlink(1, 2)
        assert heard(live, "35 ms") == {3}
        live.link(1, 2, ratio=0.0)
        live.link(1, 3, ratio=0.0)
        assert heard(live, "45 ms") == set()
        live.link(1, 2)
        live.switch_off(2)
        live.switch_on(2)  # links hold for the mote that comes back
        live.listen(2)
        assert heard(live, "65 ms") == {2}
        with pytest.raises(NoSuchThing, match="no link"):
            live.unlink(2, 3)


def test_ranges_and_losses_of_a_unit_disk_graph_change(live):
    for mote in (2, 3):
        live.listen(mote)
    assert heard(live, "15 ms") == {2, 3}
    live.set_medium(transmitting_range=15)
    assert heard(live, "25 ms") == {2}
    live.set_medium(success_ratio_tx=0)
    assert heard(live, "35 ms") == set()
    live.set_medium(success_ratio_tx=1, transmitting_range=50)
    assert heard(live, "45 ms") == {2, 3}


def test_a_strength_that_was_set_holds_for_a_mote_that_comes_back(live):
    def heard_by(mote: int) -> int:
        return next(one.signal_dbm for one in live.snapshot() if one.mote == mote)

    live.set_signal(2, -42)
    live.step("5 ms")
    assert (heard_by(2), heard_by(3)) == (-42, -100)
    live.switch_off(2)
    live.switch_on(2)
    live.step("6 ms")
    assert heard_by(2) == -42


def test_a_program_stops_at_what_it_waits_for(live):
    live.listen(2)
    live.listen(3)
    third = live.run_until(lambda one: one.mote == 3 and one.text == b"heard 118", "1 s")
    assert third == Output(live.now_us, 3, b"heard 118")
    assert live.run_until(lambda one: False, "100 ms") is None and live.now_us == 100_000


def test_a_predicate_that_raises_leaves_the_simulation_where_it_was(live):
    live.listen(2)
    live.listen(3)

    def fails(output: Output) -> bool:
        raise KeyError("mine")

    with pytest.raises(KeyError, match="mine") as raised:
        live.run_until(fails, "1 s")
    assert "simulated time" in raised.value.__notes__[0]
    assert [one.mote for one in live.advance(1_000_000)] == [3], "which heard it at the same time"
    live.step("50 ms")
    live.end()
    assert live.read_log().endswith("TEST OK\nTest ended at simulation time: 50000\n")


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_predicate_that_never_returns_is_ended(elsewhere, library):
    errors = []

    def hangs(_: Output) -> bool:
        while True:
            if not elsewhere:
                time.sleep(1000)

    def program() -> None:
        with Live(Stage(Udgm(50.0, 70.0), 1, None), row(library, 3)) as live:
            live.listen(2)
            try:
                live.run_until(hangs, "1 s", limit_s=0.2)
            except CallbackHung as hung:
                errors.append(str(hung))
            live.step("50 ms")
            live.end()
            assert "Test ended" in live.read_log()
            errors.append("went on")

    if elsewhere:
        thread = threading.Thread(target=program)
        thread.start()
        thread.join()
    else:
        program()
    assert len(errors) == 2 and "didn't return in 0.2 s" in errors[0]


def test_an_interrupted_step_loses_nothing(library, monkeypatch):
    with Live(Stage(Udgm(50.0, 70.0), 1, None), row(library, 3)) as live:
        live.listen(2)
        hear, heard_lines = live._kernel.hear, []

        def interrupted():
            if len(heard_lines) == 3:
                heard_lines.append(None)
                raise KeyboardInterrupt
            heard_lines.append(hear())
            return heard_lines[-1]

        monkeypatch.setattr(live._kernel, "hear", interrupted)
        with pytest.raises(KeyboardInterrupt):
            live.step("100 ms")
        outputs = live.step("200 ms")
        live.end()
    assert [one.text for one in outputs] == [b"heard %d" % ((500 + n) & 127) for n in range(19)]


def test_a_closed_simulation_says_so_and_its_log_can_be_read(library, tmp_path):
    with Live(Stage(Silent(), 1, tmp_path / "log"), row(library, 1)) as live:
        live.log_text("mine\n")
        live.step("1 ms")
        assert repr(live) == "<Live: 1 mote, 0.001000 s>"
    with pytest.raises(WrongUsage, match="closed"):
        live.step("2 ms")
    assert "mine\n" in live.read_log() and "closed" in repr(live)
    live.close()


def test_times_are_microseconds_or_texts():
    assert [time_us(value) for value in (7, "7 us", "1.5 s", "2 min")] == [7, 7, 1_500_000, 120_000_000]
    for wrong in (1.5, "soon", -1, 2**60, float("inf"), float("nan")):
        with pytest.raises(WrongUsage):
            time_us(wrong)
