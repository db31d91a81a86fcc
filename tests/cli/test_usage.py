# SPDX-License-Identifier: Apache-2.0
"""Descriptions of commands: as written where they fit; else whole paragraphs wrap, and lists hang.

Every command's help fits a terminal of 80 columns.
"""

import re

import pytest

from orchestrator.cli.app import every_command, main


@pytest.mark.parametrize("command", ["", *every_command()])
def test_every_help_fits_80_columns(command, capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    words = [command] if command else []
    shown = helped(words, capsys)
    actions = re.findall(r"^    ([a-z]+)(?:  +\S|$)", shown, re.MULTILINE) if "\n  ACTION\n" in shown else []
    assert "\n  ACTION\n" not in shown or len(actions) > 1
    shown += "".join(helped([*words, action], capsys) for action in actions)
    assert [line for line in shown.splitlines() if len(line) > 80] == []


def helped(words, capsys) -> str:
    with pytest.raises(SystemExit) as end:
        main([*words, "--help"])
    assert end.value.code == 0
    return capsys.readouterr().out
