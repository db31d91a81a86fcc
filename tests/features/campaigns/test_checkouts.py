# SPDX-License-Identifier: Apache-2.0
"""Rounds know of which commits they are."""

import json
import shutil
from dataclasses import replace

import pytest

from orchestrator.features.campaigns import checkouts, record
from orchestrator.features.campaigns.load import load
from orchestrator.features.campaigns.model import Checkout
from orchestrator.resources import contiki_apps
from tests import checkout
from tests.features.campaigns.conftest import SCENARIO, round_plan


@pytest.fixture
def scenario(tmp_path):
    (tmp_path / "one.yaml").write_text(SCENARIO)
    (tmp_path / "campaign.yaml").write_text("campaign: nights\nparts: [{scenario: one.yaml}]\n")
    return load(tmp_path / "campaign.yaml").parts[0].scenario


def with_folder(scenario, folder):
    cells = tuple(
        replace(cell, application=replace(cell.application, folder=str(folder))) for cell in scenario.cells
    )
    return replace(scenario, cells=cells)


def test_a_users_application_is_of_its_own_checkout(tmp_path, scenario):
    top = tmp_path / "theirs"
    checkout.begin(top)
    mine = top / "apps-of-mine" / "aggregation"
    shutil.copytree(contiki_apps() / "apps" / "aggregation", mine)
    commit = checkout.commit(top, "mine")
    own = [one for one in checkouts.of([with_folder(scenario, mine)]) if one.what != checkouts.TOOL]
    assert own == [Checkout(str(mine), str(top), commit, commit[:7], False)]
    (mine / "new.c").write_text("")
    assert [one.changed for one in checkouts.of([with_folder(scenario, mine)])][-1]
    assert not [one for one in checkouts.of([scenario]) if one.what != checkouts.TOOL]
    copied = tmp_path / "copied"
    shutil.copytree(mine, copied)
    assert not [one for one in checkouts.of([with_folder(scenario, copied)]) if one.what != checkouts.TOOL]


def test_only_what_decides_about_runs_makes_a_checkout_a_changed_one(tmp_path, scenario, monkeypatch):
    top = tmp_path / "theirs"
    checkout.begin(top)
    package, mine = top / "orchestrator", top / "mine"
    package.mkdir()
    (package / "__init__.py").write_text("")
    (top / "contiki-apps").mkdir()
    shutil.copytree(contiki_apps() / "apps" / "aggregation", mine)
    checkout.commit(top, "all of it")
    monkeypatch.setattr(checkouts, "_PACKAGE", package)

    def changed() -> list[bool]:
        return [one.changed for one in checkouts.of([with_folder(scenario, mine)])]

    assert changed() == [False, False]
    (top / "notes.md").write_text("of neither")
    assert changed() == [False, False]
    (top / "contiki-apps" / "new.c").write_text("of the tool")
    assert changed() == [True, False]
    (mine / "new.c").write_text("of the application")
    assert changed() == [True, True]


def test_a_contiki_ng_tree_is_named_only_where_firmware_is_made_of_it(tmp_path, scenario):
    tree = tmp_path / "tree"
    tree.mkdir()
    (tree / "Makefile.include").write_text("")
    checkout.begin(tree)
    commit = checkout.commit(tree, "theirs")
    named = replace(scenario, firmware=replace(scenario.firmware, tree=str(tree)))
    assert not [one for one in checkouts.of([named]) if one.what == checkouts.TREE]
    named = replace(named, firmware=replace(named.firmware, source="contiki-ng"))
    (found,) = [one for one in checkouts.of([named]) if one.what == checkouts.TREE]
    assert (found.top, found.commit, found.changed) == (str(tree), commit, False)
    gone = replace(named, firmware=replace(named.firmware, tree=str(tmp_path / "gone")))
    assert not [one for one in checkouts.of([gone]) if one.what == checkouts.TREE]


def test_they_are_kept_with_the_round_and_older_rounds_have_none(store):
    told = (Checkout("orchestrate", "/somewhere", "c" * 40, "v1-3-gccccccc", True),)
    begun = record.begin(store, round_plan(checkouts=told))
    path = begun.folder / "000001.json"
    assert record.latest(store, "nights").plan.checkouts == told
    data = json.loads(path.read_text())
    del data["checkouts"]
    path.write_text(json.dumps(data))
    assert record.latest(store, "nights").plan.checkouts == ()
