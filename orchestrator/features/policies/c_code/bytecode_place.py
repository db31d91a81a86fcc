# SPDX-License-Identifier: Apache-2.0
"""The place of a policy in bytecode in a firmware's tables: its number, and functions that it may call."""

from __future__ import annotations

from collections.abc import Iterable

from orchestrator.features.policies.bytecode.firmware import Callable, Firmware
from orchestrator.features.policies.extensions import Function
from orchestrator.features.policies.types import BOOL, LONG, Scalar

HEADER = "policy-bytecode.h"
PROGRAM = "  { policy_bytecode_start, 0, 0 }, /* one in bytecode, which comes while running */"


def lines(place: Firmware, number: int) -> Iterable[str]:
    """Yield the definitions that policy-bytecode.h needs. `number`: of the policy in bytecode."""
    yield ""
    yield "/* What a policy in bytecode may call: the numbers that it gives become the parameters' types. */"
    for at, function in enumerate(place.functions):
        yield "static int32_t"
        yield f"offered_{at}(const int32_t *arguments)"
        yield "{"
        yield from _body(function)
        yield "}"
    yield ""
    size = max(len(place.functions), 1)
    yield f"const struct policy_bytecode_function policy_bytecode_functions[{size}] = {{"
    for at, function in enumerate(place.functions):
        count = len(function.arguments) if isinstance(function, Function) else 0
        yield f"  {{ offered_{at}, {count} }}, /* {function.name} */"
    if not place.functions:  # C wants one element
        yield "  { 0 }"
    yield "};"
    yield f"const uint8_t policy_bytecode_function_count = {len(place.functions)};"
    yield f"const uint16_t policy_bytecode_fingerprint = 0x{place.fingerprint:04x};"
    yield f"const uint8_t policy_bytecode_number = {number};"


def _body(function: Callable) -> Iterable[str]:
    if not isinstance(function, Function):
        yield "  (void)arguments;"
        yield f"  return (int32_t){function.c};"
        return
    given = ", ".join(_given(kind, at) for at, kind in enumerate(function.arguments))
    if not given:
        yield "  (void)arguments;"
    if function.result.name == "void":
        yield f"  {function.c}({given});"
        yield "  return 0;"
    else:
        yield f"  return (int32_t){function.c}({given});"


def _given(kind: Scalar, at: int) -> str:
    if kind is BOOL:
        return f"arguments[{at}] != 0"
    return f"arguments[{at}]" if kind is LONG else f"({kind.c})arguments[{at}]"
