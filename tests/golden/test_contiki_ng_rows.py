# SPDX-License-Identifier: Apache-2.0
"""Contiki-NG's own tests: how logs are compared, and one test on both engines where a tree and a Cooja are at hand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from contiki_ng import Row, compared, table

LOG = b"Random seed: 1\n5\tID:1\tat 0x7f0012345678\nTEST OK\nTest ended at simulation time: 700\n"


@pytest.mark.parametrize(("other", "said"), [
    (LOG, "yes"),
    (LOG.replace(b"12345678", b"87654321"), "yes, but for printed addresses"),
    (LOG.replace(b"700", b"900"), "yes, but for the last line"),
    (LOG.replace(b"5\t", b"6\t"), "no: line 2"),
    (LOG.replace(b"TEST OK", b"TEST FAILED"), "no: line 3"),
    (b"", "no: line 1"),
])
def test_what_counts_as_the_same_bytes(other, said):
    assert compared(LOG, other).startswith(said)


def test_a_row_is_good_only_if_verdict_and_bytes_agree():
    assert Row("a", "OK", "OK", "yes", 0.1, 2).good and Row("a", "FAILED", "FAILED", "yes, but for the last line", 0.1, 2).good
    assert not Row("a", "OK", "FAILED", "yes", 0.1, 2).good and not Row("a", "OK", "OK", "no: line 2", 0.1, 2).good
    assert Row("a", "not run", "-", "plugin X").good
    assert "1 of the 2 that ran" in table([Row("a", "OK", "OK", "yes", 0.1, 2), Row("b", "OK", "OK", "no: line 2", 0.1, 2)], "5.0")


@pytest.mark.cooja
@pytest.mark.skipif(not {"COOJA_DIR", "CONTIKI_NG"} <= os.environ.keys(), reason="set CONTIKI_NG to a tree and COOJA_DIR to a built Cooja")
def test_both_engines_agree_on_a_test_of_contiki_ng():
    done = subprocess.run([sys.executable, str(Path(__file__).with_name("contiki_ng.py")), "--only", "03-nullnet-broadcast.csc",
                           "--rules", os.environ.get("COOJA_RULES", "5.0"), os.environ["CONTIKI_NG"], os.environ["COOJA_DIR"]],
                          capture_output=True, text=True, check=False)
    assert done.returncode == 0 and '"cooja": "OK"' in done.stdout, done.stdout + done.stderr
