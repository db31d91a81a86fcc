# SPDX-License-Identifier: Apache-2.0
"""All names that the middleware exports carry their module's prefix, so that they can't collide with a
user's names.

Symbols are read from the objects (nm), macros and types from the headers. Applications are programs of their
own: what their files share begins as the application or the file does.
"""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import c_tests
import pytest

APPS = c_tests.ROOT / "contiki-apps"
OS = APPS / "os"
MODULES = sorted(path for path in c_tests.MIDDLEWARE.iterdir() if any(path.glob("*.h")))
APPLICATIONS = sorted(path.parent for path in (APPS / "apps").glob("*/Makefile"))
CONCEPTS = ("STATIC", "DYNAMIC", "COMBINED")  # of the blackboard's storage, one a build
# A module's prefix is its folder's name, but for these. The README's table of modules says the same.
PREFIXES = {
    "aggregation": "merge",
    "blackboard-binding": "blackboard",
    "blackboard-crosslayer": "blackboard",
    "experiment": "run",
    "policies": "policy",
    "threads": "thread",
}
# Arithmetic of the policy language's types, named after them: what compiled policies call. What pubsub's
# enforcement points ask is the policy manager's to define, and is named in pubsub.
ARITHMETIC = ("int", "uint", "long", "ulong", "int8", "uint8", "float", "double")
PROCESS = re.compile(r"^PROCESS_NAME\((\w+)\);", re.MULTILINE)  # Contiki's declaration of a process
COMMENT = re.compile(r"/\*.*?\*/", re.DOTALL)
MACRO = re.compile(r"^#define +(\w+)", re.MULTILINE)
TAG = re.compile(r"^(?:struct|union|enum) (\w+) \{|^typedef [^;]*?(\w+)(?:\)\([^;]*)?;", re.MULTILINE)
ENUMERATION = re.compile(r"^enum[^{;]*\{(.*?)\}", re.MULTILINE | re.DOTALL)
INLINE = re.compile(r"^(?!_Static_assert)(\w+)\(", re.MULTILINE)
THREAD = re.compile(r"^THREAD\((\w+),", re.MULTILINE)


def prefix(module: Path) -> str:
    return PREFIXES.get(module.name, module.name.replace("-", "_"))


def allowed(module: Path) -> tuple[str, ...]:
    """What its names may begin with: its prefix, or the name of a header (of two words or more)."""
    headers = (path.stem.replace("-", "_") for path in module.glob("*-*.h"))
    more = {"threads": ("threads",), "policies": (*ARITHMETIC, "pubsub_enforce")}.get(module.name, ())
    return (prefix(module), *more, *headers)


def defined(header: Path) -> set[str]:
    """Macros, types, enumerators and functions that a header defines."""
    text = PROCESS.sub(r"\1();", COMMENT.sub("", header.read_text()))
    found = set(MACRO.findall(text)) | {one or other for one, other in TAG.findall(text)}
    for body in ENUMERATION.findall(text):
        found |= set(
            re.findall(r"(?:^|,)\s*([A-Za-z]\w*)", re.sub(r"^#.*(?:\\\n.*)*$", "", body, flags=re.MULTILINE))
        )
    return found | set(INLINE.findall(text))


def strays(names: set[str], words: tuple[str, ...]) -> set[str]:
    """Names that are none of the words, nor begin with one and an underscore."""
    lower = {name: name.lower() for name in names}
    return {
        name
        for name, low in lower.items()
        if not any(low == word or low.startswith(f"{word}_") for word in words)
    }


def objects(sources: list[Path], folder: Path, *flags: str) -> dict[str, dict[str, set[str]]]:
    """Source file's name -> the symbols that its object defines and those that it wants of others."""
    folder.mkdir()
    flags = (
        "-std=gnu11", "-w", "-O0",
        "-DCONTIKI=1", "-DCONTIKI_TARGET_COOJA=1", '-DCONTIKI_TARGET_STRING="cooja"',
        "-DNETSTACK_CONF_WITH_NULLNET=1", "-DMAC_CONF_WITH_CSMA=1", *flags,
        *(f"-I{path}" for path in (OS / "platform" / "stdio", OS, c_tests.MIDDLEWARE, *MODULES)),
    )  # fmt: skip
    subprocess.run([c_tests.compiler(), *flags, "-c", *map(str, sources)], cwd=folder, check=True)
    return {
        source.name: {
            what: symbols(folder / f"{source.stem}.o", f"--{what}-only") for what in ("defined", "undefined")
        }
        for source in sources
    }


def symbols(path: Path, which: str) -> set[str]:
    listed = subprocess.run(["nm", "--extern-only", which, path], capture_output=True, text=True, check=True)
    return {line.split()[-1] for line in listed.stdout.splitlines()}


@pytest.fixture(scope="module")
def compiled(tmp_path_factory):
    """Module -> its objects, by file; of the blackboard once for each concept."""
    if not shutil.which("nm"):
        pytest.skip("no binutils")
    folder = tmp_path_factory.mktemp("objects")
    return {
        (module, concept): objects(
            sorted(module.glob("*.c")),
            folder / f"{module.name}-{concept}",
            f"-DBLACKBOARD_CONF_CONCEPT=BLACKBOARD_{concept}",
        )
        for module in MODULES
        for concept in (CONCEPTS if module.name == "blackboard" else ("COMBINED",))
    }


def test_a_modules_symbols_begin_with_its_prefix(compiled):
    stray = {
        f"{module.name}/{file}": found
        for (module, _), files in compiled.items()
        for file, names in files.items()
        if (found := strays(names["defined"], allowed(module)))
    }
    assert stray == {}


def circles(wants: dict[str, set[str]]) -> set[str]:
    """Files of a graph that are in a circle, or behind one."""
    left = dict(wants)
    while free := [file for file, others in left.items() if not others & left.keys()]:
        for file in free:
            del left[file]
    return set(left)


def test_the_files_of_diffusion_call_each_other_in_one_direction(compiled):
    files = next(files for (module, _), files in compiled.items() if module.name == "diffusion")
    home = {symbol: file for file, names in files.items() for symbol in names["defined"]}
    calls = {
        file: {home[name] for name in names["undefined"] if name in home} - {file}
        for file, names in files.items()
    }
    assert calls["diffusion-interests.c"] >= {"diffusion-gradients.c"}  # what could be a circle is seen
    assert circles(calls) == set()
    assert circles({"a.c": {"b.c"}, "b.c": {"a.c"}, "c.c": set()}) == {"a.c", "b.c"}


def test_the_files_of_diffusion_include_each_other_in_one_direction():
    module = c_tests.MIDDLEWARE / "diffusion"
    includes = {
        stem: set().union(
            *(
                re.findall(r'#include "(diffusion[\w-]*)\.h"', path.read_text())
                for path in module.glob(f"{stem}.[ch]")
            )
        )
        - {stem}
        for stem in {path.stem for path in module.glob("*.[ch]")}
    }
    assert includes["diffusion"] and circles(includes) == set()


def test_a_modules_headers_define_names_with_its_prefix():
    stray = {}
    for module in MODULES:
        for header in sorted(module.glob("*.h")):
            if header.name != "declared.h" and (found := strays(defined(header), allowed(module))):
                stray[f"{module.name}/{header.name}"] = found
    assert stray == {}


@pytest.mark.skipif(not shutil.which("nm"), reason="no binutils")
@pytest.mark.parametrize("application", APPLICATIONS, ids=lambda path: path.name)
def test_an_applications_symbols_begin_as_it_or_their_file_does(application, tmp_path):
    flags = ["-iquote", str(application)]
    if (application / "project-conf.h").is_file():
        flags.append('-DPROJECT_CONF_PATH="project-conf.h"')
    stray = {}
    for file, names in objects(sorted(application.glob("*.c")), tmp_path / "objects", *flags).items():
        # A thread's name is what the log calls it.
        named = {"autostart_processes", *THREAD.findall((application / file).read_text())}
        words = (application.name.replace("-", "_"), Path(file).stem.split("-")[0])
        if found := strays(names["defined"] - named, words):
            stray[file] = found
    assert stray == {}


def test_the_readme_names_each_modules_prefix():
    rows = re.findall(
        r"^\| `([\w-]+)` \| `(\w+)_` \|", (c_tests.MIDDLEWARE / "README.md").read_text(), re.MULTILINE
    )
    assert dict(rows) == {module.name: prefix(module) for module in MODULES}
