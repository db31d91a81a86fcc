# SPDX-License-Identifier: Apache-2.0
"""Runs whose firmware came from a Contiki-NG tree are made again on that tree, or it is said what is
missing."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from orchestrator.engines.protocol import engine
from orchestrator.errors import NoSuchThing
from orchestrator.execution import again, pipeline, rebuild
from orchestrator.inspect import traced
from orchestrator.inspect.find import Found
from orchestrator.runs.spec import Built
from orchestrator.runs.store import Store
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import FirmwareOptions
from tests import needs
from tests.stand_in_tree import stand_in_tree

needs.a_compiler()

TEXT = """\
experiment: onng
topology: {{shape: chain, publishers: 2, spacing: 5 m}}
application: {{name: aggregation}}
duration: 5 s
drain: 1 s
seeds: 1
firmware: {{source: contiki-ng, tree: {tree}}}
"""


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    """A store with a run on a tree, and the tree."""
    where = tmp_path_factory.mktemp("rebuilt")
    tree = stand_in_tree(where / "ng")
    pipeline.run(loads(TEXT.format(tree=tree.folder), "onng.yaml"), where / "store", report=False)
    return Store(where / "store"), tree


@pytest.fixture
def run(made, monkeypatch):
    monkeypatch.delenv("CONTIKI_NG", raising=False)
    store, _ = made
    (manifest,) = store.runs("onng")
    return store.folder("onng", manifest.run_id), manifest


def test_the_record_of_radios_and_the_traced_twin_are_made_on_the_tree(made, run):
    store, tree = made
    folder, manifest = run
    assert (manifest.built.source, manifest.built.tree) == ("contiki-ng", tree.digest)
    assert (again.record(folder, manifest) / again.FRAMES).is_file()
    twin = traced.make(Found(folder, manifest))
    assert twin.manifest.built == manifest.built and twin.manifest.firmware == manifest.firmware
    assert (again.record(twin.where, twin.manifest) / again.FRAMES).is_file()


def test_the_rebuilt_firmware_is_the_run_s_and_not_the_embedded_contiki_s(run):
    folder, manifest = run
    chosen = engine("embedded")
    assert again.again(folder, manifest).differences(chosen) == []
    assert again.again(folder, replace(manifest, built=Built())).differences(chosen) != []
    assert again.again(folder, manifest, cflags="-O0 -g3").differences(chosen) != []
    with_flags = replace(manifest, built=replace(manifest.built, flags="-O1"))
    assert again.again(folder, with_flags).firmware == again.again(folder, manifest, cflags="-O1").firmware


def test_a_tree_that_is_not_there_or_not_the_same_is_named(made, run, tmp_path, monkeypatch):
    folder, manifest = run
    _, tree = made
    monkeypatch.setenv("CONTIKI_NG", str(stand_in_tree(tmp_path / "other").folder))
    (tmp_path / "other" / "os" / "contiki.h").write_text("changed")
    assert rebuild.options(manifest, folder.parent.parent).tree == str(tree.folder), "where it was"
    moved = tmp_path / "experiment"
    moved.mkdir()
    with pytest.raises(NoSuchThing) as raised:
        rebuild.options(manifest, moved)
    lines = str(raised.value).split("\n")
    assert tree.digest in lines[0] and lines[1].strip().startswith(
        f"{tmp_path / 'other'} ($CONTIKI_NG) has other files: "
    )
    assert "set CONTIKI_NG to that tree" in lines[2]
    (moved / "campaign.json").write_text(json.dumps({"runs": [], "contiki_ng": str(tmp_path / "gone")}))
    monkeypatch.delenv("CONTIKI_NG")
    with pytest.raises(NoSuchThing, match="gone .where it was. is not a Contiki-NG tree"):
        rebuild.options(manifest, moved)


def test_both_sources_side_by_side(made, tmp_path):
    _, tree = made
    text = (
        TEXT.format(tree=tree.folder).replace("source: contiki-ng, ", "")
        + "matrix: {firmware.source: [embedded, contiki-ng]}\n"
    )
    store = Store(tmp_path)
    for _ in range(2):
        result = pipeline.run(loads(text, "both.yaml"), tmp_path, report=False)
    assert result.summary.made == 0 and len(result.summary.run_ids) == 2
    embedded, contiki_ng = sorted(store.runs("onng"), key=lambda run: run.cell, reverse=True)
    assert (embedded.cell, contiki_ng.cell) == ("source=embedded", "source=contiki-ng")
    described = embedded.built.description
    assert embedded.built == Built("embedded", builder="host", description=described)
    assert contiki_ng.built == Built("contiki-ng", tree.digest, "fast", "host", description=described)
    assert embedded.firmware != contiki_ng.firmware and embedded.trend_id != contiki_ng.trend_id
    assert [
        traced.make(Found(store.folder("onng", run.run_id), run)).manifest.built
        for run in (embedded, contiki_ng)
    ] == [
        embedded.built,
        contiki_ng.built,
    ]


@pytest.mark.parametrize(
    ("built", "options"),
    [
        ({}, FirmwareOptions()),
        ({"source": "embedded", "builder": "host"}, FirmwareOptions()),
        (
            {"source": "embedded", "builder": "docker", "image": "a@sha256:0"},
            FirmwareOptions(builder="docker", image="a@sha256:0"),
        ),
        (
            {"source": "contiki-ng", "tree": "of the image", "builder": "docker", "image": "a@sha256:0"},
            FirmwareOptions("contiki-ng", "docker", "a@sha256:0", "image", compile="as-is"),
        ),  # as manifests were before there was our way
        (
            {
                "source": "contiki-ng",
                "tree": "of the image",
                "compile": "fast",
                "builder": "docker",
                "image": "a@sha256:0",
            },
            FirmwareOptions("contiki-ng", "docker", "a@sha256:0", "image"),
        ),
    ],
)
def test_the_manifest_says_source_builder_and_image(run, tmp_path, built, options):
    assert rebuild.options(replace(run[1], built=Built(**built)), tmp_path) == options
