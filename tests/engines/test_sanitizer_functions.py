# SPDX-License-Identifier: Apache-2.0
"""What firmware that checks addresses calls, function by function: each access beside a model that knows
of every byte whether it may be accessed.
"""

from __future__ import annotations

import json
import platform
import random
import resource
import subprocess

import pytest
from engine_harness import WARNINGS
from sanitizer_harness import HARNESS, PARTS, said

from orchestrator.build.kernel import KERNEL
from tests import needs

needs.a_compiler()
pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="the shadow is at its place on x86-64")


@pytest.fixture(scope="module")
def program_of_addresses(tmp_path_factory):
    """Not checked itself: its shadow would be at the same place."""
    folder = tmp_path_factory.mktemp("addresses")
    (folder / "harness.c").write_text(HARNESS)
    program = folder / "harness"
    sources = [str(KERNEL / part) for part in PARTS]
    flags = [*WARNINGS, "-O1", "-fno-builtin", f"-I{KERNEL}"]
    subprocess.run(["gcc", *flags, str(folder / "harness.c"), *sources, "-o", str(program)], check=True)
    return program


@pytest.fixture(scope="module")
def addresses(program_of_addresses):
    return lambda commands: said(program_of_addresses, ["O x", *commands])[1:]


class Shadow:
    """For every eight bytes of the area how many may be accessed, or why none may."""

    def __init__(self):
        self.commands, self.states, self.globals = [], {}, []

    def variables(self, *variables: tuple[int, int, int]) -> None:
        """(start, size, size with its red zone), registered at once"""
        for start, size, whole in variables:
            name = f"v{len(self.globals)}"
            self.globals.append((start, size, whole, name))
            self.commands.append(f"g {name} {start} {size} {whole}")
            for granule in range(start, start + whole, 8):
                usable = max(0, min(8, start + size - granule))
                self.states[granule] = 0 if usable == 8 else usable if usable else 0xF9
        self.commands.append("G __asan_register_globals")

    def set(self, place: int, state: int) -> None:
        self.states[place] = state
        self.commands.append(f"z x {place} {state}")

    def scope(self, start: int, size: int, ends: bool) -> None:
        self.commands.append(f"a __asan_{'' if ends else 'un'}poison_stack_memory {start} {size}")
        for granule in range(start, start + size, 8):
            left = start + size - granule
            self.states[granule] = 0xF8 if ends else 0 if left >= 8 else left

    def bad(self, start: int, size: int) -> int | None:
        """The first byte that may not be accessed."""
        for byte in range(start, start + size):
            state = self.states.get(byte - byte % 8, 0)
            if state > 0x7F or state and byte % 8 >= state:
                return byte
        return None

    def access(self, start: int, size: int, write: bool) -> str | None:
        """What is said of it; None: nothing."""
        bad = self.bad(start, size)
        if bad is None:
            return None
        what = f"{'write' if write else 'read'} of {size} byte{'' if size == 1 else 's'}"
        for first, has, whole, name in self.globals:
            if first <= bad < first + whole:
                return f"{what} at byte {bad - first} of {name}, which has {has}|1|{bad}"
        state = self.states[bad - bad % 8]
        why = {0xF9: "outside of any variable", 0xF8: "of a local variable whose block has ended"}
        return f"{what} {why.get(state, 'outside of the local variables')}|1|{bad}"


def shadowed() -> Shadow:
    shadow = Shadow()
    shadow.variables(
        *((64 * number, size, 64) for number, size in enumerate((1, 3, 7, 8, 9, 12, 15, 16, 17, 20)))
    )
    shadow.variables((1024, 32, 64), (1088, 40, 96))
    shadow.variables((1280, 4, 8))
    shadow.commands.insert(-1, "d unregistered 3008 5 64")
    for place, state in (
        (1536, 0xF1),
        (1552, 5),
        (1560, 0xF3),
        (1600, 0xF9),
        (1608, 0x80),
        (1616, 0xFF),
        (1624, 1),
        (1632, 7),
    ):
        shadow.set(place, state)
    for number, size in enumerate(range(1, 26)):
        shadow.scope(1792 + 32 * number, 32, ends=True)
        shadow.scope(1792 + 32 * number, size, ends=False)
    for number, size in enumerate((1, 7, 8, 9, 12, 16, 17)):
        shadow.scope(2688 + 32 * number, size, ends=True)
    for place in (1280, 1288):  # the first byte of a variable, and the one behind its red zone
        shadow.set(place, 0xF1)
    shadow.set(3016, 0xF1)
    return shadow


SIZES = (1, 2, 4, 8, 16)
AREA = 3100  # bytes


def test_each_access_is_found_that_touches_a_byte_outside(addresses):
    shadow, cases = shadowed(), []
    for place in range(AREA):
        size, write = SIZES[place % 5], place // 5 % 2
        others = [(size, write)] if 640 < place < 1000 else [(one, one % 3 % 2) for one in SIZES]
        for one, writes in others:
            suffix = "_noabort" if place % 3 else ""
            cases.append(
                (
                    f"a __asan_{'store' if writes else 'load'}{one}{suffix} {place}",
                    shadow.access(place, one, bool(writes)),
                )
            )
    for size in SIZES:
        for at in range(44, 58):
            for write in (False, True):
                command = f"a __asan_{'store' if write else 'load'}{size} {at + 64 * 4 - 48}"
                cases.append((command, shadow.access(at + 64 * 4 - 48, size, write)))
    draw = random.Random(5)
    for _ in range(1500):
        place, size, write = (
            draw.randrange(AREA),
            draw.choice((0, 1, 3, 5, 8, 9, 17, 24, 40, 100)),
            draw.random() < 0.5,
        )
        cases.append(
            (f"a __asan_{'store' if write else 'load'}N {place} {size}", shadow.access(place, size, write))
        )
    found = addresses([*shadow.commands, *(command for command, _ in cases)])[len(shadow.commands) :]
    assert [(case, one) for case, one in zip(cases, found, strict=True) if one != (case[1] or "fine")] == []
    assert 800 < sum(what is None for _, what in cases) < len(cases) - 800


def test_addresses_outside_of_those_a_program_has_are_not_looked_up(addresses):
    end = 1 << 47
    commands = [f"Z x {end - 8} 255", f"Z x {end - 16} 0"]
    found = addresses(
        [
            *commands,
            *(
                f"A __asan_loadN {place} {size}"
                for place, size in ((end - 8, 8), (end - 1, 1), (end - 16, 8), (end - 16, 16))
            ),
            *(
                f"A __asan_loadN {place} {size}"
                for place, size in ((end - 8, 9), (end - 7, 8), (end, 8), ((1 << 63) - 1, 4))
            ),
            "A __asan_loadN -4 8",
            "A __asan_loadN -8 9",
        ]
    )[len(commands) :]
    assert [one.split("|")[0] for one in found] == [
        "read of 8 bytes outside of the local variables",
        "read of 1 byte outside of the local variables",
        "fine",
        "read of 16 bytes outside of the local variables",
        *["fine"] * 6,
    ]


def test_memory_functions_check_what_they_touch_and_do_what_libc_does(addresses):
    """Variables of 9 bytes at 64 and of 20 at 128; texts in them, of which one has no end."""
    shadow = Shadow()
    shadow.variables((64, 9, 64), (128, 20, 64), (192, 8, 64), (256, 16, 64))
    fill = ["w x 0 97 800", "w x 132 0 1", "w x 200 0 1", "w x 260 98 3", "w x 263 0 1"]
    cases = []  # command, what it reads, what it writes, its result if nothing is found, bytes changed then

    def copies(name: str, to: int, of: int, size: int) -> None:
        cases.append((f"m {name} {to} {of} {size}", (of, size), (to, size), to))

    for name in ("memcpy", "memmove"):
        for size in (0, 1, 8, 9, 10, 21):
            copies(name, 64, 128, size)
            copies(name, 128, 64, size)
    for size in (0, 1, 9, 10, 12):
        cases.append((f"M memset 64 122 {size}", None, (64, size), 64))
    for size in (0, 9, 10):
        cases.append((f"i memcmp 64 700 {size}", (64, size), None, None))
        cases.append((f"i memcmp 700 64 {size}", (64, size), None, None))
    for start, length in ((128, 4), (192, 8), (260, 3), (256, 7)):
        cases.append((f"i strlen {start} 0 0", (start, length + 1), None, None))
        cases.append((f"m strcpy 400 {start} 0", (start, length + 1), None, 400))
        cases.append((f"m strcpy 64 {start} 0", (start, length + 1), (64, length + 1), 64))
        cases.append((f"m strcpy 199 {start} 0", (start, length + 1), (199, length + 1), 199))
        for size in (0, 1, length, length + 1, length + 2, 12):
            cases.append((f"m strncpy 400 {start} {size}", (start, min(size, length + 1)), None, 400))
            cases.append((f"m strncpy 64 {start} {size}", (start, min(size, length + 1)), (64, size), 64))
    asked = [command for case in cases for command in (*fill, case[0])]
    found = addresses([*shadow.commands, *asked])[len(shadow.commands) :][len(fill) :: len(fill) + 1]
    for (command, reads, writes, result), one in zip(cases, found, strict=True):
        wanted = (reads and shadow.access(*reads, False)) or (writes and shadow.access(*writes, True))
        if wanted:
            assert one == wanted, command
        else:
            assert one.endswith("|fine"), command
            assert result is None or int(one.split("|")[0]) == result, command
    assert 15 < sum(one.endswith("|fine") for one in found) < len(found) - 15


def test_what_memory_functions_leave_behind(addresses):
    ready = ["w x 0 0 512", "w x 10 97 5", "w x 30 98 3"]

    def left(*commands: str) -> list[str]:
        return addresses([*ready, *commands])[len(ready) :]

    assert left("m memcpy 100 10 6", "r x 100 7") == ["100|fine", "61616161610000fine"]
    assert left("m memmove 12 10 5", "r x 10 8") == ["12|fine", "6161616161616100fine"]
    assert left("M memset 50 122 3", "r x 49 5") == ["50|fine", "007a7a7a00fine"]
    assert left("i memcmp 10 30 3", "i memcmp 30 10 3", "i memcmp 30 10 0", "i memcmp 10 11 4") == [
        "-1|fine",
        "1|fine",
        "0|fine",
        "0|fine",
    ]
    assert left("i strlen 10 0 0", "i strlen 12 0 0", "i strlen 15 0 0") == ["5|fine", "3|fine", "0|fine"]
    assert left("m strcpy 100 30 0", "r x 99 6") == ["100|fine", "006262620000fine"]
    assert left("w x 100 122 9", "m strncpy 100 30 6", "r x 100 8")[1:] == [
        "100|fine",
        "6262620000007a7afine",
    ]
    assert left("w x 100 122 9", "m strncpy 100 30 2", "r x 100 4")[1:] == ["100|fine", "62627a7afine"]


ADDRESS_NAMES = [
    *(f"__asan_{does}{size}" for does in ("load", "store") for size in (1, 2, 4, 8, 16, "N")),
    *(
        "__asan_register_globals",
        "__asan_unregister_globals",
        "__asan_handle_no_return",
        "__asan_before_dynamic_init",
    ),
    *(
        "__asan_after_dynamic_init",
        "__asan_init",
        "__asan_poison_stack_memory",
        "__asan_unpoison_stack_memory",
    ),
]
LIBC_NAMES = ("memcpy", "memmove", "memset", "memcmp", "strlen", "strcpy", "strncpy")
UNDEFINED_NAMES = [
    f"__ubsan_handle_{name}"
    for name in (
        *(
            "add_overflow",
            "sub_overflow",
            "mul_overflow",
            "negate_overflow",
            "divrem_overflow",
            "shift_out_of_bounds",
            "out_of_bounds",
        ),
        *(
            "type_mismatch_v1",
            "load_invalid_value",
            "pointer_overflow",
            "nonnull_arg",
            "nonnull_return_v1",
            "vla_bound_not_positive",
        ),
        *(
            "builtin_unreachable",
            "missing_return",
            "float_cast_overflow",
            "invalid_builtin",
            "alignment_assumption",
        ),
    )
]


def test_which_functions_there_are(addresses):
    there = {
        name: "1010" for name in (*ADDRESS_NAMES, *(f"{name}_noabort" for name in ADDRESS_NAMES), *LIBC_NAMES)
    }
    there |= {name: "1101" for name in (*UNDEFINED_NAMES, *(f"{name}_abort" for name in UNDEFINED_NAMES))}
    prefix = "__ubsan_handle_"
    for name in (
        *(
            "strcat",
            "memcpyx",
            "memcp",
            "memcpy_noabort",
            "__asan_load3",
            "__asan_load",
            "__asan_load1_noabor",
        ),
        *(
            "__asan_load1_abort",
            "_noabort",
            "__asan_noabort",
            "__asan__noabort",
            "__asan_loadN_noabort_noabort",
        ),
        *("add_overflow", prefix, "__ubsan_handl", f"{prefix}add_overflo", f"{prefix}add_overflow_v1"),
        *(f"{prefix}add_overflow_abor", f"{prefix}add_overflow_abort_abort", f"{prefix}add_overflow_noabort"),
        f"{prefix}type_mismatch",
    ):
        there[name] = "0000"
    found = addresses([f"N {name}" for name in there])
    assert dict(zip(there, found, strict=True)) == {name: f"{which}|fine" for name, which in there.items()}


def test_without_room_for_the_shadow_its_limit_is_named(program_of_addresses):
    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (1 << 40, 1 << 40))

    done = subprocess.run(
        [program_of_addresses], input="O x\n", capture_output=True, text=True, check=False, preexec_fn=limit
    )
    report = json.loads(done.stdout)
    assert report["kind"] == "memory" and "lift the limit of virtual memory (ulimit -v)" in report["message"]


def test_a_variable_s_long_name_is_cut_at_the_message_s_end(addresses):
    for length in (330, 370, 371, 372, 373, 374, 375, 900):
        name = "x" * length
        commands = [f"g {name} 64 1 64", "G __asan_register_globals", "a __asan_load2 64"]
        said = f"read of 2 bytes at byte 1 of {name}, which has 1"
        assert addresses(commands)[2] == f"{said[:399]}|1|65"


def test_what_only_has_to_be_there_does_nothing(addresses):
    names = ("unregister_globals", "handle_no_return", "before_dynamic_init", "after_dynamic_init", "init")
    assert addresses([f"a __asan_{name} 0 0" for name in names] + ["O x"]) == ["fine"] * (len(names) + 1)
