# SPDX-License-Identifier: Apache-2.0
"""The embedded Contiki prints the same as real Contiki-NG 5.0 did, for firmware that uses everything that it
documents.
"""

import os

import pytest
from record import recorded
from recorded import CASES, FLAGS, FOLDER

by_name = pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)


@by_name
def test_the_embedded_contiki_does_what_contiki_ng_did(case, firmware, tmp_path):
    ours = case.run(firmware(case.project, flags=FLAGS), tmp_path / "COOJA.testlog")
    assert case.comparable(ours) == case.comparable(case.log.read_bytes())


def test_every_log_has_its_case_and_says_something():
    assert {path.name for path in FOLDER.iterdir()} == {case.log.name for case in CASES}
    assert all(len(case.log.read_bytes().splitlines()) > 10 for case in CASES)


@pytest.mark.contiki_ng
@pytest.mark.skipif(not os.environ.get("CONTIKI_NG"), reason="CONTIKI_NG isn't set")
@by_name
def test_contiki_ng_still_does_it(case, tmp_path_factory, work):
    folder = work / "recorded"
    folder.mkdir(exist_ok=True)
    assert recorded(case, os.environ["CONTIKI_NG"], folder, os.environ.get("COOJA")) == case.log.read_bytes()
