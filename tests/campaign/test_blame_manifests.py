# SPDX-License-Identifier: Apache-2.0
"""What blame reads of the manifests of two rounds and of the sources that the store keeps of them."""

from __future__ import annotations

import json
from dataclasses import dataclass, field

import pytest

from orchestrator.campaign import record
from orchestrator.campaign.judging import blame_words
from orchestrator.campaign.judging.blame import BUILD, Blame, Change, Red, What, blame
from orchestrator.campaign.model import Checkout, PartPlan, RoundRun, Shard
from orchestrator.errors import NoSuchThing
from orchestrator.execution import origin
from orchestrator.runs.model import Outcome
from orchestrator.runs.spec import EngineUsed
from tests.campaign.conftest import cell_plan, round_plan
from tests.manifests import content, parameters

OTHER = {"firmware": {"app": "e" * 64}, "made_of": "another"}
LIBRARY = {"middleware/pubsub/pubsub.c": "1", "apps/mine/mine.c": "1", "os/sys/timer.c": "1", "Makefile": "1"}


@dataclass
class Told:
    """Two rounds of the cells A and B; what is otherwise in the second, and in the manifests of either."""

    store: object
    sources: dict = field(default_factory=dict)
    rounds: list = field(default_factory=list)

    def round(self, *cells, manifest=None, sources=LIBRARY, runs=("A", "B"), **changes):
        number = len(self.rounds) + 1
        plans = cells or (cell_plan("A", (1,)), cell_plan("B", (1,)))
        parts = (PartPlan("one", "one.yaml", "experiment: one\n", {}, plans),)
        made = record.begin(self.store, round_plan(number, parts=parts, **changes))
        with made.writing(Shard()) as journal:
            for key in made.plan.keys():
                run_id = f"{number}{key.cell.encode().hex()}".ljust(20, "0")
                journal.add(RoundRun(*key, run_id, "t", Outcome.OK, True, 0.25))
                if key.cell in runs:
                    folder = self.store / "one" / "runs" / run_id
                    folder.mkdir(parents=True)
                    told = content(run_id, experiment="one", cell=key.cell, seed=1, **(manifest or {}))
                    (folder / "manifest.json").write_text(json.dumps(told))
                    self.sources[folder] = sources
        self.rounds.append(made)
        return self

    def kept(self, folder):
        found = self.sources[folder]
        if isinstance(found, Exception):
            raise found
        return None if found is None else origin.Sources(folder, found, json.dumps(found))

    def blame(self, *red) -> Blame:
        return blame(self.store, *self.rounds, [Red("one", cell, "loss") for cell in red])


@pytest.fixture
def told(store, monkeypatch):
    made = Told(store)
    monkeypatch.setattr(origin, "kept_sources", made.kept)
    return made


def other(*cells, **changes):
    """The cells A and B, of which these are other ones."""
    return [cell_plan(name, (1,), **(changes if name in cells else {})) for name in "AB"]


def changes(found):
    return [(one.what, one.name, one.how, one.files, one.cells) for one in found.changes]


FIRMWARE = (What.FIRMWARE, "app", f"{'f' * 12} to {'e' * 12}", (), ("one/A",))


def test_files_that_firmware_is_made_of_otherwise(told):
    now = LIBRARY | {"middleware/pubsub/new.c": "1", "apps/mine/mine.c": "2", "os/sys/timer.c": "2"}
    now |= {"middleware/notes": "1", "apps/mine/more/deep.c": "1", "Makefile": "2"}
    now.pop("middleware/pubsub/pubsub.c")
    found = told.round().round(*other("A", **OTHER), sources=now).blame()
    assert changes(found) == [
        (
            What.MODULE,
            "pubsub",
            "",
            ("middleware/pubsub/new.c", "middleware/pubsub/pubsub.c"),
            ("one/A",),
        ),
        (What.APPLICATION, "mine", "", ("apps/mine/mine.c", "apps/mine/more/deep.c"), ("one/A",)),
        (What.CONTIKI, "sources", "", ("Makefile", "middleware/notes", "os/sys/timer.c"), ("one/A",)),
        FIRMWARE,
    ]
    assert found.notes == ()


def test_how_it_is_built_otherwise(told):
    base = {"built": {"flags": "-Os", "builder": "host", "description": "d1", "engine_image": "i1"}}
    now = {"built": {"flags": "-O2", "image": "a" * 64, "description": "d2", "engine_image": "i2"}}
    found = told.round(manifest=base).round(*other("A", **OTHER), manifest=now).blame()
    built = f"builder: host to none; image: none to {'a' * 12}; flags: -Os to -O2"
    assert changes(found) == [FIRMWARE, (What.FIRMWARE, BUILD, built, (), ("one/A",))]
    assert found.notes == ()


def test_the_compiler_is_left_where_sources_and_options_are_the_same(told):
    found = told.round().round(*other("A", **OTHER)).blame()
    assert changes(found) == [FIRMWARE]
    assert found.notes == (
        "the firmware of one/A is another although its sources and options are the same: the compiler, its "
        "headers, or how orchestrate calls it changed",
    )


@pytest.mark.parametrize("lost", [0, 1])
def test_sources_that_the_store_has_lost_are_noted(told, lost):
    for number in (0, 1):
        told.round(*(other("A", **OTHER) if number else ()), sources=None if lost == number else LIBRARY)
    assert told.blame().notes == ("the sources of one/A are not in the store any more",)


def test_sources_that_cannot_be_read_say_why(told):
    found = told.round(sources=NoSuchThing("no Makefile\n    write one")).round(*other("A", **OTHER)).blame()
    assert found.notes == (
        "sources can't be compared: no Makefile",
        "the sources of one/A are not in the store any more",
    )


def test_of_cells_with_the_same_firmware_one_whose_runs_are_there_is_looked_at(told):
    told.round(runs=("B",)).round(*other("A", "B", **OTHER), sources=LIBRARY | {"apps/mine/mine.c": "2"})
    found = told.blame()
    assert changes(found)[0] == (What.APPLICATION, "mine", "", ("apps/mine/mine.c",), ("one/A", "one/B"))
    assert found.notes == ()


@pytest.mark.parametrize("lost", [(), ("A",)])
def test_runs_that_the_store_has_lost_are_noted(told, lost):
    found = told.round(runs=lost).round(*other("B", **OTHER)).blame()
    assert found.notes == (
        "what the firmware of one/B was made of can't be compared: the store has lost the runs of one of the "
        "two rounds",
    )


def test_settings_are_named_with_both_values(told):
    base = {"parameters": parameters(duration_us=60_000_000, settings={"a": {"b": 1, "c": 2}})}
    now = {"parameters": parameters(duration_us=30_000_000, trace=True, settings={"a": {"b": 3, "c": 2}})}
    found = told.round(manifest=base).round(*other("A", digest="x", made_of="x"), manifest=now).blame()
    (change,) = changes(found)
    assert change[:2] == (What.SCENARIO, "settings") and change[3:] == ((), ("one/A",))
    assert change[2].split("; ") == [
        "settings.a.b 1 to 3",
        "duration_us 60000000 to 30000000",
        "trace False to True",
    ]
    same = Told(told.store.parent / "other").round().round(*other("A", "B", digest="x", made_of="x")).blame()
    assert changes(same) == [(What.SCENARIO, "settings", "its settings", (), ("one/A", "one/B"))]


@pytest.mark.parametrize(
    ("manifest", "sources", "how", "files"),
    [
        ({}, LIBRARY, "orchestrate writes it otherwise, or an EEPROM image in it is another", ()),
        ({}, None, "orchestrate writes it otherwise, or an EEPROM image in it is another", ()),
        (
            {"built": {"description": "d2"}},
            LIBRARY,
            "application.yaml is another, of which EEPROM images are made",
            (),
        ),
        (
            {"built": {"description": "d2"}},
            NoSuchThing("no Makefile"),
            "application.yaml is another, of which EEPROM images are made",
            (),
        ),
        (
            {},
            LIBRARY | {"apps/mine/notes": "1"},
            "it names other sources, of which the same firmware was made",
            ("apps/mine/notes",),
        ),
    ],
)
def test_a_csc_that_is_another_with_the_same_firmware(told, manifest, sources, how, files):
    found = told.round().round(*other("A", made_of="x"), manifest=manifest, sources=sources).blame("A", "B")
    assert changes(found) == [(What.CSC, "simulation", how, files, ("one/A",))]
    assert found.unchanged == ("one/B",)
    assert blame_words.change(found.changes[0]).startswith(f".csc, {how}")


def test_engines_and_checkouts_and_the_machine(told):
    one = Checkout("orchestrate", "/x", "a" * 40, "", False)
    two = Checkout("mine", "/y", "b" * 40, "v1", False)
    engine = EngineUsed("cooja", "v2", "5.0")
    told.round(checkouts=(one, two), version="1").round(
        *other("A", engine=engine, made_of="x"),
        checkouts=(
            Checkout("orchestrate", "/x", "c" * 40, "", True),
            two,
            Checkout("new", "/z", "d" * 40, "v9", False),
        ),
        version="2",
        host="there",
    )
    found = told.blame()
    both = ("one/A", "one/B")
    assert changes(found) == [
        (What.ENGINE, "cooja", "name embedded to cooja, version v1 to v2", (), ("one/A",)),
        (What.TOOL, "version", "1 to 2", (), both),
        (What.REPOSITORY, "orchestrate", f"{'a' * 12} to {'c' * 12} with changes", (), both),
    ]
    assert found.notes == ("the rounds were made on different machines: here, there",)


def test_a_mote_type_that_is_new_or_gone(told):
    now = other("A", firmware={"new": "e" * 64}, made_of="x")
    assert [one[1:3] for one in changes(told.round().round(*now).blame())] == [
        ("app", f"{'f' * 12} to none"),
        ("new", f"none to {'e' * 12}"),
    ]


@pytest.mark.parametrize(("files", "rest"), [(6, ""), (7, " and 1 more file"), (9, " and 3 more files")])
def test_of_many_files_some_are_named(files, rest):
    named = tuple(f"os/{number}.c" for number in range(files))
    change = Change(What.CONTIKI, "sources", "", named, ("one/A", "one/B"))
    assert blame_words.change(change) == (
        f"embedded Contiki sources: {', '.join(named[:6])}{rest} (in 2 cells)"
    )
