# SPDX-License-Identifier: Apache-2.0
"""Reading a policy takes time in proportion to its length, whatever the text is."""

import subprocess
import sys

import pytest

HEAD = "P\n on C-B subscribe T\n  0-1: true -> "
LIMIT_S = 60  # of processor time; reading takes about one, of which most is Python's start
SLASHES = "subscrib" + "/" * 232 + "e T with PullDPC;\n accept;\n"  # 2^232 ways to divide them into comments
TEXTS = {
    "slashes": "// A comment\nP\n on C-B subscribe T\n  0-1: true ->\n " + SLASHES,
    "brackets": HEAD + "(-[{!" * 8000,
    "unclosed comments": HEAD + '"a/*' * 10000,
    "silences": "// allow gap: b\n" * 3000 + "P",
    "rules": HEAD + '0-1: true -> accept;\n"a"-"b":0-1: true -> accept;\n' * 800,
    "places to go on": HEAD + "a " + ";\nx " * 10000,
}


@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_a_faulty_text_is_refused_in_linear_time(text, tmp_path):
    path = tmp_path / "a.escape"
    path.write_text(text)
    command = [sys.executable, "-m", "orchestrator.cli.app", "policy", "check", str(path)]
    done = subprocess.run(
        ["sh", "-c", f'ulimit -t {LIMIT_S}; exec "$@"', "sh", *command],
        capture_output=True,
        text=True,
    )
    assert done.returncode == 3, done.stderr
    assert f"{path}:" in done.stdout + done.stderr


def test_a_comment_that_is_not_closed_is_named_where_it_begins(tmp_path):
    from orchestrator.features.policies.parse import parse

    _, faults = parse("P on C-B subscribe T 0-1: true -> accept;\n  /* the end", "a.escape")
    assert [(one.at.line, one.at.column, one.what) for one in faults] == [(2, 3, "the comment is not closed")]
