# SPDX-License-Identifier: Apache-2.0
"""The JSON Schemas of the files that users write, with every default, limit and word of help."""

from __future__ import annotations

from pathlib import Path

import pytest

from orchestrator.cli import schema
from orchestrator.cli.app import main
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_schemas")


@pytest.mark.parametrize("of", [one for one in schema.SCHEMAS if one != "scenario"])  # which is of 240 kB
def test_a_schema_is_as_it_was(of, capsys):
    assert main(["schema", of]) == 0
    recorded.same(capsys.readouterr().out, RECORDED / f"{of}.json")
