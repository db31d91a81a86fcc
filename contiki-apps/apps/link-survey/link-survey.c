/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Rounds without an end. In each, a mote listens to the noise on every channel, and then
 * counts aloud, so many frames at each transmit power. It prints what it says, what it
 * hears and how well. README.md has the form of the lines.
 */
#include "contiki.h"
#include "lib/random.h"
#include "net/netstack.h"
#include "net/nullnet/nullnet.h"
#include "net/packetbuf.h"
#include "identity.h"
#include "eeprom-fields.h"
#include "pubsub/pubsub-clock.h"

#include <stdio.h>
#include <string.h>

#define WARM_UP (5 * CLOCK_SECOND)
#define NOISE_TIME (8 * CLOCK_SECOND) /* nobody who booted within some seconds of the others sends then */
#define SAMPLES 16                    /* of a channel's noise, one a tick */
#define UNKNOWN INT8_MIN              /* a power that the radio's driver doesn't tell */

struct frame {
  uint8_t count[4]; /* the lower octet first */
  int8_t power;     /* as the sender's driver says it */
} __attribute__((packed));

/* Without an image: one frame in 4 s at the highest power. */
static struct eeprom_fields settings = {
  .period_ms = 4000, .frames = 8, .powers = 1, .power_high = INT8_MAX, .power_low = INT8_MIN
};
static struct frame frame;
static uint32_t count, rounds;
static radio_value_t channel, low, high; /* dBm; Cooja: per cent of the range */

PROCESS(link_survey_process, "Link survey");
AUTOSTART_PROCESSES(&identity_process, &link_survey_process);
/*---------------------------------------------------------------------------*/
static void
configure(void)
{
  struct eeprom_fields fields;

  if(eeprom_fields_read(&fields)) {
    settings = fields;
    random_init((unsigned short)(settings.seed + linkaddr_node_addr.u8[LINKADDR_SIZE - 1]
                                 + 7919U * (linkaddr_node_addr.u8[0] | linkaddr_node_addr.u8[1] << 8)));
  }
  if(NETSTACK_RADIO.get_value(RADIO_CONST_TXPOWER_MIN, &low) != RADIO_RESULT_OK
     || NETSTACK_RADIO.get_value(RADIO_CONST_TXPOWER_MAX, &high) != RADIO_RESULT_OK) {
    settings.powers = 1;
    low = high = UNKNOWN;
    return;
  }
  high = settings.power_high < high ? (radio_value_t)settings.power_high : high;
  low = settings.power_low > low ? (radio_value_t)settings.power_low : low;
  low = low < high ? low : high;
}
/*---------------------------------------------------------------------------*/
/* The driver takes the nearest power that the radio has, and says which. */
static void
set_power(unsigned step)
{
  radio_value_t power = high;

  if(settings.powers > 1) {
    power -= (radio_value_t)((int32_t)(high - low) * (int32_t)step / (settings.powers - 1));
  }
  if(power == UNKNOWN || NETSTACK_RADIO.set_value(RADIO_PARAM_TXPOWER, power) != RADIO_RESULT_OK
     || NETSTACK_RADIO.get_value(RADIO_PARAM_TXPOWER, &power) != RADIO_RESULT_OK) {
    power = UNKNOWN;
  }
  frame.power = (int8_t)power;
}
/*---------------------------------------------------------------------------*/
static void
print_power(int8_t power)
{
  if(power == UNKNOWN) {
    printf(" power default");
  } else {
    printf(" power %d", power);
  }
}
/*---------------------------------------------------------------------------*/
static void
heard(const void *data, uint16_t length, const linkaddr_t *from, const linkaddr_t *to)
{
  struct frame got;
  unsigned i;

  if(length != sizeof(got)) {
    return;
  }
  memcpy(&got, data, sizeof(got));
  printf("heard %lu from ", (unsigned long)got.count[0] | (unsigned long)got.count[1] << 8
         | (unsigned long)got.count[2] << 16 | (unsigned long)got.count[3] << 24);
  for(i = 0; i < LINKADDR_SIZE; i++) {
    printf("%02x", from->u8[i]);
  }
  print_power(got.power);
  printf(" rssi %d lqi %u\n", (int16_t)packetbuf_attr(PACKETBUF_ATTR_RSSI),
         (unsigned)packetbuf_attr(PACKETBUF_ATTR_LINK_QUALITY));
}
/*---------------------------------------------------------------------------*/
static void
say(void)
{
  unsigned i;

  count++;
  for(i = 0; i < sizeof(frame.count); i++) {
    frame.count[i] = (uint8_t)(count >> (8 * i));
  }
  printf("say %lu round %lu", (unsigned long)count, (unsigned long)rounds);
  print_power(frame.power);
  printf("\n");
  nullnet_buf = (uint8_t *)&frame;
  nullnet_len = sizeof(frame);
  NETSTACK_NETWORK.output(NULL);
}
/*---------------------------------------------------------------------------*/
/* A part of the period: the same for nobody else, so that no two motes always meet. */
static clock_time_t
moment(clock_time_t period)
{
  return (clock_time_t)((uint64_t)period * random_rand() / ((uint32_t)RANDOM_RAND_MAX + 1));
}
/*---------------------------------------------------------------------------*/
/* In ascending order up to here. */
static void
insert(int8_t *samples, unsigned size, radio_value_t value)
{
  int8_t sample = (int8_t)(value < INT8_MIN ? INT8_MIN : value > INT8_MAX ? INT8_MAX : value);

  for(; size > 0 && samples[size - 1] > sample; size--) {
    samples[size] = samples[size - 1];
  }
  samples[size] = sample;
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(link_survey_process, ev, data)
{
  static struct etimer timer, stretch;
  static int8_t samples[SAMPLES];
  static unsigned step, frames, taken;
  static radio_value_t first, last, sample;
  static clock_time_t period, when;

  PROCESS_BEGIN();
  configure();
  identity_say();
  nullnet_set_input_callback(heard);
  period = pubsub_ticks(settings.period_ms);
  etimer_set(&timer, WARM_UP);
  PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
  while(1) {
    rounds++;
    etimer_set(&stretch, NOISE_TIME);
    if(NETSTACK_RADIO.get_value(RADIO_PARAM_CHANNEL, &channel) == RADIO_RESULT_OK
       && NETSTACK_RADIO.get_value(RADIO_CONST_CHANNEL_MIN, &first) == RADIO_RESULT_OK
       && NETSTACK_RADIO.get_value(RADIO_CONST_CHANNEL_MAX, &last) == RADIO_RESULT_OK) {
      etimer_set(&timer, NOISE_TIME / 4);
      PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
      for(; first <= last; first++) {
        NETSTACK_RADIO.set_value(RADIO_PARAM_CHANNEL, first);
        for(taken = 0; taken < SAMPLES;) {
          etimer_set(&timer, 1);
          PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
          if(NETSTACK_RADIO.get_value(RADIO_PARAM_RSSI, &sample) != RADIO_RESULT_OK) {
            break;
          }
          insert(samples, taken++, sample);
        }
        if(taken == SAMPLES) {
          printf("noise %d low %d median %d high %d\n", first, samples[0], samples[SAMPLES / 2],
                 samples[SAMPLES - 1]);
        }
      }
      NETSTACK_RADIO.set_value(RADIO_PARAM_CHANNEL, channel);
    }
    PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&stretch));
    for(step = 0; step < settings.powers; step++) {
      set_power(step);
      for(frames = 0; frames < settings.frames; frames++) {
        etimer_set(&stretch, period);
        when = moment(period);
        if(when > 0) {
          etimer_set(&timer, when);
          PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&timer));
        }
        say();
        PROCESS_WAIT_EVENT_UNTIL(etimer_expired(&stretch));
      }
    }
  }
  PROCESS_END();
}
