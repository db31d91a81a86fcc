/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The two revisions of Cooja differ in what PnIN says of pins that are outputs (5.0: what a chip drives; later: PnOUT) and in
 * what a reset does to the levels that chips drive (5.0: all low; later: they stay).
 */
#include "msp430/port.h"

#include "msp430/interrupts.h"
#include "msp430/timer.h"

#include <string.h>

enum registers { IN, OUT, DIR, IFG, IES, IE, SEL };

static struct port *
port_at(struct msp430 *mcu, uint32_t address, enum registers *which)
{
  static const enum registers without_interrupts[] = {IN, OUT, DIR, SEL};

  if(address >= 0x20 && address < 0x30) { /* 1, 2 */
    *which = (enum registers)(address % 8);
    return &mcu->ports[(address - 0x20) / 8];
  }
  *which = without_interrupts[address % 4];
  return &mcu->ports[address < 0x30 ? 2 + (address - 0x18) / 4 : 4 + (address - 0x30) / 4]; /* 3, 4, 5, 6 */
}

void
port_init(struct msp430 *mcu)
{
  for(unsigned i = 0; i < PORTS; i++) {
    mcu->ports[i] = (struct port){.number = i + 1, .interrupt = i == 0 ? 4 : i == 1 ? 1 : 0};
  }
}

static int32_t
levels(const struct port *port)
{
  return port->out | (~port->direction & 0xff);
}

static void
show_levels(struct msp430 *mcu, const struct port *port)
{
  if(mcu->board->port_written != NULL) {
    mcu->board->port_written(mcu->context, port->number, (unsigned)levels(port));
  }
}

static void
update_interrupt(struct msp430 *mcu, struct port *port)
{
  interrupt_flag(mcu, port->interrupt, &port->source, (port->flags & port->enable) > 0);
}

void
port_reset(struct msp430 *mcu, unsigned number)
{
  struct port *port = &mcu->ports[number - 1];
  int32_t before = levels(port);

  if(mcu->rules == MSP430_COOJA_5_0) {
    memset(port->high, 0, sizeof(port->high));
  }
  port->in = 0;
  for(unsigned i = 0; i < PINS; i++) {
    port->in |= port->high[i] << i;
  }
  port->direction = port->flags = port->enable = 0; /* PnOUT, PnSEL and PnIES stay */
  update_interrupt(mcu, port);
  if(levels(port) != before) {
    show_levels(mcu, port);
  }
}

int32_t
port_read(struct msp430 *mcu, uint32_t address, bool word)
{
  enum registers which;
  const struct port *port = port_at(mcu, address, &which);

  (void)word;
  switch(which) {
  case IN:
    return mcu->rules == MSP430_COOJA_5_0 ? port->in :
                                            (port->in & ~port->direction) | (port->out & port->direction);
  case OUT:
    return port->out;
  case DIR:
    return port->direction;
  case IFG:
    return port->flags;
  case IES:
    return port->edges;
  case IE:
    return port->enable;
  default:
    return port->select;
  }
}

void
port_write(struct msp430 *mcu, uint32_t address, int32_t value, bool word)
{
  enum registers which;
  struct port *port = port_at(mcu, address, &which);

  (void)word;
  switch(which) {
  case IN:
    msp430_fail(mcu, MSP430_ILLEGAL_WRITE, address);
  case OUT:
    port->out = value;
    show_levels(mcu, port);
    break;
  case DIR:
    port->direction = value;
    show_levels(mcu, port);
    break;
  case IFG:
    port->flags = value;
    update_interrupt(mcu, port);
    break;
  case IES:
    port->edges = value;
    break;
  case IE:
    port->enable = value;
    update_interrupt(mcu, port);
    break;
  case SEL:
    port->select = value;
    break;
  }
}

bool
msp430_pin_interrupts(const struct msp430 *mcu, unsigned number, unsigned pin)
{
  return mcu->ports[number - 1].enable >> pin & 1;
}

void
msp430_set_pin(struct msp430 *mcu, unsigned number, unsigned pin, bool high)
{
  struct port *port = &mcu->ports[number - 1];
  int32_t bit = 1 << pin;

  if(port->high[pin] == high) {
    return;
  }
  port->high[pin] = high;
  port->in = high ? port->in | bit : port->in & ~bit;
  if(port->interrupt > 0 && high == !(port->edges & bit)) {
    port->flags |= bit;
    update_interrupt(mcu, port);
  }
  if(port->captured_by[pin] != NULL) {
    timer_capture(port->captured_by[pin], pin, high);
  }
}
