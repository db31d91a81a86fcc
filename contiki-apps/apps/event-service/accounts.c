/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Events can come twice and out of order where gateways send them back and forth,
 * so each number has a bit of its own.
 */
#include <stdio.h>
#include "contiki.h"
#include "accounts.h"
#include "pubsub-counters.h"

static struct account {
  uint8_t publisher; /* 0: free */
  uint16_t events;
  uint16_t duplicates;
  uint8_t here[ACCOUNTS_EVENTS / 8];
} accounts[ACCOUNTS_SUPPLIERS];
/*---------------------------------------------------------------------------*/
static struct account *
account_of(uint8_t publisher)
{
  unsigned i;

  for(i = 0; i < ACCOUNTS_SUPPLIERS; i++) {
    if(accounts[i].publisher == publisher || accounts[i].publisher == 0) {
      accounts[i].publisher = publisher;
      return &accounts[i];
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
void
accounts_arrived(const struct pubsub_event *event)
{
  struct account *account = account_of(event->contributor[0].publisher);
  uint16_t number = event->contributor[0].sequence % ACCOUNTS_EVENTS;
  uint8_t bit = 1 << number % 8;

  if(account == NULL) {
    pubsub_counters.pool_exhausted++;
  } else if(account->here[number / 8] & bit) {
    account->duplicates++;
  } else {
    account->here[number / 8] |= bit;
    account->events++;
  }
}
/*---------------------------------------------------------------------------*/
void
accounts_dump(void)
{
  unsigned i;

  for(i = 0; i < ACCOUNTS_SUPPLIERS && accounts[i].publisher != 0; i++) {
    printf("!from,%u,%u,%u\n", (unsigned)accounts[i].publisher,
           (unsigned)accounts[i].events, (unsigned)accounts[i].duplicates);
  }
}
