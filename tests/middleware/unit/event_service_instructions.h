/* SPDX-License-Identifier: Apache-2.0 */
/* Instructions, what the instructor makes of lines, and terms. */
#ifndef UNIT_EVENT_SERVICE_INSTRUCTIONS_H_
#define UNIT_EVENT_SERVICE_INSTRUCTIONS_H_

#include "event_service_line.h"

static unsigned instructions;
static struct event_service_instruction instruction;

static void
follow(const struct event_service_instruction *i)
{
  instructions++;
  instruction = *i;
}
/*---------------------------------------------------------------------------*/
static void
instructions_are_followed_once_each(void)
{
  struct event_service_instruction i = { 7, SELF, EVENT_SERVICE_INSTRUCT_PUSH, 300, TEMP };
  uint8_t bytes[EVENT_SERVICE_INSTRUCTION_SIZE + 1] = { 0 };

  start(leaf);
#define INSTRUCT() do { \
    event_service_instruction_encode(&i, bytes); \
    receive(PUBSUB_FRAME_INSTRUCTION, OTHER, bytes, EVENT_SERVICE_INSTRUCTION_SIZE); \
  } while(0)
  INSTRUCT(); /* nobody follows them */
  event_service_instructed_set(follow);
  i.target = CHILD;
  INSTRUCT();
  CHECK_EQUAL(instructions, 0);
  i.target = SELF;
  INSTRUCT();
  INSTRUCT(); /* a repeat */
  CHECK_EQUAL(instructions, 1);
  CHECK(instruction.number == 7 && instruction.code == EVENT_SERVICE_INSTRUCT_PUSH && instruction.interval == 300
        && instruction.event == TEMP && instruction.target == SELF);
  i.number++;
  INSTRUCT();
  CHECK_EQUAL(instructions, 2);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 0);
  i.number++;
  for(int code = 0; code < 256; code++) {
    i.code = code;
    if(code < EVENT_SERVICE_INSTRUCT_ADVERTISE || code > EVENT_SERVICE_INSTRUCT_INTERVAL) {
      INSTRUCT();
    }
  }
  CHECK_EQUAL(pubsub_counters.packets_malformed, 252);
  i.code = EVENT_SERVICE_INSTRUCT_ADVERTISE;
  i.target = PUBSUB_NOBODY;
  INSTRUCT();
  i.target = PUBSUB_SEVERAL;
  INSTRUCT();
  i.target = SELF;
  event_service_instruction_encode(&i, bytes);
  receive(PUBSUB_FRAME_INSTRUCTION, OTHER, bytes, EVENT_SERVICE_INSTRUCTION_SIZE - 1);
  receive(PUBSUB_FRAME_INSTRUCTION, OTHER, bytes, EVENT_SERVICE_INSTRUCTION_SIZE + 1);
  CHECK_EQUAL(pubsub_counters.packets_malformed, 256);
  CHECK_EQUAL(instructions, 2);
  INSTRUCT();
  i.code = EVENT_SERVICE_INSTRUCT_INTERVAL;
  i.number++;
  INSTRUCT();
  CHECK_EQUAL(instructions, 4);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
/* Each of its commands, three times, 50 ms apart; while it says one it hears no other. */
static void
the_instructor_repeats_itself(void)
{
  struct event_service_instruction expected = { 1, 4, EVENT_SERVICE_INSTRUCT_ADVERTISE, 0, TEMP };
  uint8_t bytes[EVENT_SERVICE_INSTRUCTION_SIZE];

  pubsub_init(SELF, 0, &tree);
  event_service_instructor_start(SELF);
  for(int command = 0; command < 2; command++) {
    says(&event_service_instructor_process, "-4-10-temp-");
    event_service_instruction_encode(&expected, bytes);
    for(int times = 0; times < EVENT_SERVICE_INSTRUCTION_TIMES; times++) {
      CHECK_SENT(INSTRUCTION, PUBSUB_EVERYBODY, bytes, sizeof(bytes));
      host_pass(49);
      CHECK_SILENT();
      says(&event_service_instructor_process, "-4-11-temp-");
      CHECK_SILENT();
      host_pass(1);
    }
    CHECK_SILENT();
    says(&event_service_instructor_process, "-4-11-temp");
    CHECK_SILENT();
    expected.number++;
  }
  says(&event_service_instructor_process, "-65533-13-65535-");
  expected = (struct event_service_instruction){ 3, 65533, EVENT_SERVICE_INSTRUCT_INTERVAL, 65535, 0 };
  event_service_instruction_encode(&expected, bytes);
  CHECK_SENT(INSTRUCTION, PUBSUB_EVERYBODY, bytes, sizeof(bytes));
}
/*---------------------------------------------------------------------------*/
static void
commands_are_read_to_the_end(void)
{
  static const char *const none[] = {
    "", "4-10-temp-", "-4-10-temp", "-4-10--", "-4-10-temp-x", "-4-10-te,p-", "-4-10-te p-", "-4-10-ninechars-",
    "-4-10-te\177-", "-0-10-temp-", "-65534-10-temp-", "-4-9-temp-", "-4-14-temp-", "-4-13-0-", "-4-13-65536-", "-4-13--",
    "-4-13-temp-", "--10-temp-", "-4--temp-", "-x-10-temp-", "-4x10-temp-", "-4-13-5", "-4-13-5-x", "-4-13-4294967297-", "-4"
  };
  static const struct {
    const char *line;
    struct event_service_instruction read;
  } some[] = {
    { "-1-10-temp-", { 0, 1, 10, 0, 0 } }, { "-65533-12-!~-", { 0, 65533, 12, 0, 0 } },
    { "-09-11-eightchr-", { 0, 9, 11, 0, 0 } }, { "-4-13-1-", { 0, 4, 13, 1, 0 } }, { "-4-13-65535-", { 0, 4, 13, 65535, 0 } }
  };
  static const char *const names[] = { "temp", "!~", "eightchr", "", "" };
  struct event_service_instruction read = { 99, 0, 0, 0, 0 };

  for(unsigned i = 0; i < sizeof(none) / sizeof(none[0]); i++) {
    CHECK(!event_service_instructor_read(none[i], &read));
    CHECK(read.target == 0 && read.code == 0);
  }
  for(unsigned i = 0; i < sizeof(some) / sizeof(some[0]); i++) {
    CHECK(event_service_instructor_read(some[i].line, &read));
    CHECK_EQUAL(read.number, 99);
    CHECK_EQUAL(read.target, some[i].read.target);
    CHECK_EQUAL(read.code, some[i].read.code);
    CHECK_EQUAL(read.interval, some[i].read.interval);
    CHECK_EQUAL(read.event, pubsub_subject(names[i]));
  }
}
/*---------------------------------------------------------------------------*/
static unsigned refusals, refused_reasons;
static uint16_t refused_supplier;
static pubsub_subject_t refused_event;

static void
refused(pubsub_subject_t event, uint16_t mote, uint8_t reasons)
{
  refusals++;
  refused_event = event;
  refused_supplier = mote;
  refused_reasons = reasons;
}
/*---------------------------------------------------------------------------*/
static void
a_refusal_says_the_event_the_supplier_and_the_reasons(void)
{
  struct event_service_delivery delivery = {
    1, { SELF }, { .subject = pubsub_subject("!refused"), .contributors = 1, .contributor = { { 1, 1, 0 } }, .length = 11,
                   .data = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 1, 0x1f, 0 } }
  };
  uint8_t bytes[PUBSUB_FRAME_SIZE];
  uint16_t length;

  start(leaf);
  CHECK(event_terms_on_refusal(refused));
  for(int more = -1; more <= 1; more++) {
    delivery.event.length = 11 + more;
    length = event_service_delivery_encode(&delivery, bytes, sizeof(bytes));
    receive(PUBSUB_FRAME_DELIVERY, PARENT, bytes, length);
    CHECK_EQUAL(refusals, more >= 0);
  }
  CHECK_EQUAL(refused_event, 0x0807060504030201);
  CHECK_EQUAL(refused_supplier, 0x0109);
  CHECK_EQUAL(refused_reasons, 0x1f);
}
/*---------------------------------------------------------------------------*/
static void
terms_are_found(void)
{
  static const uint8_t some[] = { 1, 1, 9, 5, 2, 8, 7, 6, 0, 8, 1, 1 };
  static const uint8_t gap[] = { 7, 33 };
  uint8_t size = 99, longest[34] = { 7, 32 };

  CHECK(event_terms_are(some, sizeof(some)) && event_terms_are(some, 0) && event_terms_are(some, 3));
  for(uint8_t cut = 1; cut < sizeof(some); cut++) {
    CHECK_EQUAL(event_terms_are(some, cut), cut == 3 || cut == 7 || cut == 9);
  }
  CHECK(event_terms_are(longest, 34) && !event_terms_are(gap, 2));
  CHECK(event_terms_find(some, sizeof(some), 1, &size) == some + 2 && size == 1);
  CHECK(event_terms_find(some, sizeof(some), 5, &size) == some + 5 && size == 2);
  CHECK(event_terms_find(some, sizeof(some), 6, &size) == some + 9 && size == 0);
  CHECK(event_terms_find(some, sizeof(some), 8, &size) == some + 11 && size == 1);
  CHECK(event_terms_find(some, sizeof(some), 7, &size) == NULL);
  CHECK(event_terms_find(some, 9, 8, &size) == NULL);
  CHECK(event_terms_find(some, 0, 1, &size) == NULL);
  /* A condition that is damaged wants nothing. */
  CHECK(event_terms_want(some, sizeof(some), some, 1));
  CHECK(event_terms_want((const uint8_t *)"\7\3\x42\0\5", 5, (const uint8_t *)"\6", 1));
  CHECK(!event_terms_want((const uint8_t *)"\7\3\x42\0\5", 5, (const uint8_t *)"\5", 1));
  CHECK(!event_terms_want((const uint8_t *)"\7\2\x42\0", 4, (const uint8_t *)"\6", 1));
}

#endif
