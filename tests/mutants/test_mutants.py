# SPDX-License-Identifier: Apache-2.0
"""The mutation runner itself, on small sources."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from tests import needs
from tests.waiting import wait_until
from tools.mutants import ROOT, c_changes, python_changes
from tools.mutants.__main__ import counted
from tools.mutants.areas import Area, areas, drawn
from tools.mutants.change import between, squeezed

needs.a_program("git")
C = """/* a < b; */
#define MORE 1 + \\
  2
static int
most(int a, int b)
{
  int sum = a + 0x10;
  if(a < b && b != 7) { /* x > y */
    say("a < b; 5", '<');
    return b;
  }
  a -= 1; // 9
  return sum;
}
"""
PYTHON = '''"""One < two."""
import os
if TYPE_CHECKING:
    import more
LIMIT: int | None = 5

@cached(size=3)
def most(a: int = 1, *, b: "int" = 2) -> int:
    """Three < four."""
    if a < b and not b == 7:
        say("a < b", True)
        return None
    return a + b
'''


def told(found: dict) -> dict[str, list[str]]:
    made = {kind: [made() for made in places] for kind, places in found.items()}
    return {
        kind: [f"{change.line} {squeezed(change.after)}" for change in some if change]
        for kind, some in made.items()
        if some
    }


def test_what_is_changed_in_c():
    assert told(c_changes.changes("most.c", C)) == {
        "comparison": [
            "8 if(a <= b && b != 7) { /* x > y */",
            "8 if(a >= b && b != 7) { /* x > y */",
            "8 if(a < b && b == 7) { /* x > y */",
        ],
        "and-or": ["8 if(a < b || b != 7) { /* x > y */"],
        "arithmetic": ["7 int sum = a - 0x10;", "12 a += 1; // 9"],
        "number": [
            "7 int sum = a + 17;",
            "7 int sum = a + 15;",
            "8 if(a < b && b != 8) { /* x > y */",
            "8 if(a < b && b != 6) { /* x > y */",
            "12 a -= 0; // 9",
            "12 a -= 2; // 9",
        ],
        "condition": ["8 if(!(a < b && b != 7)) { /* x > y */"],
        "statement": ["9 ;", "12 ; // 9"],
    }


def test_what_is_changed_in_python():
    pytest.importorskip("cosmic_ray", reason="Cosmic Ray is not installed: pip install -e '.[mutants]'")
    found = told(python_changes.changes("most.py", PYTHON))
    assert found["comparison"] == [
        "10 if a <= b and not b == 7:",
        "10 if a > b and not b == 7:",
        "10 if a >= b and not b == 7:",
        "10 if a < b and not b != 7:",
    ]
    assert found["and-or"] == ["10 if a < b or not b == 7:"]
    assert found["condition"] == ["10 if not a < b and not b == 7:", "10 if a < b and b == 7:"]
    assert found["arithmetic"] == ["13 return a - b"]
    assert found["truth"] == ['11 say("a < b", False)']
    assert found["statement"] == ["11 pass", "13 pass"]
    assert found["number"] == [
        "5 LIMIT: int | None = 6",
        "5 LIMIT: int | None = 4",
        '8 def most(a: int = 2, *, b: "int" = 2) -> int:',
        '8 def most(a: int = 0, *, b: "int" = 2) -> int:',
        '8 def most(a: int = 1, *, b: "int" = 3) -> int:',
        '8 def most(a: int = 1, *, b: "int" = 1) -> int:',
        "10 if a < b and not b == 8:",
        "10 if a < b and not b == 6:",
    ]


def test_a_seed_draws_the_same_changes_from_many_files_each_once():
    files = areas()["pubsub"].files(ROOT)
    one, same, other = (
        [str(change) for change in itertools.islice(drawn(files, ROOT, seed), 12)] for seed in (1, 1, 2)
    )
    assert one == same != other and len(set(one)) == 12
    assert len({change.partition(":")[0] for change in one}) >= 4
    assert len([*drawn(files[:1], ROOT, 1)]) == len({change.text for change in drawn(files[:1], ROOT, 1)})


SOURCE = "def most(a, b):\n    return a if a > b else b\n"
TEST = """
import pathlib, most
def test_most():
    assert "error:" not in pathlib.Path("most.py").read_text(), "most.py:1:1: error: no Python"
    assert most.most(1, 2) == 2 and most.most(2, 1) == 2
"""


@pytest.fixture
def project(tmp_path, monkeypatch) -> Path:
    monkeypatch.setenv("TMPDIR", str(tmp_path / "tmp"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path / "tmp"))
    root = tmp_path / "project"
    (root / "tests").mkdir(parents=True)
    (tmp_path / "tmp").mkdir()
    (root / "most.py").write_text(SOURCE)
    (root / "tests" / "test_most.py").write_text(TEST)
    (root / ".gitignore").write_text("kept\n")
    (root / "kept").mkdir()
    subprocess.run(["git", "init", "-q", root], check=True)
    return root


def test_what_the_tests_notice_and_what_not(project, monkeypatch, capsys):
    monkeypatch.setattr("tools.mutants.__main__.ROOT", project)
    changes = [
        between("most.py", "", SOURCE, made)
        for made in (
            SOURCE.replace(">", "<"),
            SOURCE.replace(">", ">="),
            f"# error: \n{SOURCE}",
            SOURCE.replace(
                "return", f"return __import__('os').kill(__import__('os').getpid(), {int(signal.SIGXCPU)}) or"
            ),
        )
    ]
    area = Area("small", ("most.py",), ("tests",))
    assert counted(area, iter(changes), 3) == 0
    said = [
        line.split("  ->")[0] + line[line.rfind("  (") :] * line.endswith(")")
        for line in capsys.readouterr().out.splitlines()
    ]
    assert said[2:] == [
        "  noticed   most.py:2: return a if a > b else b  (tests/test_most.py::test_most)",
        "  survived  most.py:2: return a if a > b else b",
        "  noticed   most.py:2: return a if a > b else b  (never ended)",
        "small: 2 of 3 noticed, not by any test:",
        "  most.py:2: return a if a > b else b",
    ]
    assert (project / "most.py").read_text() == SOURCE and not [*(project.parent / "tmp").iterdir()]


def test_tests_that_fail_without_a_change_prove_nothing(project, monkeypatch, capsys):
    monkeypatch.setattr("tools.mutants.__main__.ROOT", project)
    (project / "most.py").write_text("def most(a, b):\n    return a\n")
    assert counted(Area("small", ("most.py",), ("tests",)), iter(()), 3) == 2
    assert "assert (1 == 2" in capsys.readouterr().out


def test_a_kill_leaves_nothing(project):
    (project / "tests" / "test_most.py").write_text(
        "import time\ndef test_it():\n    open('begun', 'w').close()\n    time.sleep(3600)\n"
    )
    code = (
        "import sys; from pathlib import Path; from tools.mutants.replica import Replica\n"
        "with Replica(Path(sys.argv[1])) as copy: copy.run(['tests'])"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, project], env=os.environ | {"PYTHONPATH": str(ROOT)}, cwd=project
    )
    folder = project.parent / "tmp"
    wait_until(lambda: [*folder.glob("mutants-*/tree/begun")] or process.poll() is not None)
    assert not [*folder.glob("mutants-*/tree/kept")]
    process.send_signal(signal.SIGKILL)
    process.wait()
    wait_until(lambda: not [*folder.iterdir()])


@pytest.mark.parametrize("name", areas())
def test_an_area_has_sources_and_tests(name):
    area = areas()[name]
    assert (
        area.files(ROOT)
        and area.test_files(ROOT, "")
        and all((ROOT / test.partition("::")[0]).exists() for test in area.tests)
    )


def test_make_gives_the_command_what_it_takes():
    needs.a_program("make")
    outside = {
        name: value for name, value in os.environ.items() if name not in ("MAKEFLAGS", "MAKELEVEL", "MFLAGS")
    }
    done = subprocess.run(
        ["make", "-n", "-o", ".venv/.ready", "mutants", "AREA=pubsub", "COUNT=0", "SEED=3", "ONLY=two words"],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
        env=outside,
    )
    assert "-m tools.mutants pubsub --count 0 --seed 3 --only 'two words'" in done.stdout, done.stderr
