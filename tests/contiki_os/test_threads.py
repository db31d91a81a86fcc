# SPDX-License-Identifier: Apache-2.0
"""Preemptive threads and the CPU that they use: who runs when, on a mote whose memory is swapped as Cooja
does it.
"""

import signal
import subprocess

import pytest
from os_builds import DEFAULT

MOTES = 15
BOOT = 10_000  # us; mote N boots at N times that, its software a ms later
WHYS = ("slice", "sleep", "wait", "give_up", "dispatch", "block", "end", "start", "ready")


def logs(lines):
    """Mote -> [(us since its boot, text)]."""
    found = {mote: [] for mote in range(1, MOTES + 1)}
    for line in lines:
        if line.mote:
            found[line.mote].append((line.time - line.mote * BOOT, line.text))
    return found


def runs(log):
    """[(us, thread, why the one before stopped)] of the `!sch` records."""
    return [(time, *text.split(",")[1:]) for time, text in log if text.startswith("!sch")]


def said(log, *words):
    """The texts that hold one of the words, in order."""
    return [text for _, text in log if any(word in text for word in words)]


def counters(log):
    return {
        name: int(value)
        for name, value in (text.split(",")[1:] for _, text in log if text.startswith("!cnt"))
    }


def cpu_times(log):
    return {
        name: int(us)
        for name, _, us, *_ in (text.split(",")[1:] for _, text in log if text.startswith("!thr"))
    }


@pytest.fixture(scope="module")
def stories(firmware, run):
    return logs(run(firmware("threads"), "--motes", str(MOTES), "--until", "400"))


def test_the_same_every_time_and_from_any_compiler(firmware, run, stories):
    options = ("--motes", str(MOTES), "--until", "400")
    assert logs(run(firmware("threads"), *options)) == stories
    assert logs(run(firmware("threads", "clang", "-O0"), *options)) == stories


def test_slices_end_at_the_multiples_of_20_ms_whenever_a_thread_began(stories):
    assert runs(stories[1]) == [
        (1_000, "a", "start"),
        (20_000, "b", "slice"),
        (40_000, "a", "slice"),
        (60_000, "b", "slice"),
        (80_000, "a", "slice"),
        (91_000, "b", "end"),
        (101_000, "c", "end"),
        (151_000, "idle", "end"),
    ]


def test_what_is_more_important_goes_first_and_does_not_preempt(stories):
    assert runs(stories[2]) == [
        (1_000, "e", "start"),
        (31_000, "d", "end"),
        (34_000, "c", "end"),
        (37_000, "b", "end"),
        (40_000, "a", "end"),
        (43_000, "idle", "end"),
    ]


def test_deadlines_stand_above_priorities_and_are_only_tightened_until_served(stories):
    log = stories[3]
    assert said(log, "d: ") == [
        f"d: {what} 0" for what in ("set", "later", "before", "tighter", "first", "never first", "again")
    ]
    assert runs(log)[5:] == [
        (1_000, "c", "give_up"),
        (3_000, "a", "wait"),
        (5_000, "b", "wait"),  # the first one, 10 ms, 20 ms
        (7_000, "e", "wait"),
        (10_000, "d", "end"),  # then the one with the highest priority
        (11_000, "a", "end"),
        (13_000, "idle", "wait"),  # served, so a later deadline counts again
    ]
    assert said(log, "a: deadline") == ["a: deadline 11000", "a: deadline 70000"]


@pytest.mark.parametrize(("mote", "why"), [(4, "block"), (5, "wait")], ids=["mutex", "semaphore"])
def test_who_has_it_inherits_the_deadline_of_who_wants_it_until_it_is_left(stories, mote, why):
    """`a` (low) has the lock, `c` with a deadline wants it, and `b` (high) only computes."""
    assert runs(stories[mote]) == [
        (1_000, "a", "start"),
        (20_000, "c", "slice"),
        (20_000, "a", why),  # not b
        (40_000, "c", "slice"),  # left at 31 ms, which preempts nobody
        (45_000, "b", "end"),
        (95_000, "a", "end"),  # a has its own priority again
        (116_000, "idle", "end"),
    ]


def test_sleep_and_waits_end_when_they_should(stories):
    log = stories[6]
    assert [time for time, text in log if "awake" in text] == [12_500, 24_000, 35_500]
    assert said(log, "signal", "kept", "only") == [
        "a: signal 0",
        "a: no signal 5",
        "a: late signal 0",
        "a: kept 0",
        "a: one only 5",
    ]
    assert [time for time, text in log if "signal" in text] == [51_000, 58_000, 63_000]


def test_bad_calls_have_their_result_and_are_counted(stories):
    log = stories[7]
    assert said(log, "no thread") == [
        "process: no thread: use 1",
        "process: no thread: sleep 1",
        "process: no thread: lock 1",
        "process: no thread: wait 1",
        "process: no thread: signal 5",
        "process: no thread: far 1",
        "process: no thread: give up 1",
        "process: no thread: dispatch 1",
        "process: no thread: deadline 1",
        "process: no thread: served 1",
        "process: no thread: unlock 10",
    ]
    assert said(log, "not started") == ["process: not started: stop 4", "process: not started: first 4"]
    assert said(log, "a: ") == ["a: first 0", "a: itself 8", "a: second 0"]
    assert said(log, "b: ") == ["b: first 0", "b: circle 8", "b: not mine 10"]
    assert said(log, "c: ") == [
        "c: owner stopped 9",
        "c: farthest 0",
        "c: far 6",
        "c: past 7",
        "c: farthest past 7",
        "c: far past 6",
        "c: far sleep 6",
        "c: far wait 6",
        "c: to a stopped one 4",
        "c: runs already 3",
    ]
    assert counters(log) == {
        "context_switches": 8,
        "threads_deadline_past": 2,
        "threads_deadlock": 2,
        "threads_owner_stopped": 1,
        "threads_not_owner": 2,
    }


@pytest.mark.parametrize("mote", [8, 15])
def test_a_stack_that_is_too_small_stops_its_thread_only(stories, mote):
    log = stories[mote]
    assert said(log, "ERR") == ["[ERR : Threads   ] a: stack overflow"]
    assert counters(log)["threads_stack_overflow"] == 1
    assert runs(log) == [(1_000, "a", "start"), (2_000, "b", "end"), (5_000, "idle", "end")]
    assert not said(log, "FAIL")


def test_a_stack_that_overflows_past_its_guard_stops_the_mote(driver, firmware):
    """The memory below the guard may belong to something else, so nothing more may run. That it was written
    shows in the guard's last quarter.
    """
    call = [
        str(driver),
        str(firmware("threads", flags="-O1 -DOVERFLOW_AT=THREAD_STACK_GUARD/4-1")),
        "--motes",
        "8",
        "--until",
        "400",
    ]
    assert subprocess.run(call, check=False, capture_output=True).returncode == -signal.SIGABRT


def test_threads_beyond_the_table_are_refused_and_counted(stories):
    log = stories[12]
    assert said(log, "process: started") == ["process: started 0"] * 8
    assert said(log, "a: ") == ["a: while b to h run 2", "a: b stopped 0", "a: started 0", "a: with i 2"]
    assert counters(log)["threads_no_room"] == 2
    assert {thread for _, thread, _ in runs(log)} == {*"acdefghi", "idle"}  # i has b's place
    assert not said(log, "b: ")


def test_threads_that_let_no_time_pass_do_not_stop_the_simulation(stories):
    log = stories[9]
    assert said(log, "stopped", "again") == ["process: stopped 0", "process: stopped 0", "process: again 4"]
    assert counters(log)["threads_spinning"] == 38  # one a ms until they were stopped
    assert cpu_times(log)["c"] == 3_000


def test_a_thread_goes_on_1000_times_in_one_moment_and_then_uses_a_ms(stories):
    """Sending takes time, so that what comes after it is another moment."""
    log = stories[13]
    assert said(log, "so far", "at last") == ["a: so far 0", "a: at last 1"]
    [last] = [time for time, text in log if "at last" in text]
    [sent] = [time for time, text in log if "a: sent" in text]
    assert last == sent + 2_000  # what it computed, and what it went on too often


def test_time_in_the_air_is_the_running_thread_s(stories):
    """A thread that sends waits for it; when a process sends, what is due then comes after it."""
    log = stories[10]
    times = {text.rsplit(" ", 1)[0]: time for time, text in log if "sen" in text}
    assert (times["a: sends"], times["process: sends"]) == (2_000, 38_000)
    in_the_air = times["a: sent"] - 2_000
    assert in_the_air == times["process: sent"] - 38_000 > 0
    assert runs(log) == [
        (1_000, "a", "start"),
        (3_000 + in_the_air, "b", "sleep"),
        (38_000 + in_the_air, "a", "slice"),  # due at 40 ms
        (38_000 + in_the_air, "b", "end"),
        (53_000 + in_the_air, "idle", "end"),
    ]
    assert cpu_times(log)["a"] == 2_000 + in_the_air
    assert cpu_times(log)["b"] == 50_000


def test_another_s_rtimer_is_left_alone_and_waited_for(stories):
    log = stories[11]
    assert runs(log) == [(1_000, "a", "start"), (4_000, "idle", "end")]
    assert counters(log)["threads_timer_taken"] > 0


def test_times_and_switches_are_counted_between_two_times(stories):
    """`a` computes from 1 to 51 ms and from 81 to 121 ms; they are counted from 38 to 101 ms."""
    counted = [text for _, text in stories[14] if text.startswith(("!thr", "!cnt"))]
    size = counted[0].rpartition(",")[2]

    def of(a: tuple[int, int], idle: tuple[int, int]) -> list[str]:
        return [
            f"!thr,a,2,{a[0]},{a[1]},0,{size}",
            f"!thr,idle,0,{idle[0]},{idle[1]},0,0",
            f"!cnt,context_switches,{a[1] + idle[1]}",
        ]

    between = of((33_000, 1), (30_000, 1))
    assert counted == [*between, *between, *of((0, 0), (0, 0)), *of((0, 0), (7_000, 0))]


def test_cpu_times_sum_up_to_the_time_and_are_the_energy_s(stories):
    for mote, log in stories.items():
        if mote == 14:
            continue  # it counts other times
        times = cpu_times(log)
        energy = {
            name: int(text.split()[-1]) for name in ("cpu", "lpm") for text in said(log, f"process: {name}")
        }
        end = log[-1][0]
        assert sum(times.values()) == end - 1_000, mote
        assert energy == {"cpu": end - 1_000 - energy["lpm"], "lpm": energy["lpm"]}
        assert energy["lpm"] == times["idle"], mote


def test_each_switch_is_traced_and_counted(stories):
    for mote, log in stories.items():
        if mote not in (9, 14):
            assert counters(log)["context_switches"] == len(runs(log))
            assert {why for _, _, why in runs(log)} <= set(WHYS)


@pytest.mark.parametrize("compiler", [DEFAULT])
def test_an_application_without_threads_has_nothing_of_them(firmware, compiler):
    assert b"Threads" not in firmware("timers", compiler).read_bytes()
