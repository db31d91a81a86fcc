# SPDX-License-Identifier: Apache-2.0
"""What the blackboard's steps do and what bad input comes to, on all three storage concepts; and what it
takes.
"""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import blackboard_builds
import c_tests
import pytest

FILES = [Path(__file__).parent / "unit" / name for name in ("blackboard_cases.c", "blackboard_bad_input.c")]
CASES = [(source, case) for source in FILES for case in c_tests.cases(source)]


@pytest.fixture(scope="module")
def programs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("blackboard-cases")
    return {
        (concept, source): blackboard_builds.build(folder, concept, source.stem).program
        for concept in blackboard_builds.CONCEPTS
        for source in FILES
    }


@pytest.mark.parametrize(("source", "case"), CASES, ids=[case for _, case in CASES])
@pytest.mark.parametrize("concept", blackboard_builds.CONCEPTS)
def test_case(programs, concept, source, case):
    c_tests.run(programs[concept, source], case)


@pytest.mark.parametrize("source", FILES, ids=lambda path: path.stem)
def test_every_case_is_run(programs, source):
    listed = subprocess.run(
        [programs["static", source]], capture_output=True, text=True, check=True
    ).stdout.split()
    assert listed == c_tests.cases(source)


# ---- bytes, by the host's compiler: the same on every machine, but for pointers


def sizes(folder: Path, concept: int, events: int, subscribers: int, values: int = 1) -> dict[str, int]:
    """Bytes of the variables of a build, by name."""
    listed = " ".join(f"X({number}, SIGNED, {values}, {subscribers})" for number in range(events))
    configuration = folder / "conf.h"
    configuration.write_text(
        f"#define BLACKBOARD_CONF_EVENTS(X) {listed}\n#define BLACKBOARD_CONF_CONCEPT {concept}\n"
        "#define BLACKBOARD_CONF_ALONE\n"
    )
    objects = []
    for source in blackboard_builds.CORE:
        objects.append(folder / f"{source.stem}.o")
        subprocess.run(
            [
                c_tests.compiler(),
                "-Os",
                f"-I{c_tests.HOST}",
                "-include",
                configuration,
                "-c",
                source,
                "-o",
                objects[-1],
            ],
            check=True,
        )
    named = subprocess.run(["nm", "-S", *objects], capture_output=True, text=True, check=True).stdout
    found = re.findall(r"^[0-9a-f]+ ([0-9a-f]+) [bBdDcC] (\w+)$", named, re.M)
    return {name: int(size, 16) for size, name in found}


def definition_3(subscribers: int, values: int) -> int:
    """Bits of an event (Stelte 2010, 2.5)."""
    return 32 * values + (56 + 6 * 96) * -(-subscribers // 6)


@pytest.mark.parametrize(("events", "values"), [(8, 1), (8, 3), (1, 1), (40, 1)])
def test_frames_and_words_are_definition_3(tmp_path, events, values):
    found = sizes(tmp_path, 3, events, 6, values)
    assert found["blackboard_frames"] == 7 * events
    assert found["blackboard_frames"] + found["blackboard_array"] == events * definition_3(6, values) // 8


def test_an_overflow_takes_a_frame_for_five_more(tmp_path):
    """One place of the six forwards to them, so that definition 3's ceiling is one subscriber off at each."""
    for subscribers, frames in ((6, 1), (7, 2), (11, 2), (12, 3), (16, 3), (17, 4)):
        assert sizes(tmp_path, 3, 1, subscribers)["blackboard_frames"] == 7 * frames


def test_static_words_and_flags_are_definition_1(tmp_path):
    found = sizes(tmp_path, 1, 8, 5)
    assert found["blackboard_array"] * 8 == 8 * (32 + 96 * 5)
    assert found["blackboard_flags"] == 8 * (5 + 2) // 8


def test_more_words_than_a_position_can_name_do_not_compile(tmp_path):
    with pytest.raises(subprocess.CalledProcessError):
        sizes(tmp_path, 3, 54, 6)
