/* SPDX-License-Identifier: Apache-2.0 */
#include "contiki.h"
#include "cpu-use.h"
#include "needs.h"

struct needs needs;
const char *const needs_names[APPLICATIONS] = { "control", "watch", "record" };
uint16_t needs_used[APPLICATIONS];
/*---------------------------------------------------------------------------*/
bool
needs_it(unsigned application, int32_t reading, struct recorded *last)
{
  int32_t change;

  switch(application) {
  case WATCH:
    return reading > needs.limit;
  case RECORD:
    change = reading - last->value;
    if(last->any && change <= needs.delta && change >= -needs.delta) {
      return false;
    }
    last->any = true;
    last->value = reading;
    return true;
  default:
    return true;
  }
}
/*---------------------------------------------------------------------------*/
void
needs_use(unsigned application)
{
  needs_used[application]++;
  cpu_use(needs.work);
}
