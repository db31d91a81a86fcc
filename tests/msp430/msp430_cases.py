# SPDX-License-Identifier: Apache-2.0
"""Firmware that does something odd: it writes its own flash, calls address 0, has its stack in registers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from msp430_programs import DATA, FLASH, MOV, PC, RAM, RAM_END, RET, SP, SR, Program

if TYPE_CHECKING:
    from collections.abc import Callable


def own_flash(program: Program) -> None:
    """A firmware that erases and writes the function it calls next."""
    function = 0x9000
    program.store(0x12A, 0xA582, word=True)
    program.store(0x12C, 0xA500, word=True)
    for instruction in (0x4037, 0x1234, 0x5737, 0x0042, RET):  # MOV #0x1234, R7; ADD @R7+, R7
        program.store(0x128, 0xA502, word=True)
        program.store(function, 0, word=True)
        for n, word in enumerate((0x4037, instruction, RET)):
            program.store(0x128, 0xA540, word=True)
            program.store(function + 2 * n, word, word=True)
        program.any_call(function)
    program.store(0x12C, 0xA510, word=True)


def endless_loop(program: Program) -> None:
    """Interrupts off, and a timer that flags them."""
    program.store(0x172, 10, word=True)
    program.store(0x162, 0x10, word=True)
    program.store(0x160, 0x224, word=True)
    program.word(0x3FFF)


def stack_in_registers(program: Program) -> None:
    """The stack runs down through the registers of ports, and of what isn't there."""
    program.set(SP, 0x3A)
    for value in range(16):
        program.word(0x1230)  # push
        program.word(0x0101 * value)


def code_in_ram(program: Program) -> None:
    """A function that is written to RAM and calls itself, changed, at its mirror."""
    for n, word in enumerate((0x4037, 0x1234, 0x5747, RET)):
        program.store(RAM + 2 * n, word, word=True)
    program.any_call(RAM)
    program.store(0x202, 0x4321, word=True)
    program.any_call(RAM)
    program.any_call(0x200)


def null_call(program: Program) -> None:
    program.set(DATA[0], 0)
    program.word(0x1280 | DATA[0])


def erased_program(program: Program) -> None:
    """Code in RAM that erases the main flash and goes back to it."""
    end = program.at
    program.at = RAM
    program.store(0x12A, 0xA582, word=True)
    program.store(0x12C, 0xA500, word=True)
    program.store(0x128, 0xA504, word=True)
    program.store(0x9000, 0, word=True)
    program.double(11, PC, 3, SR, 1, 0x12C, memory=True)  # BIT #BUSY
    program.word(0x23FC)  # JNE
    program.word(RET)
    program.at = end
    program.any_call(RAM)


def no_memory(program: Program) -> None:
    program.double(MOV, SR, 1, DATA[0], 0x0A00)


def waiting(program: Program) -> None:
    """Loops that wait for flags, one entered behind its first instruction, or that count a register."""
    for address, value in (0x78, 0x10), (0x79, 0x20), (0x7C, 0x16), (0x7D, 0), (0x05, 0x30):  # a UART
        program.store(address, value, word=False)
    program.store(0x166, 0x5100, word=True)  # timer A captures ACLK's edges
    program.store(0x160, 0x224, word=True)
    begin = program.at
    for words in (
        (
            0x403C,
            300,
            0x930C,
            0x2403,
            0x533C,
            0x4303,
            0x3FFB,
        ),  # MOV #300, R12; TST; JEQ; DEC; NOP; JMP
        (0x403C, 0xFF00, 0x930C, 0x2403, 0x531C, 0x4303, 0x3FFB),  # the same with INC
        (0x403F, 200, 0x4303, 0x533F, 0x23FD),  # MOV #200, R15; NOP; DEC R15; JNE
        (0x40F2, 0x55, 0x7F, 0xB0F2, 0x20, 0x03, 0x27FC),  # a byte; BIT.B #UTXIFG1, &IFG2; JEQ
        (
            0xD3D2,
            0x1200,
            0x430A,
            0x3C02,
            0x425A,
            0x03,
            0xB07A,
            0x20,
            0x27FB,
        ),  # CLR R10; JMP in
        (0xB3D2, 0x79, 0x27FD),  # BIT.B #TXEPT, &UTCTL1; JEQ
        (0xB392, 0x166, 0x27FD, 0xC392, 0x166),  # BIT #CCIFG, &TACCTL2; JEQ; BIC
    ):
        for word in words:
            program.word(word)
    program.word(0x3C00 | ((begin - program.at - 2) // 2 & 0x3FF))


CASES = (own_flash, endless_loop, stack_in_registers, code_in_ram, null_call, erased_program, no_memory)


def case(build: Callable[[Program], None]) -> bytes:
    """Return the memory of a firmware that does something odd."""
    program = Program(0, build.__name__)
    program.at = FLASH
    program.store(0x120, 0x5A80, word=True)
    program.set(SP, RAM_END)
    build(program)
    program.word(0x3FFF)
    program.at = 0xFFFE
    program.word(FLASH)
    return bytes(program.memory)
