# SPDX-License-Identifier: Apache-2.0
"""The recipe of one firmware, the same everywhere: make's sources, arguments, environment and product.

An application of ours or of the user's is copied into the work folder, in our tree's layout. One that lies in
a Contiki-NG tree is built where it is, with its build folder in the work folder: the tree may be read-only.
"""

from __future__ import annotations

import os
import re
import shutil
from dataclasses import dataclass
from pathlib import Path

from orchestrator.applications import platform
from orchestrator.build import fast as our_way
from orchestrator.build import sanitizers, sources
from orchestrator.build.content import Sources
from orchestrator.build.contiki_ng import Tree
from orchestrator.build.target import COOJA, COOJA_VERSION
from orchestrator.errors import BuildFailed, NoSuchThing, Unsupported

TESTED = (COOJA, "zoul", "cc2538dk", "nrf52840")
_TARGET = re.compile(r"[a-z0-9][a-z0-9_-]{0,63}")
_VERSION_DIGITS = 12
# Firmware must not depend on the day: zoul sets its clock to what make passes.
_FIXED = {"zoul": ('CFLAGS_DATE=-DDATE="\\"04 01 01 70 00 00 00\\""',)}


@dataclass(frozen=True)
class Recipe:
    """How one application is built; `tree` None: with the embedded Contiki or with the tree in an image.

    `from_image`: a name for the tree that the image holds.

    `inside`: the application's folder within `tree`, "" for one that is copied. `fast`: compiled our way
    (is_fast: where that means something).
    """

    name: str
    variant: dict[str, str]
    target: str = COOJA
    cflags: str = ""
    sources: Sources | None = None
    tree: Tree | None = None
    from_image: str = ""
    inside: str = ""
    origin: Path | None = None  # the user's folder of the application, which messages name
    fast: bool = True

    def __post_init__(self) -> None:
        if not _TARGET.fullmatch(self.target):
            raise NoSuchThing(f"{self.target!r} is not a valid name of a target")
        simulated = platform.target(self.variant)
        if simulated not in (COOJA, self.target):
            raise Unsupported(
                f"firmware with platform: {simulated}, for emulated motes, on motes of the platform "
                f"{self.target}\n    leave `platform` out"
            )
        if self.target != simulated and not self.on_contiki_ng:
            raise Unsupported(
                f"the embedded Contiki is for simulated motes, not for {self.target}\n"
                "    name a Contiki-NG tree with --contiki-ng or $CONTIKI_NG"
            )
        if self.target != COOJA and sanitizers.make_flags(self.cflags):
            raise Unsupported(
                f"what a sanitizer calls is the embedded engine's, so firmware for {self.target} can't check "
                "itself\n"
                "    use --sanitize with the target cooja"
            )
        if self.on_contiki_ng:
            for asked, why in platform.embedded_only(self.variant):
                raise Unsupported(
                    f"{asked} exists only in the embedded Contiki: {why}\n"
                    "    build it without a Contiki-NG tree, or build another variant"
                )
        if self.tree is not None:
            self.tree.check(self.target)

    @property
    def on_contiki_ng(self) -> bool:
        return self.tree is not None or bool(self.from_image)

    @property
    def is_fast(self) -> bool:
        """Whether it is compiled our way; firmware with sanitizers is compiled as these need it."""
        return (
            self.fast
            and self.on_contiki_ng
            and self.target == COOJA
            and not sanitizers.make_flags(self.cflags)
        )

    @property
    def revision(self) -> str:
        """The firmware's Contiki-NG version string: a hash of the tree's content."""
        named = self.from_image if self.tree is None else self.tree.digest
        return named.rpartition(":")[2][:_VERSION_DIGITS]

    def key(self) -> dict:
        """Return the facts that determine the firmware's bytes."""
        parts = {
            "kind": "firmware",
            "application": self.name,
            "variant": self.variant,
            "cflags": self.cflags,
            "cooja": COOJA_VERSION,
            "sources": None if self.sources is None else self.sources.digest(),
        }
        if self.on_contiki_ng:
            parts |= {"target": self.target, "inside": self.inside, "tree": self._tree_digest()}
        if self.is_fast:
            parts |= {"fast": our_way.digest()}
        return parts

    def _tree_digest(self) -> str:
        if self.tree is None:
            return self.from_image
        return self.tree.digest_with(self.tree.folder / self.inside) if self.inside else self.tree.digest

    def stage(self, work: Path) -> None:
        """Copy the sources into `work`."""
        if self.sources is not None:
            self.sources.copy(work)
        if self.is_fast:
            shutil.copyfile(our_way.file(), work / our_way.NAME)

    def folder(self, work: str, tree: str) -> str:
        """Return the folder in which make runs; `work` and `tree` as make sees them."""
        return f"{tree}/{self.inside}" if self.inside else f"{work}/apps/{self.name}"

    def arguments(self, work: str, tree: str, jobs: int) -> list[str]:
        """Of make."""
        words = [
            f"TARGET={self.target}",
            *(f"{name}={value}" for name, value in self.variant.items() if name != "TARGET"),
            f"-j{jobs}",
        ]
        if self.on_contiki_ng:
            words += [
                f"CONTIKI={tree}",
                f"RELSTR={self.revision}",
                "CCACHE=",
                *_FIXED.get(self.target, ()),
                *sanitizers.make_flags(self.cflags),
            ]
            if self.inside:
                words.append(f"BUILD_DIR={work}/build")
        return [*words, f"{self.name}.{self.target}"]

    def environment(self, work: str, tree: str) -> dict[str, str]:
        """Cooja's build contract, and no path of the machine in the firmware."""
        variables = {"LC_ALL": "C"}
        if self.target == COOJA:
            variables |= {"LIBNAME": f"$(BUILD_DIR_BOARD)/{self.name}.cooja", "COOJA_VERSION": COOJA_VERSION}
        if not self.on_contiki_ng:
            return variables | {"EXTRA_CC_ARGS": self.cflags}
        mapped = f"-ffile-prefix-map={tree}=contiki-ng -ffile-prefix-map={work}=."
        ours = ""
        if self.is_fast:
            variables |= our_way.variables(f"{work}/{our_way.NAME}")
            ours = our_way.CFLAGS
        return variables | {"CFLAGS": " ".join(filter(None, (ours, mapped, self.cflags)))}

    def product(self, work: Path) -> Path:
        """Return the file that make built. Raises BuildFailed."""
        build = work / "build" if self.inside else work / "apps" / self.name / "build"
        if self.target == COOJA or not self.on_contiki_ng:
            products = [build / self.target / f"{self.name}.{self.target}"]
            remedy = "its Makefile must obey LIBNAME, as contiki-apps/Makefile.embedded does"
        else:
            products = sorted((build / self.target).rglob(f"{self.name}.{self.target}"))
            remedy = "its Makefile may exclude this target or board (PLATFORMS_EXCLUDE, PLATFORMS_ONLY)"
        if len(products) != 1 or not products[0].is_file():
            raise BuildFailed(
                f"firmware {self.name}: make ended well but left no "
                f"build/{self.target}/{self.name}.{self.target}\n"
                f"    {remedy}"
            )
        return products[0]


def recipe(
    application: object,
    variant: dict[str, str] | None = None,
    *,
    target: str = COOJA,
    cflags: str = "",
    tree: Tree | None = None,
    from_image: str = "",
    fast: bool = True,
) -> Recipe:
    """Return the recipe of an application: a name, folder or descriptor; in a Contiki-NG tree also a C file.

    Raises NoSuchThing or FaultyInput.
    """
    variant = dict(sorted((variant or {}).items()))
    target = platform.target(variant) if target == COOJA else target
    named = Path(os.fspath(getattr(application, "file", None) or application))
    if tree is not None and tree.holds(named):
        folder, name = _program(named.resolve())
        return Recipe(
            name,
            variant,
            target,
            cflags,
            None,
            tree,
            "",
            folder.relative_to(tree.folder).as_posix(),
            fast=fast,
        )
    origin = sources.application_folder(application)
    sources_ = sources.collect(origin, getattr(application, "made", None))
    return Recipe(
        sources_.name, variant, target, cflags, sources_, tree, from_image, origin=origin, fast=fast
    )


def _program(named: Path) -> tuple[Path, str]:
    """Folder and name of a program of Contiki-NG's own: a folder may have several."""
    folder = named.parent if named.suffix == ".c" else named
    names = sorted(path.stem for path in folder.glob("*.c")) if (folder / "Makefile").is_file() else []
    if named.suffix == ".c" and named.stem in names:
        return folder, named.stem
    if named == folder and folder.name in names:
        return folder, folder.name
    if named == folder and len(names) == 1:
        return folder, names[0]
    raise NoSuchThing(
        f"{named}: no application\n    name a folder with a Makefile and one C file of its name, or one of "
        "its C files" + (f": {', '.join(f'{name}.c' for name in names)}" if names else "")
    )
