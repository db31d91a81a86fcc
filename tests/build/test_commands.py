# SPDX-License-Identifier: Apache-2.0
"""A .csc's build commands, run as Cooja runs them."""

import ctypes
import os
import shutil
import subprocess
from pathlib import Path

import pytest

from orchestrator.build import commands, overlay, stage
from orchestrator.build.sources import application_folder, collect, is_ours
from orchestrator.build.target import COOJA_VERSION
from orchestrator.csc.interfaces import STANDARD_INTERFACES, make_flags
from orchestrator.durable import sha256
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
        form + "\nmake clean",
        "make aggregation.cooja TARGET=cooja",
        form.replace("TARGET=cooja", ""),
        form + " ; ls",
        form + " A=$(shell ls)",
        form.replace("aggregation.", "other."),
        "",
    ):
        assert commands.our_variant(other, "aggregation") is None


def hashes(folder: Path) -> dict[str, str]:
    return {
        str(path): path.readlink().name if path.is_symlink() else sha256(path) if path.is_file() else ""
        for path in sorted(folder.rglob("*"))
        if ".git" not in path.parts
    }


def test_the_library_is_built_as_cooja_does_in_a_copy(tiny, monkeypatch):
    shown = []
    monkeypatch.setenv("SECRET", "not for a Makefile")
    (tiny / "Makefile").write_text(
        (tiny / "Makefile").read_text()
        + "\t@env | grep -E '^(LIBNAME|COOJA_VERSION|SECRET|PWD|CC)='; false\n"
    )
    before = hashes(tiny)
    with pytest.raises(BuildFailed) as failed:
        commands.build(tiny / "tiny.c", "mtype7", "$(MAKE) -s tiny.cooja MAC=3", [], show=shown.append)
    assert shown == ["> make -s tiny.cooja MAC=3"]
    environment = str(failed.value)
    assert "LIBNAME=$(BUILD_DIR_BOARD)/mtype7.cooja" in environment
    assert "COOJA_VERSION=2023090701" in environment
    assert "SECRET" not in environment
    assert f"PWD={tiny}" in environment, "paths of the copy are not shown"
    assert hashes(tiny) == before


def test_the_users_tree_stays_as_it_is_and_types_do_not_remove_each_others(tiny):
    (tiny / "Makefile").write_text((tiny / "Makefile").read_text() + "clean:\n\trm -rf build/cooja\n")
    before = hashes(tiny)
    made = [
        commands.build(tiny / "tiny.c", f"m{mac}", f"$(MAKE) clean\n$(MAKE) tiny.cooja MAC={mac}", [])
        for mac in (1, 2)
    ]
    assert [path.name for path in made] == ["m1.cooja", "m2.cooja"]
    assert [ctypes.CDLL(str(path)).cooja_init() for path in made] == [1, 2]
    assert made[0] == commands.build(tiny / "tiny.c", "m1", "$(MAKE) tiny.cooja MAC=1", []), (
        "the same bytes again"
    )
    assert hashes(tiny) == before


def test_the_copy_has_the_bytes_of_a_build_in_place(tiny):
    (tiny / "tiny.c").write_text(
        (tiny / "tiny.c").read_text() + "const char *file(void) { return __FILE__; }\n"
    )
    makefile = (tiny / "Makefile").read_text().replace("-o $(LIBNAME) $<", "-g -o $(LIBNAME) $(CURDIR)/$<")
    (tiny / "Makefile").write_text(makefile)
    built = commands.build(tiny / "tiny.c", "tiny", "$(MAKE) tiny.cooja", [], commands.Compilation("gcc"))
    subprocess.run(["make", "tiny.cooja", "CC=gcc"], cwd=tiny, check=True, capture_output=True)
    assert built.read_bytes() == commands.library(tiny / "tiny.c", "tiny").read_bytes()


def test_paths_and_links_out_of_the_folder_lead_where_they_led(tiny):
    beside = tiny.parent / "beside"
    beside.mkdir()
    (beside / "shared.h").write_text("#define SHARED 5\n")
    (beside / "rules.mk").write_text("RULES = 6\n")
    (tiny / "inside.h").write_text("#define INSIDE 7\n")
    (tiny / "linked").symlink_to("../beside")
    (tiny / "absolute").symlink_to(beside)
    (tiny / "same.h").symlink_to("inside.h")
    (tiny / "nowhere").symlink_to("none")
    (tiny / "tiny.c").write_text(
        '#include "../beside/shared.h"\n#include "linked/shared.h"\n#include "absolute/shared.h"\n#include '
        '"same.h"\n'
        "int cooja_init(void) { return SHARED * 100 + RULES * 10 + INSIDE; }\n"
    )
    makefile = (tiny / "Makefile").read_text().replace("-shared", "-shared -DRULES=$(RULES)")
    (tiny / "Makefile").write_text(
        f"include ../{tiny.name}/../beside/rules.mk\n{makefile}\techo changed > same.h\n"
    )
    before = hashes(tiny.parent)
    built = commands.build(tiny / "tiny.c", "linked", "$(MAKE) tiny.cooja", [])
    assert ctypes.CDLL(str(built)).cooja_init() == 567
    left = {path: value for path, value in hashes(tiny.parent).items() if "/cache" not in path}
    assert left == before


def test_what_can_not_be_copied(tiny, monkeypatch):
    os.mkfifo(tiny / "pipe")
    with pytest.raises(Unsupported, match="pipe: neither file, folder nor link"):
        commands.build(tiny / "tiny.c", "m", "make", [])
    (tiny / "pipe").unlink()
    monkeypatch.setattr(overlay, "MOST_FILES", 2)
    with pytest.raises(Unsupported, match="more than 2 files"):
        commands.build(tiny / "tiny.c", "m", "make", [])


def test_without_commands_the_users_own_library_is_taken(tiny):
    with pytest.raises(BuildFailed, match="no build commands"):
        commands.build(tiny / "tiny.c", "m", " \n", [])
    there = commands.library(tiny / "tiny.c", "m")
    there.parent.mkdir(parents=True)
    there.write_bytes(b"built before")
    assert commands.build(tiny / "tiny.c", "m", " \n", []) == there


@pytest.mark.skipif(
    "CONTIKI_NG" not in os.environ, reason="needs $CONTIKI_NG, the folder of a Contiki-NG tree"
)
def test_contiki_ngs_own_example(build_cache, tmp_path):
    tree = tmp_path / "tree"
    shutil.copytree(
        os.environ["CONTIKI_NG"], tree, symlinks=True, ignore=shutil.ignore_patterns(".git", "build")
    )
    source = tree / "examples" / "nullnet" / "nullnet-broadcast.c"
    before = hashes(tree)
    text = "$(MAKE) TARGET=cooja clean\n$(MAKE) -j$(CPUS) nullnet-broadcast.cooja TARGET=cooja"
    built = commands.build(source, "nullnet-broadcast", text, [], commands.Compilation("gcc"))
    assert hashes(tree) == before
    environment = {"PATH": os.environ["PATH"], "CC": "gcc", "COOJA_VERSION": COOJA_VERSION}
    subprocess.run(
        ["make", "-j2", "TARGET=cooja", "nullnet-broadcast.cooja"],
        cwd=source.parent,
        env=environment,
        check=True,
        capture_output=True,
    )
    assert built.read_bytes() == commands.library(source, "nullnet-broadcast").read_bytes()


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
