# SPDX-License-Identifier: Apache-2.0
"""The files that scripts write: in a folder of their own, and nowhere else."""

from __future__ import annotations

import pytest

from orchestrator.errors import StorageFailed, Unsupported
from orchestrator.runs.model import Outcome
from tests import needs

needs.a_compiler()


def test_files_are_written_in_a_folder_of_their_own(run_script, tmp_path):
    log = tmp_path / "COOJA.testlog"
    for _ in range(2):  # a second run begins them anew
        _, result = run_script(
            "log.append('a.csv', 'x,');\nlog.append('a.csv', '\\u20ac\\n');\nlog.writeFile('b', "
            "'old');\nlog.writeFile('b', 5);\n"
            "log.testOK();",
            log=log,
        )
        assert result.outcome is Outcome.OK
        assert {
            path.name: path.read_text(encoding="utf-8") for path in (tmp_path / "script-files").iterdir()
        } == {"a.csv": "x,\u20ac\n", "b": "5"}


@pytest.mark.parametrize("name", ["../a", "/tmp/a", ".", "..", ".bashrc", "a/b", "", "a\\0b"])
def test_files_stay_in_their_folder(run_script, tmp_path, name):
    with pytest.raises(Unsupported, match=r"s.js:2: log.append\(\) to .* which is not a plain file name"):
        run_script(f"YIELD();\nlog.append('{name}', 'x');", log=tmp_path / "COOJA.testlog")
    assert not list(tmp_path.glob("*/*"))


def test_a_link_in_the_folder_is_not_followed(run_script, tmp_path):
    (tmp_path / "script-files").mkdir()
    (tmp_path / "mine").write_text("mine")
    (tmp_path / "script-files" / "a").symlink_to(tmp_path / "mine")
    with pytest.raises(StorageFailed):
        run_script("log.append('a', 'x');\nlog.testOK();", log=tmp_path / "COOJA.testlog")
    assert (tmp_path / "mine").read_text() == "mine"


def test_more_files_than_a_log_may_be_long_end_the_run(run_script, tmp_path, monkeypatch):
    monkeypatch.setenv("ORCHESTRATE_LOG_LIMIT", "100000")
    _, result = run_script(
        "text = 'x'.repeat(60000);\nlog.append('a', text);\nlog.append('b', text);\nYIELD();",
        log=tmp_path / "COOJA.testlog",
    )
    assert result.outcome is Outcome.TRUNCATED
