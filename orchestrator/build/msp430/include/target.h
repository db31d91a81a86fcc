/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Goes before each file that clang compiles for the MSP430F1611: what msp430-gcc has built in, and the form of interrupt
 * functions.
 */
#ifndef TARGET_H_
#define TARGET_H_

#define __MSPGCC__ 1
#ifndef __MSP430F1611__
#define __MSP430F1611__ 1
#endif

#define FORMAT_CONF_POINTERS 1 /* printf's %p, in lib/format.c of the embedded Contiki */

#ifndef __ASSEMBLER__

/* A compiler's function that changes the status register which an interrupt's end restores. clang has none: the function
   notes the bits, and the interrupt's entry below clears them where they were saved. */
extern volatile unsigned msp430_bits_to_clear_;
#define __bic_status_register_on_exit(bits) (msp430_bits_to_clear_ |= (bits))

#define __nop() __asm__ __volatile__("nop")
#define __dint() __asm__ __volatile__("dint\n\tnop" ::: "memory")
#define __eint() __asm__ __volatile__("nop\n\teint" ::: "memory")
#define __read_status_register() ({ unsigned status_; __asm__ __volatile__("mov r2, %0" : "=r"(status_)); status_; })
#define __write_status_register(status) __asm__ __volatile__("mov %0, r2\n\tnop" ::"r"((unsigned)(status)) : "memory")
#define __get_interrupt_state() __read_status_register()
#define __set_interrupt_state(state)                                                                                          \
  do {                                                                                                                         \
    if((state) & 8) {                                                                                                          \
      __eint();                                                                                                                \
    } else {                                                                                                                   \
      __dint();                                                                                                                \
    }                                                                                                                          \
  } while(0)
#define __bis_status_register(bits) __asm__ __volatile__("bis %0, r2\n\tnop" ::"ri"((unsigned)(bits)) : "memory")
#define __bic_status_register(bits) __asm__ __volatile__("bic %0, r2\n\tnop" ::"ri"((unsigned)(bits)) : "memory")
#define __read_stack_pointer() ({ void *stack_; __asm__ __volatile__("mov r1, %0" : "=r"(stack_)); stack_; })
#define __swap_bytes(word) __builtin_bswap16(word)

/* msp430mcu declares these as functions, in a file of its own. */
#define __MSP430_INTRINSICS_H_
typedef unsigned __istate_t;
#define nop() __nop()
#define _NOP() __nop()
#define dint() __dint()
#define eint() __eint()
#define _DINT() __dint()
#define _EINT() __eint()
#define READ_SP __read_stack_pointer()
#define READ_SR __read_status_register()
#define WRITE_SR(status) __write_status_register(status)
#define _BIS_SR(bits) __bis_status_register(bits)
#define _BIC_SR(bits) __bic_status_register(bits)
#define _BIC_SR_IRQ(bits) __bic_status_register_on_exit(bits)
#define __no_operation() __nop()
#define __enable_interrupt() __eint()
#define __disable_interrupt() __dint()
#define __bis_SR_register(bits) __bis_status_register(bits)
#define __bic_SR_register(bits) __bic_status_register(bits)
#define __bic_SR_register_on_exit(bits) __bic_status_register_on_exit(bits)

/* An interrupt function: clang puts the address of its entry where the linker script takes vectors from. Contiki's own header
   for this knows no clang. */
#define ISR_COMPAT_H_
#define ISR(source, function)                                                                                                  \
  void function(void) __attribute__((used));                                                                                   \
  __attribute__((interrupt(source##_VECTOR), naked, used)) void function##_entry_(void)                                        \
  {                                                                                                                            \
    __asm__("push r15\n\tpush r14\n\tpush r13\n\tpush r12\n\tpush r11\n\t"                                                     \
            "clr &msp430_bits_to_clear_\n\tcall #" #function "\n\t"                                                            \
            "pop r11\n\tpop r12\n\tpop r13\n\tpop r14\n\tpop r15\n\t"                                                          \
            "bic &msp430_bits_to_clear_, 0(r1)\n\treti");                                                                      \
  }                                                                                                                            \
  void function(void)

#endif
#endif
