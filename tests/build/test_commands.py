# SPDX-License-Identifier: Apache-2.0
"""A .csc's build commands, run as Cooja runs them."""

import os

import pytest

from orchestrator.build import commands, stage
from orchestrator.build.sources import application_folder, collect, is_ours
from orchestrator.csc.interfaces import STANDARD_INTERFACES, make_flags
from orchestrator.errors import BuildFailed, MissingTool, NoSuchThing, Unsupported


def test_splitting():
    text = """make TARGET=cooja clean
      $(MAKE) -j$(CPUS) 'a b.cooja' "DEFINES=A B" ; rm -rf /

    """
    assert commands.split(text, ["COOJA_BEEP=0"]) == [
        ["make", "TARGET=cooja", "clean"],
        ["make", "COOJA_BEEP=0", f"-j{os.cpu_count()}", "a b.cooja", "DEFINES=A B", ";", "rm", "-rf", "/"],
    ]


def test_interfaces_that_are_missing_are_left_out_of_the_firmware():
    assert make_flags(STANDARD_INTERFACES) == []
    without = tuple(name for name in STANDARD_INTERFACES if name not in ("ContikiLED", "Battery"))
    assert make_flags(without) == ["COOJA_LED=0"]


def test_our_own_form():
    form = "$(MAKE) -j$(CPUS) aggregation.cooja TARGET=cooja MAC=nullmac"
    assert commands.our_variant(form, "aggregation") == {"MAC": "nullmac"}
    assert commands.our_variant("$(MAKE) aggregation.cooja TARGET=cooja", "aggregation") == {}
    for other in (
        form + "\nmake clean", "make aggregation.cooja TARGET=cooja", form.replace("TARGET=cooja", ""), form + " ; ls",
        form + " A=$(shell ls)", form.replace("aggregation.", "other."), "",
    ):
        assert commands.our_variant(other, "aggregation") is None


def test_the_library_is_built_where_cooja_expects_it(tiny, monkeypatch):
    shown = []
    monkeypatch.setenv("SECRET", "not for a Makefile")
    (tiny / "Makefile").write_text((tiny / "Makefile").read_text() + "\t@env > environment\n")
    built = commands.build(tiny / "tiny.c", "mtype7", "$(MAKE) tiny.cooja MAC=3", [], show=shown.append)
    assert built == tiny / "build" / "cooja" / "mtype7.cooja"
    assert built.is_file()
    assert shown == ["> make tiny.cooja MAC=3"]
    environment = (tiny / "environment").read_text()
    assert "LIBNAME=$(BUILD_DIR_BOARD)/mtype7.cooja" in environment
    assert "COOJA_VERSION=2023090701" in environment
    assert "SECRET" not in environment


def test_what_can_go_wrong(tiny):
    with pytest.raises(NoSuchThing, match="no such source"):
        commands.build(tiny / "none.c", "m", "make", [])
    with pytest.raises(MissingTool, match="no-such-program"):
        commands.build(tiny / "tiny.c", "m", "no-such-program", [])
    with pytest.raises(BuildFailed, match="No rule to make target"):
        commands.build(tiny / "tiny.c", "m", "make other.cooja", [])
    with pytest.raises(BuildFailed, match="left no"):
        commands.build(tiny / "tiny.c", "m", "make -v", [])
    with pytest.raises(Unsupported, match="names a file"):
        commands.build(tiny / "tiny.c", "../../m", "make", [])


def test_staged_sources_are_whole_named_by_content_and_build_the_same(tiny, tmp_path):
    home = tmp_path / "store" / "firmware"
    name = stage.stage(tiny, home)
    assert stage.stage(tiny, home) == name
    folder = home / name / "apps" / "tiny"
    assert (folder / "tiny.c").read_text() == (tiny / "tiny.c").read_text()
    assert is_ours(folder)
    assert collect(folder).digest() == name
    assert not list(home.glob(".tmp-*"))
    copied = (folder / "tiny.c").read_bytes()
    (folder / "tiny.c").write_bytes(bytes([copied[0] ^ 1]) + copied[1:])
    assert stage.stage(tiny, home) == name
    assert (folder / "tiny.c").read_bytes() == copied, "a flipped bit is mended"
    (tiny / "tiny.c").write_text("int other;\n")
    assert stage.stage(tiny, home) != name


def test_our_applications_are_recognised(tmp_path):
    assert is_ours(application_folder("aggregation"))
    (tmp_path / "Makefile").write_text("all:\n")
    assert not is_ours(tmp_path)
