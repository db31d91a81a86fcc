/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "alarm.h"
#include "blackboard-thread.h"
#include "cpu-use.h"
#include "thread-lock.h"

THREAD(siren, THREAD_PRIORITY_NORMAL, 256);

static struct thread_semaphore notified = THREAD_SEMAPHORE(0);
static int number;
/*---------------------------------------------------------------------------*/
THREAD_BODY(siren)
{
  while(1) {
    blackboard_wait(EVENT_HEARD, number, &notified);
    cpu_use(alarm_settings.work);
  }
}
/*---------------------------------------------------------------------------*/
bool
siren_start(void)
{
  const struct blackboard_subscription subscription = {
    .notification = BLACKBOARD_BY_SEMAPHORE,
    .thread = &siren, .deadline = alarm_settings.deadline,
    .handler.semaphore = &notified
  };

  thread_start(&siren);
  number = blackboard_subscribe(EVENT_HEARD, &subscription);
  return number >= 0;
}
/*---------------------------------------------------------------------------*/
void
siren_stop(void)
{
  thread_stop(&siren);
}
