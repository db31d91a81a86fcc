# SPDX-License-Identifier: Apache-2.0
"""What commands say of files, errors and numbers, and what they take: a table of cases for each."""

from __future__ import annotations

import argparse
import errno
import os
import signal
from pathlib import Path
from types import SimpleNamespace

import pytest

from orchestrator.cli import files, guard, options
from orchestrator.cli.numbers import count, decimal, milliseconds, shown
from orchestrator.cli.usage import Help
from orchestrator.errors import FaultyInput, Interrupted, NoSuchThing, Unsupported

AGAIN = "then run the same command again"
FREE = "free space or choose another folder (--store, --logdir, --out)"
WRITABLE = "choose a folder that can be written (--store, --logdir, --out)"


@pytest.mark.parametrize(
    ("error", "text", "code"),
    [
        (Unsupported("no\n    yes"), "no\n    yes", 4),
        (FaultyInput([]), "", 3),
        (OSError(errno.ENOSPC, "No space"), f"No space\n    {FREE}, {AGAIN}", 8),
        (OSError(errno.EDQUOT, "Quota", "f"), f"Quota: f\n    {FREE}, {AGAIN}", 8),
        (OSError(errno.EFBIG, "Large", "f"), f"Large: f\n    {FREE}, {AGAIN}", 8),
        (PermissionError(errno.EACCES, "Denied", "f"), f"Denied: f\n    {WRITABLE}, {AGAIN}", 8),
        (PermissionError(errno.EPERM, "Denied"), f"Denied\n    {WRITABLE}, {AGAIN}", 8),
        (OSError(errno.EROFS, "Read-only", "f"), f"Read-only: f\n    {WRITABLE}, {AGAIN}", 8),
        (OSError(errno.ENOENT, "Missing", "f"), f"Missing: f\n    correct the path, {AGAIN}", 8),
        (OSError("only a text"), f"only a text\n    correct the path, {AGAIN}", 8),
        (
            ValueError("odd"),
            "a bug in orchestrate: ValueError: odd\n"
            "    please report it with what ORCHESTRATE_TRACEBACK=1 in front of the same command prints",
            70,
        ),
    ],
)
def test_what_an_error_says(error, text, code):
    assert guard.told(error) == (text, code)


def test_the_worst_of_exit_codes():
    order = [0, 1, 4, 3, 9, 6, 7, 2, 5, 8, 70]
    for place in range(1, len(order)):
        assert guard.worst(order[:place]) == guard.worst(order[:place][::-1]) == order[place - 1]
    assert guard.worst([]) == 0


@pytest.mark.parametrize("code", [None, 0, 3])
def test_a_command_s_exit_code(code):
    assert guard.guarded(lambda: code) == (code or 0)


@pytest.mark.parametrize(
    ("terminal", "columns", "fitted"),
    [
        (False, 30, "orchestrate: a line that is longer than thirty columns\n    and its remedy"),
        (True, 30, "orchestrate: a line that is\n    longer than thirty columns\n    and its remedy"),
        (True, 54, "orchestrate: a line that is longer than thirty columns\n    and its remedy"),
        (
            True,
            3,
            "orchestrate: a line\n    that is longer\n    than thirty\n    columns\n    and its remedy",
        ),
    ],
)
def test_a_long_message_wraps_in_a_terminal(terminal, columns, fitted, monkeypatch):
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: terminal))
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((columns, 20)))
    text = "orchestrate: a line that is longer than thirty columns\n    and its remedy"
    assert guard._fitted(text) == fitted


def test_a_word_with_hyphens_or_a_long_path_is_not_broken(monkeypatch):
    monkeypatch.setattr("sys.stderr", SimpleNamespace(isatty=lambda: True))
    monkeypatch.setattr("shutil.get_terminal_size", lambda: os.terminal_size((24, 20)))
    path = "/a/path-with/many-hyphens-in-it"
    assert guard._fitted(f"there is no {path} here").split() == ["there", "is", "no", path, "here"]


def test_a_signal_has_its_handler_for_a_while():
    before = signal.getsignal(signal.SIGUSR1)
    with guard.handled(signal.SIGUSR1, lambda *_: None):
        assert signal.getsignal(signal.SIGUSR1) not in (before, signal.SIG_DFL)
    assert signal.getsignal(signal.SIGUSR1) == before
    with pytest.raises(KeyError), guard.handled(signal.SIGUSR1, lambda *_: None):
        raise KeyError
    assert signal.getsignal(signal.SIGUSR1) == before


def test_sigterm_is_ctrl_c_while_a_command_runs(capsys):
    def command():
        assert signal.getsignal(signal.SIGTERM) is signal.default_int_handler
        os.kill(os.getpid(), signal.SIGTERM)

    before = signal.getsignal(signal.SIGTERM)
    assert guard.guarded(command) == Interrupted.exit_code == 130
    assert signal.getsignal(signal.SIGTERM) == before
    assert capsys.readouterr().err == (
        "orchestrate: interrupted; finished runs are kept, the same command goes on from there\n"
    )


def test_the_scenario_that_is_meant(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("chain.yaml", "tree.yml", "notes.txt", "mesh", "mesh.yaml"):
        Path(name).write_text("")
    Path("folder").mkdir()
    Path("folder/inner.yaml").write_text("")
    Path("empty").mkdir()
    for given, found in (
        ("chain", "chain.yaml"),
        ("chain.yaml", "chain.yaml"),
        ("tree", "tree.yml"),
        ("mesh", "mesh"),
    ):
        assert files.scenario(given) == Path(found)
    missing = "no such scenario file"
    for given, said in {
        "chian": "chian: no such scenario file\n    did you mean chain.yaml?",
        "xyzzy.yaml": f"xyzzy.yaml: {missing}\n    in . there are: chain.yaml, mesh.yaml, tree.yml",
        "folder": "folder: is a folder, not a scenario file\n    in folder there are: inner.yaml",
        "folder/iner": "folder/iner: no such scenario file\n    did you mean folder/inner.yaml?",
        "empty": "empty: is a folder, not a scenario file\n    write one with `orchestrate init`",
        "none/a": "none/a: no such scenario file\n    write one with `orchestrate init`",
    }.items():
        with pytest.raises(NoSuchThing) as raised:
            files.scenario(Path(given))
        assert str(raised.value) == said
    for place in range(12):
        Path(f"empty/s{place:02}.yaml").write_text("")
    with pytest.raises(NoSuchThing, match="there are: s00.yaml, .*, s09.yaml$"):
        files.scenario(Path("empty"))


def test_a_file_is_written_whole_under_its_own_name(tmp_path, monkeypatch):
    files.write(str(tmp_path / "a"), b"old")
    files.write(tmp_path / "a", b"new")
    assert (tmp_path / "a").read_bytes() == b"new" and os.listdir(tmp_path) == ["a"]

    def full(path, data):
        raise OSError(errno.ENOSPC, "No space", "a draft")

    monkeypatch.setattr("orchestrator.durable.rewrite", full)
    with pytest.raises(OSError) as raised:
        files.write(tmp_path / "a", b"newer")
    assert (raised.value.errno, raised.value.strerror, raised.value.filename) == (
        errno.ENOSPC,
        "No space",
        str(tmp_path / "a"),
    )


@pytest.mark.parametrize(
    ("kind", "text", "value"),
    [
        (options.variable, "MAC=csma", ("MAC", "csma")),
        (options.variable, "A_1=", ("A_1", "")),
        (options.variable, "A=" + "x" * 64, ("A", "x" * 64)),
        (options.names, " a, ,b,", ("a", "b")),
        (options.formats, "csv, SVG,csv", ("svg", "csv")),
        (options.share, "0.5 %", 0.005),
        (options.share, "99.9%", 0.999),
        (options.duration, "1.5 s", 1.5),
        (options.duration, "2 min", 120.0),
        (options.length, "30 cm", 0.3),
    ],
)
def test_values_that_options_take(kind, text, value):
    assert kind(text) == pytest.approx(value) if isinstance(value, float) else kind(text) == value


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        (options.variable, "mac=csma", "'mac=csma' is not NAME=VALUE (letters, digits and _.,:+-)"),
        (options.variable, "MAC", "'MAC' is not NAME=VALUE (letters, digits and _.,:+-)"),
        (options.variable, "A=a b", "'A=a b' is not NAME=VALUE (letters, digits and _.,:+-)"),
        (options.variable, "A=" + "x" * 65, f"'A={'x' * 65}' is not NAME=VALUE (letters, digits and _.,:+-)"),
        (options.formats, "svg,gif,eps", "no format eps, gif; there are svg,pdf,pgf,csv"),
        (options.share, "0%", "0% is not between 0% and 100%"),
        (options.share, "100%", "100% is not between 0% and 100%"),
        (options.share, "x", "'x' is not a ratio; write a share, such as 1%"),
        (options.duration, "0 s", "'0 s' is no time at all"),
    ],
)
def test_values_that_options_refuse(kind, text, said):
    with pytest.raises(argparse.ArgumentTypeError) as raised:
        kind(text)
    assert str(raised.value) == said


@pytest.mark.parametrize(
    ("written", "text"),
    [
        (count(None), "–"),
        (count(-1234567), "-1,234,567"),
        (decimal(None, 1), "–"),
        (decimal(1063.25, 2), "1,063.25"),
        (milliseconds(None), "–"),
        (milliseconds(1_063_200), "1,063.200"),
        (shown("1\u2009234\u202f567 a\u202fb 1\u202f2"), "1,234,567 a\u202fb 1\u202f2"),
        (shown("−5 − 3 −x"), "-5 − 3 −x"),
    ],
)
def test_numbers_in_the_terminal(written, text):
    assert written == text


DESCRIPTION = """Short paragraph
of two lines that are to be joined.
   an indented line with a    long gap in it and many words behind
  orchestrate run        what it does, in words that are too many for one line
  word
exit code: 0 done"""


@pytest.mark.parametrize(
    ("width", "indent", "shown"),
    [
        (78, "", DESCRIPTION),
        (
            40,
            "",
            """Short paragraph
of two lines that are to be joined.
   an indented line with a    long gap
       in it and many words behind
  orchestrate run        what it does,
      in words that are too many for one
      line
  word
exit code: 0 done""",
        ),
        (
            34,
            "> ",
            """> Short paragraph of two lines
> that are to be joined.
>    an indented line with a
>        long gap in it and many
>        words behind
>   orchestrate run        what it
>       does, in words that are
>       too many for one line
>   word
> exit code: 0 done""",
        ),
        (
            52,
            "",
            """Short paragraph
of two lines that are to be joined.
   an indented line with a    long gap in it and
       many words behind
  orchestrate run        what it does, in words that
                         are too many for one line
  word
exit code: 0 done""",
        ),
    ],
)
def test_a_description_of_lists_and_paragraphs(width, indent, shown):
    assert Help("orchestrate")._fill_text(DESCRIPTION, width, indent) == shown
