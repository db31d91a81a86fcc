/* SPDX-License-Identifier: Apache-2.0 */
/* Registers of the MSP430F1611 that this platform uses, by the names and addresses in Texas Instruments' data sheet
   SLAS368 and its user's guide SLAU049. */
#ifndef MSP430_H_
#define MSP430_H_

#include <stdint.h>

#define REGISTER8(address) (*(volatile uint8_t *)(address))
#define REGISTER16(address) (*(volatile uint16_t *)(address))

/* Special functions. */
#define IE2 REGISTER8(0x01)
#define IFG1 REGISTER8(0x02)
#define IFG2 REGISTER8(0x03)
#define ME1 REGISTER8(0x04)
#define ME2 REGISTER8(0x05)
#define URXIFG0 0x40 /* IFG1 */
#define USPIE0 0x40  /* ME1 */
#define URXIFG1 0x10 /* IFG2, and IE2 */
#define UTXIFG1 0x20
#define URXE1 0x10   /* ME2 */
#define UTXE1 0x20

/* Ports. */
#define P1IN REGISTER8(0x20)
#define P1IFG REGISTER8(0x23)
#define P1IES REGISTER8(0x24)
#define P1IE REGISTER8(0x25)
#define P2IN REGISTER8(0x28)
#define P2OUT REGISTER8(0x29)
#define P2DIR REGISTER8(0x2a)
#define P3DIR REGISTER8(0x1a)
#define P3SEL REGISTER8(0x1b)
#define P4IN REGISTER8(0x1c)
#define P4OUT REGISTER8(0x1d)
#define P4DIR REGISTER8(0x1e)
#define P5OUT REGISTER8(0x31)
#define P5DIR REGISTER8(0x32)

/* USARTs. */
#define U0CTL REGISTER8(0x70)
#define U0TCTL REGISTER8(0x71)
#define U0MCTL REGISTER8(0x73)
#define U0BR0 REGISTER8(0x74)
#define U0BR1 REGISTER8(0x75)
#define U0RXBUF REGISTER8(0x76)
#define U0TXBUF REGISTER8(0x77)
#define U1CTL REGISTER8(0x78)
#define U1TCTL REGISTER8(0x79)
#define U1RCTL REGISTER8(0x7a)
#define U1MCTL REGISTER8(0x7b)
#define U1BR0 REGISTER8(0x7c)
#define U1BR1 REGISTER8(0x7d)
#define U1RXBUF REGISTER8(0x7e)
#define U1TXBUF REGISTER8(0x7f)
#define SWRST 0x01 /* UxCTL */
#define MM 0x02
#define SYNC 0x04
#define CHAR8 0x10
#define TXEPT 0x01 /* UxTCTL */
#define STC 0x02
#define SSEL_SMCLK 0x20
#define CKPH 0x80

/* Multiplier. */
#define MPY REGISTER16(0x130)
#define OP2 REGISTER16(0x138)
#define RESLO REGISTER16(0x13a)
#define RESHI REGISTER16(0x13c)

/* Clocks, watchdog, timers. */
#define DCOCTL REGISTER8(0x56)
#define BCSCTL1 REGISTER8(0x57)
#define BCSCTL2 REGISTER8(0x58)
#define WDTCTL REGISTER16(0x120)
#define TAIV REGISTER16(0x12e)
#define TACTL REGISTER16(0x160)
#define TACCTL0 REGISTER16(0x162)
#define TACCTL1 REGISTER16(0x164)
#define TAR REGISTER16(0x170)
#define TACCR0 REGISTER16(0x172)
#define TACCR1 REGISTER16(0x174)
#define TBCTL REGISTER16(0x180)
#define TBR REGISTER16(0x190)
#define TBCCTL6 REGISTER16(0x18e)
#define TBCCR6 REGISTER16(0x19e)
#define SSEL1_ACLK 0x0100 /* TxCTL */
#define SSEL1_SMCLK 0x0200
#define MC_CONTINUOUS 0x0020
#define TCLR 0x0004
#define TIE 0x0002
#define TIFG 0x0001
#define CM_RISING 0x4000 /* TxCCTLn */
#define CCIS_B 0x1000
#define CAP 0x0100
#define CCIE 0x0010
#define CCIFG 0x0001

#define GIE 0x0008 /* in the status register */

static inline uint16_t
status_register(void)
{
  uint16_t status;

  __asm__ volatile("mov r2, %0" : "=r"(status));
  return status;
}

/* The instruction after dint may still be interrupted (SLAU049, 3.4). */
static inline void
interrupts_off(void)
{
  __asm__ volatile("dint\n\tnop" ::: "memory");
}

static inline void
interrupts_on(void)
{
  __asm__ volatile("eint\n\tnop" ::: "memory");
}

#endif
