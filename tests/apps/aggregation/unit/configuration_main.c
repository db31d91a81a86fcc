/* SPDX-License-Identifier: Apache-2.0 */
/* Reads an EEPROM image in hexadecimal and prints what the mote makes of it. */
#include <stdio.h>
#include <string.h>
#include "configuration.h"
#include "configured-routes.h"
#include "dev/eeprom.h"
#include "topic.h"

static unsigned char image[EEPROM_SIZE];
/*---------------------------------------------------------------------------*/
bool
eeprom_read(eeprom_addr_t addr, unsigned char *buf, size_t size)
{
  memcpy(buf, image + addr, size);
  return true;
}
/*---------------------------------------------------------------------------*/
int
main(void)
{
  const struct configuration *c = &configuration;
  const struct publication_parameters *p = &c->publication;
  const char *fault;
  unsigned byte, n = 0;

  while(n < sizeof(image) && scanf("%2x", &byte) == 1) {
    image[n++] = byte;
  }
  fault = configuration_read();
  if(fault != NULL) {
    printf("fault=%s\n", fault);
    return 0;
  }
  printf("role=%s\nmote=%u\nparent=%u\ncontrol=%u\nsubscriber=%u\nindex=%u\n"
         "publishers=%u\npublishers_through=%u\ntrace=%d\naggregate=%d\n"
         "full=%u\ndrain=%u\nbegins=%u\ntimeout=%u\n",
         configuration_role_name(), c->mote, c->parent, c->control,
         c->subscriber, c->index, c->publishers, c->publishers_through,
         c->trace, c->aggregate, c->full, c->drain, c->begins, c->timeout);
  printf("rate=%u\nseed=%u\ninterval_min=%u\ninterval_max=%u\njitter=%u\n"
         "delay_step=%u\nduration=%u\nmerge=%u\nhold=%u\nlast_first=%u\n", p->rate, p->seed, p->interval_min,
         p->interval_max, p->jitter, p->delay_step, p->duration, c->merge,
         c->hold, p->last_first);
  struct pubsub_event second = { .subject = pubsub_subject(SECOND_TOPIC) };
  printf("topic=%u\nsecond_hop=%u\nsecond_through=%u\n", c->topic,
         configured_routes.next_hop(&second, 0), c->second_through);
  for(unsigned mote = 0; mote < 65536; mote++) {
    if(configured_routes.is_neighbour(mote)) {
      printf("hears=%u\n", mote);
    }
  }
  return 0;
}
