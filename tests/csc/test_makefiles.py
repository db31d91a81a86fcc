# SPDX-License-Identifier: Apache-2.0
"""What keeps a mote type's build from working is named before make runs, with what would work."""

import pytest

from orchestrator.csc import makefiles
from orchestrator.csc.document import Document
from orchestrator.csc.loading.check import judge
from orchestrator.csc.read import read_bytes
from orchestrator.csc.write import write
from orchestrator.errors import BuildFailed, FaultyInput
from orchestrator.execution.library import BuildOptions, library
from orchestrator.vocabulary.simulators import COOJA_VERSION

COMMAND = "$(MAKE) -j$(CPUS) node.cooja TARGET=cooja"


def tree(folder, version: str | None = COOJA_VERSION):
    rules = folder / makefiles.BUILD_RULES
    rules.parent.mkdir(parents=True)
    rules.write_text("" if version is None else f"EXPECTED_COOJA_VERSION = {version}\n")
    (folder / "Makefile.include").write_text("")
    return folder


def application(folder, contiki: str):
    folder.mkdir(exist_ok=True)
    (folder / "node.c").write_text("")
    (folder / "Makefile").write_text(f"all: node\nCONTIKI = {contiki}\ninclude $(CONTIKI)/Makefile.include\n")
    return folder


def faults(small, folder, **given) -> list[str]:
    found = judge(Document.of(write(small), "a.csc", folder), "5.0", **given).findings
    return [f"{one.what}\n{one.remedy}" for one in found if one.fatal]


@pytest.mark.parametrize(
    ("command", "part", "remedy"),
    [
        ("ROLE=5 make node.cooja TARGET=cooja", "'ROLE=5' is no setting", "env ROLE=5 make"),
        ("cd sub && make node.cooja TARGET=cooja", "'cd'", "make -C"),
        ("make clean; make node.cooja TARGET=cooja", "';'", "line of its own"),
        ("make clean TARGET=cooja && make node.cooja TARGET=cooja", "'&&'", "line of its own"),
    ],
)
def test_a_command_that_needs_a_shell_is_a_faulty_file(small, command, part, remedy):
    text = write(small).decode().replace(COMMAND, command.replace("&", "&amp;"))
    with pytest.raises(FaultyInput, match="without a shell") as raised:
        read_bytes(text.encode())
    (fault,) = raised.value.faults
    assert part in fault.what and remedy in fault.remedy and fault.line


@pytest.mark.parametrize("command", ["sh -c 'cd sub; make'", 'make "A=1; 2" B="c;"', "make A=b;c", ""])
def test_what_is_quoted_needs_no_shell(command):
    assert makefiles.needs_shell(command) is None


def test_a_tree_of_another_cooja_is_named_with_both_versions(small, tmp_path):
    application(tmp_path, "tree")
    tree(tmp_path / "tree", "2022052601")
    for what in (faults(small, tmp_path)[0], built(small, tmp_path)):
        assert "2022052601" in what and COOJA_VERSION in what


def test_a_tree_from_before_these_versions_is_named(small, tmp_path):
    application(tmp_path, "tree")
    tree(tmp_path / "tree", None)
    assert "no EXPECTED_COOJA_VERSION" in faults(small, tmp_path)[0]


def built(small, folder, **options) -> str:
    with pytest.raises(BuildFailed) as raised:
        library(small.mote_types[0], folder, BuildOptions(**options))
    return str(raised.value)


@pytest.mark.parametrize("contiki", ["/home/nobody/contiki-ng", "$(HOME)/contiki-ng", "../../.."])
def test_a_makefile_whose_tree_is_not_there_is_named_with_the_tree_around_it(small, tmp_path, contiki):
    folder = application(tree(tmp_path / "tree") / "app", contiki)
    for what in (faults(small, folder)[0], built(small, folder)):
        assert contiki in what and f"--contiki {tmp_path / 'tree'}" in what


def test_make_s_own_functions_are_not_judged(small, tmp_path):
    application(tmp_path, "$(shell pwd)/tree")
    assert faults(small, tmp_path) == []


def test_the_user_s_tree_takes_the_place_of_one_that_is_not_there(small, tmp_path):
    folder, named = application(tmp_path / "app", "/home/nobody/contiki-ng"), tree(tmp_path / "tree")
    (named / "Makefile.include").write_text("$(error built with $(CONTIKI))\n")
    said = []
    with pytest.raises(BuildFailed, match=f"built with {named}"):
        library(small.mote_types[0], folder, BuildOptions(contiki=named), said.append)
    assert "not in Cooja" in said[0]


def test_a_warning_that_stops_a_build_is_told_with_what_lets_it_pass(small, tmp_path):
    (tmp_path / "node.c").write_text("int main(void) { int unused; }")
    (tmp_path / "Makefile").write_text("node.cooja:\n\tcc -Wall -Werror node.c\n")
    assert "WERROR=0" in built(small, tmp_path)


def test_a_lost_source_is_looked_for_and_the_path_that_works_is_offered(small, tmp_path):
    (tmp_path / "Makefile").write_text("all:\n")
    (tmp_path / "src").mkdir()
    (tmp_path / "src" / "node.c").write_text("")
    assert "write [CONFIG_DIR]/src/node.c" in faults(small, tmp_path)[0]


def test_a_file_that_only_we_find_is_noted(small, tmp_path):
    application(tmp_path, "$(shell pwd)")
    text = write(small).replace(b"[CONFIG_DIR]/node.c", b"node.c")
    found = judge(Document.of(text, "a.csc", tmp_path), "5.0").findings
    assert any("Cooja does not find it" in one.what and "[CONFIG_DIR]/node.c" in one.remedy for one in found)
