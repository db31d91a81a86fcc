# SPDX-License-Identifier: Apache-2.0
"""Random programs for an MSP430F1611: images of its 64 KB of memory, decided by a seed alone.

The kind "instructions" executes all operations and addressing modes on RAM; "peripherals" also writes and
reads the peripherals' registers, with values that make them do something, and takes interrupts; "wild"
executes words that are nearly random, from RAM and flash, until something stops it.
"""

from __future__ import annotations

import random

KINDS = ("instructions", "peripherals", "wild")
MEMORY, RAM, RAM_END, FLASH = 0x10000, 0x1100, 0x3900, 0x4000
PC, SP, SR, CG = range(4)
POINTERS, DATA = (4, 5, 6), tuple(range(7, 16))
MOV, ADD, BIC, BIS = 4, 5, 12, 13
RET, RETI, CALL, PUSH = 0x4130, 0x1300, 5, 4
GIE, CPUOFF, SCG0, SCG1, OSCOFF = 0x08, 0x10, 0x40, 0x80, 0x20

CAPTURES = (0x10, 0x0, 0x11, 0x110, 0x1110, 0x4110, 0x8110, 0xC110, 0xD910, 0xC910, 0x5910, 0x100)
# Address, is it a word, values or None for any.
REGISTERS: list[tuple[int, bool, tuple[int, ...] | None]] = [
    (0x120, True, (0x5A80, 0x5A98, 0x5A88, 0x5A1C, 0x5A1B, 0x5A1D, 0x5A0C, 0x5A80)),  # watchdog
    *[(address, False, None) for address in range(6)],  # interrupts and modules
    *[(address, False, (0, 0x80, 0xC0, 0x30, 0xF0, 0x40, 0x20, 0x10)) for address in range(6)],
    *[(port + n, False, None) for port in (0x20, 0x28) for n in (1, 2, 3, 4, 5, 6)],
    *[(port + n, False, None) for port in (0x18, 0x1C, 0x30, 0x34) for n in (1, 2, 3)],
    (0x56, False, None),
    (0x57, False, (0x84, 0x87, 0x86, 0x94, 0xA7, 0x83, 0x80)),
    (0x58, False, (0, 4, 2, 8, 0xC8)),
    *[(usart + n, False, None) for usart in (0x70, 0x78) for n in (2, 3, 7, 7, 7, 7)],
    *[(usart, False, (0x10, 0x16, 0x12, 0x04)) for usart in (0x70, 0x78)],
    *[(usart + 1, False, (0x20, 0x10, 0x30, 0x28, 0x38, 0x01)) for usart in (0x70, 0x78)],
    *[(usart + 4, False, (2, 3, 0x16, 0x45, 0, 1)) for usart in (0x70, 0x78)],
    *[(usart + 5, False, (0, 0, 0, 1)) for usart in (0x70, 0x78)],
    *[(0x80 + n, False, None) for n in range(16)],  # ADC12
    (0x1A0, True, (0x10, 0x13, 0x12, 0x213, 0x3013, 0x1, 0x0, 0xF13)),
    (0x1A2, True, (0x200, 0x202, 0x1204, 0x5206, 0x72C, 0xF006, 0x0)),
    (0x1A4, True, None),
    (0x1A6, True, None),
    *[(timer, True, (0x100, 0x120, 0x104, 0x126, 0x116, 0x1A2, 0x224, 0x210, 0x2D2, 0x132, 0x232, 0x20, 0x10,
                     0x122, 0x220, 0x0, 0x12E)) for timer in (0x160, 0x180) for _ in range(3)],
    *[(0x160 + 2 + 2 * n, True, CAPTURES)
      for n in range(3) for _ in range(2)],
    *[(0x180 + 2 + 2 * n, True, CAPTURES)
      for n in range(7)],
    *[(0x172 + 2 * n, True, None) for n in range(3) for _ in range(2)],
    *[(0x192 + 2 * n, True, None) for n in range(7)],
    *[(0x172 + 2 * n, True, (1, 5, 20, 100, 1000, 0xFFFF, 0)) for n in range(3) for _ in range(2)],
    *[(0x192 + 2 * n, True, (1, 5, 20, 100, 1000, 0xFFFF, 0)) for n in range(7)],
    (0x170, True, None),
    (0x190, True, None),
    (0x12E, True, None),
    (0x11E, True, None),
    *[(0x130 + 2 * n, True, None) for n in range(7)],  # multiplier
    *[(0x138, True, None) for _ in range(3)],
    *[(0x130 + 2 * n, False, None) for n in range(5)],
    (0x122, True, (0x0333, 0x0444, 0x9A3, 0xA94, 0x4A9, 0x0)),  # DMA
    *[(0x1E0 + 8 * n, True, (0x0F54, 0x4ED0, 0x0D50, 0x4F7C, 0x0, 0x0A50)) for n in range(3)],
    *[(0x1E2 + 8 * n, True, (0x1200, 0x2000, 0x76, 0x7E)) for n in range(3)],
    *[(0x1E4 + 8 * n, True, (0x1300, 0x2100, 0x77, 0x7F)) for n in range(3)],
    *[(0x1E6 + 8 * n, True, (1, 2, 5, 100)) for n in range(3)],
    (0x128, True, (0xA540, 0xA502, 0xA500, 0xA5C0)),  # flash
    (0x12A, True, (0xA542, 0xA582, 0xA500, 0xA57F)),
    (0x12C, True, (0xA500, 0xA510, 0xA500, 0xA520)),
    (0x59, False, None),  # nothing is there
    (0x1C0, True, None),
]  # fmt: skip
READ_ONLY = [0x20, 0x28, 0x18, 0x1C, 0x30, 0x34, 0x76, 0x7E, 0x76, 0x7E]


class Program:
    """Writes instructions behind each other."""

    def __init__(self, seed: int, kind: str) -> None:
        self.random = random.Random(f"{kind} {seed}")
        self.kind = kind
        self.memory = bytearray(MEMORY)
        self.at = FLASH
        self.starts: list[int] = []

    def word(self, value: int) -> None:
        self.memory[self.at : self.at + 2] = (value & 0xFFFF).to_bytes(2, "little")
        self.at += 2

    def double(
        self, operation: int, source: int, mode: int, destination: int, *words: int, byte=False, memory=False
    ):
        self.word(operation << 12 | source << 8 | memory << 7 | byte << 6 | mode << 4 | destination)
        for each in words:
            self.word(each)

    def set(self, destination: int, value: int) -> None:
        self.double(MOV, PC, 3, destination, value)

    def store(self, address: int, value: int, *, word: bool) -> None:
        self.double(MOV, PC, 3, SR, value, address, byte=not word, memory=True)

    def ram(self) -> int:
        return self.random.randrange(RAM + 64, RAM_END - 512, 2)

    # ---- random instructions ----

    def source(self, byte: bool) -> tuple[int, int, list[int]]:
        """Return a register, a mode and its word."""
        pick = self.random.random()
        if pick < 0.3:
            return self.random.choice((*DATA, *DATA, *POINTERS, SP, SR, CG, PC)), 0, []
        if pick < 0.45:
            return (
                PC,
                3,
                [
                    self.random.choice(
                        (self.random.getrandbits(16), self.random.getrandbits(4), 0x8000, 0xFFFF, 0x80)
                    )
                ],
            )
        if pick < 0.6:
            return self.random.choice((SR, CG)), self.random.choice((2, 3)), []
        if pick < 0.65:
            return CG, 1, []
        if pick < 0.75:
            return SR, 1, [self.ram() + (byte and self.random.randrange(2))]
        if pick < 0.85:
            return self.random.choice(POINTERS), 1, [self.random.randrange(-32, 64, 1 if byte else 2)]
        return self.random.choice(POINTERS), self.random.choice((2, 3)), []

    def any_double(self) -> None:
        byte = self.random.random() < 0.3
        operation = self.random.randrange(4, 16)
        source, mode, words = self.source(byte)
        pick = self.random.random()
        if pick < 0.6:
            target = self.random.choice(DATA)
            if self.random.random() < 0.03:
                target = CG
            self.double(operation, source, mode, target, *words, byte=byte)
        elif pick < 0.8:
            self.double(
                operation,
                source,
                mode,
                SR,
                *words,
                self.ram() + (byte and self.random.randrange(2)),
                byte=byte,
                memory=True,
            )
        else:
            self.double(operation, source, mode, self.random.choice(POINTERS), *words,
                        self.random.randrange(-32, 64, 1 if byte else 2), byte=byte, memory=True)  # fmt: skip

    def any_single(self) -> None:
        byte = self.random.random() < 0.3
        operation = self.random.choice((0, 1, 2, 3))
        source, mode, words = self.source(byte)
        if source == PC or source == SP or (source == SR and mode != 1):
            source, mode, words = self.random.choice(DATA), 0, []
        self.word(0x1000 | operation << 7 | byte << 6 | mode << 4 | source)
        for each in words:
            self.word(each)

    def any_push(self) -> None:
        byte = self.random.random() < 0.2
        source, mode, words = self.source(byte)
        self.word(0x1000 | PUSH << 7 | byte << 6 | mode << 4 | source)
        for each in words:
            self.word(each)
        if self.random.random() < 0.9:
            self.double(MOV, SP, 3, self.random.choice(DATA))  # pop
        else:
            self.double(ADD, SR, 2, SP)  # takes four bytes: now and then the stack grows the other way
            self.double(BIC, CG, 1, SP)
            self.double(8, CG, 2, SP)

    def any_jump(self) -> None:
        """A jump over what follows."""
        at = self.at
        self.word(0)
        for _ in range(self.random.randrange(1, 4)):
            self.any_double()
        end = self.at
        self.at = at
        self.word(0x2000 | self.random.randrange(8) << 10 | (end - at - 2) // 2)
        self.at = end

    def any_status(self) -> None:
        """Set or clear flags, or write a status that keeps the CPU awake."""
        pick = self.random.random()
        if pick < 0.4:
            self.double(
                self.random.choice((BIC, BIS, ADD, 9, 14, 15)),
                PC,
                3,
                SR,
                self.random.choice((1, 2, 4, 0x100, GIE, 0x107)),
            )
            self.double(BIC, PC, 3, SR, CPUOFF | SCG0 | SCG1 | OSCOFF)
        else:
            self.double(self.random.choice((BIS, BIS, BIC)), SR, 3, SR)  # EINT, DINT

    def any_call(self, subroutine: int) -> None:
        self.word(0x1000 | CALL << 7 | 3 << 4 | PC)
        self.word(subroutine)

    def any_peripheral(self) -> None:
        pick = self.random.random()
        if pick < 0.04:
            return self.any_flash()
        if pick < 0.06:
            return self.any_conversions()
        if pick < 0.08:
            return self.any_transfer()
        address, word, values = self.random.choice(REGISTERS)
        keyed = address == 0x120 or 0x128 <= address <= 0x12C  # a wrong key resets
        pick = self.random.random()
        if pick < 0.6 or (keyed and 0.605 < pick < 0.7):
            value = self.random.choice(values) if values else self.random.getrandbits(16 if word else 8)
            self.store(address, value, word=word)
        elif pick < 0.7:
            operation = self.random.choice((BIC, BIS, 14, ADD))
            bit = 1 << self.random.randrange(16 if word else 8)
            self.double(operation, PC, 3, SR, bit, address, byte=not word, memory=True)
        else:
            if self.random.random() < 0.2:
                address, word = self.random.choice(READ_ONLY), False
            self.double(
                self.random.choice((MOV, ADD, 9, 11)), SR, 1, self.random.choice(DATA), address, byte=not word
            )

    def any_flash(self) -> None:
        """Write or erase flash where no program is, from flash or from RAM, sometimes while it is busy."""
        place = self.random.choice((0x1000, 0x1080, 0xA000, 0xA200, 0xB0FE))
        if self.random.random() < 0.95:
            self.double(BIC, SR, 3, SR)  # DINT
        if self.random.random() < 0.3:
            self.store(0, 0x20, word=False)  # access violations interrupt
        self.store(0x12C, 0xA500, word=True)
        self.store(0x12A, self.random.choice((0xA500, 0xA582, 0xA5C0, 0xA541)), word=True)
        if self.random.random() < 0.4:
            return self.any_call(RAM)
        self.store(0x128, self.random.choice((0xA540, 0xA502, 0xA540, 0xA5C0)), word=True)
        for _ in range(self.random.randrange(1, 4)):
            self.store(
                place + self.random.randrange(0, 16, 2),
                self.random.getrandbits(16),
                word=self.random.random() < 0.7,
            )
        self.double(
            MOV,
            SR,
            1,
            self.random.choice(DATA),
            self.random.choice((0x128, 0x12A, 0x12C, place, place + 1)),
            byte=True,
        )
        if self.random.random() < 0.8:
            self.store(0x128, 0xA500, word=True)
            self.store(0x12C, self.random.choice((0xA510, 0xA510, 0xA530, 0xA500)), word=True)

    def flash_from_ram(self) -> None:
        """A function at the beginning of the RAM that writes a block."""
        self.at = RAM
        self.store(0x128, self.random.choice((0xA5C0, 0xA540, 0xA502)), word=True)
        self.double(MOV, DATA[0], 0, SR, self.random.choice((0x1004, 0xA008)), memory=True)
        self.double(ADD, SR, 1, DATA[1], 0xA00A)  # reads flash, which is busy
        if self.random.random() < 0.7:
            loop = self.at
            self.double(11, PC, 3, SR, self.random.choice((8, 1)), 0x12C, memory=True)
            self.word(0x2000 | self.random.randrange(2) << 10 | (loop - self.at - 2) // 2 & 0x3FF)
        self.double(MOV, DATA[1], 0, SR, self.random.choice((0x1006, 0xA00A)), memory=True)
        self.store(0x128, 0xA500, word=True)
        self.word(RET)
        assert self.at <= RAM + 64

    def any_conversions(self) -> None:
        self.store(0x1A0, 0, word=True)
        for n in range(4):
            self.store(0x80 + n, self.random.choice((0x80, 0, 0)) | self.random.randrange(16), word=False)
        self.store(0x1A2, self.random.choice((0x200, 0x202, 0x204, 0x206, 0x1202, 0x1206)), word=True)
        self.store(0x1A6, self.random.choice((0, 0xF, 2, 0xFFFF)), word=True)
        self.store(0x1A0, self.random.choice((0x13, 0x113, 0x93)), word=True)
        for _ in range(self.random.randrange(20)):
            self.any_double()
        if self.random.random() < 0.3:
            self.store(0x1A0, 0, word=True)

    def any_transfer(self) -> None:
        """Bytes of a USART by DMA."""
        usart = self.random.choice((0x70, 0x78))
        channel = 0x1E0 + 8 * self.random.randrange(3)
        received = self.random.random() < 0.5
        self.store(4 if usart == 0x70 else 5, 0xF0, word=False)
        self.store(usart, 0x16, word=False)
        self.store(usart + 1, 0x20, word=False)
        self.store(usart + 4, 2, word=False)
        self.store(usart + 5, 0, word=False)
        self.store(channel + 6, self.random.choice((1, 2, 3)), word=True)
        self.store(channel + 2, usart + 6 if received else self.ram(), word=True)
        self.store(channel + 4, self.ram() if received else usart + 7, word=True)
        self.store(
            0x122,
            (3 if received else 4) * 0x111 if usart == 0x70 else (9 if received else 10) * 0x111,
            word=True,
        )
        self.store(channel, self.random.choice((0x0CD4, 0x4CD4, 0x03D4, 0x43D4, 0x0FD0)), word=True)
        for _ in range(3):
            self.store(usart + 7, self.random.getrandbits(8), word=False)
            for _ in range(self.random.randrange(12)):
                self.any_double()

    def any_sleep(self) -> None:
        self.double(
            BIS, PC, 3, SR, GIE | self.random.choice((CPUOFF, CPUOFF | SCG0, CPUOFF | SCG1, 0xD0, 0xF0))
        )

    def any(self, subroutine: int | None) -> None:
        pick = self.random.random()
        if self.kind != "instructions" and subroutine is not None:
            if pick < 0.35:
                return self.any_peripheral()
            if pick < 0.36:
                return self.any_sleep()
            if pick < 0.4:
                return self.double(BIS, SR, 3, SR)
        pick = self.random.random()
        if pick < 0.55:
            return self.any_double()
        if pick < 0.7:
            return self.any_single()
        if pick < 0.76:
            return self.any_push()
        if pick < 0.86:
            return self.any_jump()
        if pick < 0.92:
            return self.set(self.random.choice(POINTERS), self.ram())
        if pick < 0.9205 and self.kind == "peripherals":  # registers that aren't there, odd addresses
            return self.store(
                self.random.randrange(0x200), self.random.getrandbits(16), word=self.random.random() < 0.8
            )
        if pick < 0.921 and self.kind == "peripherals":
            return self.double(
                MOV, SR, 1, DATA[0], self.random.randrange(0x200), byte=self.random.random() < 0.2
            )
        if pick < 0.96 or subroutine is None:
            return self.any_status()
        return self.any_call(subroutine)

    # ---- the whole ----

    def handler(self, number: int) -> None:
        self.word(0x1200 | DATA[0])  # push
        if number in (5, 12):
            self.double(MOV, SR, 1, DATA[0], 0x12E if number == 5 else 0x11E)
        elif number in (1, 4):
            self.store(0x23 if number == 4 else 0x2B, 0, word=False)
        elif number == 0:
            self.store(0x1E0, 0, word=True)
        elif number == 7:
            for n in range(16):
                self.double(ADD, SR, 1, DATA[0], 0x140 + 2 * n)
        elif number == 14:
            self.store(0x12C, 0xA510, word=True)
        for _ in range(self.random.randrange(4)):
            self.any_double()
        if self.random.random() < 0.1:
            self.double(BIS, SR, 3, SR)  # allows interrupts in an interrupt
        self.double(MOV, SP, 3, DATA[0])  # pop
        self.double(BIC, PC, 3, SP, 0xF0, 0, memory=True)  # stays awake
        self.word(RETI)

    def build(self) -> bytes:
        for at in range(RAM, RAM_END, 2):
            self.at = at
            self.word(self.valid_word() if self.kind == "wild" else self.random.getrandbits(16))
        self.flash_from_ram()
        self.at = 0x8000
        handlers = []
        for number in range(15):
            handlers.append(self.at)
            self.handler(number)
        subroutine = self.at
        for _ in range(10):
            self.any(None)
        self.word(RET)
        self.at = FLASH
        self.store(0x120, 0x5A80, word=True)
        self.set(SP, RAM_END - 16)
        for register in DATA:
            self.set(register, self.random.getrandbits(16))
        loop = self.at
        for register in POINTERS:
            self.set(register, self.ram())
        while self.at < 0x6000:
            if self.kind == "wild" and self.random.random() < 0.2:
                self.word(self.valid_word())
            else:
                self.any(subroutine)
        for register in POINTERS:
            self.set(register, self.ram())
        self.set(SP, RAM_END - 16)
        self.set(PC, loop)
        if self.kind == "wild":
            while self.at < 0x8000:
                self.word(self.valid_word())
        for number, handler in enumerate((*handlers, FLASH)):
            self.at = 0xFFE0 + 2 * number
            self.word(handler)
        return bytes(self.memory)

    def valid_word(self) -> int:
        """A word that is some instruction of an MSP430."""
        double = self.random.randrange(0x4000, 0x10000)
        return self.random.choice(
            (self.random.randrange(0x2000, 0x10000), double, self.random.randrange(0x1000, 0x1300))
        )


def program(kind: str, seed: int) -> bytes:
    """Return the memory of a random program."""
    return Program(seed, kind).build()
