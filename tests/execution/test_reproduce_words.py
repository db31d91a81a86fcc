# SPDX-License-Identifier: Apache-2.0
"""What `orchestrate reproduce` compares, says and prints, from parts that a test makes up."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest

from orchestrator.cli import reproduce as command
from orchestrator.console import show
from orchestrator.errors import MissingTool, NoSuchThing, RunFailed, StorageFailed
from orchestrator.execution import reproduce
from orchestrator.execution.reproduce import Part, Reproduced, first_difference
from orchestrator.runs import campaign as campaigns
from tests.runs.conftest import make_cell, make_spec, put

THEN, NOW = "a" * 64, "b" * 64


def of(manifest, *parts, **more) -> Reproduced:
    return Reproduced(Path("/run"), manifest, parts, **{"sources": "kept in the store", "changed": ()} | more)


SAME = Part("simulation.csc", THEN, THEN, "same")
OTHER = Part("COOJA.testlog", THEN, NOW, "differs", "line 3: 'a' then, 'b' now")
NOT_MADE = Part("engine", "cooja v1", "", "not made", "no Cooja\n    name it", MissingTool("no Cooja"))
VERSION = Part(
    "engine", f"embedded {THEN}", f"embedded {NOW}", "other version", "the log says whether that matters"
)


@pytest.mark.parametrize(
    ("parts", "damage", "same", "codes", "deciding"),
    [
        ((SAME,), (), True, [], []),
        ((SAME, VERSION), (), True, [], []),
        ((SAME, OTHER), (), False, [1], [1]),
        ((SAME, NOT_MADE), (), False, [5], []),
        ((SAME,), ("bad",), False, [8], [8]),
        ((OTHER, NOT_MADE, Part("outcome", "a", "", "not made")), ("bad",), False, [8, 1, 5, 7], [8, 1, 7]),
    ],
)
def test_exit_codes_of_what_is_not_the_same(manifest, parts, damage, same, codes, deciding):
    one = of(manifest, *parts, damage=damage)
    assert (one.same, one.codes(), one.codes(("COOJA.testlog", "outcome"))) == (same, codes, deciding)


def test_parts_with_errors_are_compared_without_them():
    assert NOT_MADE == replace(NOT_MADE, error=RunFailed("other")) and Part("a", "b", "c", "d") == Part(
        "a", "b", "c", "d", "", None
    )  # noqa: E501
    error = RunFailed("one\ntwo")
    assert reproduce._not_made("a", "b", error) == Part("a", "b", "", "not made", "one\ntwo")
    assert reproduce._compared("a", "1", "1", lambda: "why") == Part("a", "1", "1", "same")
    assert reproduce._compared("a", "1", "2", lambda: "why") == Part("a", "1", "2", "differs", "why")


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (b"a\nb\n", b"a\nb\n", ""),
        (b"a\nb\n", b"a\nc\n", "line 2: 'b' then, 'c' now"),
        (b"a\nb\n", b"a\n", "line 2: 'b' then, no line now"),
        (b"a\n", b"a\nb\tc\n", "line 2: no line then, 'b c' now"),
        (b"\xff\n", b"b\n", "line 1: '\ufffd' then, 'b' now"),
        (b"x" * 100, b"x" * 101, f"line 1: '{'x' * 100}' then, '{'x' * 97}...' now"),
    ],
)
@pytest.mark.parametrize("name", ["simulation.csc", "COOJA.testlog"])
def test_the_first_line_that_differs(manifest, tmp_path, before, after, said, name):
    import hashlib

    stored, made = tmp_path / name, tmp_path / "made"
    stored.write_bytes(before)
    made.write_bytes(after)
    digest = hashlib.sha256(before).hexdigest()
    known = replace(manifest, csc_sha256=digest, log_sha256=digest)
    assert first_difference(stored, made, known) == first_difference(stored, after, known) == said
    mine = {"simulation.csc": "csc_sha256", "COOJA.testlog": "log_sha256"}[name]
    assert first_difference(stored, made, replace(known, **{mine: "0"})) == (
        f"the stored {name} was changed since; its manifest has another digest"
    )
    stored.unlink()
    assert first_difference(stored, made, known) == f"the stored {name}: No such file or directory"


def test_what_is_damaged_in_a_stored_run(store, manifest):
    folder = store.folder("trial", manifest.run_id)
    experiment = store.experiment("trial")
    assert reproduce._damage(folder, experiment, manifest) == []
    (folder / "COOJA.testlog").write_text("other")
    assert reproduce._damage(folder, experiment, manifest) == ["COOJA.testlog is not what the run wrote"]
    twin = folder / "trace" / "ab"
    assert reproduce._damage(twin, experiment, manifest) == []
    assert reproduce._damage(twin, experiment, replace(manifest, seed=9)) == [
        "the manifest's content does not give its run id: it was changed"
    ]


# --- the command


def printed(capsys, *parts):
    show(*parts)
    return re.sub(r"─+", "-", re.sub(r"(?<=\S) {2,}", "|", capsys.readouterr().out)).splitlines()


def test_one_run_as_it_is_printed(manifest, capsys):
    one = of(manifest, SAME, OTHER, VERSION, NOT_MADE, damage=("bad file",), changed=("a.c", "b.c"))
    command.show_all([one])
    show()
    out = re.sub(r"─+", "-", re.sub(r"(?<=\S) {2,}", "|", capsys.readouterr().out)).splitlines()
    assert out == [
        f"trial/H5/1, run {manifest.run_id[:12]}",
        "made again||then|now" if "made again||then|now" in out else "made again|then|now",
        "-",
        f"simulation.csc|same|{'a' * 12}|{'a' * 12}",
        f"COOJA.testlog|differs|{'a' * 12}|{'b' * 12}",
        f"engine|other version|embedded {'a' * 12}|embedded {'b' * 12}",
        "engine|not made|cooja v1|–",
        "",
        "COOJA.testlog: line 3: 'a' then, 'b' now",
        "engine: the log says whether that matters",
        "engine: no Cooja",
        "damaged: bad file",
        "sources of the firmware: kept in the store",
        "the present sources are others: a.c, b.c",
    ]


def test_several_runs_as_they_are_printed(manifest, capsys):
    good, bad = of(manifest, SAME, VERSION), of(manifest, OTHER, VERSION)
    command.show_all([good, good])
    out = re.sub(r"─+", "-", re.sub(r"(?<=\S) {2,}", "|", capsys.readouterr().out)).splitlines()
    assert out == [
        "2 runs made again, all the same",
        "part|same|differs|not made|other version",
        "-",
        "simulation.csc|2|0|0|0",
        "engine|0|0|0|2",
        "",
        f"engine then embedded {'a' * 12}, now embedded {'b' * 12}",
        "sources of the firmware: kept in the store",
        "the present sources are the same",
    ]
    command.show_all([good, bad, bad])
    out = re.sub(r"─+", "-", re.sub(r"(?<=\S) {2,}", "|", capsys.readouterr().out)).splitlines()
    assert out[0] == "3 runs made again, 1 the same"
    assert (
        f"trial/H5/1, run {manifest.run_id[:12]}; for 1 more run the same parts came out like this (--json "
        f"has them all)" in out
    )


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ((), ["sources of the firmware: kept in the store", "the present sources are the same"]),
        (None, ["sources of the firmware: kept in the store"]),
        (
            tuple(f"{n:02}.c" for n in range(12)),
            [
                "sources of the firmware: kept in the store",
                f"the present sources are others: {', '.join(f'{n:02}.c' for n in range(10))} and 2 more "
                f"files",
            ],
        ),
    ],
)
def test_which_sources_were_used(manifest, changed, said):
    assert list(command._sources([of(manifest, changed=changed)])) == said
    assert list(command._sources([of(manifest, sources="", changed=None)])) == []


def test_digests_are_shortened():
    assert (
        command._short(f"embedded {THEN} (v1)") == f"embedded {'a' * 12}"
        and command._short("cooja v1") == "cooja v1"
    )


def test_plain_values(manifest):
    one = of(manifest, NOT_MADE, sources="", changed=None, damage=("bad",))
    assert command.described(one) == {
        "experiment": "trial",
        "cell": "H5",
        "seed": 1,
        "run_id": manifest.run_id,
        "same": False,
        "damage": ["bad"],
        "sources": None,
        "sources_changed": None,
        "parts": [
            {
                "name": "engine",
                "then": "cooja v1",
                "now": "",
                "verdict": "not made",
                "why": "no Cooja\n    name it",
            }
        ],
    }
    assert command.described(of(manifest, changed=("a",)))["sources_changed"] == ["a"]


def test_which_runs_are_meant(store, manifest, tmp_path):
    other = put(store, make_spec(make_cell("H6")))
    both = sorted([manifest.run_id, other.run_id])

    def ids(*names):
        return [run.run_id for _, run in command.named(store, names)]

    assert ids("trial") == both
    assert ids("trial/H5") == ids("trial/H5/1") == ids("trial", manifest.run_id[:12]) == [manifest.run_id]
    assert ids(str(store.folder("trial", other.run_id))) == [other.run_id]
    assert command.named(store, ["trial/H5"])[0][0] == store.folder("trial", manifest.run_id)
    campaigns.keep(store.experiment("trial"), campaigns.Campaign("trial", (other.run_id,)), "")
    assert ids("trial") == [other.run_id]
    campaigns.keep(store.experiment("trial"), campaigns.Campaign("trial", ()), "")
    with pytest.raises(NoSuchThing, match="^trial has no runs; `orchestrate run` makes some$"):
        ids("trial")
    (tmp_path / "COOJA.testlog").write_text("")
    with pytest.raises(NoSuchThing) as raised:
        ids(str(tmp_path))
    assert str(raised.value) == (
        f"{tmp_path} is only a log and not a stored run, so it can't be made again\n    name a run of a store"
    )
    (store.folder("trial", other.run_id) / "manifest.json").write_text("{")
    with pytest.raises(StorageFailed):
        ids("trial", other.run_id)
