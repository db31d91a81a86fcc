/* SPDX-License-Identifier: Apache-2.0 */
/* Two operands of 64 bits come in r8 to r11 and r12 to r15 (SLAA534, 3.3.2), other functions' second one by the stack. */
        .macro  operands_64 name function
        .section .text.\name, "ax"
        .globl  \name
\name:
        push    r15
        push    r14
        push    r13
        push    r12
        mov     r8, r12
        mov     r9, r13
        mov     r10, r14
        mov     r11, r15
        call    #\function
        add     #8, r1
        ret
        .endm

        operands_64 __mspabi_mpyll multiply_64
        operands_64 __mspabi_divull quotient_64
        operands_64 __mspabi_remull remainder_64
        operands_64 __mspabi_divlli signed_quotient_64
        operands_64 __mspabi_remlli signed_remainder_64
