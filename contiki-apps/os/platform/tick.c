/* SPDX-License-Identifier: Apache-2.0 */
/* The function that the simulator calls. Most ticks of a mote find nothing to do
   (a neighbour sends, or the wake-up was meant for an earlier state) and return at
   once. */
#include "contiki.h"
#include "lib/random.h"
#include "platform/mote.h"
#if MAC_CONF_WITH_RADIO_CSMA
#include "net/mac/radio-csma/rx-aack.h"
#endif

int
cooja_init(void)
{
  fibre_start(mote_main);
  return 0;
}

/* The state of the simulated hardware, before any software runs. */
static void
take_in(void)
{
  if(simMoteIDChanged) {
    simMoteIDChanged = 0;
    /* Mote 2 of seed 1 and mote 1 of seed 2 have the same simRandomSeed. */
    random_seed((uint64_t)(uint32_t)simRandomSeed, (uint64_t)(uint32_t)simMoteID);
  }
  if(!simRadioHWOn) {
    simInSize = 0;
  } else if(simReceiving) {
    simLastSignalStrength = simSignalStrength;
    simLastLQI = simLQI;
  } else if(simInSize > 0) {
    cooja_radio_received();
  }
  if(simSerialReceivingFlag) {
    mote_serial_input();
  }
  if(simButtonChanged) {
    mote_button_changed();
  }
  if(simPirChanged) {
    mote_pir_changed();
  }
  if(simVibChanged) {
    mote_vibration_changed();
  }
}

/* Says when the simulator has to call again. The simulator's rtimer wakes the
   fibre as well, because nothing else wakes it at an exact time, however many
   other ticks come before. Etimers have to wait while the fibre does. With a clock
   that isn't Cooja's, etimers come by the rtimer, too, because
   simEtimerNextExpirationTime has ms. */
static void
publish_timers(void)
{
  int64_t exact = MIN(rtimer_next_time(), fibre_wake_time());

#if MAC_CONF_WITH_RADIO_CSMA
  exact = MIN(exact, rx_aack_time());
#endif
#if !CLOCK_IS_COOJAS
  if(fibre_waits_for_work()) {
    exact = MIN(exact, clock_etimer_time());
  }
#endif
  simRtimerPending = exact != INT64_MAX;
  simRtimerNextExpirationTime = simRtimerPending ? exact : 0;
  simEtimerPending = CLOCK_IS_COOJAS && fibre_waits_for_work() && etimer_pending();
  simEtimerNextExpirationTime = (int64_t)etimer_next_expiration_time();
}

void
cooja_tick(void)
{
  bool rtimer_is_due = simRtimerPending &&
    simRtimerNextExpirationTime <= simRtimerCurrentTicks;

  simProcessRunValue = 0;
  take_in();
#if MAC_CONF_WITH_RADIO_CSMA
  if(rx_aack_tick()) {
    publish_timers();
  }
#endif
  if(rtimer_is_due && rtimer_next_time() <= simRtimerCurrentTicks) {
    rtimer_run_next();
    publish_timers();
  }
  if(!fibre_is_waiting()) {
    fibre_resume();
    publish_timers();
  }
}
