# SPDX-License-Identifier: Apache-2.0
"""Blame names the files that firmware was made of otherwise, from the sources that the store keeps."""

import json

import pytest

from orchestrator.cli.app import main
from orchestrator.features.campaigns import record
from orchestrator.features.campaigns.judging.blame import What, blame
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.run import Options, run
from tests import needs

needs.a_compiler()


@pytest.fixture
def mine(tmp_path):
    """A campaign of one cell of an application of the user's own."""
    assert main(["new", "app", "mine", "--folder", str(tmp_path / "mine")]) == 0
    scenario = tmp_path / "mine" / "scenario.yaml"
    scenario.write_text(scenario.read_text().replace("1 min", "10 s").replace("1..3", "1"))
    path = tmp_path / "campaign.yaml"
    path.write_text("campaign: nights\nparts: [{scenario: mine/scenario.yaml}]\n")
    return path


def test_files_are_named_by_module_and_application(mine, store, capsys):
    quiet = Options(metrics=False)
    run(load(mine), store, quiet)
    source = mine.parent / "mine" / "mine.c"
    source.write_text(source.read_text().replace("20 + random", "30 + random"))
    run(load(mine), store, quiet)
    first, second = record.rounds(store, "nights")
    kept = sorted((store / "firmware").glob("*/apps/mine/mine.c"), key=lambda path: path.stat().st_mtime_ns)
    assert len(kept) == 2
    found = blame(store, first, second, [])
    assert [
        (one.what, one.name, one.files)
        for one in found.changes
        if one.what not in (What.TOOL, What.REPOSITORY)
    ] == [
        (What.APPLICATION, "mine", ("apps/mine/mine.c",)),
        (What.FIRMWARE, "mine", ()),
    ]
    newer = next(path for path in kept if "30 + random" in path.read_text()).parents[2]
    (newer / "middleware" / "pubsub" / "new.c").write_text("")
    (newer / "os" / "new.c").write_text("")
    found = blame(store, first, second, [])
    assert [(one.what, one.name) for one in found.changes][:3] == [
        (What.MODULE, "pubsub"),
        (What.APPLICATION, "mine"),
        (What.CONTIKI, "sources"),
    ]
    capsys.readouterr()
    assert main(["campaign", "blame", str(mine), "--store", str(store)]) == 0
    said = capsys.readouterr().out
    assert "middleware module pubsub: middleware/pubsub/new.c (in 1 cell)" in said
    assert main(["campaign", "blame", str(mine), "--store", str(store), "--json", "--against", "1"]) == 0
    assert json.loads(capsys.readouterr().out)["changes"][1]["files"] == ["apps/mine/mine.c"]
    assert main(["campaign", "blame", str(mine), "--store", str(store), "--round", "1"]) == 9
