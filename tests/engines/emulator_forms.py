# SPDX-License-Identifier: Apache-2.0
"""Functions for the emulator of drivers: each instruction that it knows, with each kind and width of
operands.
"""

from __future__ import annotations

CONDITIONS = ("o", "no", "b", "ae", "e", "ne", "be", "a", "s", "ns", "l", "ge", "le", "g")
WIDTHS = {"b": 1, "w": 2, "l": 4, "q": 8}
WHOLE = 0x8899AABBCCDDEEFF
OTHER = 0x1122334455667788
# All but rsp, each with its lower parts.
REGISTERS = [
    *((f"r{name}x", f"e{name}x", f"{name}x", f"{name}l") for name in "abcd"),
    *((f"r{name}", f"e{name}", name, f"{name}l") for name in ("si", "di", "bp")),
    *((f"r{n}", f"r{n}d", f"r{n}w", f"r{n}b") for n in range(8, 16)),
]
EXTENDING = ("zbw", "sbw", "zbl", "sbl", "zwl", "swl", "zbq", "sbq", "zwq", "swq", "slq")  # from, to


def stored(count: int = 16) -> str:
    """Pops what is in the bytes of the stack from its top, into the variables."""
    loads = "".join(f"  mov {4 * n}(%rsp), %ecx\n  mov %ecx, r{n}(%rip)\n" for n in range(count // 4))
    return loads + "  pop %rcx\n  pop %rcx\n  ret\n"


def result(code: str) -> str:
    """All 64 bits of rax, and edx."""
    return f"{code}  push %rdx\n  push %rax\n{stored()}"


def conditions(operation: str, how: str, left: str = "%ax") -> str:
    """All conditions after the operation, a byte each, beside two bytes of what it left in a register."""
    text = "  xor %esi, %esi\n  push %rsi\n  push %rsi\n  mov $1, %esi\n" + operation
    for place, code in enumerate(CONDITIONS):
        if how == "set":
            text += f"  set{code} {place}(%rsp)\n"
        elif how == "jump":
            text += f"  mov $1, %ecx\n  j{code} 1f\n  mov $2, %ecx\n1: mov %cl, {place}(%rsp)\n"
        elif how == "jump far":
            text += f"  mov $1, %ecx\n  {{disp32}} j{code} 1f\n  mov $2, %ecx\n1: mov %cl, {place}(%rsp)\n"
        else:
            text += f"  mov $0, %ecx\n  cmov{code} %esi, %ecx\n  mov %cl, {place}(%rsp)\n"
    return text + f"  mov {left}, 14(%rsp)\n" + stored()


def part(register: int, width: int) -> str:
    return "%" + REGISTERS[register][(8, 4, 2, 1).index(width)]


def operations() -> list[str]:
    """With immediates that fill their places, and with memory on either side; the conditions, and the result,
    which is in a register or in memory.
    """
    found = []
    begin = f"  movabs ${WHOLE}, %rax\n  movabs ${OTHER}, %rdx\n  mov %rax, -24(%rsp)\n"
    for suffix, width in WIDTHS.items():
        into, other, full = part(0, width), part(3, width), {1: 0x71, 2: 0x7182}.get(width, 0x71829304)
        for name in ("add", "or", "and", "sub", "xor", "cmp", "test"):
            pairs = [f"${full}, {into}", f"${full}, {other}", f"${full}, -24(%rsp)", f"{other}, -24(%rsp)"]
            if name != "test":
                pairs += [f"$-3, {other}", "$-3, -24(%rsp)", f"-24(%rsp), {other}"]
            for pair in pairs:
                operation = f"{begin}  {name}{suffix} {pair}\n"
                found.append(conditions(operation, "set", "%dx" if pair.endswith(other) else "%ax"))
                found.append(result(f"{operation}  mov -24(%rsp), %rcx\n  xor %rcx, %rax\n"))
    return found


def moves() -> list[str]:
    """Between immediates, memory and every register, in all widths."""
    found = [
        f"  movabs ${WHOLE}, {part(n, 8)}\n  mov ${0x61 + w}, {part(n, w)}\n  mov {part(n, 8)}, %rax\n"
        for n in range(1, len(REGISTERS))
        for w in (2, 4, 8)
    ]
    for register in range(1, len(REGISTERS)):
        whole, fill = part(register, 8), f"  movabs ${WHOLE}, {part(register, 8)}\n"
        found.append(
            f"{fill}  push {whole}\n  mov $1, {part(register, 4)}\n  pop {whole}\n  mov {whole}, %rax\n"
        )
        for suffix, width in WIDTHS.items():
            if width > 1 or register < 4 or register > 6:
                narrow = part(register, width)
                found.append(
                    f"{fill}  mov{suffix} $-5, -8(%rsp)\n  mov -8(%rsp), {narrow}\n  mov {whole}, %rax\n"
                )
                found.append(f"{fill}  mov $-2, %rax\n  mov {narrow}, {part(0, width)}\n")
                found.append(
                    f"{fill}  mov $-2, %rax\n  mov {part(0, width)}, {narrow}\n  mov {whole}, %rax\n"
                )
    for place in range(8):
        for suffix, width in WIDTHS.items():
            if place + width <= 8:
                at = f"{place - 16}(%rsp)"
                ones, zeros, known = (
                    "  movq $-1, -16(%rsp)\n",
                    "  movq $0, -16(%rsp)\n",
                    f"  movabs ${WHOLE}, %rax\n",
                )
                found += [f"{old}  mov{suffix} $0x5a, {at}\n  mov -16(%rsp), %rax\n" for old in (ones, zeros)]
                found.append(f"{known}  mov %rax, -16(%rsp)\n  mov {at}, {part(0, width)}\n")
    return [result("  mov $0, %edx\n" + one) for one in found]


def widened() -> list[str]:
    found = []
    for kind in EXTENDING:
        for value in (WHOLE, OTHER):
            begin = f"  movabs ${value}, %rdx\n  mov %rdx, -16(%rsp)\n  mov $-1, %rax\n"
            for shift in (0, -16 + 8 - WIDTHS[kind[1]]):
                source = f"{shift}(%rsp)" if shift else part(3, WIDTHS[kind[1]])
                found.append(result(f"{begin}  mov{kind} {source}, {part(0, WIDTHS[kind[2]])}\n"))
    for width in (2, 4, 8):
        for code in ("e", "ne"):
            begin = (
                f"  movabs ${WHOLE}, %rax\n  movabs ${OTHER}, %rdx\n  mov %rdx, -8(%rsp)\n  cmp %edx, %edx\n"
            )
            for source in (part(3, width), "-8(%rsp)"):
                found.append(result(f"{begin}  cmov{code} {source}, {part(0, width)}\n"))
    return found


def addresses() -> list[str]:
    """With every register as a base and as an index, beside every other one."""
    found = []
    for index in range(len(REGISTERS)):
        begin = f"  mov ${100 + index}, {part(index, 4)}\n"
        whole = part(index, 8)
        found.append(f"{begin}  lea 300(,{whole},8), %rax\n  lea -7({whole}), %edx\n")
        found.append(f"{begin}  lea 0x12345({whole},{whole},2), %rax\n  lea 0x12345({whole}), %dx\n")
        for base in range(len(REGISTERS)):
            if base != index:
                found.append(
                    f"  mov ${1000 * base + 1}, {part(base, 4)}\n{begin}"
                    f"  lea ({part(base, 8)},{whole},4), %rax\n  mov $0, %edx\n"
                )
    return [result(one) for one in found]


def jumps() -> list[str]:
    """Taken or not, over 0 to 15 bytes: a distance is no operand, whatever it looks like."""
    found = []
    for code in CONDITIONS:
        for size in ("disp8", "disp32"):
            over = "".join(
                f"  cmp $1, %edi\n  {{{size}}} j{code} 1f\n{'  nop' * 0}"
                + "  nop\n" * distance
                + "1: add $1, %eax\n"
                for distance in range(16)
            )
            found += [
                result(f"  mov ${value}, %edi\n  mov $0, %eax\n  mov $0, %edx\n{over}") for value in (1, 2)
            ]
    return found


def of_unknown() -> list[str]:
    """No address of what isn't known, and no second byte of a register."""
    found = []
    for register in range(1, len(REGISTERS)):
        whole = part(register, 8)
        found += [f"  lea ({whole}), %eax\n", f"  mov $1, %eax\n  lea 1(%rax,{whole},2), %eax\n"]
        found += [f"  mov $1, %eax\n  lea 1({whole},%rax,2), %eax\n", f"  lea 1(,{whole},2), %eax\n"]
        found.append(f"  cmp $0, {part(register, 4)}\n")
    for high in ("ah", "bh", "ch", "dh"):
        known = "".join(f"  mov $0, %{name}\n" for name in ("eax", "ebx", "ecx", "edx", "edi", "esi", "ebp"))
        found += [f"{known}  cmp $0, %eax\n  set{code} %{high}\n" for code in CONDITIONS]
        for code in (
            *(f"mov{kind} %{high}, %eax" for kind in ("zbl", "sbl")),
            *(
                f"{name} {pair}"
                for name in ("add", "cmp", "and", "mov")
                for pair in (f"%{high}, %dl", f"%dl, %{high}")
            ),
            *(f"{name} $1, %{high}" for name in ("add", "cmp", "and", "test", "mov")),
            f"test %{high}, %dl",
        ):
            found.append(f"{known}  {code}\n")
    return [f"{one}  ret\n" for one in found]
