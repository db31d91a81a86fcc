# SPDX-License-Identifier: Apache-2.0
"""How what an application lacks is told: once each, with all places, headers first."""

from __future__ import annotations

from types import SimpleNamespace

import pytest

from orchestrator.build import lacks
from orchestrator.build.lacks import _Check
from orchestrator.errors import Fault, FaultyInput

TREE = "or, if Contiki-NG has it, build on its tree: make TARGET=cooja app.cooja CONTIKI=DIR"


@pytest.fixture
def known(tmp_path):
    made = _Check("app", tmp_path, tmp_path / "user", ["cc"])
    made.folder.mkdir(parents=True)
    made.origin.mkdir()
    for header in ("os/lib/list.h", "os/sys/list.h", "os/platform/board.h", "middleware/pubsub/pubsub.h"):
        (tmp_path / header).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / header).write_text("")
    return made


@pytest.mark.parametrize(
    ("file", "place"),
    [
        ("a.c", "a.c"),
        ("./sub/../b.c", "b.c"),
        ("../other/a.c", None),
        ("/usr/include/a.h", None),
        ("../app/a.c", "a.c"),
    ],
)
def test_only_the_user_s_files_have_a_place(known, file, place):
    assert known.place(file) == place


@pytest.mark.parametrize(
    ("lines", "also"),
    [
        ([3], ""),
        ([3, 3], ""),
        ([3, 4], " (also at a.c:4)"),
        ([3, 4, 5, 6, 7, 8], " (also at a.c:4, a.c:5, a.c:6, a.c:7, a.c:8)"),
        ([3, 4, 5, 6, 7, 8, 9], " (also at a.c:4, a.c:5, a.c:6, a.c:7, a.c:8, ...)"),
    ],
)
def test_a_name_is_told_once_with_its_other_places(known, tmp_path, lines, also):
    for line in lines:
        known.add("function", "f", "a.c", line, "no f", "do")
    assert known.found() == [Fault(str(tmp_path / "user" / "a.c"), 3, f"no f{also}", "do")]


def test_headers_come_first_then_files_and_lines(known):
    known.add("function", "f", "a.c", 1, "f", "")
    known.add("function", "g", "a.c", 1, "e", "")
    known.add("header", "z.h", "z.c", 9, "z", "")
    known.add("header", "y.h", "z.c", 3, "y", "")
    assert [fault.what for fault in known.found()] == ["z", "y"][::-1] + ["e", "f"]


def test_what_the_linker_did_not_find(tmp_path):
    folder = tmp_path / "apps" / "app"
    output = (
        "/bin/ld: ./app/a.c:12: undefined reference to `one'\n"
        "/bin/ld: b.c:3: undefined reference to `two'\n"
        "/usr/lib/x.c:3: undefined reference to `three'\n"
        "a.c:5: warning: four\n"
    )
    remedy = f"define it, add the file that does to PROJECT_SOURCEFILES, {TREE}"
    assert lacks.undefined(output, "app", folder, tmp_path / "user") == [
        Fault(str(tmp_path / "user" / "a.c"), 12, "one is declared, and defined nowhere", remedy),
        Fault(str(tmp_path / "user" / "b.c"), 3, "two is declared, and defined nowhere", remedy),
    ]


@pytest.mark.parametrize(
    ("header", "what", "remedy"),
    [
        (
            "pubsub.h",
            "the embedded Contiki has no header pubsub.h",
            "add the module that has it to the Makefile: MODULES += pubsub",
        ),
        (
            "net/list.h",
            "the embedded Contiki has no header net/list.h",
            f"the nearest is lib/list.h; do without it, {TREE}",
        ),
        (
            "sys/lits.h",
            "the embedded Contiki has no header sys/lits.h",
            f"the nearest is sys/list.h; do without it, {TREE}",
        ),
        ("board.h", "the embedded Contiki has no header board.h", f"do without it, {TREE}"),
        (
            "../beside.h",
            "../beside.h is outside of the application's folder",
            "put it into the folder: firmware is built from a copy of that alone",
        ),
        (
            "/abs.h",
            "/abs.h is outside of the application's folder",
            "put it into the folder: firmware is built from a copy of that alone",
        ),
        ("../gone.h", "the embedded Contiki has no header ../gone.h", f"do without it, {TREE}"),
    ],
)
def test_a_missing_header_s_remedy(known, tmp_path, header, what, remedy):
    (tmp_path / "beside.h").write_text("")
    lacks._header(known, "a.c", 4, header)
    assert known.found() == [Fault(str(tmp_path / "user" / "a.c"), 4, what, remedy)]


@pytest.mark.parametrize(
    ("header", "meant", "there"),
    [
        ("x.h", None, "1/2/3/4/x.h"),
        ("sub/x.h", "lib/x.h", "1/2/3/4/sub/x.h"),
        ("../../../../x.h", None, "x.h"),
    ],
)
def test_an_empty_file_in_place_of_a_header(tmp_path, header, meant, there):
    stubs = tmp_path / ".stubs" / "1/2/3/4"
    stubs.mkdir(parents=True)
    assert lacks._stub(stubs, header, meant) is True
    assert (tmp_path / ".stubs" / there).read_text() == (f'#include "{meant}"\n' if meant else "")
    assert lacks._stub(stubs, header, meant) is False


@pytest.mark.parametrize("header", ["/abs/x.h", "../../../../../x.h", "", "a" * 300, "x.h/y.h"])
def test_no_file_where_there_must_be_none(tmp_path, header):
    stubs = tmp_path / ".stubs" / "1/2/3/4"
    stubs.mkdir(parents=True)
    (stubs / "x.h").write_text("")
    assert lacks._stub(stubs, header, None) is False and not (tmp_path / "x.h").exists()


def test_sources_that_a_makefile_names(tmp_path):
    folder, origin = tmp_path / "apps" / "app", tmp_path / "user"
    (folder / "sub").mkdir(parents=True)
    (folder / "sub" / "a.c").write_text("")
    (tmp_path / "apps" / "b.c").write_text("")
    (folder / "Makefile").write_text("# ../b.c\nX = 1 # none.c\nSOURCES = ../b.c sub/a.c\nY = none.c\n")
    remedy = "put it into the folder, and its name as seen from there into PROJECT_SOURCEFILES"
    makefile = str(origin / "Makefile")
    assert list(lacks._outside(["sub/a.c", "../b.c", "none.c", "sub", "odd.c"], folder, origin)) == [
        Fault(makefile, 3, "../b.c is outside of the application's folder", remedy),
        Fault(makefile, 4, "there is no none.c", remedy),
        Fault(makefile, 3, "there is no sub", remedy),
        Fault(makefile, 0, "there is no odd.c", remedy),
    ]
    (folder / "Makefile").unlink()
    assert lacks._line(folder / "Makefile", "x") == 0
    assert list(lacks._foreign_recipe(folder, origin)) == []


def answers(monkeypatch, *said):
    calls = iter(said)
    monkeypatch.setattr(lacks, "_call", lambda *_: next(calls))


def checked(tmp_path, makefile):
    folder = tmp_path / "apps" / "app"
    folder.mkdir(parents=True)
    (folder / "Makefile").write_text(makefile)
    return lacks.check("app", tmp_path, tmp_path / "user", ["make"], {}, SimpleNamespace(command=("cc",)))


@pytest.mark.parametrize(
    "said",
    [
        (2, "SOURCES a.c\nCFLAGS -g\n"),
        (0, "CFLAGS -g\n"),
        (0, "SOURCES a.c\n"),
        (0, "SOURCES a.c\nCFLAGS 'open\n"),
    ],
)
def test_a_makefile_of_another_recipe_is_left_to_make(tmp_path, monkeypatch, said):
    answers(monkeypatch, said)
    assert checked(tmp_path, "all:\n") is None


def test_a_makefile_of_contiki_ng_is_explained(tmp_path, monkeypatch):
    answers(monkeypatch, (2, ""))
    with pytest.raises(FaultyInput) as raised:
        checked(tmp_path, "A = 1\ninclude $(CONTIKI)/Makefile.include\n")
    assert list(raised.value.faults) == [
        Fault(
            str(tmp_path / "user" / "Makefile"),
            2,
            "it includes Contiki-NG's makefiles, which the embedded Contiki does not have",
            "include orchestrate's instead, which takes a Contiki-NG tree as well (CONTIKI=DIR): see the "
            "Makefile "
            "that `orchestrate new app NAME` writes",
        )
    ]


def test_a_call_that_can_t_be_started_is_one_that_failed(tmp_path):
    code, said = lacks._call(["/no/such/program"], tmp_path, {})
    assert code == 1 and "/no/such/program" in said


def test_each_header_of_a_source_is_missed_until_none_is(tmp_path, monkeypatch, known):
    """gcc's and clang's words for it; a header that stays missing after it was given ends it."""
    (known.work / ".stubs" / lacks._DEEP).mkdir(parents=True)
    (known.folder / "a.c").write_text("")
    said = iter(
        [
            (1, "a.c:2:10: fatal error: one.h: No such file or directory\n"),
            (1, "a.c:3:10: fatal error: 'two.h' file not found\n"),
            (1, "/os/x.h:1:2: fatal error: three.h: No such file or directory\n"),
            (1, "a.c:2:10: fatal error: one.h: No such file or directory\n"),
        ]
    )
    monkeypatch.setattr(lacks, "_call", lambda *_: next(said))
    lacks._one(known, "a.c", known.work / ".stubs" / lacks._DEEP, {})
    assert [(fault.line, fault.what.rsplit(" ", 1)[1]) for fault in known.found()] == [
        (2, "one.h"),
        (3, "two.h"),
    ]
    assert next(said, None) is None


@pytest.mark.parametrize(
    ("text", "declares"),
    [
        ("void wanted(int);", True),
        ("wanted(int);", True),
        ("static inline int *wanted (void)\n{", True),
        ("#define wanted(x) x", True),
        ("# define wanted(x) x", True),
        ("  x = wanted(3);", False),
        ("void unwanted(int);", False),
        ("int wanted;", False),
    ],
)
def test_a_header_that_declares_a_function(known, monkeypatch, text, declares):
    monkeypatch.setattr(lacks, "_preprocessed", lambda *_: (None, ""))
    (known.work / "os" / "lib" / "list.h").write_text(f"int a;\n{text}\n")
    assert lacks._declared_in(known, "wanted", {}) == ("lib/list.h" if declares else None)
    (known.work / "os" / "lib" / "list.h").write_text("")
    (known.work / "middleware" / "pubsub" / "pubsub.h").write_text(text)
    assert lacks._declared_in(known, "wanted", {}) == ("pubsub.h" if declares else None)


def test_a_header_of_the_c_library_is_asked_for_once(known, monkeypatch):
    asked = []

    def preprocessed(_, arguments, environment):
        asked.append(arguments[arguments.index("-include") + 1])
        return ("int wanted(void);" if asked[-1] == "string.h" else "", "")

    monkeypatch.setattr(lacks, "_preprocessed", preprocessed)
    assert [lacks._declared_in(known, "wanted", {}) for _ in range(2)] == ["string.h"] * 2
    assert asked == ["stdio.h", "stdlib.h", "string.h"]
