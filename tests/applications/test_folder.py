# SPDX-License-Identifier: Apache-2.0
"""Folders that are refused as applications, and settings that no Contiki-NG tree has."""

import pytest

from orchestrator.applications import find, folder, platform
from orchestrator.errors import NoSuchThing


def whats(where) -> list[str]:
    return [fault.what for fault in folder.faults(where, "mine")]


@pytest.fixture
def mine(tmp_path):
    for name in ("Makefile", "mine.c", "application.yaml"):
        (tmp_path / name).touch()
    return tmp_path


def test_a_folder_has_at_most_so_many_files_and_bytes(mine, monkeypatch):
    monkeypatch.setattr(folder, "MOST_FILES", 10)
    for number in range(8):  # application.yaml is no source
        (mine / f"{number}.h").touch()
    assert whats(mine) == []
    (mine / "large").touch()
    assert len(whats(mine)) == 1
    for path in mine.glob("*.h"):
        path.unlink()
    with (mine / "large").open("r+b") as stream:
        stream.truncate(folder.MOST_BYTES)
    assert whats(mine) == []
    with (mine / "large").open("r+b") as stream:
        stream.truncate(folder.MOST_BYTES + 1)
    (said,) = whats(mine)
    assert "the largest: large" in said


@pytest.mark.parametrize(("written", "what"), [("./gone", "no folder"), ("./mine.c", "a file, not a folder")])
def test_a_path_that_is_no_folder_is_told_from_one_that_is_not_there(mine, written, what):
    with pytest.raises(NoSuchThing, match=f": {what} "):
        find.load_own(written, mine)


def test_only_the_embedded_contiki_obeys_its_clock_and_its_mac():
    told = dict(platform.embedded_only({"MAC": "radio-csma", "CLOCK": "128", "PHASE": "drawn", "OTHER": "1"}))
    assert list(told) == ["MAC=radio-csma", "CLOCK=128", "PHASE=drawn"] and all(told.values())
    assert not [*platform.embedded_only({"MAC": "nullmac"})]
