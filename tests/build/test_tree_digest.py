# SPDX-License-Identifier: Apache-2.0
"""A Contiki-NG tree made up by a test: what it must have, and which of its files its digest is made of."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from orchestrator.build import contiki_ng, docker_build, docker_container
from orchestrator.build.contiki_ng import Tree
from orchestrator.build.docker_container import Ended, Limits
from orchestrator.errors import BuildFailed, NoSuchThing


@pytest.fixture
def folder(tmp_path):
    made = tmp_path / "contiki-ng"
    for name in (
        "Makefile.include",
        "os/a.c",
        "arch/platform/cooja/Makefile.cooja",
        "arch/platform/zoul/Makefile.zoul",
        "arch/platform/odd/Makefile.other",
        "arch/cpu/arm/CMSIS/core.h",
        "tools/x.py",
        "examples/hello/hello.c",
        "examples/other/other.c",
    ):
        (made / name).parent.mkdir(parents=True, exist_ok=True)
        (made / name).write_text(name)
    return made


def test_which_tree_is_meant(folder, tmp_path, monkeypatch):
    monkeypatch.delenv("CONTIKI_NG", raising=False)
    assert contiki_ng.tree(None) is None and contiki_ng.tree("") is None
    (tmp_path / "link").symlink_to(folder)
    assert contiki_ng.tree(tmp_path / "link") == Tree(folder)
    for given, said in ((tmp_path, "named"), (None, "by $CONTIKI_NG")):
        monkeypatch.setenv("CONTIKI_NG", str(tmp_path))
        with pytest.raises(NoSuchThing) as raised:
            contiki_ng.tree(given)
        assert str(raised.value) == (
            f"{tmp_path} ({said}) is not a Contiki-NG tree: it has no Makefile.include\n"
            "    name the folder of a checkout of Contiki-NG"
        )
    monkeypatch.setenv("CONTIKI_NG", str(folder))
    assert contiki_ng.tree(None) == Tree(folder)


def test_targets_that_a_tree_lacks(folder):
    Tree(folder).check("cooja")
    Tree(folder).check("zoul")
    for target in ("sky", "odd"):
        with pytest.raises(NoSuchThing) as raised:
            Tree(folder).check(target)
        assert (
            str(raised.value) == f"the Contiki-NG tree {folder} has no target '{target}'; it has: cooja, zoul"
        )
    (folder / "arch/cpu/arm/CMSIS/core.h").unlink()
    with pytest.raises(NoSuchThing) as raised:
        Tree(folder).check("zoul")
    assert str(raised.value) == (
        f"the Contiki-NG tree {folder} lacks what zoul is built from: arch/cpu/arm/CMSIS is empty\n"
        "    run there: git submodule update --init arch/cpu/arm/CMSIS"
    )
    (folder / "arch/cpu/arm/CMSIS").rmdir()
    with pytest.raises(NoSuchThing, match="is empty"):
        Tree(folder).check("zoul")


@pytest.mark.parametrize(
    ("name", "counts"),
    [
        ("os/a.c", True),
        ("os/sub/new.c", True),
        ("tools/new.py", True),
        ("os/cooja/new.c", True),
        ("Makefile.new", True),
        ("tools/cooja/new.java", False),
        ("os/build/new.c", False),
        ("os/.git/new", False),
        ("os/.new", False),
        ("os/new.o", False),
        ("os/new.orig", False),
        ("os/new.c~", False),
        ("README", False),
        ("examples/hello/hello.c", False),
    ],
)
def test_of_what_every_firmware_is_made(folder, name, counts):
    before = Tree(folder).digest
    assert len(before) == 32 and Tree(folder).digest == before
    (folder / name).parent.mkdir(parents=True, exist_ok=True)
    (folder / name).write_text("new")
    assert (Tree(folder).digest != before) is counts


def test_a_file_s_name_counts(folder):
    before = Tree(folder).digest
    (folder / "os/a.c").rename(folder / "os/b.c")
    assert Tree(folder).digest != before


def test_an_application_of_the_tree_counts_with_those_beside_it(folder):
    one = Tree(folder)
    assert one.digest_with(folder / "os" / "x") == one.digest
    before = one.digest_with(folder / "examples" / "hello")
    assert before[32:] == one.digest[:8] and before != one.digest
    (folder / "examples/other/other.c").write_text("new")
    assert Tree(folder).digest_with(folder / "examples" / "hello") != before
    assert one.holds(folder / "examples") and not one.holds(folder) and not one.holds(folder.parent)


class Recipe:
    name, target, tree, from_image, is_fast = "x", "cooja", None, "", False

    def __init__(self, **given):
        self.__dict__ |= given

    def arguments(self, work, tree, jobs):
        assert jobs >= 1
        return [work, tree]

    def folder(self, work, tree):
        return f"{work}|{tree}"

    def environment(self, work, tree):
        return {"W": work, "T": tree}


@pytest.fixture
def made(monkeypatch, tmp_path):
    """Builds a recipe with an image of these variables: the command of its container."""

    def make(recipe, environment, ended=None):
        asked = []
        monkeypatch.setattr(
            docker_container,
            "run",
            lambda *given, **more: asked.append((given, more)) or ended or Ended(0, ""),
        )
        builder = docker_build.DockerBuilder("i")
        builder._found = docker_build._Ready(
            "engine", SimpleNamespace(environment=environment, digest="n@sha256:1")
        )
        builder._make(recipe, tmp_path)
        ((given, more),) = asked
        assert (
            given[0] == "engine"
            and more["what"] == "firmware x for cooja in i"
            and more["limits"] == Limits()
        )
        return given[2]

    return make


def test_an_image_without_a_tree_in_it(made):
    with pytest.raises(NoSuchThing) as raised:
        made(Recipe(from_image="i"), {})
    assert str(raised.value) == (
        "the image i does not say where its Contiki-NG tree is ($CONTIKI_NG)\n    name a tree of this "
        "machine with "
        "--contiki-ng"
    )
    missing = "make: *** No rule to make target '/t/Makefile.include'"
    with pytest.raises(NoSuchThing) as raised:
        made(Recipe(from_image="i"), {"CONTIKI_NG": "/t"}, Ended(2, missing))
    assert str(raised.value) == (
        "the image i holds no Contiki-NG tree at /t\n    name a tree of this machine with --contiki-ng, or "
        "an image "
        "that has one"
    )
    made(Recipe(from_image="i"), {"CONTIKI_NG": "/t"}, Ended(0, missing))
    with pytest.raises(BuildFailed, match="make failed"):
        made(Recipe(), {"CONTIKI_NG": "/t"}, Ended(2, missing.replace("/t", "/orchestrate/contiki-ng")))
