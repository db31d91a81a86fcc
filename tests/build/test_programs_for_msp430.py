# SPDX-License-Identifier: Apache-2.0
"""clang in the place of msp430-gcc: what it builds computes and prints as C says, on an emulated mote."""

from __future__ import annotations

import random
import subprocess

import pytest

from orchestrator.build import kernel
from orchestrator.csc.model import EndScript, Mote, Silent, Simulation
from orchestrator.csc.mote_type import MspType
from orchestrator.engines.embedded.description import describe
from tests.programs_for_sky import compiled

START = r"""
#include <msp430.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
int putchar(int c) { while((IFG2 & UTXIFG1) == 0); U1TXBUF = (unsigned char)c; return c; }
static void uart(void)
{
  WDTCTL = WDTPW | WDTHOLD; U1CTL = SWRST | CHAR; U1TCTL = SSEL1; U1BR0 = 4; ME2 |= UTXE1; U1CTL &= ~SWRST;
}
"""
TYPE = MspType("sky", "", "", "", "sky", "", interfaces=("MspClock", "MspMoteID", "MspSerial"))


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    """Build a program's main() by the recipe, and return what the mote prints."""

    def printed(body: str) -> list[str]:
        folder = tmp_path_factory.mktemp("sky")
        firmware = compiled(START + body, folder, "-Os")
        simulation = Simulation(
            "t", 1, 0, Silent(), (TYPE,), (Mote("sky", 1, 0.0, 0.0),), EndScript(20_000_000)
        )
        text = describe(simulation, 1, {"sky": firmware}, "2026.07")
        subprocess.run(
            [kernel.executable(), "--log", folder / "log"], input=text, check=True, capture_output=True
        )
        lines = (folder / "log").read_text().splitlines()[1:-2]
        return [line.split("\t", 2)[2] for line in lines]

    return printed


def test_arithmetic_of_all_widths(run):
    draw = random.Random(5)
    cases = []
    for bits in (16, 32, 64):
        edge = [0, 1, (1 << (bits - 1)) - 1, 1 << (bits - 1), (1 << bits) - 1]
        for _ in range(12):
            a, b = (draw.choice([*edge, draw.getrandbits(bits), draw.getrandbits(bits // 2)]) for _ in "ab")
            cases.append((bits, a, b or 3, draw.randrange(bits)))
    rows, expected = [], []
    for bits, a, b, shift in cases:
        mask = (1 << bits) - 1

        def signed(value, bits=bits):
            return value - (1 << bits) if value >> (bits - 1) else value

        x, y = signed(a), signed(b)
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        results = (a * b, a // b, a % b, quotient, x - quotient * y, a << shift, a >> shift, x >> shift)
        expected.append(" ".join(f"{value & mask:x}" for value in results))
        rows.append(
            f"  show{bits}({a}u{'ll' if bits == 64 else 'l'}, {b}u{'ll' if bits == 64 else 'l'}, {shift});"
        )
    shows = "\n".join(
        f"""__attribute__((noinline)) static void show{bits}(uint{bits}_t a, uint{bits}_t b, unsigned shift)
{{
  int{bits}_t x = (int{bits}_t)a, y = (int{bits}_t)b;
  printf("%llx %llx %llx %llx ", (unsigned long long)(uint{bits}_t)(a * b), (unsigned long long)(a / b),
         (unsigned long long)(a % b), (unsigned long long)(uint{bits}_t)(x / y));
  printf("%llx %llx %llx %llx\\n", (unsigned long long)(uint{bits}_t)(x % y),
         (unsigned long long)(uint{bits}_t)(a << shift), (unsigned long long)(a >> shift),
         (unsigned long long)(uint{bits}_t)(x >> shift));
}}"""
        for bits in (16, 32, 64)
    )
    body = "\n".join(rows)
    assert run(f"{shows}\nint main(void)\n{{\n  uart();\n{body}\n  for(;;);\n}}") == expected


def test_formatted_output_strings_and_initial_values(run):
    body = r"""
static int counted = 7, zero;
static int compare(const void *a, const void *b) { return *(const int *)a - *(const int *)b; }
int main(void)
{
  char text[40];
  int numbers[] = {3, -1, 2};
  uart();
  printf("[%5d|%-5d|%05d|%+d|% d|%x|%X|%#x|%o]\n", 42, 42, -42, 42, 42, 0xbeef, 0xbeef, 255, 8);
  printf("[%s|%.3s|%6s|%-6s|%c|%%|%ld|%lu|%lld|%u]\n", "abc", "abcdef", "ab", "ab", 'z', -70000L,
         4000000000UL, -5000000000LL, 65535u);
  printf("[%.4d|%*d|%.*s|%p]\n", 7, 4, 9, 2, "xyz", (void *)0x1234);
  snprintf(text, 6, "%s", "truncated");
  printf("%s %d %d %d\n", text, snprintf(NULL, 0, "%d", 12345), counted, zero);
  qsort(numbers, 3, sizeof(numbers[0]), compare);
  printf("%d %d %d\n", numbers[0], numbers[1], numbers[2]);
  strcpy(text, "one,two");
  printf("%s %s", strtok(text, ","), strtok(NULL, ","));
  printf(" %ld %lx %d\n", strtol(" -12x", NULL, 10), strtoul("0xff", NULL, 0), memcmp("ab", "ac", 2) < 0);
  for(;;);
}
"""
    assert run(body) == [
        "[   42|42   |-0042|+42| 42|beef|BEEF|0xff|10]",
        "[abc|abc|    ab|ab    |z|%|-70000|4000000000|-5000000000|65535]",
        "[0007|   9|xy|0x1234]",
        "trunc 5 7 0",
        "-1 2 3",
        "one two -12 ff 1",
    ]


def test_a_program_that_does_not_fit_is_refused(run):
    with pytest.raises(subprocess.CalledProcessError):
        run("const volatile char much[50000] = {1}; int main(void) { return much[P1IN]; }")


def test_interrupts_wake_the_program(run):
    body = r"""
static volatile unsigned count;
ISR(TIMERA0, expires) { count++; TACCR0 += 3277; LPM4_EXIT; }
int main(void)
{
  uart();
  TACCTL0 = CCIE; TACCR0 = 3277; TACTL = TASSEL0 | TACLR; TACTL |= MC1;
  for(int i = 0; i < 3; i++) {
    _BIS_SR(GIE | LPM3_bits);
    printf("awake %u\n", count);
  }
  for(;;);
}
"""
    assert run(body) == ["awake 1", "awake 2", "awake 3"]
