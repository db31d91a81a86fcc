# SPDX-License-Identifier: Apache-2.0
"""Publishing values of MAC and routing changes nothing in their work, and the values are right: in a mesh
with diffusion.
"""

from __future__ import annotations

import shutil
import subprocess
from itertools import groupby, pairwise
from pathlib import Path

import pytest
from board_runs import board_run

from orchestrator import resources
from orchestrator.build import host
from tests import needs

needs.a_compiler()
APPS = resources.contiki_apps() / "apps"
QUEUE, RSSI, RETRIES, PARENT = range(4)
CONF = """
#define BLACKBOARD_CONF_EVENTS(X) \\
  X(QUEUE, UNSIGNED, 1, 6) X(RSSI, SIGNED, 1, 6) X(RETRIES, UNSIGNED, 1, 6) X(PARENT, UNSIGNED, 1, 6)
#define BLACKBOARD_CROSSLAYER_CONF_QUEUE EVENT_QUEUE
#define BLACKBOARD_CROSSLAYER_CONF_RSSI EVENT_RSSI
#define BLACKBOARD_CROSSLAYER_CONF_RETRIES EVENT_RETRIES
#define BLACKBOARD_CROSSLAYER_CONF_PARENT EVENT_PARENT
#define NETSTACK_CONF_MAC blackboard_mac_driver
#endif
"""
SHAPE = "mesh, rows: 3, columns: 3, spacing: 40 m, jitter: 3 m"
MESH = (
    "topics: 3, subscribers: S P8, publishers: P3 P6, renewal: 5 s, interval: 500 ms, warm-up: 8 s, killed: "
    "P1, kill-at: 15 s"
)


def _published(folder: Path) -> Path:
    """The application mesh, whose MAC and routing publish what they know."""
    made = folder / "mesh"
    shutil.copytree(APPS / "mesh", made)
    makefile, conf, source = made / "Makefile", made / "project-conf.h", made / "mesh.c"
    makefile.write_text(
        makefile.read_text().replace(
            "pubsub diffusion", "pubsub diffusion threads blackboard blackboard-log blackboard-crosslayer"
        )
    )
    conf.write_text(conf.read_text().rpartition("#endif")[0] + CONF)
    text = source.read_text()
    assert text.count("  records_start(configuration.trace);\n") == 1
    text = text.replace(
        "  records_start(configuration.trace);\n",
        "  records_start(configuration.trace);\n  blackboard_start();\n"
        "  blackboard_log_start(true);\n  blackboard_crosslayer_start();\n",
    )
    source.write_text(
        '#include "blackboard-crosslayer.h"\n#include "blackboard-log.h"\n#include "blackboard-thread.h"\n'
        + text
    )
    return made


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return {
        name: board_run(
            tmp_path_factory.mktemp("run"),
            "mesh",
            MESH,
            shape=SHAPE,
            duration="30 s",
            trace=True,
            rx=60,
            firmware=firmware,
        )[0]
        for name, firmware in (
            ("plain", None),
            ("published", host.firmware(_published(tmp_path_factory.mktemp("mesh"))).path),
        )
    }


def test_the_mac_in_front_changes_nothing(runs):
    lines = runs["published"].log.splitlines()
    assert [line for line in lines if b"\t!bpb," not in line] == runs["plain"].log.splitlines()
    copies = sum(1 for record in runs["plain"].of("snd"))
    assert runs["plain"].total("link_transmissions") > 1.1 * copies > 110  # the MAC repeated frames


def _values(run, mote: int, event: int) -> list[int]:
    """What was written until the mote printed its counters: the mesh goes on then."""
    end = next(record.time_us for record in run.of("cnt") if record.mote == mote)
    return [
        record.values[1]
        for record in run.of("bpb")
        if record.mote == mote and record.values[0] == event and record.time_us < end
    ]


def test_the_parent_is_the_next_hop_of_the_last_event(runs):
    run, changed = runs["published"], 0
    for mote in range(1, 10):
        # Of copies that are sent at the same time, the last one's value counts, if it differs from the one
        # before.
        at = {record.time_us: record.values[1] for record in run.of("snd") if record.mote == mote}
        hops = [hop for hop, _ in groupby(at.values())]
        assert _values(run, mote, PARENT) == hops, mote
        changed = max(changed, len(hops))
    assert changed > 2  # a relay died, and there are two subscribers


def test_frames_that_wait_and_their_repetitions(runs):
    run, retries = runs["published"], 0
    for mote in range(1, 10):
        lengths = _values(run, mote, QUEUE)
        assert lengths and 0 <= min(lengths) <= max(lengths) <= 16  # QUEUEBUF_CONF_NUM
        assert all(b != a and b - a >= -1 for a, b in pairwise([0, *lengths]))
        verdicts = _values(run, mote, RETRIES)
        # There is one for each frame that was handed over, except those that still wait and those that were
        # refused at once.
        done = run.counters[mote]["packets_sent"] - lengths[-1]
        assert done - run.counters[mote]["queue_dropped"] <= len(verdicts) <= done
        assert all(0 <= value <= 7 for value in verdicts)  # CSMA_MAX_FRAME_RETRIES
        retries += sum(verdicts)
    # Interests are broadcast: nobody acknowledges them, and on a quiet channel none is repeated.
    copies = len(run.of("snd"))
    assert (
        run.total("link_transmissions") - copies <= retries <= run.total("link_transmissions") - copies + 50
    )


def test_the_signal_of_every_frame_that_was_heard(runs):
    run = runs["published"]
    for mote in range(1, 10):
        heard = _values(run, mote, RSSI)
        assert len(heard) >= run.counters[mote]["packets_received"] > 0
        assert all(-95 <= value <= -10 for value in heard)
    assert len({value for mote in range(1, 10) for value in _values(run, mote, RSSI)}) > 3


def test_modules_that_nobody_calls_change_nothing(tmp_path):
    """The same log and the same bytes of code and data as without them."""
    every = (
        "pubsub identity threads blackboard blackboard-log blackboard-binding blackboard-crosslayer "
        "modelled-sensor run-log timed-run eeprom-image"
    )
    logs, sizes = [], []
    for name, modules in (("absent", "pubsub identity"), ("unused", every)):
        call = [
            "make",
            "-s",
            "-C",
            APPS / "pubsub-hello",
            "TARGET=cooja",
            "pubsub-hello.cooja",
            f"BUILD_DIR={tmp_path / name}",
        ]
        subprocess.run([*call, f"MODULES={modules}"], capture_output=True, check=True)
        library = tmp_path / name / "cooja" / "pubsub-hello.cooja"
        folder = tmp_path / f"{name}-run"
        folder.mkdir()
        board_run(
            folder,
            "pubsub-hello",
            "interval: 2 s",
            shape="chain, publishers: 3, spacing: 30 m",
            duration="20 s",
            firmware=library,
        )
        logs.append((folder / "log").read_bytes())
        sizes.append(
            subprocess.run(["size", library], capture_output=True, text=True, check=True)
            .stdout.splitlines()[1]
            .split()[:3]
        )
    assert logs[0] == logs[1] and b"is up" in logs[0]
    assert sizes[0] == sizes[1]
