# SPDX-License-Identifier: Apache-2.0
"""What make is called with for a firmware, which file it has to leave, and which builder does it."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.build import contiki_ng, docker_build, docker_container, fast, firmware, host
from orchestrator.build import recipe as recipes
from orchestrator.build.firmware import Builder, builder
from orchestrator.build.recipe import Recipe
from orchestrator.errors import BuildFailed, NoSuchThing, Unsupported, WrongUsage
from orchestrator.scenario.model import FirmwareOptions

VERSION = "2023090701"


class Tree:
    """A Contiki-NG tree as recipes see it."""

    folder = Path("/tree")
    digest = "sha256:0123456789abcdef"

    def check(self, target):
        if target == "gone":
            raise NoSuchThing("the tree has no target gone")

    def digest_with(self, inside):
        return f"with {inside}"


def recipe(**given):
    return Recipe(**{"name": "app", "variant": {"MAC": "csma", "B": "2"}} | given)


def test_make_for_the_embedded_contiki():
    one = recipe(cflags="-O1")
    assert one.arguments("/w", "", 3) == ["TARGET=cooja", "MAC=csma", "B=2", "-j3", "app.cooja"]
    assert one.environment("/w", "") == {
        "LC_ALL": "C",
        "LIBNAME": "$(BUILD_DIR_BOARD)/app.cooja",
        "COOJA_VERSION": VERSION,
        "EXTRA_CC_ARGS": "-O1",
    }
    assert one.folder("/w", "") == "/w/apps/app" and not one.on_contiki_ng and not one.is_fast
    assert one.key() == {
        "kind": "firmware",
        "application": "app",
        "variant": {"MAC": "csma", "B": "2"},
        "cflags": "-O1",
        "cooja": VERSION,
        "sources": None,
    }


def test_make_for_a_tree():
    one = recipe(tree=Tree(), cflags="-g")
    assert one.on_contiki_ng and one.is_fast and one.revision == "0123456789ab"
    common = ["TARGET=cooja", "MAC=csma", "B=2", "-j2", "CONTIKI=/t", "RELSTR=0123456789ab", "CCACHE="]
    assert one.arguments("/w", "/t", 2) == [*common, "app.cooja"]
    mapped = "-ffile-prefix-map=/t=contiki-ng -ffile-prefix-map=/w=."
    assert one.environment("/w", "/t") == {
        "LC_ALL": "C",
        "LIBNAME": "$(BUILD_DIR_BOARD)/app.cooja",
        "COOJA_VERSION": VERSION,
        "MAKEFILES": "/w/Makefile.fast",
        "LDFLAGS": "$(FAST_LDFLAGS)",
        "CFLAGS": f"$(FAST_CFLAGS) {mapped} -g",
    }
    slow = recipe(tree=Tree(), fast=False)
    assert not slow.is_fast and slow.environment("/w", "/t")["CFLAGS"] == mapped
    assert {"fast"} == one.key().keys() - slow.key().keys()
    assert (slow.key()["target"], slow.key()["inside"], slow.key()["tree"]) == ("cooja", "", Tree.digest)
    sanitized = recipe(tree=Tree(), cflags="-fsanitize=undefined")
    assert sanitized.arguments("/w", "/t", 2) == [*common, "TARGET_STARTFILES=-Wl,-z,undefs", "app.cooja"]
    assert not sanitized.is_fast
    inside = recipe(tree=Tree(), inside="examples/hello")
    assert inside.arguments("/w", "/t", 2) == [*common, "BUILD_DIR=/w/build", "app.cooja"]
    assert inside.folder("/w", "/t") == "/t/examples/hello"
    assert inside.key()["tree"] == "with /tree/examples/hello"
    image = recipe(from_image="name@sha256:ffffffffffffffff")
    assert image.on_contiki_ng and image.revision == "ffffffffffff"
    assert image.key()["tree"] == "name@sha256:ffffffffffffffff"


def test_make_for_another_target():
    one = recipe(tree=Tree(), target="zoul")
    assert not one.is_fast
    assert one.environment("/w", "/t") == {
        "LC_ALL": "C",
        "CFLAGS": "-ffile-prefix-map=/t=contiki-ng -ffile-prefix-map=/w=.",
    }
    date = 'CFLAGS_DATE=-DDATE="\\"04 01 01 70 00 00 00\\""'
    assert one.arguments("/w", "/t", 1)[-3:] == ["CCACHE=", date, "app.zoul"]


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        ({"target": "a b"}, NoSuchThing, "'a b' is not a valid name of a target"),
        ({"target": "-a"}, NoSuchThing, "'-a' is not a valid name of a target"),
        ({"target": "a" * 65}, NoSuchThing, "is not a valid name of a target"),
        (
            {"target": "zoul"},
            Unsupported,
            "the embedded Contiki is for Cooja's motes, not for zoul\n    name a Contiki-NG tree with "
            "--contiki-ng "
            "or $CONTIKI_NG",
        ),
        (
            {"target": "zoul", "tree": Tree(), "cflags": "-fsanitize=undefined"},
            Unsupported,
            "what a sanitizer calls is the embedded engine's, so firmware for zoul can't check itself\n    "
            "use "
            "--sanitize with the target cooja",
        ),
        ({"target": "gone", "tree": Tree()}, NoSuchThing, "the tree has no target gone"),
    ],
)
def test_what_can_t_be_built(given, kind, said):
    with pytest.raises(kind) as raised:
        recipe(**given)
    assert said in str(raised.value)


@pytest.mark.parametrize(
    ("given", "place"),
    [
        ({}, "apps/app/build/cooja/app.cooja"),
        ({"tree": Tree(), "inside": "x"}, "build/cooja/app.cooja"),
        ({"tree": Tree(), "target": "zoul"}, "apps/app/build/zoul/firefly/app.zoul"),
        ({"tree": Tree(), "target": "zoul", "inside": "x"}, "build/zoul/app.zoul"),
    ],
)
def test_which_file_make_has_to_leave(tmp_path, given, place):
    one = recipe(**given)
    with pytest.raises(BuildFailed) as raised:
        one.product(tmp_path)
    target = given.get("target", "cooja")
    remedy = (
        "its Makefile must obey LIBNAME, as contiki-apps/Makefile.embedded does"
        if target == "cooja"
        else "its Makefile may exclude this target or board (PLATFORMS_EXCLUDE, PLATFORMS_ONLY)"
    )
    assert str(raised.value) == (
        f"firmware app: make ended well but left no build/{target}/app.{target}\n    {remedy}"
    )
    made = tmp_path / place
    made.mkdir(parents=True)
    with pytest.raises(BuildFailed):
        one.product(tmp_path)
    made.rmdir()
    made.write_text("")
    assert one.product(tmp_path) == made
    if target == "zoul":
        (made.parent / "other").mkdir()
        (made.parent / "other" / "app.zoul").write_text("")
        with pytest.raises(BuildFailed):
            one.product(tmp_path)


@pytest.mark.parametrize(
    ("given", "kind", "said"),
    [
        (
            {"image": "x"},
            WrongUsage,
            "an image was named, but the builder is the host\n    also set the builder to docker",
        ),
        (
            {"source": "contiki-ng", "tree": "image"},
            WrongUsage,
            "the tree is to be the image's, but the builder is the host\n    name the builder as well: "
            "docker",
        ),
        (
            {"source": "contiki-ng"},
            NoSuchThing,
            "no Contiki-NG tree was named\n    name its folder with --contiki-ng, `firmware: {tree: ...}` or "
            "$CONTIKI_NG",
        ),
        (
            {"source": "contiki-ng", "builder": "docker"},
            NoSuchThing,
            "no Contiki-NG tree was named\n    name its folder with --contiki-ng, `firmware: {tree: ...}` or "
            "$CONTIKI_NG; `image` for the one that the image holds",
        ),
    ],
)
def test_options_of_a_builder_that_do_not_fit(monkeypatch, given, kind, said):
    monkeypatch.setattr(contiki_ng, "tree", lambda named: None)
    with pytest.raises(kind) as raised:
        builder(FirmwareOptions(**given))
    assert str(raised.value) == said


def test_the_builders_and_what_manifests_say_of_them(monkeypatch):
    made = builder(FirmwareOptions())
    assert made == Builder(None, None) and (made.in_image, made.fast) == (False, True)
    assert made.described() == {"source": "embedded", "builder": "host"}
    monkeypatch.setattr(contiki_ng, "tree", lambda named: Tree())
    tree = builder(FirmwareOptions(source="contiki-ng"))
    described = {"source": "contiki-ng", "tree": Tree.digest, "compile": "fast", "builder": "host"}
    assert tree.described() == described and isinstance(tree.tree, Tree) and not tree.in_image
    slow = builder(FirmwareOptions(source="contiki-ng", compile="as-is"))
    assert not slow.fast and "compile" not in slow.described()
    monkeypatch.setattr(
        docker_build.DockerBuilder, "described", lambda self: {"builder": "docker", "image": "i"}
    )
    image = builder(FirmwareOptions(source="contiki-ng", tree="image", builder="docker"))
    assert image.in_image and image.tree is None and image.fast
    assert image.described() == {
        "source": "contiki-ng",
        "tree": "of the image",
        "compile": "fast",
        "builder": "docker",
        "image": "i",
    }
    slow = builder(FirmwareOptions(source="contiki-ng", tree="image", builder="docker", compile="as-is"))
    assert slow.fast is False


def test_a_container_s_limits_and_image(monkeypatch):
    asked = []
    monkeypatch.setattr(
        firmware.docker_build, "DockerBuilder", lambda image, **more: asked.append((image, more["limits"]))
    )
    builder(FirmwareOptions(builder="docker"))
    builder(FirmwareOptions(builder="docker", image="mine", memory=5, seconds=7))
    usual = docker_container.Limits()
    assert usual == docker_container.Limits(2 << 30, 512, 512 << 20, 900.0)
    assert asked == [("contiker/contiki-ng", usual), ("mine", docker_container.Limits(5, 512, 512 << 20, 7))]


def test_a_builder_hands_its_tree_and_image_on(monkeypatch):
    made = []
    monkeypatch.setattr(recipes, "recipe", lambda *given, **more: made.append((given, more)) or "recipe")
    monkeypatch.setattr(host, "build", lambda recipe, cc=None: ("host", recipe, cc))
    contained = SimpleNamespace(firmware=lambda recipe: ("docker", recipe), digest=lambda: "sha256:1")
    tree = Tree()
    assert Builder(tree, None, fast=False).firmware("a", {"M": "x"}, cc="gcc", cflags="-g") == (
        "host",
        "recipe",
        "gcc",
    )
    assert Builder(None, contained, in_image=True).firmware("b", target="zoul") == ("docker", "recipe")
    assert Builder(None, contained).firmware("b") == ("docker", "recipe")
    assert made == [
        (
            ("a", {"M": "x"}),
            {"target": "cooja", "cflags": "-g", "tree": tree, "from_image": "", "fast": False},
        ),
        (("b", None), {"target": "zoul", "cflags": "", "tree": None, "from_image": "sha256:1", "fast": True}),
        (("b", None), {"target": "cooja", "cflags": "", "tree": None, "from_image": "", "fast": True}),
    ]


@pytest.mark.parametrize("quoted", ["'asm'", "‘asm’"])
def test_assembly_that_wants_our_register_is_explained(quoted):
    other = BuildFailed("x", "error: no")
    assert fast.explained(other) is other
    made = fast.explained(BuildFailed("x failed", f"impossible constraint in {quoted}"))
    assert str(made) == (
        "x failed\n    assembly may not use rbx here: --compile as-is (in a scenario `firmware: {compile: "
        "as-is}`) "
        "leaves it to it"
    )
    assert made.output == f"impossible constraint in {quoted}"


def test_compilers_of_targets(monkeypatch):
    asked = []
    monkeypatch.setattr(host.compiler, "find", lambda cc: ("found", cc))
    monkeypatch.setattr(host.compiler, "cross", lambda *given: asked.append(given))
    assert host.compiler_for("cooja", "gcc") == ("found", "gcc") and host.compiler_for("cooja") == (
        "found",
        None,
    )
    contained = ", or build in a container: --builder docker"
    for target, program in (("zoul", "arm-none-eabi-gcc"), ("sky", "msp430-gcc"), ("native", "gcc")):
        host.compiler_for(target)
        assert asked[-1][:2] == (program, f"firmware for {target}") and asked[-1][2].endswith(contained)
    with pytest.raises(Unsupported) as raised:
        host.compiler_for("esp32")
    assert str(raised.value) == (
        "esp32 is not built on the host here: its compiler is not known\n    build it in a container: "
        "--builder docker"
    )


def test_a_program_of_the_tree_itself(tmp_path):
    """A folder may have several programs; the tree's own are named by their C file, or by their folder."""
    for name, files in (("one", ["main.c"]), ("both", ["both.c", "other.c"]), ("two", ["a.c", "b.c"])):
        (tmp_path / "examples" / name).mkdir(parents=True)
        for file in ("Makefile", *files):
            (tmp_path / "examples" / name / file).write_text("")

    class Own(Tree):
        folder = tmp_path

        def holds(self, path):
            return Path(path).is_relative_to(tmp_path)

    def found(named):
        made = recipes.recipe(tmp_path / "examples" / named, {"B": "1", "A": "2"}, tree=Own(), fast=False)
        assert list(made.variant) == ["A", "B"] and made.sources is None and not made.is_fast
        return made.name, made.inside

    assert found("one") == found("one/main.c") == ("main", "examples/one")
    assert found("both") == ("both", "examples/both") and found("both/other.c") == ("other", "examples/both")
    assert found("two/b.c") == ("b", "examples/two")
    for named, there in (("two", ": a.c, b.c"), ("two/c.c", ": a.c, b.c"), ("", ""), ("none", "")):
        with pytest.raises(NoSuchThing) as raised:
            found(named)
        assert str(raised.value) == (
            f"{tmp_path / 'examples' / named}: no application\n    name a folder with a Makefile and one C "
            f"file of its name, or one of its C files{there}"
        )
    (tmp_path / "examples" / "one" / "Makefile").unlink()
    with pytest.raises(NoSuchThing):
        found("one/main.c")
