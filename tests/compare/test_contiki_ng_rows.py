# SPDX-License-Identifier: Apache-2.0
"""Contiki-NG's own tests: how logs are compared, and one test on both engines where a tree and a Cooja are at
hand.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path

import pytest

from tools.compare.contiki_ng_tests import compared, csc_files, known_rows, run
from tools.compare.coojas import Cooja
from tools.compare.firmware import UNMODIFIED
from tools.compare.table import BUT_ADDRESSES, EQUAL, EQUAL_TO_VERDICT, NONE, NOT_RUN, Row

GOLDEN = Path(__file__).resolve().parents[1] / "golden" / "cooja"

LOG = b"Random seed: 1\n5\tID:1\tat 0x7f0012345678\nTEST OK\nTest ended at simulation time: 700\n"


@pytest.mark.parametrize(
    ("other", "said"),
    [
        (LOG, EQUAL),
        (LOG.replace(b"12345678", b"87654321"), BUT_ADDRESSES),
        (LOG.replace(b"700", b"900"), EQUAL_TO_VERDICT),
        (LOG.replace(b"5\t", b"6\t"), "DIFFERENT: line 2"),
        (LOG.replace(b"TEST OK", b"TEST FAILED"), "DIFFERENT: line 3"),
        (b"", "DIFFERENT: line 1"),
    ],
)
def test_what_counts_as_the_same_bytes(other, said):
    assert ": ".join(filter(None, compared(LOG, other))).startswith(said)


def test_an_interrupted_call_s_rows_are_taken_from_its_file(tmp_path):
    kept = tmp_path / "rows"
    made = Row("a/b", UNMODIFIED, "5.0", "OK", "OK", EQUAL, 2.0, 0.1)
    kept.write_text(json.dumps(asdict(made)) + "\n")
    assert known_rows(kept, "5.0") == {"a/b": made}
    assert (
        known_rows(kept, "2026.07") == {} == known_rows(None, "5.0") == known_rows(tmp_path / "none", "5.0")
    )


def test_a_test_that_is_refused_by_name_says_so_without_a_cooja(tmp_path):
    test = tmp_path / "tests" / "x" / "01-tun.csc"
    test.parent.mkdir(parents=True)
    text = (GOLDEN / "chain" / "simulation.csc").read_text()
    medium = "<radiomedium>org.contikios.mrm.MRM</radiomedium>"
    test.write_text(re.sub(r"(?s)<radiomedium>.*?</radiomedium>", medium, text))
    assert csc_files(tmp_path) == [test.relative_to(tmp_path)]
    row = run(test.relative_to(tmp_path), tmp_path, Cooja("nowhere", "5.0"))
    assert (
        (row.case, row.cooja, row.embedded) == ("x/01-tun", NONE, NOT_RUN) and "MRM" in row.note and row.same
    )


@pytest.mark.cooja
@pytest.mark.skipif(
    not {"COOJA", "CONTIKI_NG"} <= os.environ.keys(),
    reason="set CONTIKI_NG to a tree and COOJA to a built Cooja",
)
def test_both_engines_agree_on_a_test_of_contiki_ng():
    done = subprocess.run(
        [
            sys.executable,
            "-m",
            "tools.compare",
            "--part",
            "contiki-ng-tests",
            "--only",
            "03-nullnet-broadcast.csc",
        ],
        cwd=Path(__file__).parents[2],
        capture_output=True,
        text=True,
        check=False,
    )
    # Where Cooja ends after its script's verdict is a race: the last line may be equal as well.
    assert done.returncode == 0 and (EQUAL_TO_VERDICT in done.stdout or f" {EQUAL} " in done.stdout), (
        done.stdout + done.stderr
    )
