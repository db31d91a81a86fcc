# SPDX-License-Identifier: Apache-2.0
"""Run a mote type's build commands as Cooja does: without a shell, beside the source, in its environment.

Cooja clears the environment except PATH and a few names, replaces $(MAKE) and $(CPUS), splits at white space
outside of quotes, and expects the library in build/cooja/IDENTIFIER.cooja beside the source. Unlike in Cooja,
the commands of each mote type run in a copy of the source's folder, so they neither write into the user's
tree nor remove what other types have built. The copy stays in the cache with a record of what its build read
(record.py). While all of that is unchanged, no command runs again; if a source has changed, only that source
is compiled.
"""

from __future__ import annotations

import os
import re
import shlex
import shutil
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from orchestrator.applications.platform import SKY
from orchestrator.build import cache, compiler, record
from orchestrator.build import fast as our_way
from orchestrator.build.target import COOJA, COOJA_VERSION
from orchestrator.durable import alone, sha256
from orchestrator.errors import BuildFailed, MissingTool, NoSuchThing, StorageFailed, Unsupported

# Modules that only a build needs are imported there, because most calls find everything in the cache.
if TYPE_CHECKING:
    from orchestrator.build.overlay import Overlay

_ARGUMENT = re.compile(r"""[^\s"']+|"[^"]*"|'[^']*'""")
_IDENTIFIER = re.compile(r"[A-Za-z0-9_][A-Za-z0-9_.-]{0,80}")
_PRODUCTS = "build/cooja"  # of TARGET=cooja beside its source
# in the cache, 2 MB each, some 17: fewer than a suite has (Contiki-NG's own 76) would keep none of it from
# call to call
_MOST_COPIES = 512
_WERROR = "\n    a warning counts as an error here; WERROR=0 behind make's target in <commands> lets it pass"
_PASSED_ON = ("CI", "COOJA_CI", "RELSTR", "QUIET", "EXTRA_CC_ARGS")
# Our own form: make of one target with variables; builds in the cache instead of in the user's tree.
_OURS = re.compile(r"\$\(MAKE\)((?:\s+\S+)*)")


def library(source: Path, identifier: str) -> Path:
    """Return the path at which Cooja itself would build the library.

    Raises Unsupported for an identifier that is no file name.
    """
    if not _IDENTIFIER.fullmatch(identifier):
        raise Unsupported(
            f"mote type identifier {identifier!r}: it names a file, so use letters, digits and _.-"
        )
    return source.parent / _PRODUCTS / f"{identifier}.cooja"


def product(source: Path, target: str) -> Path:
    """Return make's path for the firmware of another target, of which Cooja has motes."""
    return source.parent / "build" / target / f"{source.stem}.{target}"


def our_variant(commands: str, name: str) -> dict[str, str] | None:
    """Return the make variables of a command that builds NAME.TARGET in our form, None for any other.

    TARGET is among them unless it is cooja.
    """
    lines = [line.strip() for line in commands.splitlines() if line.strip()]
    found = _OURS.fullmatch(lines[0]) if len(lines) == 1 else None
    if found is None:
        return None
    words = [word for word in found[1].split() if not re.fullmatch(r"-j(\$\(CPUS\)|\d*)", word)]
    product_ = next((word for word in words if word in (f"{name}.{COOJA}", f"{name}.{SKY}")), None)
    if product_ is None:
        return None
    words.remove(product_)
    variant = {}
    for word in words:
        matched = re.fullmatch(r"([A-Z][A-Z0-9_]{0,63})=([A-Za-z0-9_.,:+-]{0,64})", word)
        if matched is None:
            return None
        variant[matched[1]] = matched[2]
    if variant.get("TARGET") != product_.rpartition(".")[2]:
        return None
    return {key: value for key, value in variant.items() if (key, value) != ("TARGET", COOJA)}


def split(commands: str, make_flags: list[str]) -> list[list[str]]:
    """Return the commands as argument lists, Cooja's variables replaced."""
    make = " ".join(["make", *make_flags])
    made = []
    for line in commands.split("\n"):
        text = line.strip().replace("$(MAKE)", make).replace("$(CPUS)", str(os.cpu_count() or 1))
        words = []
        for word in _ARGUMENT.findall(text):
            words.append(word[1:-1] if len(word) > 1 and word[0] in "\"'" else word)
        if words:
            made.append(words)
    return made


@dataclass(frozen=True)
class Compilation:
    """Settings of a compilation by commands: the compiler `cc`, and `cflags` after those of $EXTRA_CC_ARGS.

    `fast`: with our flags, if they build on a Contiki-NG tree. `places`: folders, the innermost first, with
    the names that stand for them in the firmware, whose bytes are then the same wherever they are.
    `programs`: a folder whose programs come before those on the PATH.
    """

    cc: str | None = None
    cflags: str = ""
    fast: bool = False
    places: tuple[tuple[str, str], ...] = ()
    programs: Path | None = None


USUAL = Compilation()


def build(
    source: Path,
    identifier: str,
    commands: str,
    make_flags: list[str],
    compilation: Compilation = USUAL,
    show: Callable[[str], None] = lambda _: None,
    target: str = COOJA,
) -> Path:
    """Run commands in a copy of the source's folder and return the library, which is in the cache.

    `show` gets each command before it runs. `target`: of make; what is no Cooja mote's is NAME.TARGET beside
    its source, in build/TARGET. Raises NoSuchThing (no source), MissingTool, BuildFailed,
    StorageFailed, or Unsupported (also for a folder that is too large).
    """
    fast = compilation.fast
    expected = library(source, identifier) if target == COOJA else product(source, target)
    if not source.is_file():
        raise NoSuchThing(
            f"{source}: no such source file; correct the .csc, or name its folder with --contiki"
        )
    if not (argument_lists := split(commands, make_flags)):
        if expected.is_file():
            return expected
        raise BuildFailed(f"the .csc has no build commands, and there is no {expected}")
    environment = _environment(identifier, compilation.cc, compilation.cflags, fast)
    if target != COOJA:
        del environment["LIBNAME"]  # Cooja sets it for its own motes, and Contiki-NG's rule obeys it for any
    if compilation.programs is not None:
        environment["PATH"] = f"{compilation.programs}:{environment['PATH']}"
    home = cache.place("foreign") / cache.key(
        {"source": str(source.resolve()), "commands": argument_lists, "environment": environment}
        | ({"places": compilation.places} if compilation.places else {})
    )
    try:
        if not home.is_dir():
            home.mkdir(parents=True, exist_ok=True)
            _make_room(home)
        with alone(home, lambda: None):
            beside = expected.relative_to(source.parent)
            return _built(source, beside, argument_lists, environment, home, show, compilation)
    except OSError as error:
        raise StorageFailed(
            f"{home}: {error}\n    free space there, or set XDG_CACHE_HOME to another folder"
        ) from error


def _built(
    source: Path,
    beside: Path,
    argument_lists: list[list[str]],
    environment: dict[str, str],
    home: Path,
    show: Callable[[str], None],
    compilation: Compilation,
) -> Path:
    before = record.load(home)
    changed = record.change(before) if before is not None else record.Change(whole=True)
    if not changed and (found := _in_cache(before["library"])) is not None:
        os.utime(home)
        if changed.renewed:  # or each call would read these files again, the compiler's 30 MB among them
            record.store(home, before)
        return found
    from orchestrator.build import reads
    from orchestrator.build.overlay import overlay

    record.forget(home)
    root, log, asked = home / "root", home / "reads", home / "asked"
    keep = not changed.whole
    copy = overlay(source.parent, root, products=str(beside.parent), keep=keep)
    built = copy.place / beside
    if keep:
        for made in (*changed.objects, str(built)):
            Path(made).unlink(missing_ok=True)
    reads.git_in_place(home / "bin", root, asked)
    asked.unlink(missing_ok=True)
    log.write_bytes(b"")
    variables = _variables(environment, copy, home, log, compilation.places)
    began_ns = time.time_ns()
    try:
        _run_all(argument_lists, copy, variables, show)
    except BuildFailed as failed:
        raise our_way.explained(failed) if compilation.fast else failed from None
    if not built.is_file():
        raise BuildFailed(
            f"the .csc's build commands left no {copy.plain(str(built))}\n"
            "    its Makefile must obey LIBNAME from the environment, as Contiki-NG's does"
        )
    kept = _kept(built)
    found = reads.read(log)
    log.unlink()
    if found.read:
        earlier = before if keep else None
        now = record.make(found, asked, root, copy.place, str(beside.parent), began_ns, earlier)
        if now is not None:
            record.store(home, now | {"library": [kept.key, built.name]})
    return kept.path


def _variables(
    environment: dict[str, str],
    copy: Overlay,
    home: Path,
    log: Path,
    places: tuple[tuple[str, str], ...],
) -> dict[str, str]:
    """Return the environment of commands in an overlay, in which `log` notes the files that they read."""
    from orchestrator.build import reads

    # Debug information names the user's own files, and the bytes are those of a build beside them.
    maps = [f"{copy.root}="]
    for place, name in reversed(places):  # the last that fits is the one that gcc and clang take
        maps += [f"{place}={name}", f"{copy.root}{place}={name}"]
    variables = environment | {
        "CC": " ".join([environment["CC"], *(shlex.quote(f"-ffile-prefix-map={one}") for one in maps)]),
        "PATH": f"{home / 'bin'}:{environment['PATH']}",
    }
    preloaded = reads.library()
    return variables if preloaded is None else variables | reads.variables(preloaded, log)


def _run_all(
    argument_lists: list[list[str]], copy: Overlay, variables: dict[str, str], show: Callable[[str], None]
) -> None:
    for words in argument_lists:
        show("> " + " ".join(words))
        _run(words, copy, variables)


def _environment(identifier: str, cc: str | None, cflags: str, fast: bool) -> dict[str, str]:
    environment = {
        "LIBNAME": f"$(BUILD_DIR_BOARD)/{identifier}.cooja",
        "COOJA_VERSION": COOJA_VERSION,
        "CC": compiler.find(cc).shell,
        "PATH": os.environ.get("PATH", ""),
    } | {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    if cflags:
        environment["EXTRA_CC_ARGS"] = f"{environment.get('EXTRA_CC_ARGS', '')} {cflags}".strip()
    if fast:
        environment |= our_way.variables(str(our_way.file()))
        environment["EXTRA_CC_ARGS"] = f"{our_way.CFLAGS} {environment.get('EXTRA_CC_ARGS', '')}".strip()
    return environment


def _make_room(home: Path) -> None:
    """Remove the copies that were unused for longest, down to the number that is kept."""
    copies = sorted(home.parent.iterdir(), key=_last_used)
    for folder in copies[:-_MOST_COPIES]:
        try:
            with alone(folder):
                shutil.rmtree(folder, ignore_errors=True)
        except OSError:
            pass  # in use, or just removed by another


def _last_used(folder: Path) -> float:
    try:
        return folder.stat().st_mtime
    except FileNotFoundError:  # just removed by another
        return 0.0


def _run(words: list[str], copy: Overlay, environment: dict[str, str]) -> None:
    from orchestrator.build import calls
    from orchestrator.build.tools import first_errors

    try:
        code, output = calls.run(words, copy.place, environment)
    except FileNotFoundError:
        raise MissingTool(f"{words[0]}: no such program; the .csc's build commands need it") from None
    except (PermissionError, ValueError) as error:
        raise BuildFailed(f"{words[0]}: {error}") from None
    if code != 0:
        raise BuildFailed(
            f"the .csc's build command failed: {' '.join(words)}\n{first_errors(copy.plain(output))}"
            + (_WERROR if _only_warnings(output) else ""),
            output,
        )


def _only_warnings(output: str) -> bool:
    """Whether all errors of the compiler are warnings that count as errors."""
    errors = [line for line in output.split("\n") if "error:" in line]
    return bool(errors) and all("[-Werror" in line for line in errors)


def _kept(built: Path) -> cache.Built:
    """Return the library in the cache, under its content's hash, so that no later build changes it."""
    digest = sha256(built)
    return cache.get(
        "libraries",
        cache.key({"library": digest, "name": built.name}),
        lambda work: Path(shutil.copy(built, work / built.name)),
    )


def _in_cache(named: list[str]) -> Path | None:
    key, name = named
    path = cache.cache_folder() / "libraries" / key / name
    return path if path.is_file() and cache.key({"library": sha256(path), "name": name}) == key else None
