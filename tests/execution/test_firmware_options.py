# SPDX-License-Identifier: Apache-2.0
"""What a scenario says of its firmware: source, builder, image, tree."""

from __future__ import annotations

import pytest

from orchestrator.build import contiki_ng, firmware
from orchestrator.errors import FaultyInput, NoSuchThing, Unsupported, WrongUsage
from orchestrator.scenario import changed
from orchestrator.scenario.load import loads
from orchestrator.scenario.model import FirmwareOptions

BASE = """\
experiment: x
topology: {shape: chain, publishers: 2}
application: {name: aggregation}
duration: 10 s
seeds: 1
"""


def options(line: str, folder=None) -> FirmwareOptions:
    return loads(f"{BASE}{line}\n", "x.yaml", folder).firmware


def test_without_a_word_it_is_the_embedded_contiki_on_the_host():
    assert options("") == FirmwareOptions()


def test_everything(tmp_path):
    said = options(
        "firmware: {source: contiki-ng, builder: docker, image: me/mine@sha256:00, tree: ../ng, memory: 1 "
        "GB, time: 5 min}",
        tmp_path,
    )
    assert said == FirmwareOptions(
        "contiki-ng", "docker", "me/mine@sha256:00", str(tmp_path / "../ng"), 10**9, 300.0
    )
    assert options("firmware: {source: contiki-ng, builder: docker, tree: image}", tmp_path).tree == "image"


def test_how_a_tree_s_firmware_is_compiled():
    said = loads(BASE + "firmware: {source: contiki-ng, compile: as-is}\n", "x")
    assert said.firmware == FirmwareOptions("contiki-ng", compile="as-is") == said.firmware_of(said.cells[0])
    assert changed.with_firmware(said, compile="fast").firmware == FirmwareOptions(
        "contiki-ng", compile="fast"
    )
    both = loads(
        BASE + "firmware: {compile: as-is}\nmatrix: {firmware.source: [embedded, contiki-ng]}\n", "x"
    )
    assert [both.firmware_of(cell).compile for cell in both.cells] == ["fast", "as-is"], (
        "for the embedded Contiki it is no choice"
    )


def test_it_is_nothing_of_a_cell():
    assert loads(BASE + "firmware: {builder: docker}\n", "x").cells == loads(BASE, "x").cells


@pytest.mark.parametrize(
    ("line", "what"),
    [
        ("firmware: {source: contiki}", "firmware.source"),
        ("firmware: {builder: podman}", "firmware.builder"),
        ("firmware: {image: me/mine}", "firmware.image applies to containers"),
        ("firmware: {memory: 1 GB}", "firmware.memory applies to containers"),
        ("firmware: {tree: ../ng}", "firmware.tree does not apply"),
        ("firmware: {compile: as-is}", "firmware.compile does not apply"),
        ("firmware: {source: contiki-ng, compile: slow}", "firmware.compile"),
        ("firmware: {biulder: docker}", "firmware has no setting 'biulder'"),
        ("firmware: docker", "firmware is"),
        ("matrix: {firmware.image: [a, b]}", "firmware.image"),
        ("matrix: {firmware.builder: [host, podman]}", "firmware.builder"),
        (
            "firmware: {tree: ../ng}\nmatrix: {firmware.builder: [host, docker]}",
            "firmware.tree does not apply",
        ),
    ],
)
def test_faults_have_a_line(line, what):
    with pytest.raises(FaultyInput) as raised:
        options(line)
    assert [fault.line for fault in raised.value.faults] == [6] and what in raised.value.faults[0].what


def test_source_and_builder_may_be_axes(tmp_path):
    text = (
        "firmware: {tree: ng, image: mine}\n"
        "matrix: {firmware.source: [embedded, contiki-ng], firmware.builder: [{label: h, value: host}, "
        "{label: d, value: docker}]}\n"
    )
    scenario = loads(BASE + text, "x.yaml", tmp_path)
    assert [(cell.name, cell.source, cell.builder) for cell in scenario.cells] == [
        ("source=embedded,builder=h", "embedded", "host"),
        ("source=embedded,builder=d", "embedded", "docker"),
        ("source=contiki-ng,builder=h", "contiki-ng", "host"),
        ("source=contiki-ng,builder=d", "contiki-ng", "docker"),
    ]
    tree = str(tmp_path / "ng")
    assert [scenario.firmware_of(cell) for cell in scenario.cells] == [
        FirmwareOptions(),
        FirmwareOptions(builder="docker", image="mine"),
        FirmwareOptions("contiki-ng", tree=tree),
        FirmwareOptions("contiki-ng", "docker", "mine", tree),
    ]
    given = changed.with_firmware(scenario, builder="host", tree="other")
    assert [given.firmware_of(cell) for cell in given.cells] == [FirmwareOptions()] * 2 + [
        FirmwareOptions("contiki-ng", tree="other")
    ] * 2
    assert {cell.settings["firmware.source"] for cell in scenario.cells} == {"embedded", "contiki-ng"}


def test_the_command_line_is_stronger():
    scenario = loads(BASE + "firmware: {source: contiki-ng, builder: docker, image: a, tree: b}\n", "x.yaml")
    assert changed.with_firmware(scenario) == scenario
    assert changed.with_firmware(scenario, image="c").firmware.image == "c"
    assert changed.with_firmware(scenario, builder="host").firmware == FirmwareOptions(
        "contiki-ng", "host", None, "b"
    )
    plain = loads(BASE, "x.yaml")
    assert changed.with_firmware(plain, image="c").firmware == FirmwareOptions(builder="docker", image="c")
    assert changed.with_firmware(plain, tree="t").firmware == FirmwareOptions("contiki-ng", tree="t")


def test_what_does_not_fit_together(monkeypatch, tmp_path):
    monkeypatch.delenv("CONTIKI_NG", raising=False)
    with pytest.raises(NoSuchThing, match="no Contiki-NG tree was named"):
        firmware.builder(FirmwareOptions("contiki-ng"))
    with pytest.raises(NoSuchThing, match="is not a Contiki-NG tree: it has no Makefile.include"):
        firmware.builder(FirmwareOptions("contiki-ng", tree=str(tmp_path)))
    with pytest.raises(WrongUsage, match="the builder is the host"):
        firmware.builder(FirmwareOptions("contiki-ng", tree="image"))
    with pytest.raises(Unsupported, match="not for zoul"):
        firmware.builder(FirmwareOptions()).firmware("hello-nullnet", target="zoul")


@pytest.fixture
def tree(tmp_path):
    """A tree with the files that are looked for."""
    for file in (
        "Makefile.include",
        "os/contiki.c",
        "arch/platform/zoul/Makefile.zoul",
        "arch/platform/cooja/Makefile.cooja",
        "tools/cooja/Main.java",
        "examples/a/a.c",
        "examples/a/Makefile",
        "doc/x.md",
    ):
        (tmp_path / "ng" / file).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "ng" / file).write_text(file)
    return contiki_ng.tree(tmp_path / "ng")


def test_a_tree_is_hashed_as_far_as_firmware_is_made_of_it(tree):
    again = contiki_ng.tree(tree.folder)
    inside = tree.digest_with(tree.folder / "examples" / "a")
    for file in ("tools/cooja/Main.java", "doc/x.md", "os/build/left.c", "os/.swap"):
        (tree.folder / file).parent.mkdir(exist_ok=True)
        (tree.folder / file).write_text("changed")
        assert contiki_ng.tree(tree.folder).digest == tree.digest
    (tree.folder / "examples/a/a.c").write_text("changed")
    assert contiki_ng.tree(tree.folder).digest == tree.digest
    assert contiki_ng.tree(tree.folder).digest_with(tree.folder / "examples" / "a") != inside
    (tree.folder / "arch/platform/cooja/Makefile.cooja").write_text("changed")
    assert again.digest != tree.digest


def test_targets_and_what_they_lack(tree):
    tree.check("cooja")
    with pytest.raises(NoSuchThing, match="it has: cooja, zoul"):
        tree.check("zuol")
    with pytest.raises(NoSuchThing, match="git submodule update --init arch/cpu/arm/CMSIS"):
        tree.check("zoul")
