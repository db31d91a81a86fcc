/* SPDX-License-Identifier: Apache-2.0 */
/* From boot to the loop that runs the processes. */
#include "contiki.h"

#include <stdio.h>
#include <stdlib.h>

#include "dev/leds.h"
#include "dev/serial-line.h"
#include "dev/watchdog.h"
#include "lib/assert.h"
#include "lib/random.h"
#include "lib/sensors.h"
#include "net/linkaddr.h"
#include "net/netstack.h"
#include "net/queuebuf.h"
#include "sky/clock.h"
#include "sky/ds2411.h"
#include "sky/msp430.h"
#include "sky/uart.h"
#include "sys/energest.h"
#include "sys/node-id.h"

#define LED_PINS 0x70 /* of port 5: red, green, blue; lit when low */

SENSORS(NULL);

/* Cooja writes these two before the mote boots: the mote's id, at each write again, and the simulation's seed plus it. */
__attribute__((used)) uint16_t node_id;
__attribute__((section(".noinit"), used)) int16_t rseed;

/* On a board, the serial number chip says who it is. */
void
node_id_init(void)
{
  uint8_t serial[DS2411_SIZE];

  *(volatile uint16_t *)&node_id = 0; /* Cooja puts the id back */
  if(*(volatile uint16_t *)&node_id == 0 && ds2411_read(serial)) {
    node_id = (uint16_t)(serial[DS2411_SIZE - 2] << 8 | serial[DS2411_SIZE - 1]);
  }
}

leds_mask_t
leds_get(void)
{
  return (leds_mask_t)(~P5OUT & LED_PINS) >> 4;
}

void
leds_set(leds_mask_t leds)
{
  P5OUT = (uint8_t)((P5OUT | LED_PINS) & ~((leds & LEDS_ALL) << 4));
}

void
abort(void)
{
  printf("abort\n");
  interrupts_off();
  while(1) {
  }
}

void
assertion_failed(const char *file, int line)
{
  printf("assertion failed: %s:%d\n", file, line);
  abort();
}

/* A write without the password resets the processor. */
void
watchdog_reboot(void)
{
  WDTCTL = 0;
  while(1) {
  }
}

static void
boot(void)
{
  linkaddr_t address = { .u8 = { 0 } };

  clock_init();
  rtimer_init();
  process_init();
  process_start(&etimer_process, NULL);
  ctimer_init();
  energest_init();
  node_id_init();
  random_seed((uint16_t)(rseed - (int16_t)node_id), node_id);
  address.u8[0] = node_id & 0xff;
  address.u8[1] = node_id >> 8;
  linkaddr_set_node_addr(&address);
  queuebuf_init();
  netstack_init();
  process_start(&sensors_process, NULL);
  serial_line_init();
  autostart_start(autostart_processes);
}

static bool
idle(void)
{
  return process_nevents() == 0;
}

int
main(void)
{
  clock_start();
  P5DIR |= LED_PINS;
  leds_init();
  uart_init();
  interrupts_on();
  boot();
  while(1) {
    if(etimer_pending() && !CLOCK_LT(clock_time(), etimer_next_expiration_time())) {
      etimer_request_poll();
    }
    if(process_nevents() > 0) {
      process_run();
      continue;
    }
    ENERGEST_SWITCH(ENERGEST_TYPE_CPU, ENERGEST_TYPE_LPM);
    clock_sleep(idle);
    ENERGEST_SWITCH(ENERGEST_TYPE_LPM, ENERGEST_TYPE_CPU);
  }
}
