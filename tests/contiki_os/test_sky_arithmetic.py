# SPDX-License-Identifier: Apache-2.0
"""Arithmetic that a Tmote Sky's processor has not, compiled for this machine and compared with its own."""

from __future__ import annotations

import ctypes
import struct

import pytest
from hypothesis import given
from hypothesis import strategies as st

from orchestrator.build import compiler
from orchestrator.build.tools import call, clean_environment
from orchestrator.resources import contiki_apps
from tests import needs

needs.a_compiler()

U32, I32 = st.integers(0, 2**32 - 1), st.integers(-(2**31), 2**31 - 1)
U64, I64 = st.integers(0, 2**64 - 1), st.integers(-(2**63), 2**63 - 1)
FLOATS = st.floats(width=32, allow_nan=False)


@pytest.fixture(scope="module")
def sky(tmp_path_factory):
    folder = tmp_path_factory.mktemp("sky")
    files = [str(contiki_apps() / "os" / "sky" / name) for name in ("arithmetic.c", "floats.c")]
    command = [
        *compiler.find().command,
        f"-I{contiki_apps() / 'os'}",
        "-O1",
        "-fPIC",
        "-shared",
        *files,
        "-o",
        str(folder / "sky.so"),
    ]
    call(command, folder, clean_environment(), "the arithmetic of a Tmote Sky")
    return ctypes.CDLL(str(folder / "sky.so"))


def typed(sky, name: str, result, *arguments):
    function = getattr(sky, name)
    function.restype, function.argtypes = result, arguments
    return function


@given(a=U32, b=U32, c=U64, d=U64)
def test_unsigned_products_quotients_and_remainders(sky, a, b, c, d):
    for bits, kind, x, y, names in (
        (16, ctypes.c_uint16, a & 0xFFFF, b & 0xFFFF, ("mpyi", "divu", "remu")),
        (32, ctypes.c_uint32, a, b, ("mpyl", "divul", "remul")),
        (64, ctypes.c_uint64, c, d, (None, None, None)),
    ):
        functions = [
            typed(sky, f"__mspabi_{name}" if name else other, kind, kind, kind)
            for name, other in zip(names, ("multiply_64", "quotient_64", "remainder_64"), strict=True)
        ]
        y = y or 1
        assert [one(x, y) for one in functions] == [x * y % 2**bits, x // y, x % y]


@given(a=I32, b=I32.filter(bool), c=I64, d=I64.filter(bool))
def test_signed_quotients_and_remainders_are_those_of_c(sky, a, b, c, d):
    for kind, x, y, names in (
        (ctypes.c_int32, a, b, ("__mspabi_divli", "__mspabi_remli")),
        (ctypes.c_int64, c, d, ("signed_quotient_64", "signed_remainder_64")),
    ):
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        expected = [kind(quotient).value, x - quotient * y]
        assert [typed(sky, name, kind, kind, kind)(x, y) for name in names] == expected


@given(a=FLOATS, b=FLOATS)
def test_floats_are_compared(sky, a, b):
    compared = typed(sky, "__mspabi_cmpf", ctypes.c_int, ctypes.c_float, ctypes.c_float)(a, b)
    assert (compared < 0, compared == 0, compared > 0) == (a < b, a == b, a > b)


@given(value=FLOATS.filter(lambda value: -(2.0**31) <= value < 2.0**31))
def test_floats_lose_their_fraction(sky, value):
    assert typed(sky, "__mspabi_fixfli", ctypes.c_int32, ctypes.c_float)(value) == int(value)
    if value >= 0:
        assert typed(sky, "__mspabi_fixful", ctypes.c_uint32, ctypes.c_float)(value) == int(value)


@given(value=I32)
def test_integers_become_the_nearest_float(sky, value):
    nearest = struct.unpack("f", struct.pack("f", value))[0]
    assert typed(sky, "__mspabi_fltlif", ctypes.c_float, ctypes.c_int32)(value) == nearest
    unsigned = value & 0xFFFFFFFF
    nearest = struct.unpack("f", struct.pack("f", unsigned))[0]
    assert typed(sky, "__mspabi_fltulf", ctypes.c_float, ctypes.c_uint32)(unsigned) == nearest
