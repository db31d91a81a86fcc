# SPDX-License-Identifier: Apache-2.0
"""What is said of undefined behaviour, for each handler that the compiler calls, beside Python's numbers."""

from __future__ import annotations

import random

import pytest
from engine_harness import build_harness
from sanitizer_harness import HARNESS, PARTS, said

from tests import needs

needs.a_compiler()


@pytest.fixture(scope="module")
def undefined(tmp_path_factory):
    program = build_harness(tmp_path_factory.mktemp("undefined"), HARNESS, PARTS)
    return lambda commands: said(program, commands)


INTEGERS = [(bits, signed) for bits in (8, 16, 32, 64) for signed in (True, False)]


def info(bits: int, signed: bool) -> int:
    return (bits.bit_length() - 1) << 1 | signed


def shown(value: int, bits: int, signed: bool) -> int:
    return value if not signed or not value >> (bits - 1) & 1 else value - (1 << bits)


def test_what_is_said_of_numbers(undefined):
    cases, draw = [], random.Random(7)
    for bits, signed in INTEGERS:
        most = (1 << bits) - 1 if bits < 64 or signed else (1 << 63) - 1
        for _ in range(6):
            a, b = (draw.choice((0, 1, 2, most // 2, most // 2 + 1, most - 1, most)) for _ in "ab")
            a64, b64 = shown(a, 64, True), shown(b, 64, True)
            type_ = f"t 'type' 0 0 {info(bits, signed)}"
            one, other = shown(a, bits, signed), shown(b, bits, signed)
            for name, sign in (("add", "+"), ("sub", "-"), ("mul", "*"), ("divrem", "/")):
                cases.append(
                    (
                        type_,
                        f"U __ubsan_handle_{name}_overflow_abort {a64} {b64}",
                        f"overflow of 'type': {one} {sign} {other}",
                    )
                )
            cases.append(
                (type_, f"U __ubsan_handle_negate_overflow {a64} 0", f"overflow of 'type': 0 - {one}")
            )
            count = draw.randrange(200)
            cases.append(
                (
                    f"t 'other' 1 0 {info(16, False)}",
                    f"U __ubsan_handle_shift_out_of_bounds {a64} {count}",
                    f"shift that 'type' has no room for: {one} by {count} bits",
                )
            )
            cases.append(
                (
                    f"t 'at' 1 0 {info(bits, signed)}",
                    f"U __ubsan_handle_out_of_bounds {a64} 0",
                    f"index {one} is outside 'type'",
                )
            )
            cases.append(
                (
                    type_,
                    f"U __ubsan_handle_load_invalid_value {a64} 0",
                    f"{a64} is no value of 'type'",
                )
            )
    for kind, bits in ((1, 32), (0, 128), (0xFFFF, 64)):
        type_ = f"t 'odd' 0 {kind} {info(bits, True)}"
        cases.append((type_, "U __ubsan_handle_add_overflow 1 2", "overflow of 'odd': a value + a value"))
    found = undefined([command for one in cases for command in one[:2]])[1::2]
    assert [(case, one) for case, one in zip(cases, found, strict=True) if one != f"{case[2]}|1"] == []


def test_what_is_said_of_pointers(undefined):
    cases = [("l x 0", "null pointer to", 0)]
    for log in range(6):
        for pointer in (0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48, 64, 96):
            what = (
                "null pointer to"
                if pointer == 0
                else "pointer that isn't aligned to"
                if pointer % (1 << log)
                else "pointer to too little room for"
            )
            cases.append((f"l x {log}", what, pointer))
    found = undefined(
        [
            "t 'type' 0 0 0",
            *(
                command
                for log, _, pointer in cases
                for command in (log, f"P __ubsan_handle_type_mismatch_v1 {pointer}")
            ),
        ]
    )
    assert found[2::2] == [f"{what} 'type'|1" for _, what, _ in cases]


def test_what_is_said_without_values(undefined):
    words = {
        "pointer_overflow": "pointer arithmetic that overflows",
        "nonnull_arg": "null pointer as an argument that must not be null",
        "nonnull_return_v1": "null pointer returned where none may be",
        "vla_bound_not_positive": "array of a length that isn't positive",
        "builtin_unreachable": "code that can't be reached was reached",
        "missing_return": "end of a function that has to return a value",
        "float_cast_overflow": "floating-point number outside the type it is converted to",
        "invalid_builtin": "argument that a builtin function must not get",
        "alignment_assumption": "pointer that isn't aligned as the code assumes",
    }
    assert undefined([f"U __ubsan_handle_{name}" for name in words]) == [
        f"{said}|1" for said in words.values()
    ]


def test_a_long_name_is_cut_at_the_message_s_end(undefined):
    for length in (320, 383, 384, 385, 900):
        name = "x" * length
        found = undefined([f"t {name} 0 0 {info(32, True)}", "U __ubsan_handle_load_invalid_value 7 0"])[1]
        assert found == f"{f'7 is no value of {name}'[:399]}|1"
