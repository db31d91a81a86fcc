# SPDX-License-Identifier: Apache-2.0
"""The parts of an artifact on their own: texts, metadata, citation, checksums and the choice of runs."""

from __future__ import annotations

import hashlib
import json
import os
import zipfile

import pytest

from orchestrator.cli import app
from orchestrator.errors import FaultyInput, NoSuchThing, StorageFailed, WrongUsage
from orchestrator.features.export import citation, pack
from orchestrator.features.export.citation import Author

ADA = Author("Lovelace", "Ada", "ada@example.org")
PLATO = Author("Plato", orcid="https://orcid.org/0000-0002-1825-0097")


@pytest.mark.parametrize(
    ("name", "text", "line", "what"),
    [
        ("a.cff", "a: 1\nb: [\n", 3, "not YAML"),
        ("a.cff", "[" * 600, 0, "not YAML"),
        ("a.cff", "- a\n", 1, "not a CITATION.cff"),
        ("a.cff", "{cff-version: 1, message: m, title: t, authors: Ada}", 0,
         "authors is not a list of persons"),
        ("a.cff", "{cff-version: 1, message: m, title: t, authors: [Ada]}", 0,
         "authors is not a list of persons"),
        ("a.json", "{\n,", 2, "not JSON"),
        ("a.json", "[" * 100_000, 0, "not JSON"),
        ("a.json", "[]", 0, "no author with a name"),
        ("a.json", '{"author": ["Ada"]}', 0, "no author with a name"),
        ("a.json", '{"author": [{"familyName": "A"}, {"email": "b"}]}', 0, "no author with a name"),
    ],
)  # fmt: skip
def test_what_is_no_citation_has_a_line(name, text, line, what, tmp_path):
    (tmp_path / name).write_text(text)
    with pytest.raises(FaultyInput) as raised:
        citation.about(None, "MIT", [], tmp_path / name, "x")
    (fault,) = raised.value.faults
    assert (fault.line, fault.what) == (line, what)
    assert "https://" in fault.remedy


@pytest.mark.parametrize(
    ("data", "authors"),
    [
        ({"author": [{"name": "Plato", "@id": PLATO.orcid}]}, (PLATO,)),
        ({"author": {"name": "Plato", "id": "https://example.org/plato"}}, (Author("Plato"),)),
        ({"author": {"familyName": "Lovelace", "givenName": "Ada", "email": "ada@example.org"}}, (ADA,)),
    ],
)
def test_authors_of_a_codemeta(data, authors, tmp_path):
    (tmp_path / "codemeta.json").write_text(json.dumps(data))
    said = citation.about(None, "MIT", [], tmp_path / "codemeta.json", "x")
    assert (said.title, said.authors, said.cff) == ("Simulation runs of x", authors, "")


def test_authors_of_a_citation_may_be_entities(tmp_path):
    file = tmp_path / "CITATION.cff"
    file.write_text("{cff-version: 1, message: m, title: 7, authors: [{name: We}, {alias: me}, {}]}")
    said = citation.about("Mine", "MIT", [], file, "x")
    assert said.authors == (Author("We"), Author("me"), Author("")) and said.title == "Mine"
    assert citation.about(None, "MIT", [], file, "x").title == "7"


def test_a_zip_depends_on_nothing_but_its_content(tmp_path):
    told = []
    made = {"b": b"2" * 1000, "a/c": b"1"}
    pack.write(made, tmp_path / "x.zip", lambda done, total: told.append((done, total)))
    with zipfile.ZipFile(tmp_path / "x.zip") as packed:
        assert [
            (one.filename, one.date_time, one.create_system, one.external_attr >> 16, one.compress_type)
            for one in packed.infolist()
        ] == [(name, (1980, 1, 1, 0, 0, 0), 3, 0o644, zipfile.ZIP_DEFLATED) for name in ("a/c", "b")]
    assert told == [(1, 2), (2, 2)]
    told.clear()
    (tmp_path / "y").mkdir()
    pack.write(made, tmp_path / "y", lambda done, total: told.append((done, total)))
    assert (tmp_path / "y" / "a" / "c").read_bytes() == b"1" and told == [(1, 2), (2, 2)]
    assert sorted(os.listdir(tmp_path)) == ["x.zip", "y"]


def test_what_can_not_be_written_leaves_nothing(tmp_path):
    with pytest.raises(StorageFailed) as raised:
        pack.write({"a": tmp_path / "gone"}, tmp_path / "x.zip")
    assert str(raised.value) == (
        f"{tmp_path / 'x.zip'} can't be written: No such file or directory\n"
        "    free space, or name another with -o"
    )
    assert os.listdir(tmp_path) == []


def test_where_an_artifact_can_go(tmp_path):
    (tmp_path / "empty").mkdir()
    pack.free(tmp_path / "empty")
    pack.free(tmp_path / "new.zip")
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "file").touch()
    for there in ("full", "full/file"):
        with pytest.raises(WrongUsage, match="already exists\n    name another one with -o"):
            pack.free(tmp_path / there)
    with pytest.raises(NoSuchThing, match="there is no folder .*none\n    make it, or name another one"):
        pack.free(tmp_path / "none" / "x")


def test_a_zip_that_is_damaged_is_told(tmp_path):
    pack.write({"a": os.urandom(5000) + b"a" * 5000}, tmp_path / "x.zip")
    data = bytearray((tmp_path / "x.zip").read_bytes())
    data[100:140] = b"\xff" * 40
    (tmp_path / "x.zip").write_bytes(data)
    with pytest.raises(StorageFailed, match="not a readable .zip: .*\n    fetch it again"):
        with pack.opened(tmp_path / "x.zip"):
            pass


def test_files_are_compared_with_their_checksums_and_none_outside_is_read(tmp_path):
    folder = tmp_path / "folder"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "same").write_text("1")
    (folder / "other").write_text("2")
    (tmp_path / "outside").write_text("3")
    digest = hashlib.sha256(b"1").hexdigest()
    outside = hashlib.sha256(b"3").hexdigest()
    (folder / pack.CHECKSUMS).write_text(
        f"{digest}  sub/same\n{digest}  other\n{digest}  sub\n"
        f"{outside}  ../outside\n{outside}  {tmp_path}/outside\n"
    )
    missing = "No such file or directory"
    assert pack.damage(folder) == [
        "other was changed", f"sub: {missing}", f"../outside: {missing}", f"{tmp_path}/outside: {missing}",
    ]  # fmt: skip
    (folder / pack.CHECKSUMS).write_bytes(b"\xff\xff")
    with pytest.raises(
        StorageFailed, match="checksums.sha256 can't be read: .*\n    fetch the artifact again"
    ):
        pack.damage(folder)


def test_a_zip_that_unpacks_to_more_than_an_artifact_does_is_not_unpacked(tmp_path):
    with zipfile.ZipFile(tmp_path / "x.zip", "w", zipfile.ZIP_DEFLATED) as packed:
        with packed.open("zeros", "w") as stream:
            for _ in range(1100):
                stream.write(bytes(1 << 20))
    with pytest.raises(StorageFailed, match=r"no artifact unpacks to 1 files and 1,153,433,600 bytes"):
        with pack.opened(tmp_path / "x.zip"):
            pass


def test_names_in_a_foreign_artifact_do_not_command_the_terminal(tmp_path, capsys):
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as packed:
        packed.writestr(pack.CHECKSUMS, f"{'0' * 64}  \x1b]0;title\x07\x1b[2J\x9b31m\n")
        packed.writestr("\x1b[31mred", "")
    app.main(["export", "--check", str(tmp_path / "x.zip")])
    said = capsys.readouterr()
    printed = (said.out + said.err).replace("\n", "")
    assert printed.isprintable() and r"\x1b[2J" in printed and r"\x1b[31mred is not listed" in printed
