/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include "contiki.h"
#include "net/netstack.h"
#include "net/queuebuf.h"
#include "sys/ctimer.h"
#include "event-service.h"
#include "power-loss.h"
#include "supplier.h"

static uint32_t after, away; /* ms */
static void (*begin_anew)(void), (*end)(void);

PROCESS_NAME(ctimer_process);
PROCESS_NAME(event_service_process); /* reads a base station's serial line */
PROCESS(power_loss_process, "Power loss");
/*---------------------------------------------------------------------------*/
void
power_loss_plan(uint32_t after_ms, uint32_t away_ms, void (*boot)(void),
                void (*last_words)(void))
{
  after = after_ms;
  away = away_ms;
  begin_anew = boot;
  end = last_words;
  process_start(&power_loss_process, NULL);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(power_loss_process, ev, data)
{
  static struct etimer timer;

  PROCESS_BEGIN();

  etimer_set(&timer, pubsub_ticks(after));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  printf("!die,planned\n");
  NETSTACK_MAC.off();
  NETSTACK_RADIO.off();
  /* No timer of the event service or the MAC runs out any more, and no line is read. */
  process_exit(&ctimer_process);
  process_exit(&event_service_process);
  if(away == 0) {
    end();
    PROCESS_EXIT();
  }
  etimer_set(&timer, pubsub_ticks(away));
  PROCESS_WAIT_UNTIL(etimer_expired(&timer));
  ctimer_init();
  queuebuf_init();
  netstack_init();
  begin_anew();

  PROCESS_END();
}
