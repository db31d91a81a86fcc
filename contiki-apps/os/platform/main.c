/* SPDX-License-Identifier: Apache-2.0 */
/* From boot to the loop that runs the processes. */
#include "contiki.h"

#include "dev/button-hal.h"
#include "dev/leds.h"
#include "dev/pir-sensor.h"
#include "dev/serial-line.h"
#include "dev/vib-sensor.h"
#include "dev/watchdog.h"
#include "lib/sensors.h"
#include "net/linkaddr.h"
#include "net/netstack.h"
#include "net/queuebuf.h"
#include "platform/mote.h"
#include "sys/energest.h"
#include "sys/node-id.h"

/* Prints a line at boot if the application wants one; measured runs print
   records only. */
#ifdef MOTE_CONF_BANNER
#define LOG_MODULE "Main"
#define LOG_LEVEL LOG_LEVEL_MAIN
#include "sys/log.h"
#endif

/* The most events delivered in one tick, which is more than can wait in the
   queue. A process that posts to itself for ever goes on a ms later instead of
   never returning. */
#define EVENTS_PER_TICK 64

SENSORS(&pir_sensor, &vib_sensor);

static void
set_link_address(void)
{
  linkaddr_t address = { .u8 = { simMoteID & 0xff, (simMoteID >> 8) & 0xff } };

  linkaddr_set_node_addr(&address);
}

static void
boot(void)
{
  leds_init();
  clock_init();
  rtimer_init();
  process_init();
  process_start(&etimer_process, NULL);
  ctimer_init();
  watchdog_init();
  energest_init();
  set_link_address();
  button_hal_init();
  queuebuf_init();
  netstack_init();
  node_id_init();
  process_start(&sensors_process, NULL);
  serial_line_init();
#ifdef MOTE_CONF_BANNER
  LOG_INFO("Starting on mote %u\n", node_id);
#endif
  autostart_start(autostart_processes);
}

static void
run_processes(void)
{
  for(int i = 0; i < EVENTS_PER_TICK; i++) {
    if(etimer_pending() &&
       !CLOCK_LT(clock_time(), etimer_next_expiration_time())) {
      etimer_request_poll();
    }
    if(process_nevents() == 0) {
      return;
    }
    process_run();
  }
  simProcessRunValue = 1;
}

void
mote_main(void)
{
  /* As in Contiki-NG on Cooja, the first ms passes before main(). */
  fibre_sleep(1000);
  boot();
  while(1) {
    run_processes();
    if(simDontFallAsleep) {
      simDontFallAsleep = 0;
      simProcessRunValue = 1;
    }
    ENERGEST_SWITCH(ENERGEST_TYPE_CPU, ENERGEST_TYPE_LPM);
    fibre_wait_work();
    ENERGEST_SWITCH(ENERGEST_TYPE_LPM, ENERGEST_TYPE_CPU);
  }
}
