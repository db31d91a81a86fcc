# SPDX-License-Identifier: Apache-2.0
"""A user's own Python: what is looked at before it runs, how it is run and ended, and what is said of it."""

from __future__ import annotations

import hashlib
import re
import signal
import sys
from importlib import metadata
from types import SimpleNamespace

import pytest
from orchestrate_spark import own_code
from orchestrate_spark.errors import Fault, FaultyCode
from orchestrate_spark.own_code import Kind, Own

KIND = Kind("thing", "VALUE", "orchestrate.things", "`orchestrate new thing`")


def flaw(raised) -> Fault:
    (found,) = raised.value.faults
    return found


DEFINED = "a thing is what the file calls VALUE; `orchestrate new thing` writes one"


@pytest.mark.parametrize(
    ("source", "line", "what", "remedy"),
    [
        (b"x = 1\n", 0, "defines no VALUE", DEFINED),
        (b"x = 1\ny = (\n", 2, "not Python: '(' was never closed", "look at this line and the one before"),
        (b"VALUE = 1\0", 0, "not Python: source code string cannot contain null bytes", None),
        (b"VALUE = 1\n" + b"#" * (1 << 20), 0, "has more than 1 MB", "is it the right file?"),
        (b"VALUE.x = 1\nprint(VALUE)\n", 0, "defines no VALUE", None),
        (b"import VALUE.more as other\n", 0, "defines no VALUE", None),
    ],
)  # fmt: skip
def test_what_can_be_said_without_running_it(tmp_path, source, line, what, remedy):
    (tmp_path / "a.py").write_bytes(source)
    with pytest.raises(FaultyCode) as raised:
        own_code.check(KIND, "./a.py", tmp_path)
    assert (flaw(raised).file, flaw(raised).line, flaw(raised).what) == (str(tmp_path / "a.py"), line, what)
    assert remedy in (None, flaw(raised).remedy)


@pytest.fixture
def modules(monkeypatch):
    """Whatever a test loads is gone after it."""
    monkeypatch.setattr(sys, "modules", dict(sys.modules))


def test_a_file_s_value_is_loaded_with_its_digest(tmp_path, modules):
    source = "from dataclasses import dataclass\n@dataclass\nclass A:\n    x: int = 7\nVALUE = A()\n"
    (tmp_path / "a.py").write_text(source)
    made = own_code.load(KIND, "a.py", tmp_path)
    digest = hashlib.sha256(source.encode()).hexdigest()
    assert made == Own("a.py", str(tmp_path / "a.py"), digest, made.value) and made.value.x == 7
    module = sys.modules[type(made.value).__module__]
    assert re.fullmatch(r"own_thing_[0-9a-f]{12}", module.__name__)
    assert module.__file__ == str(tmp_path / "a.py")
    (tmp_path / "b.py").write_text(source)
    assert type(own_code.load(KIND, "b.py", tmp_path).value).__module__ != module.__name__


def test_a_file_has_the_language_that_it_asks_for_itself(tmp_path, modules):
    """And not what the module that loads it has imported from the future."""
    for first, annotation in (("", int), ("from __future__ import annotations\n", "int")):
        (tmp_path / "a.py").write_text(f"{first}def f(a: int): ...\nVALUE = f.__annotations__['a']\n")
        assert own_code.load(KIND, "a.py", tmp_path).value == annotation


def test_what_it_raises_is_told_with_its_line_and_it_is_no_module(tmp_path, modules):
    (tmp_path / "a.py").write_text("VALUE = 1\nraise KeyError('x' * 300 + '\\nmore')\n")
    before = set(sys.modules)
    with pytest.raises(FaultyCode) as raised:
        own_code.load(KIND, "a.py", tmp_path)
    told = "loading it raises KeyError: '" + "x" * 199
    assert flaw(raised) == Fault(
        str(tmp_path / "a.py"), 2, told, "mend it in that line, then run the same command again"
    )
    assert set(sys.modules) == before


# --- running it


@pytest.mark.parametrize(
    ("error", "what"),
    [
        (ValueError(), "it raises ValueError"),
        (ValueError(" one \ntwo"), "it raises ValueError: one"),
        (SystemExit(3), "it raises SystemExit: 3"),
    ],
)
def test_what_a_call_raises(error, what):
    def call():
        raise error

    with pytest.raises(FaultyCode) as raised:
        own_code.guarded("a.py", "it", call)
    assert (flaw(raised).line, flaw(raised).what.rstrip()) == (0, what)
    with pytest.raises(type(error)):
        own_code.guarded("a.py", "it", call, passed=(ValueError, SystemExit))


ENDLESS = "while True:\n    try:\n        while True: pass\n    except Exception:\n        pass\n"


def test_what_does_not_end_is_ended_and_the_signal_is_as_before():
    endless, before = compile(ENDLESS, "a.py", "exec"), signal.signal(signal.SIGPROF, signal.SIG_IGN)
    try:
        with pytest.raises(FaultyCode) as raised:
            own_code.guarded("a.py", "it", lambda: exec(endless), limit_s=0.05)
        assert signal.getsignal(signal.SIGPROF) is signal.SIG_IGN
        assert signal.getitimer(signal.ITIMER_PROF) == (0.0, 0.0)
    finally:
        signal.signal(signal.SIGPROF, before)
    assert flaw(raised).line == 3 and flaw(raised).remedy == "let it end: look at the loop around that line"
    assert flaw(raised).what == "it does not end: it was still running after 0.05 s of processor time"


def test_what_swallows_the_signal_gets_it_again_until_it_ends(monkeypatch):
    """A bare `except:` in a loop would."""
    timers = []
    monkeypatch.setattr(own_code.signal, "setitimer", lambda *given: timers.append(given))
    assert own_code.guarded("a.py", "it", lambda: len(timers), limit_s=60.0) == 1
    assert timers == [(signal.ITIMER_PROF, 60.0, 1.0), (signal.ITIMER_PROF, 0)]


def test_a_signal_that_comes_while_the_timer_is_stopped_leaves_no_timer(monkeypatch):
    """It may come between the end of the call and that of the limit."""
    before, asked = signal.getsignal(signal.SIGPROF), []

    def set_timer(*given):
        asked.append(given)
        if len(asked) == 2:
            signal.getsignal(signal.SIGPROF)()

    monkeypatch.setattr(own_code.signal, "setitimer", set_timer)
    assert own_code.guarded("a.py", "it", lambda: 7, limit_s=5.0) == 7
    assert asked == [(signal.ITIMER_PROF, 5.0, 1.0), *[(signal.ITIMER_PROF, 0)] * 2]
    assert signal.getsignal(signal.SIGPROF) is before


def test_loading_has_a_minute(tmp_path, packages, modules, monkeypatch):
    asked, guarded = [], own_code.guarded

    def noted(*given, **named):
        asked.append((*given[:2], named))
        return guarded(*given, **named)

    monkeypatch.setattr(own_code, "guarded", noted)
    (tmp_path / "of_another_package.py").write_text("VALUE = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    packages(("a", "of_another_package:VALUE", "one"))
    own_code.load(KIND, "of_another_package.py", tmp_path)
    own_code.load(KIND, "a", None)
    assert asked == [
        (str(tmp_path / "of_another_package.py"), "loading it", {"limit_s": 60.0}),
        ("entry point a (of_another_package:VALUE of one 1)", "loading it", {"limit_s": 60.0}),
    ]


# --- of an installed package


@pytest.fixture
def packages(monkeypatch):
    """A function that installs entry points (name, value, package)."""

    def installed(*points):
        made = []
        for name, value, package in points:
            point = metadata.EntryPoint(name, value, KIND.group)
            vars(point)["dist"] = None if package is None else SimpleNamespace(name=package, version="1")
            made.append(point)

        def entry_points(group):
            assert group == KIND.group
            return made

        monkeypatch.setattr(own_code.metadata, "entry_points", entry_points)

    return installed


def test_names_of_installed_things(packages):
    packages(("b", "m:V", "one"), ("a", "m:V", "one"), ("b", "m:V", "two"))
    assert own_code.installed(KIND) == ["a", "b"]
    with pytest.raises(FaultyCode) as raised:
        own_code.check(KIND, "c" * 50, None)
    assert flaw(raised) == Fault(
        f"entry point {'c' * 50}",
        0,
        "no installed package has a thing of that name",
        f"name a file, such as ./{'c' * 40}.py, or install its package (group orchestrate.things: a, b)",
    )
    packages()
    with pytest.raises(FaultyCode, match=r"\(group orchestrate.things: none\)"):
        own_code.check(KIND, "c", None)


def test_a_package_s_value_is_loaded_with_a_digest_of_it_and_its_file(
    tmp_path, packages, modules, monkeypatch
):
    (tmp_path / "of_a_package.py").write_text("VALUE = 7\n")
    monkeypatch.syspath_prepend(tmp_path)
    packages(("a", "of_a_package:VALUE", "one"))
    made = own_code.load(KIND, "a", None)
    digest = hashlib.sha256(b"of_a_package:VALUE one 1\nVALUE = 7\n").hexdigest()
    assert made == Own("a", str(tmp_path / "of_a_package.py"), digest, 7)
    sys.modules["of_a_package"].__file__ = str(tmp_path / "of_a_package.so")
    digest = hashlib.sha256(b"of_a_package:VALUE one 1\n").hexdigest()
    assert own_code.load(KIND, "a", None).digest == digest
    del sys.modules["of_a_package"].__file__
    assert own_code.load(KIND, "a", None) == Own("a", "entry point a", digest, 7)
