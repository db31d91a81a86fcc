# SPDX-License-Identifier: Apache-2.0
"""The same sources on a Contiki-NG tree of the user's: they compile, and do the same at the same times."""

import os

import pytest
from os_builds import APPS, HERE, make

TREE = os.environ.get("CONTIKI_NG")
pytestmark = [pytest.mark.contiki_ng, pytest.mark.skipif(TREE is None, reason="CONTIKI_NG isn't set")]


@pytest.fixture
def theirs(work):
    def build(folder, name, mac="csma", more=()):
        out = work / "-".join(("contiki-ng", mac, *more)).replace(
            "=", "-"
        )  # objects of other definitions are others
        made = make(
            folder,
            f"CONTIKI={TREE}",
            "TARGET=cooja",
            f"MAC={mac}",
            f"CONTIKI_PROJECT={name}",
            "RELSTR=0",
            f"BUILD_DIR={out}",
            f"{name}.cooja",
            "-j2",
            *more,
        )
        assert made.returncode == 0, made.stdout
        return out / "cooja" / f"{name}.cooja"

    return build


def said(lines):
    """Without Contiki-NG's banner, and without the sequence numbers of frames, which begin at random."""
    return [
        (line.time, line.mote, line.text[:12] + line.text[14:] if line.mote == 0 else line.text)
        for line in lines
        if not line.text.startswith("[INFO: Main")
    ]


def test_timers_at_the_same_times(firmware, run, theirs):
    options = ("--until", "8000")
    assert said(run(theirs(HERE / "firmware", "timers"), *options)) == said(run(firmware("timers"), *options))


def test_the_same_frames(firmware, run, theirs):
    """Without the times: the backoffs come from another generator."""
    options = (
        "--motes",
        "3",
        "--until",
        "3000",
        "--input",
        "1:100:u 3",
        "--input",
        "1:1500:b 2l",
        "--lose",
        "4",
        "--frames",
    )
    ours, other = (
        said(run(library, *options)) for library in (firmware("mac"), theirs(HERE / "firmware", "mac"))
    )
    assert [line[1:] for line in ours] == [line[1:] for line in other]
    assert sum(line[1] == 0 for line in ours) == 10


def test_a_busy_channel_is_tried_as_often(firmware, run, theirs):
    options = (
        "--until",
        "9000",
        "--input",
        "1:100:b 1",
        "--input",
        "1:101:u 2",
        "--set",
        "1:90:simSignalStrength=-50",
    )
    ours, other = (
        sorted(text for *_, text in said(run(library, *options)))
        for library in (firmware("mac"), theirs(HERE / "firmware", "mac"))
    )
    assert ours == other and "sent 1: status 1, 8 transmissions" in ours


@pytest.mark.parametrize("mac", ["csma", "nullmac"])
def test_the_example_builds_there(theirs, mac):
    assert theirs(APPS / "apps" / "hello-nullnet", "hello-nullnet", mac).is_file()


def test_threads_at_the_same_times(firmware, run, theirs):
    """Contiki-NG counts energy only if it is told to."""
    options = ("--motes", "11", "--until", "400")
    threads = theirs(HERE / "firmware", "threads", more=("DEFINES=ENERGEST_CONF_ON=1",))
    ours = said(run(firmware("threads"), *options))
    assert said(run(threads, *options)) == ours
    assert len(ours) > 200
