/* SPDX-License-Identifier: Apache-2.0 */
/* One mote does what the scenario asks for, and prints "done" if it still can. */
#include "contiki.h"
#include "dev/eeprom.h"
#include "lib/assert.h"

#include <stdio.h>
#include <string.h>

enum { NONE, OVERRUN, WILD, STACK, ASSERTION, LOOP, LONG_LINE, MANY_LINES, ENDLESS };

static uint8_t deed;
static char buffer[16];
static volatile int go_on = 1;

PROCESS(unruly_process, "Unruly");
AUTOSTART_PROCESSES(&unruly_process);
/*---------------------------------------------------------------------------*/
static __attribute__((noinline)) void
write_past_the_buffer(char *to)
{
  while(go_on) {
    *to++ = 'x';
  }
}
/*---------------------------------------------------------------------------*/
static __attribute__((noinline)) void
write_anywhere(void)
{
  *(volatile int *)8 = 1;
}
/*---------------------------------------------------------------------------*/
static __attribute__((noinline)) int
dig(volatile char *before)
{
  volatile char here[200];

  here[0] = *before;
  return dig(here) + here[1];
}
/*---------------------------------------------------------------------------*/
static __attribute__((noinline)) void
loop_for_ever(void)
{
  while(go_on) {
  }
}
/*---------------------------------------------------------------------------*/
static __attribute__((noinline)) void
print(unsigned lines, const char *end)
{
  while(lines-- > 0) {
    printf("0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcde%s", end);
  }
}
/*---------------------------------------------------------------------------*/
static void
act(void)
{
  switch(deed) {
  case OVERRUN: write_past_the_buffer(buffer); break;
  case WILD: write_anywhere(); break;
  case STACK: printf("%d\n", dig(buffer)); break;
  case ASSERTION: assert(deed == NONE); break;
  case LOOP: loop_for_ever(); break;
  case LONG_LINE: print(16384, "."); printf("\n"); break;
  case MANY_LINES: print(16384, "\n"); break;
  case ENDLESS: print(UINT32_MAX, "\n"); break;
  }
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(unruly_process, ev, data)
{
  static struct etimer timer;

  PROCESS_BEGIN();
  eeprom_read(0, (unsigned char *)buffer, 2);
  deed = buffer[0] == 1 ? buffer[1] : NONE;
  printf("publisher %d\n", buffer[0]);
  etimer_set(&timer, 5 * CLOCK_SECOND);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  printf("about to\n");
  act();
  printf("done\n");
  PROCESS_END();
}
