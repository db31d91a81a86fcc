# SPDX-License-Identifier: Apache-2.0
"""Sources and descriptions of applications that a store keeps, each once, by the digest of its content."""

from __future__ import annotations

import hashlib
import shutil
from pathlib import Path

import pytest

from orchestrator.applications import descriptor
from orchestrator.build import sources, stage
from orchestrator.errors import StorageFailed
from orchestrator.resources import contiki_apps

APPLICATION = descriptor.load("aggregation")


def test_a_description_is_kept_once_and_mended_if_it_was_damaged(tmp_path):
    text = APPLICATION.file.read_bytes()
    digest = hashlib.sha256(text).hexdigest()
    kept = tmp_path / "descriptions" / digest / "aggregation" / "application.yaml"
    assert stage.describe(APPLICATION, tmp_path) == digest
    assert stage.description(digest, "aggregation", tmp_path) == kept and kept.read_bytes() == text
    before = kept.stat().st_ino
    assert stage.describe(APPLICATION, tmp_path) == digest and kept.stat().st_ino == before
    kept.write_bytes(text[:-1])
    assert stage.describe(APPLICATION, tmp_path) == digest and kept.read_bytes() == text
    assert [path.name for path in kept.parent.iterdir()] == ["application.yaml"]


def test_a_store_that_is_a_file_is_told(tmp_path):
    home = tmp_path / "firmware"
    home.write_text("")
    with pytest.raises(StorageFailed, match="firmware"):
        stage.describe(APPLICATION, Path(home))


def places(home: Path) -> list[str]:
    return sorted(path.name for path in home.iterdir())


def test_sources_are_kept_once_under_the_hash_of_their_content(tmp_path):
    home, own = tmp_path / "firmware", tmp_path / "mine"
    shutil.copytree(contiki_apps() / "apps" / "hello-nullnet", own)
    own = own.rename(tmp_path / "hello-nullnet")
    name = stage.stage("hello-nullnet", home)
    assert stage.stage(own, home) == name == sources.collect(own).digest() and places(home) == [name]
    assert {path.name for path in (home / name).iterdir()} >= {
        "os",
        "middleware",
        "apps",
        "Makefile.embedded",
    }
    assert (home / name).stat().st_mode & 0o777 == 0o755
    before = (home / name).stat().st_ino
    assert stage.stage("hello-nullnet", home) == name and (home / name).stat().st_ino == before
    source = own / "hello-nullnet.c"
    source.write_text(source.read_text() + "\n")
    other = stage.stage(own, home)
    assert other != name and places(home) == sorted([name, other])
    assert (home / other / "apps" / "hello-nullnet" / "hello-nullnet.c").read_text() == source.read_text()


@pytest.mark.parametrize("damage", ["changed", "gone"])
def test_a_damaged_copy_of_the_sources_is_made_again(tmp_path, damage):
    name = stage.stage("hello-nullnet", tmp_path)
    copied = tmp_path / name / "apps" / "hello-nullnet" / "hello-nullnet.c"
    whole = copied.read_bytes()
    if damage == "changed":
        copied.write_bytes(whole + b"\n")
    else:
        copied.unlink()
    assert stage.stage("hello-nullnet", tmp_path) == name
    assert copied.read_bytes() == whole and places(tmp_path) == [name]


def test_what_a_csc_names_as_its_source():
    assert stage.source("0a", "mine") == "[CONFIG_DIR]/../../../firmware/0a/apps/mine/mine.c"
