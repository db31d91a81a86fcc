/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "lib/random.h"
#include "sys/ctimer.h"
#include "policy-bytecode-spread.h"
#include "pubsub.h"
#include "pubsub-octets.h"

#define HEAD POLICY_BYTECODE_PART_HEAD
#define PART POLICY_BYTECODE_PART
#define ASK 0xff
#define MOST_DOUBLINGS 5
_Static_assert(POLICY_BYTECODE_SIZE <= 32 * PART, "a part is a bit of 32");

struct program {
  uint8_t version; /* 0: none */
  uint16_t length, crc;
};

struct policy_bytecode_counters policy_bytecode_counters;
void (*policy_bytecode_seen)(uint8_t version, enum policy_bytecode_verdict verdict);

static const struct pubsub_routing_driver *routes;
static struct pubsub_publisher_channel *channel;
static struct program held, coming, refused;
static uint32_t missing, pending; /* parts of `coming`; of `held`, which are to be sent */
static uint8_t asked;             /* how often, since the last part */
static bool was_typed;            /* `coming` comes from this mote's serial port */
static struct ctimer asking, sending;
/*---------------------------------------------------------------------------*/
uint16_t
policy_bytecode_crc(const uint8_t *bytes, uint16_t length)
{
  uint16_t crc = 0;
  uint8_t bit;

  for(; length > 0; length--) {
    crc ^= (uint16_t)(*bytes++ << 8);
    for(bit = 0; bit < 8; bit++) {
      crc = (uint16_t)(crc << 1 ^ (crc & 0x8000 ? 0x1021 : 0));
    }
  }
  return crc;
}
/*---------------------------------------------------------------------------*/
/* A bit for each part. */
static uint32_t
all_parts(const struct program *program)
{
  uint8_t parts = (program->length + PART - 1) / PART;

  return 0xffffffff >> (32 - parts);
}
/*---------------------------------------------------------------------------*/
static uint8_t
size_of(const struct program *program, uint8_t number)
{
  uint16_t rest = program->length - number * PART;

  return rest < PART ? rest : PART;
}
/*---------------------------------------------------------------------------*/
static bool
is_newer(uint8_t version, const struct program *than)
{
  return than->version == 0 || (int8_t)(version - than->version) > 0;
}
/*---------------------------------------------------------------------------*/
static bool
is_same(const struct program *one, const struct program *other)
{
  return one->version == other->version && one->length == other->length
    && one->crc == other->crc;
}
/*---------------------------------------------------------------------------*/
static void
publish(const uint8_t *data, uint8_t length)
{
  pubsub_publish_by(routes, channel, data, length, 0);
}
/*---------------------------------------------------------------------------*/
static void
send_part(uint8_t number)
{
  uint8_t data[PUBSUB_MAX_DATA], size = size_of(&held, number);
  uint16_t length;
  const uint8_t *program = policy_bytecode_present(&length);

  data[0] = held.version;
  data[1] = number;
  pubsub_put16(pubsub_put16(data + 2, held.length), held.crc);
  memcpy(data + HEAD, program + number * PART, size);
  policy_bytecode_counters.code_parts_sent++;
  publish(data, HEAD + size);
}
/*---------------------------------------------------------------------------*/
static void send(void *ptr);

static void
send_in(clock_time_t least)
{
  ctimer_set(&sending, least + random_rand() % least, send, NULL);
}
/*---------------------------------------------------------------------------*/
/* The first part that is to be sent; if there is none, it is time to tell. */
static void
send(void *ptr)
{
  uint8_t number = 0;

  if(held.version == 0) {
    return;
  }
  if(pending != 0) {
    while(!(pending >> number & 1)) {
      number++;
    }
    pending &= pending - 1;
  }
  send_part(number);
  send_in(pending != 0 ? POLICY_BYTECODE_GAP : POLICY_BYTECODE_TELLING);
}
/*---------------------------------------------------------------------------*/
static void
send_soon(uint32_t parts)
{
  parts &= all_parts(&held);
  if(parts != 0) {
    if(pending == 0) {
      send_in(POLICY_BYTECODE_GAP);
    }
    pending |= parts;
  }
}
/*---------------------------------------------------------------------------*/
static void ask(void *ptr);

/* Not all that lack the same part ask at the same time. */
static void
ask_later(void)
{
  clock_time_t least = (clock_time_t)POLICY_BYTECODE_PATIENCE << asked;

  ctimer_set(&asking, least + random_rand() % least, ask, NULL);
}
/*---------------------------------------------------------------------------*/
static void
was_asked(void)
{
  if(asked < MOST_DOUBLINGS) {
    asked++;
  }
  ask_later();
}
/*---------------------------------------------------------------------------*/
static void
ask(void *ptr)
{
  uint8_t data[HEAD] = { coming.version, ASK };

  pubsub_put32(data + 2, missing);
  policy_bytecode_counters.code_asked++;
  was_asked();
  publish(data, sizeof(data));
}
/*---------------------------------------------------------------------------*/
/* Another one lacks parts: those that it will be sent are heard here, too. */
static void
others_ask(uint8_t version, uint32_t parts)
{
  if(held.version != 0 && version == held.version) {
    send_soon(parts);
  } else if(coming.version != 0 && version == coming.version && (missing & ~parts) == 0) {
    was_asked();
  }
}
/*---------------------------------------------------------------------------*/
static void
begin(const struct program *program, bool typed)
{
  coming = *program;
  was_typed = typed;
  missing = all_parts(program);
}
/*---------------------------------------------------------------------------*/
/* All parts are there. */
static void
finish(void)
{
  enum policy_bytecode_verdict verdict;

  ctimer_stop(&asking);
  if(policy_bytecode_crc(policy_bytecode_place(), coming.length) != coming.crc) {
    policy_bytecode_counters.code_damaged++;
  } else {
    verdict = policy_bytecode_take(coming.length);
    policy_bytecode_counters.verdict = verdict;
    if(policy_bytecode_seen != NULL) {
      policy_bytecode_seen(coming.version, verdict);
    }
    if(verdict == POLICY_BYTECODE_GOOD) {
      policy_bytecode_counters.code_taken++;
      held = coming;
      pending = was_typed ? all_parts(&held) : 0;
      send_in(was_typed ? POLICY_BYTECODE_GAP : POLICY_BYTECODE_TELLING);
    } else {
      policy_bytecode_counters.code_refused++;
      refused = coming;
    }
  }
  coming.version = 0;
}
/*---------------------------------------------------------------------------*/
/* A part of what this mote has, or of something older. */
static void
known_part(const struct program *of, uint8_t number)
{
  if(!is_same(of, &held)) {
    send_soon(1); /* whoever sent it gets to know of ours */
    return;
  }
  pending &= ~((uint32_t)1 << number);
  if(pending == 0) {
    send_in(POLICY_BYTECODE_TELLING);
  }
}
/*---------------------------------------------------------------------------*/
static bool
is_part(const struct program *of, uint8_t number, uint8_t length)
{
  return of->version != 0 && of->length > 0 && of->length <= POLICY_BYTECODE_SIZE
    && number < 32 && all_parts(of) >> number & 1 && size_of(of, number) == length;
}
/*---------------------------------------------------------------------------*/
static void
take_part(const uint8_t *data, uint8_t length, bool typed)
{
  struct program of = { 0 };
  uint8_t number = 0;

  if(length > HEAD) {
    of = (struct program) { data[0], pubsub_get16(data + 2), pubsub_get16(data + 4) };
    number = data[1];
  }
  if(!is_part(&of, number, length - HEAD)) {
    policy_bytecode_counters.code_malformed++;
  } else if(!is_newer(of.version, &held)) {
    known_part(&of, number);
  } else if(!is_same(&of, &refused)) {
    if(!is_same(&of, &coming)) {
      if(!is_newer(of.version, &coming) && !typed) {
        return;
      }
      begin(&of, typed);
    }
    memcpy(policy_bytecode_place() + number * PART, data + HEAD, length - HEAD);
    missing &= ~((uint32_t)1 << number);
    asked = 0;
    ask_later();
    if(missing == 0) {
      finish();
    }
  }
}
/*---------------------------------------------------------------------------*/
void
policy_bytecode_part(const uint8_t *data, uint8_t length)
{
  take_part(data, length, true);
}
/*---------------------------------------------------------------------------*/
static void
arrived(const struct pubsub_event *event, uint16_t from, void *context)
{
  if(from == pubsub_routing_self()) {
    return;
  }
  if(event->length != HEAD || event->data[1] != ASK) {
    take_part(event->data, event->length, false);
  } else {
    others_ask(event->data[0], pubsub_get32(event->data + 2));
  }
}
/*---------------------------------------------------------------------------*/
bool
policy_bytecode_spread_init(const struct pubsub_routing_driver *driver)
{
  routes = driver;
  memset(&policy_bytecode_counters, 0, sizeof(policy_bytecode_counters));
  held.version = coming.version = refused.version = 0;
  ctimer_stop(&asking);
  ctimer_stop(&sending);
  pending = 0;
  policy_bytecode_init();
  channel = pubsub_announce(POLICY_BYTECODE_SUBJECT, NULL);
  return channel != NULL && pubsub_subscribe(POLICY_BYTECODE_SUBJECT, arrived, NULL, NULL) != NULL;
}
/*---------------------------------------------------------------------------*/
uint8_t
policy_bytecode_version(void)
{
  return held.version;
}
/*---------------------------------------------------------------------------*/
static bool
revert(void)
{
  refused = held; /* others have it, and tell of it */
  held.version = 0; /* what it goes back to isn't spread */
  coming.version = 0;
  ctimer_stop(&asking);
  return policy_bytecode_revert();
}
/*---------------------------------------------------------------------------*/
bool
policy_bytecode_line(const char *line)
{
  static const char begin_of_all[] = "policy code ";
  uint8_t data[PUBSUB_MAX_DATA], length = 0;
  int octet;

  if(strncmp(line, begin_of_all, sizeof(begin_of_all) - 1) != 0) {
    return false;
  }
  line += sizeof(begin_of_all) - 1;
  if(strcmp(line, "revert") == 0) {
    return revert();
  }
  for(; *line != '\0'; line += 2) {
    octet = pubsub_hex_octet(line);
    if(length == sizeof(data) || octet < 0) {
      return false;
    }
    data[length++] = octet;
  }
  policy_bytecode_part(data, length);
  return true;
}
