# SPDX-License-Identifier: Apache-2.0
"""Calls found in preprocessed C, whatever it looks like."""

from __future__ import annotations

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.build.c_text import tokens, undeclared_calls

SYSTEM = '# 1 "sys.h"\nint printf(const char *, ...);\ntypedef unsigned char uint8_t;\n# 1 "app.c"\n'


def named(text: str) -> list[tuple[str, int]]:
    return [(call.name, call.line) for call in undeclared_calls(SYSTEM + text, lambda file: file == "app.c")]


@pytest.mark.parametrize(
    "text",
    [
        "static int own(int a) { return own(a); }",
        "int later(void);\nvoid f(void) { later(); }",
        "uip_ipaddr_t *made(void) { return made(); }",  # a type that nobody knows
        "static void f(struct unknown *c, const unknown_t *s, cb_t handler) { handler(2); c->call(1); "
        "(*c).call(2); }",
        "struct s { int (*other)(void); };\nvoid f(struct s *x) { x->other(); }",
        "static void (*pointer)(int);\nvoid f(void) { pointer(1); (*pointer)(2); }",
        "typedef void (*cb_t)(int);\nvoid f(cb_t cb) { cb(3); }",
        "void f(void) { char *local(const char *); local(0); }",
        'static __attribute__((noinline, section("x"))) int f(int a) { return f(a); }',
        "int f(void) __attribute__((format(printf, 1, 2)));\nvoid g(void) { f(); }",
        "void f(void) { if(1) { } while(0) ; for(;;) { switch(1) { case (2): return; } } }",
        'void f(void) { printf("call(me)"); printf("\\"no("); int c = \'(\'; }',
        'void f(void) { __builtin_expect(1, 1); __asm__ volatile ("nop" ::: "memory"); }',
        "unsigned long n(void) { return sizeof(int) + (unsigned long)(3); }",
        '# 1 "other.h"\nvoid g(void) { unknown(); }\n',  # not one of ours
    ],
)
def test_what_is_declared_is_not_named(text):
    assert named(text) == []


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("void f(void) { gone(1); }", [("gone", 1)]),
        ("void f(void)\n{\n  int n = 3 * gone(4);\n}", [("gone", 3)]),
        ("int table[] = { gone(1) };", [("gone", 1)]),
        ('void f(void) { printf("%d", gone(also())); }', [("gone", 1), ("also", 1)]),
        (
            "int f(void) { if(a(1)) return b(2); else c(); (void)d(1); }",
            [("a", 1), ("b", 1), ("c", 1), ("d", 1)],
        ),
        ("GONE(foo);\nvoid f(void) { }", [("GONE", 1)]),
        (") foo gone(1);", [("gone", 1)]),  # no attribute ends there
        (f"__attribute__(({'a ' * 210})) foo gone(1);", [("gone", 1)]),  # nor one of more than 200 words
        ("void f(void) { x[2] foo gone(1); }", [("gone", 1)]),
        (
            "static void f(struct unknown *c, const unknown_t *s)\n{\n  unknown_t x;\n  gone(&x);\n}",
            [("gone", 4)],
        ),
        ("void f(void) { gone(1);\n gone(2); }", [("gone", 1), ("gone", 2)]),
        ('# 40 "app.c"\nvoid f(void) { gone(); }', [("gone", 40)]),
    ],
)
def test_what_is_missing_is_named_with_its_line(text, found):
    assert named(text) == found


@given(st.text(alphabet=st.sampled_from("abf_ ()*{};,=.\n\"'\\#1->/x__attribute__ intreturn")))
def test_any_text_has_calls_or_none(text):
    for name, line in named(text):
        assert name in text and 0 < line <= text.count("\n") + 2


@given(st.text())
def test_any_text_is_tokens_and_nothing_is_lost(text):
    kept = "".join(token.text for token in tokens(text))
    lines = [line for line in text.split("\n") if not line.lstrip(" \t").startswith("#")]
    # What is between tokens is white space (or a line of the preprocessor's).
    assert len(kept) <= sum(len(line) for line in lines) or "#" in text
    if "#" not in text:
        assert kept.split() == text.split() or "".join(kept.split()) == "".join(text.split())


@given(names=st.lists(st.sampled_from(["alpha", "beta", "gamma", "delta"]), max_size=8), data=st.data())
def test_exactly_the_functions_without_a_declaration(names, data):
    declared = data.draw(st.sets(st.sampled_from(["alpha", "beta", "gamma", "delta"])))
    text = "".join(f"extern unknown_t {name}(const unknown_t *);\n" for name in sorted(declared))
    text += "void f(void)\n{\n" + "".join(f"  x = {name}(0) + 1;\n" for name in names) + "}\n"
    assert [name for name, _ in named(text)] == [name for name in names if name not in declared]


@pytest.mark.parametrize(
    "piece",
    ["(", "__attribute__(", "a ", "* ", "a(", '"', "'", "{", "\\", "a * ", "f(a)\n", "__attribute__((x)) "],
)
def test_long_texts_take_time_by_their_length(piece):
    def taken(times: int) -> float:
        started = time.process_time()
        named(piece * times)
        return time.process_time() - started

    # Ten times the text; a square would be a hundred times, every time. A busy machine disturbs some
    # measurements, not all.
    assert any(taken(40_000) < 40 * max(taken(4_000), 0.01) for _ in range(10))
