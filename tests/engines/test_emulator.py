# SPDX-License-Identifier: Apache-2.0
"""The emulator of drivers computes what the processor computes, and refuses all that it doesn't know."""

from __future__ import annotations

import platform
import subprocess

import pytest
from emulator_forms import addresses, conditions, jumps, moves, of_unknown, operations, result, widened
from engine_harness import build_harness

pytestmark = pytest.mark.skipif(platform.machine() != "x86_64", reason="code is read for x86-64 only")

# Calls each function of the assembler's table, and emulates it. Each leaves its results in four variables.
MAIN = r"""
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "loader/elf_file.h"
#include "ticks/emulator.h"
extern const char code_begin[], code_end[], data_start[];
extern void (*const functions[])(void);
void call_any(void (*function)(void)); /* which may use all registers */
extern int32_t r0, r1, r2, r3;
extern int32_t counted, any;
extern int8_t signed_byte;
extern int16_t signed_word;
extern uint64_t pointer;
bool firmware_variable(const struct firmware *firmware, const char *name, uint64_t *offset, uint64_t *size) {
  return firmware == NULL && name == NULL && offset == NULL && size == NULL; /* nobody asks */
}
const uint8_t *elf_at(const struct elf_file *elf, uint64_t address, uint64_t size) {
  uint64_t begin = (uint64_t)(uintptr_t)code_begin, end = (uint64_t)(uintptr_t)code_end;
  bool there = (address >= begin && address + size <= end) || address == (uint64_t)(uintptr_t)data_start;
  return elf != NULL && there ? (const uint8_t *)(uintptr_t)address : NULL;
}
int main(int argc, char **argv) {
  int executed = argc == 2 ? atoi(argv[1]) : 0; /* the first of them; the others are emulated only */
  static struct relocation relocation;
  static struct firmware firmware;
  relocation = (struct relocation){.offset = (uint64_t)(uintptr_t)&pointer, .value = 0x123456789abcdef0};
  firmware = (struct firmware){.data_start = (uint64_t)(uintptr_t)data_start, .relative = &relocation, .relatives = 1};
  for(int i = 0; functions[i] != NULL; i++) {
    static struct emulator emulator;
#define AT(variable) .offset = (uint64_t)(uintptr_t)&variable, .size = sizeof(variable), .there = true
    struct variable variables[] = {
      {AT(r0), .may_change = true}, {AT(r1), .may_change = true}, {AT(r2), .may_change = true}, {AT(r3), .may_change = true},
      {AT(counted), .kept = COUNTED, .value = 1}, {AT(any), .kept = ANY, .value = 7},
      {AT(signed_byte), .value = -3}, {AT(signed_word), .value = -300}
    };
    emulator = (struct emulator){.firmware = &firmware};
    r0 = r1 = r2 = r3 = 0;
    if(i < executed) call_any(functions[i]);
    printf("%d %d %d %d,", r0, r1, r2, r3);
    if(emulator_call(&emulator, (uint64_t)(uintptr_t)functions[i], variables, 8))
      printf("%d %d %d %d\n", variables[0].value, variables[1].value, variables[2].value, variables[3].value);
    else printf("refused\n");
  }
}
"""  # noqa: E501
AROUND = """
  .section .note.GNU-stack
  .data
  .globl r0, r1, r2, r3, counted, any, signed_byte, signed_word, pointer
  .balign 8
pointer: .quad 0x123456789abcdef0
r0: .long 0
r1: .long 0
r2: .long 0
r3: .long 0
counted: .long 1
any: .long 7
signed_word: .short -300
signed_byte: .byte -3
  .text
  .globl code_begin, code_end, data_start, functions, call_any
call_any:
  push %rbx; push %rbp; push %r12; push %r13; push %r14; push %r15
  call *%rdi
  pop %r15; pop %r14; pop %r13; pop %r12; pop %rbp; pop %rbx
  ret
code_begin:
{bodies}
  .byte 0x66 /* the beginning of a return, whose rest is not code */
code_end: .byte 0xc3
data_start: .byte 0xc3
  .section .data.rel.ro, "aw"
functions:
{table}
  .quad 0
"""
SIZES = {"b": (1, "%al", "%dl"), "w": (2, "%ax", "%dx"), "l": (4, "%eax", "%edx"), "q": (8, "%rax", "%rdx")}
# Pairs that make a carry, an overflow, both or none, 0 and each sign, in the highest byte of an operand.
PAIRS = (
    (0, 0),
    (1, 1),
    (1, 2),
    (2, 1),
    (0x7F, 1),
    (0x7F, 0xFF),
    (0x80, 1),
    (0x80, 0x80),
    (0xFF, 1),
    (0xC0, 0x40),
)


def arithmetic() -> list[str]:
    found = []
    for number, (suffix, (size, into, other)) in enumerate(SIZES.items()):
        for a, b in PAIRS:
            wide = [(one << 8 * (size - 1)) | (one & 1 if size > 1 else 0) for one in (a, b)]
            begin = f"  movabs ${wide[0]}, %rax\n  movabs ${wide[1]}, %rdx\n"
            for name in ("add", "or", "and", "sub", "xor", "cmp", "test"):
                how = ("set", "jump", "cmov", "jump far")[(number + len(found)) % 4]
                found.append(conditions(f"{begin}  {name}{suffix} {other}, {into}\n", how))
                if b < 0x80:
                    least = b if size > 1 else wide[1]
                    found.append(conditions(f"{begin}  {name}{suffix} ${least}, {into}\n", "set"))
    return found


# Each leaves something in rax, of which all 64 bits are compared, and in edx.
OTHERS = """
mov $-5, %eax
mov $-5, %rax
movabs $0x8899aabbccddeeff, %rax; mov %eax, %edx; movslq %edx, %rax
mov $0x7fffffff, %edx; movslq %edx, %rax
movabs $0x8899aabbccddeeff, %rax; movsbl %al, %edx; movzbl %al, %eax
movabs $0x8899aabbccddeeff, %rax; movswl %ax, %edx; movzwl %ax, %eax
movabs $0x8899aabbccdd0e7f, %rax; movsbq %al, %rdx; movswq %ax, %rax
movabs $0x8899aabbccddeeff, %rax; mov $0x1234, %ax
movabs $0x8899aabbccddeeff, %rax; mov $1, %edx; mov %dl, %al
movabs $0x8899aabbccddeeff, %rax; mov $1, %edx; mov %edx, %eax
movabs $0x8899aabbccddeeff, %r8; mov %r8, %r15; mov %r15d, %edx; mov %r8, %rax
mov $200, %r9d; movsbl %r9b, %eax; mov %r9w, %dx; movzwl %dx, %edx
mov $3, %esi; mov $5, %edi; lea 7(%rsi,%rdi,4), %rax; lea -1(%rsi,%rsi), %edx
mov $3, %r12d; mov $5, %r13d; lea 0x1000(%r12,%r13,8), %rax; lea (%r13), %rdx
mov $3, %esi; lea 0x10(,%rsi,2), %rax; lea (%rsi), %edx
lea r1(%rip), %rax; lea r0(%rip), %rdx; sub %rdx, %rax; mov $0, %edx
mov $9, %esi; push %rsi; mov $4, %esi; pop %rax; mov %esi, %edx
mov $9, %r14d; push %r14; mov $4, %r14d; mov (%rsp), %rax; pop %r14; mov %r14d, %edx
push %rbp; mov %rsp, %rbp; mov $77, %eax; push %rax; mov $1, %eax; mov -8(%rbp), %rax; mov %rax, %rdx; leave
sub $40, %rsp; movl $0x11223344, 8(%rsp); movw $0x5566, 10(%rsp); movb $0x77, 8(%rsp); mov 8(%rsp), %eax; mov $0, %edx; add $40, %rsp
sub $40, %rsp; movq $-2, 16(%rsp); mov $2, %esi; mov (%rsp,%rsi,8), %rax; movzbl 17(%rsp), %edx; add $40, %rsp
mov signed_byte(%rip), %al; movsbl signed_byte(%rip), %edx; movzbl %al, %eax
movswl signed_word(%rip), %eax; movzwl signed_word(%rip), %edx
mov pointer(%rip), %rax; mov $0, %edx
movl $-9, r0(%rip); mov r0(%rip), %eax; mov %eax, %edx; sub %eax, r0(%rip); add r0(%rip), %edx
movl $6, r0(%rip); addl $4, r0(%rip); orl $1, r0(%rip); xorl $-1, r0(%rip); mov r0(%rip), %eax; mov $0, %edx
mov $1, %eax; jmp 1f; mov $2, %eax; 1: mov $3, %edx
mov $1, %eax; {disp32} jmp 1f; mov $2, %eax; 1: mov $3, %edx
mov $5, %eax; 1: sub $1, %eax; jne 1b; mov $3, %edx
mov $5, %edx; mov $0, %eax; 1: add %edx, %eax; sub $1, %edx; cmp $-3, %edx; jg 1b
endbr64; nop; nopw 0(%rax,%rax,1); nopl (%rdi); nopw %cs:8(%rax,%rdi,4); mov $1, %eax; mov $0, %edx
mov $0x0f0f, %eax; test $0x1000, %eax; sete %dl; movzbl %dl, %edx
mov $0x0f0f, %eax; testb $0x10, %al; sete %dl; movzbl %dl, %edx
mov $0x4401, %eax; testb $0x80, %al; sete %dl; movzbl %dl, %edx
mov $0x0f0f, %esi; testl $0x0100, %esi; setne %dl; movzbl %dl, %edx; mov $8, %eax
mov $0x0f, %ecx; testb $0x10, %cl; setne %dl; movzbl %dl, %edx; mov $8, %eax
xor %edi, %edi; mov %edi, %eax; sub %rsi, %rsi; mov %esi, %edx
cmpl $0, counted(%rip); setne %al; movzbl %al, %eax; mov $0, %edx
mov counted(%rip), %edi; test %edi, %edi; setg %al; movzbl %al, %eax; mov $0, %edx
cmp $0, %rsp; setne %al; movzbl %al, %eax; mov $0, %edx
mov $8, %edx; cmp %edx, %edx; mov $1, %ecx; cmovne %ecx, %edx; mov $0, %eax
movabs $0x1122334455667788, %rax; mov $0, %edx; cmp $0, %edx; cmove %edx, %eax
mov $300, %ecx; 1: sub $2, %ecx; jne 1b; mov $1, %eax; mov $2, %edx
mov $0x55, %edx; .byte 0x0f, 0x1e, 0x07; .byte 0x0f, 0x1f, 0x07; mov $1, %eax
mov any(%rip), %ecx; mov pointer(%rip), %rax; add $1, %rax; mov $0, %edx
mov $0x0f0f, %eax; .byte 0xf7, 0xc8; .long 0x1000; sete %dl; movzbl %dl, %edx
mov $0x0f0f, %eax; .byte 0xf6, 0xc8, 0x10; sete %dl; movzbl %dl, %edx
mov %fs:0x28, %rcx; sub %fs:0x28, %rcx; sete %al; movzbl %al, %eax; mov $0, %edx
"""  # noqa: E501
# What no known driver has, what depends on what isn't known, and what would be another function's.
REFUSED = """
mov $7, %al
adc %eax, %eax
sbb %eax, %eax
sbb $0, %eax
mov $1, %eax; adc $1, %eax
mov $1, %eax; sbb %eax, %eax
mov $1, %eax; cmp $1, %eax; jp 1f; 1: nop
mov $1, %eax; cmp $1, %eax; {disp32} jp 1f; 1: nop
mov $1, %eax; cmp $1, %eax; setp %al
mov $1, %eax; cmp $1, %eax; cmovp %eax, %eax
mov $1, %eax; cmp $1, %eax; jnp 1f; 1: nop
mov $1, %eax; cmp $1, %eax; {disp32} jnp 1f; 1: nop
mov $1, %eax; cmp $1, %eax; setnp %al
mov $1, %eax; cmp $1, %eax; cmovnp %eax, %eax
call 1f; 1: nop
push $1
mov $1, %eax; not %eax
mov $1, %eax; neg %eax
mov $1, %eax; shl $1, %eax
mov $1, %eax; imul %eax, %eax
mov $1, %eax; mul %eax
mov $1, %eax; inc %eax
mov $1, %eax; xchg %eax, %ecx
mov $1, %eax; mov $2, %r8d; xchg %rax, %r8
mov $1, %eax; rolb $2, %al
mov $1, %eax; shrl $2, %eax
mov $1, %eax; notb %al
mov $1, %eax; negb %al
push %ax; mov $0, %cx; pop %cx
pop %ax; push %ax
mov $1, %eax; mov %ah, %cl
mov $1, %ecx; mov %cl, %ah
mov $1, %eax; movzbl %ah, %ecx
mov $1, %eax; test %ah, %ah
mov $1, %eax; cmp $1, %ah
mov $1, %eax; cmp $0, %eax; sete %ah
lock addl $1, r0(%rip)
mov %gs:0x28, %rax
mov %fs:0x30, %rax
mov %fs:0x28, %eax
mov %rax, %fs:0x28
lea %fs:0x28, %rax
cmp $0, %eax
cmp %eax, %eax
test %eax, %eax
add $1, %eax
add %ecx, %eax
mov $1, %eax; add %eax, %ecx
mov $1, %eax; add %ecx, %eax
and $0, %eax
cmpl $1, counted(%rip)
addl $0, counted(%rip)
orl $0, counted(%rip)
testl $1, counted(%rip)
mov counted(%rip), %eax; and $1, %eax
mov counted(%rip), %eax; cmp %eax, %eax
mov counted(%rip), %eax; mov $0, %ecx; or %eax, %ecx
mov counted(%rip), %eax; mov $0, %ecx; cmp %eax, %ecx
cmpl $0, any(%rip)
mov any(%rip), %eax; test %eax, %eax
mov any(%rip), %eax; mov (%rax), %eax
mov any(%rip), %eax; mov 0x10(,%rax,4), %ecx
mov any(%rip), %eax; mov 8(%rsp,%rax,1), %ecx
movl $1, counted(%rip)
movl $1, any(%rip)
movl $1, code_begin(%rip)
mov code_begin(%rip), %eax
mov code_begin(%rip), %rax
mov r0(%rip), %rax
mov r0(%rip), %al
movb $1, r0(%rip)
mov r0+2(%rip), %eax
mov pointer(%rip), %eax
mov pointer+8(%rip), %rax
movq $1, pointer(%rip)
mov 24(%rsp), %rax
mov 20(%rsp), %eax; mov 24(%rsp), %al
mov 4(%rsp), %rax
mov -11(%rsp), %eax
mov -9(%rsp), %ax
mov -15(%rsp), %rax
mov (%rdi), %eax
mov %eax, (%rdi)
mov (%rsp,%rdi), %eax
mov -8(%rsp), %rax; cmp $0, %rax
mov -1000(%rsp), %rax; cmp $0, %rax
movl $5, -8(%rsp); cmpq $0, -8(%rsp)
mov $1, %al; cmp $1, %eax
mov $1, %ax; cmpw $1, %ax
sub $1024, %rsp; push %rax
sub $1016, %rsp; mov %rax, (%rsp); mov %rax, -8(%rsp)
push %rdi; ret
mov $1, %eax; 1: jmp 1b
mov $260, %ecx; 1: sub $1, %ecx; jne 1b
jmp code_end - 1
jmp code_end
jmp data_start
jmp code_end+16
ud2
syscall
cpuid
pause; movss %xmm0, %xmm1
"""


def lines(text: str) -> list[str]:
    return [line for line in text.splitlines() if line]


@pytest.fixture(scope="module")
def played(tmp_path_factory) -> tuple[dict, list[str]]:
    """What the processor and the emulator leave in the variables, by function; and which ones of those that
    nobody may execute, as many would end the test, the emulator takes.
    """
    executed = [*arithmetic(), *operations(), *moves(), *widened(), *addresses(), *jumps()]
    executed += [result(f"  {line}\n".replace("; ", "\n  ")) for line in lines(OTHERS)]
    refused = {line: f"  {line}\n  ret\n".replace("; ", "\n  ") for line in lines(REFUSED)}
    refused |= {code: code for code in of_unknown()}
    functions = [*executed, *refused.values()]
    folder = tmp_path_factory.mktemp("emulator")
    bodies = "".join(f"f{number}:\n{body}\n" for number, body in enumerate(functions))
    table = "".join(f"  .quad f{number}\n" for number in range(len(functions)))
    assembled = AROUND.replace("{bodies}", bodies).replace("{table}", table)
    (folder / "functions.s").write_text(assembled, encoding="ascii")
    subprocess.run(["gcc", "-c", "functions.s", "-o", "functions.o"], cwd=folder, check=True)
    parts = ("ticks/emulator.c", "ticks/emulator_state.c", "loader/instruction.c")
    program = build_harness(folder, MAIN, (*parts, str(folder / "functions.o")))
    ran = subprocess.run([program, str(len(executed))], capture_output=True, text=True, check=True)
    found = [line.split(",") for line in ran.stdout.splitlines()]
    assert len(found) == len(functions)
    return dict(zip(executed, found, strict=False)), [
        line
        for line, (_, emulated) in zip(refused, found[len(executed) :], strict=True)
        if emulated != "refused"
    ]


def test_what_it_computes_is_what_the_processor_computes(played):
    differing = {function: both for function, both in played[0].items() if both[0] != both[1]}
    assert not differing


def test_anything_else_is_refused(played):
    assert played[1] == []
