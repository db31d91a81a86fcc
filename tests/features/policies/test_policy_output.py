# SPDX-License-Identifier: Apache-2.0
"""All that `orchestrate policy` prints and writes, of our examples and of policies that use every form.

It is recorded (tests/recorded.py). Gaps are looked for without a solver, whose examples differ by version.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

import pytest

from orchestrator import __version__
from orchestrator.cli.app import main
from orchestrator.features.policies import checks
from orchestrator.resources import contiki_apps
from tests import recorded

RECORDED = Path(__file__).with_name("recorded_output")
EXAMPLES = sorted((contiki_apps() / "policies").glob("*.escape")) + sorted(
    (contiki_apps() / "apps" / "lorry").glob("*.escape")
)
FORMS = """// every form of the language
conflict C-B notify T: tolerate 30 %;
conflict B-C notify T: battery 20 %;
conflict extB-B notify U: discard;

Every
  record pair { int16 first; uint8 second[3]; } both;
  global(Other) long shared_sum = 7;
  int16 many[4] = {1, -2, 0x10, 'a'}, plain;
  uint16 u; float f = 1.5; bool b = true; char c;
  record pair other;

  on C-B notify T(int x, uint8 y)
    start-go: x > 0 && !(y == 3 || x < -7) ->
      // a comment
      \\\\ one of the paper's
      plain = x + y * 2 - x / 3 % 5;
      plain += 3; plain -= 1; plain *= 2; plain /= 2; plain %= 100; plain &= 0xff; plain |= 1; plain ^= 2;
      plain <<= 1; plain >>= 1;
      plain++; plain--;
      u = (uint16_max & ~1) | 4 ^ 2 << 1 >> 1;
      many[y % 4] = b ? x : -x;
      both.first = many[0];
      both.second[1] = 2;
      if (both.first >= x) { f = f * 2.0; } else if (b != false) accept (x, y); else ;
      while (plain < 3) plain++;
      accept (plain) with PushDPC;
    start-start: x <= 0 -> discard;
    go-start: true -> notify U(x); accept;

  on B-C notify T(x)
    go-go: x == this.node_id -> discard;
    go-"state two": x != this.node_id -> subscribe U; accept;
    "state two"-start: true -> unsubscribe U; accept;

  on timeout(500)
    go-start: shared_sum > 0 -> notify U(1);

  on timer(60000)
    start-start: true -> shared_sum = shared_sum + 1; discard;

Other
  on C-B advertise U
    0-1: true -> accept;
    1-1: true -> discard;
"""
FAULTY = """One
  int x = 5.5; int x; bool b = 3; Nothing n;
  on C-B notify T(a, b, c, d, e)
    0-1: y > 3 -> accept;
    0-2: a -> if (a) accept;
    1-1: missing(a) -> a = true; discard
    2-2: a < b -> accept; x = 1;
  on B-B notify T
    0-0: true -> notifi T;
  on timer(0)
    0-0: true -> while (true) x = 1; accept;
Two
  uint16 u;
  global(Nobody) int g;
  on C-B notify T(int8 s)
    0-0: s < u -> notify T(1, 2); unsubscribe Q; accept (1) with Nothing;
    5-0: s > u -> accept;
    0-0: s > 4 -> accept; // allow gap: it is meant
    0-0: s > 4 && s < 2 -> accept; // allow
One
  on C-B notify T
    0-0: true -> accept;
conflict C-B notify T: tolerate 101 %;
"""
EVENTS = """// two motes
C-B notify T(5, 2)
C-B notify T(-1, 2)
B-C notify T(40000)
B-C notify T(1)
advance 400
advance 200
C-B advertise U
C-B advertise U
advance 60000
C-B notify T(1, 1)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "orchestrator.features.policies.checks.smt", None)
    monkeypatch.delattr(checks, "smt", raising=False)  # another test may have imported it
    monkeypatch.setenv("COLUMNS", "100")
    monkeypatch.chdir(tmp_path)
    for file in EXAMPLES:
        shutil.copy(file, tmp_path)
    (tmp_path / "forms.escape").write_text(FORMS.replace("uint16_max", "0xffff"))
    (tmp_path / "faulty.escape").write_text(FAULTY)
    (tmp_path / "halves.escape").write_text(
        "\n".join(FAULTY.split("\n")[11:]).replace(" tolerate", "tolerate")
    )
    (tmp_path / "empty.escape").touch()
    (tmp_path / "events").write_text(EVENTS)
    return tmp_path


def called(capsys, *words: str) -> str:
    code = main(["policy", *words])
    told = capsys.readouterr()
    return f"--- {' '.join(words)}: {code}\n{told.out}{told.err}".replace(__version__, "VERSION")


NAMES = [file.name for file in EXAMPLES] + ["forms.escape", "faulty.escape", "halves.escape", "empty.escape"]


def test_what_is_printed_of_each_file(folder, capsys):
    said = [called(capsys, "check", name) for name in NAMES]
    recorded.same("".join(said), RECORDED / "check.txt")
