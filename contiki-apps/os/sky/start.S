/* SPDX-License-Identifier: Apache-2.0 */
/* From reset to main(), and the interrupts' vectors of the MSP430F1611. An interrupt leaves a low-power mode: main() sleeps
   again if there is nothing to do. */
        .section .text.start, "ax"
        .globl  _start
_start:
        mov     #stack_top, r1
        mov     #0x5a80, &0x0120        ; the watchdog is held
        mov     #data_start, r12
        mov     #data_load, r13
        mov     #data_size, r14
        call    #memcpy
        mov     #bss_start, r12
        clr     r13
        mov     #bss_size, r14
        call    #memset
        call    #main
        br      #_start

        .macro  interrupt handler
        .globl  interrupt_\handler
interrupt_\handler:
        push    r15
        push    r14
        push    r13
        push    r12
        push    r11
        call    #\handler
        pop     r11
        pop     r12
        pop     r13
        pop     r14
        pop     r15
        bic     #0x00f0, 0(r1)          ; CPUOFF, OSCOFF, SCG0, SCG1 of the saved status register
        reti
        .endm

        .section .text.interrupts, "ax"
        interrupt port1_interrupt
        interrupt uart_interrupt
        interrupt rtimer_interrupt
        interrupt timer_interrupt
unexpected:
        reti

        .section .vectors, "a"
        .word   unexpected                        /* ffe0: DAC12, DMA */
        .word   unexpected                        /* port 2 */
        .word   unexpected                        /* USART 1 transmits */
        .word   interrupt_uart_interrupt          /* USART 1 has received */
        .word   interrupt_port1_interrupt
        .word   interrupt_timer_interrupt         /* Timer A: compare 1, 2, overflow */
        .word   interrupt_rtimer_interrupt        /* Timer A: compare 0 */
        .word   unexpected                        /* ADC12 */
        .word   unexpected                        /* USART 0 transmits */
        .word   unexpected                        /* USART 0 has received */
        .word   unexpected                        /* watchdog */
        .word   unexpected                        /* comparator A */
        .word   unexpected                        /* Timer B: compare 1 to 6, overflow */
        .word   unexpected                        /* Timer B: compare 0 */
        .word   unexpected                        /* not maskable */
        .word   _start                            /* reset */
