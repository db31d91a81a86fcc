# SPDX-License-Identifier: Apache-2.0
"""The runs of an experiment that several modules' tests look at: Spark takes as long for the metrics of one
of them as for those of all.
"""

from __future__ import annotations

from pathlib import Path
from zlib import crc32

from orchestrate_spark.log_format import COUNTERS
from orchestrate_spark.metrics.blackboard import ERRORS
from synthetic import Chain, write_experiment, write_run

from tests import threaded_log

# Every metric of whole logs (test_metrics.py).
CHAINS = [Chain("anything", 4, False), Chain("other, name", 4, True), Chain("H9", 9, True, 60)]
SEEDS = range(1, 5)
# Delivery around a mote's death (test_recovery_metric.py); windows are 5 s long.
DIES_S, RENEWAL_S, LAST_S = 40, 10, 80
# Threads and the blackboard (test_thread_metrics.py), by seed and mote.
MOTES = {
    seed: {1: threaded_log.mote(20, shift=seed), 2: threaded_log.mote(10, shift=2 * seed)}
    for seed in (1, 2, 3)
}
_ODD = (
    b"5\tID:1\t!thr,a/b,1,0,0,0,0\n6\tID:1\t!nts,4,2,a/b,0,0,0,0,0\n7\tID:1\t!nts,4,3,a/b,2500,4,1,9000,3000\n"
    b"7\tID:1\t!nts,4,3,a/b,5000,2,0,8000,4000\n"
    b"8\tID:9\t!thr,idle,4,50,1,0,0\n9\tID:1\t!cnt,samples_taken,4\n9\tID:9\t!cnt,samples_taken,5\n"
)
# Counters of forwarding and drops, an exact delay, and a line that is none (test_metrics.py).
_FORWARDED = (
    b"1\tID:1\t!node,subscriber,0,0,1\n2\tID:1\t!dly,100,3\n3\tID:1\t!cnt,delay_total_ms,150\n"
    b"4\tID:1\t!cnt,forward_full,4\n5\tID:2\t!cnt,forward_full,5\n6\tID:2\t!cnt,queue_dropped,7\nnonsense\n"
)
# A subscriber that received nothing: its aggregates are none, which is a number, too.
_NOTHING = b"1\tID:1\t!node,subscriber,0,0,3\n9\tID:1\t!cnt,events_delivered,0\n"
# Ages of data (test_age_metric.py): an event overtakes the one before it.
AGES = b"".join(
    b"%d\tID:%d\t!%s\n" % (1000 * at, mote, said)
    for at, mote, said in (
        (0, 1, b"sub,t,1000"),
        (0, 2, b"pub,t,1,1,0"),
        (0, 3, b"pub,t,2,1,0"),
        (10, 1, b"dlv,t,2,1.1"),
        (20, 1, b"dlv,t,3,2.1"),
        (100, 2, b"pub,t,1,2,0"),
        (200, 2, b"pub,t,1,3,0"),
        (230, 1, b"dlv,t,2,1.3"),
        (250, 1, b"dlv,t,2,1.2"),
        (300, 2, b"pub,t,1,4,0"),
        (310, 1, b"dlv,t,2,1.4"),
    )
)
# The same events without a subscription, and notifications of a blackboard (test_age_metric.py).
_UNASKED = b"".join(line + b"\n" for line in AGES.splitlines() if b"!sub" not in line)
_NOTIFIED = (
    b"1000\tID:1\t!ntf,3,0,a,1000,0\n9000\tID:1\t!ntf,3,0,a,2000,0\n12000\tID:1\t!ntf,3,1,b,5000,0\n"
    b"30000\tID:1\t!ntf,3,1,b,1000,0\n"
)
# Completion times and ages of data distribution (test_job_metrics.py).
JOBS = (
    b"1\tID:1\t!job,S,source,0,0,900,1000\n2\tID:1\t!job,S,source,1,5000,1100,1000\n"
    b"3\tID:2\t!job,C/T,last,0,1000,70,80\n4\tID:2\t!age,T,0,4000,0,5000\n5\tID:2\t!age,T,1,5001,3,5000\n"
    b"6\tID:2\t!age,T,2,5000,2,5000\n6\tID:2\t!age,T,3,10,0,5000\n7\tID:2\t!job,C/T,last,1,6000,80,80\n"
)
# Voltages that the example of an own metric counts (test_own_example.py).
_BATTERY = b"5\tID:1\t!battery,2.89\n6\tID:2\t!battery,2.5\n7\tID:1\t!battery,2.88\nTEST OK\n"
# Every counter, each with a value that another counter which comes does not change, policies, and what else
# motes dump (test_measured_values.py).
_EVERYTHING = b"".join(
    b"9\tID:%d\t!%s\n" % (mote, said)
    for mote, said in (
        (1, b"node,subscriber,0,0,2"),
        (2, b"node,publisher,1,1,2"),
        (3, b"node,publisher,2,2,1"),
        *(
            (mote, b"cnt,%s,%d" % (name.encode(), mote * (1 + crc32(name.encode()) % 9973)))
            for name in COUNTERS
            for mote in (1, 2)
        ),
        (1, b"pol,a,1,3,10,4,1"),
        (2, b"pol,a,0,0,2,0,5"),
        (2, b"pol,b,1,0,0,7,0"),
        (1, b"nrg,listen,5000000"),
        (1, b"nrg,transmit,300000"),
        (1, b"nrg,off,70000000"),
        (2, b"nrg,transmit,900000"),
        (3, b"nrg,cpu,800000"),
        (1, b"from,1,9,2"),
        (1, b"from,2,4,1"),
        (1, b"agg,1,4"),
        (1, b"agg,2,3"),
        (1, b"dly,10,3"),
        (1, b"dly,20,16"),
        (1, b"dly,50,1"),
        (1, b"dly,100,0"),
    )
)
# Events of a publisher that somebody heard, but no mote says that it subscribes.
_NOBODY = b"1\tID:2\t!node,publisher,1,0,1\n2\tID:2\t!cnt,events_published,5\n3\tID:3\t!from,1,3,1\n"
# Two subscribers and a publisher: each is owed all that it published.
_SHARED = b"".join(
    b"9\tID:%d\t!%s\n" % (mote, said)
    for mote, said in (
        (1, b"node,subscriber,0,0,1"),
        (2, b"node,publisher,1,1,1"),
        (3, b"node,subscriber,0,2,0"),
        (2, b"cnt,events_published,10"),
        (1, b"cnt,events_delivered,11"),
        (3, b"cnt,events_delivered,8"),
        (1, b"from,1,10,1"),
        (3, b"from,1,7,2"),
        (1, b"agg,1,11"),
        (3, b"agg,1,8"),
        (1, b"dly,10,499"),  # of a thousand: one more is half of them
        (1, b"dly,20,450"),
        (3, b"dly,30,1"),
        (3, b"dly,40,50"),
        (1, b"nts,1,1,a,1,4,2,8,3"),  # the shortest deadline that there can be
        (1, b"nts,2,1,a,0,1,0,7,7"),
    )
)
# No record says what came. That nothing did, only the first one's subscriber says.
_UNHEARD, _UNSAID = (
    b"1\tID:1\t!node,subscriber,0,0,1\n1\tID:2\t!node,publisher,1,1,1\n2\tID:1\t!cnt,events_delivered,%d\n"
    b"2\tID:2\t!cnt,events_delivered,3\n2\tID:2\t!cnt,events_published,6\n" % came
    for came in (0, 1)
)
# Delays at the ends of buckets, us; the last two events never come.
_DELAYS_US = (999, 1000, 6999, 7000, 7999, 8000, 15_999, 16_000, 17_999, 18_000, 31_999, 32_000, 1_023_999)
_BUCKETS = b"0\tID:1\t!sub,t,1000\n" + b"".join(
    b"%d\tID:2\t!pub,t,1,%d,0\n" % (at * 10_000_000, at)
    + (b"%d\tID:1\t!dlv,t,2,1.%d\n" % (at * 10_000_000 + delay, at) if delay else b"")
    for at, delay in enumerate((*_DELAYS_US, 0, 0), 1)
)
# A publisher that says which one it is: its counters count, and its trace does not count again.
_INDEXED = (
    b"1\tID:1\t!sub,t,1000\n2\tID:2\t!pub,t,1,1,0\n3\tID:1\t!dlv,t,2,1.1\n4\tID:1\t!node,subscriber,0,0,1\n"
    b"4\tID:2\t!node,publisher,1,1,1\n5\tID:2\t!cnt,events_published,4\n5\tID:1\t!from,1,3,0\n"
)
# A user's own application: its motes say what they are, and only their trace says what came.
_ROLES = (
    b"1\tID:1\t!node,subscriber,0,0,2\n1\tID:2\t!node,publisher,1,1,1\n2\tID:1\t!sub,t,1000\n"
    + b"".join(b"%d000\tID:2\t!pub,t,1,%d,0\n" % (10 * at, at) for at in range(1, 6))
    + b"10700\tID:1\t!dlv,t,2,1.1\n41900\tID:1\t!dlv,t,2,1.2+1.3+1.4\n42000\tID:1\t!dlv,t,2,1.4\n"
)
# What each subscriber was owed and got in each window, from the second one before the death on
# (test_recovery_metric.py); the last two end with the run.
WINDOWS = {
    1: ((20, 20), (20, 20), (20, 18), (20, 10), (20, 18), (10, 9), (7, 7)),
    3: ((20, 20), (20, 12), (20, 14), (20, 15), (20, 15), (20, 15)),
    4: ((20, 20), (20, 20), (20, 0), (20, 10), (20, 17), (20, 20)),
}


def windows() -> bytes:
    """As WINDOWS say. Of two more subscribers, one renews its interest every ms, and one never."""
    records = [(DIES_S * 1_000_000, 7, "die,planned")]
    for mote, renewal_ms in (*((mote, RENEWAL_S * 1000) for mote in WINDOWS), (5, 1), (6, 0)):
        records.append((1, mote, f"sub,of {mote},{renewal_ms}"))
        begin = DIES_S * 1_000_000 - (RENEWAL_S * 1_000_000 if mote in WINDOWS else 0)
        sequence = 0
        for number, (owed, delivered) in enumerate(WINDOWS.get(mote, ((1, 1),))):
            for place in range(owed):
                sequence += 1
                at = begin + number * RENEWAL_S * 500_000 + place * 100_000
                records.append((at, 2, f"pub,of {mote},{mote},{sequence},0"))
                if place < delivered:
                    records.append((at + 2, mote, f"dlv,of {mote},2,{mote}.{sequence}"))
    return "".join(f"{at}\tID:{mote}\t!{said}\n" for at, mote, said in sorted(records)).encode()


def trace(lost, dies=True) -> bytes:
    """P1 publishes `t` four times a second; S subscribes to it. Events of the seconds in `lost` don't
    arrive."""
    lines = [
        f"1\tID:1\t!sub,t,{RENEWAL_S * 1000}",
        "2\tID:1\t!cnt,interests_received,3",
        "3\tID:3\t!cnt,merged,0",
    ]
    for sequence in range(1, LAST_S * 4):
        at = sequence * 250_000 + 1000
        lines.append(f"{at}\tID:2\t!pub,t,1,{sequence},0")
        lines.append(f"{at + 1}\tID:3\t!pub,other,2,{sequence},0")  # nobody wants it
        if at // 1_000_000 not in lost:
            lines.append(f"{at + 2}\tID:1\t!dlv,t,2,1.{sequence}")
    if dies:
        lines.append(f"{DIES_S * 1_000_000}\tID:3\t!die,planned")
    return ("\n".join(lines) + "\n").encode()


def sizes(count: int) -> bytes:
    """`count` aggregates of three events, in a log that says nothing of them if there were none."""
    extra = f"9\tID:1\t!agg,3,{count}\n" if count else ""
    return f"1\tID:1\t!node,subscriber,0,0,3\n2\tID:1\t!agg,1,10\n{extra}".encode()


def write(experiment: Path) -> None:
    write_experiment(experiment, CHAINS, SEEDS)
    for cell, log in {
        "repaired": trace(range(DIES_S, 52)),  # two windows and a part of the third
        "unhurt": trace([10, 62]),
        "lost": trace(range(DIES_S, LAST_S)),
        "lives": trace(range(DIES_S, 52), dies=False),
    }.items():
        write_run(experiment, Chain(cell, 2), 1, log)
    write_run(experiment, Chain("ages", 2), 1, AGES)
    write_run(experiment, Chain("unasked", 2), 1, _UNASKED)
    write_run(experiment, Chain("notified", 2), 1, _NOTIFIED)
    for seed, motes in MOTES.items():
        write_run(experiment, Chain("traced", 2), seed, threaded_log.log(motes))
    write_run(experiment, Chain("counted", 2), 1, threaded_log.log(MOTES[1], trace=False))
    errors = b"".join(b"9\tID:1\t!cnt,%s,2\n" % name.encode() for name in ERRORS)
    write_run(experiment, Chain("odd", 1), 1, _ODD + errors)
    write_run(experiment, Chain("without", 3), 1)
    for seed, count in ((1, 6), (2, 0), (3, 0)):
        write_run(experiment, Chain("sizes", 3, True), seed, sizes(count))
    write_run(experiment, Chain("nothing", 3), 1, _NOTHING)
    write_run(experiment, Chain("forwarded", 1), 1, _FORWARDED)
    write_run(experiment, Chain("forwarded", 1), 2, _FORWARDED, outcome="crash")
    write_run(experiment, Chain("battery", 1), 1, _BATTERY)
    write_run(experiment, Chain("jobs", 1), 1, JOBS)
    write_run(experiment, Chain("everything", 2), 1, _EVERYTHING)
    write_run(experiment, Chain("nobody", 2), 1, _NOBODY)
    write_run(experiment, Chain("shared", 2), 1, _SHARED)
    write_run(experiment, Chain("unheard", 1), 1, _UNHEARD)
    write_run(experiment, Chain("unsaid", 1), 1, _UNSAID)
    write_run(experiment, Chain("buckets", 1), 1, _BUCKETS)
    write_run(experiment, Chain("indexed", 1), 1, _INDEXED)
    write_run(experiment, Chain("roles", 1), 1, _ROLES)
    write_run(experiment, Chain("windows", 5), 1, windows())
    for seed, sent in ((1, 5), (2, 95)):  # reductions so different that their interval would exceed 1
        write_run(experiment, Chain("pairs", 7, True), seed, b"1\tID:2\t!cnt,events_transmitted,%d\n" % sent)
        write_run(experiment, Chain("plain", 7), seed, b"1\tID:2\t!cnt,events_transmitted,100\n")
