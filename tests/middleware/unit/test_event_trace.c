/* SPDX-License-Identifier: Apache-2.0 */
/* The trace's records, with subjects, numbers and contributors of every form that there is. */
#include "printed.h"
#include "run-log/event-trace.c"
#include "host.h"

static struct pubsub_event
event(const char *subject)
{
  struct pubsub_event made = { .contributors = 1, .contributor = { { 3, 4, 0 } } };

  for(unsigned i = 0; i < 8; i++) {
    made.subject = made.subject << 8 | (unsigned char)subject[i];
  }
  return made;
}
/*---------------------------------------------------------------------------*/
static void
a_subject_is_text_or_digits(void)
{
  static const struct {
    const char *octets, *printed;
  } cases[] = {
    { "alarm\0\0\0", "alarm" },
    { "humidity", "humidity" },
    { "a\0\0\0\0\0\0\0", "a" },
    { "a\0bcdefg", "a" },
    { "!bc~\0\0\0\0", "!bc~" },
    { "\0alarm\0\0", "00616c61726d0000" },
    { "\0\0\0\0\0\0\0\0", "0000000000000000" },
    { "a b\0\0\0\0\0", "6120620000000000" },
    { "a\177\0\0\0\0\0\0", "617f000000000000" },
    { "a,b\0\0\0\0\0", "612c620000000000" },
    { "alar\xffm\0\0", "616c6172ff6d0000" },
    { "abcdefg\1", "6162636465666701" },
    { "\1\2\3\4\5\6\7\x8", "0102030405060708" },
  };

  event_trace_switch(true);
  for(unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char expected[40];
    struct pubsub_event made = event(cases[i].octets);

    snprintf(expected, sizeof(expected), "!pub,%s,3,4,0\n", cases[i].printed);
    pubsub_observer->published(&made);
    CHECK_PRINTED(expected);
  }
}
/*---------------------------------------------------------------------------*/
static void
data_of_two_or_four_octets_are_a_number(void)
{
  static const struct {
    uint8_t length;
    const char *printed;
  } cases[] = { { 0, "0" }, { 1, "0" }, { 2, "-2" }, { 3, "0" }, { 4, "-16711682" }, { 5, "0" }, { 8, "0" } };
  struct pubsub_event made = event("alarm\0\0\0");

  memcpy(made.data, "\xfe\xff\x00\xff\x01\x01\x01\x01", 8);
  event_trace_switch(true);
  for(unsigned i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
    char expected[40];

    made.length = cases[i].length;
    snprintf(expected, sizeof(expected), "!pub,alarm,3,4,%s\n", cases[i].printed);
    pubsub_observer->published(&made);
    CHECK_PRINTED(expected);
  }
}
/*---------------------------------------------------------------------------*/
static void
each_record_has_its_fields(void)
{
  struct pubsub_event one = event("alarm\0\0\0"), aggregate = event("heat\0\0\0\0");

  aggregate.contributors = 3;
  aggregate.contributor[1] = (struct pubsub_contributor){ 255, 65535, 7 };
  aggregate.contributor[2] = (struct pubsub_contributor){ 1, 0, 8 };
  event_trace_switch(true);
  pubsub_observer->sent(&one, 5, 60000);
  CHECK_PRINTED("!snd,alarm,5,60000,3.4\n");
  pubsub_observer->received(&aggregate, 65535, 7);
  CHECK_PRINTED("!rcv,heat,65535,7,3.4+255.65535+1.0\n");
  pubsub_observer->dropped("malformed", 40000, 8);
  CHECK_PRINTED("!drp,malformed,40000,8\n");
  pubsub_observer->merged(&aggregate, &one);
  CHECK_PRINTED("!mrg,heat,3.4+255.65535+1.0,3.4\n");
  pubsub_observer->forwarded(&aggregate, "timeout");
  CHECK_PRINTED("!fwd,heat,timeout,3.4+255.65535+1.0\n");
  pubsub_observer->delivered(&one, 9);
  CHECK_PRINTED("!dlv,alarm,9,3.4\n");
}
/*---------------------------------------------------------------------------*/
static void
nothing_is_observed_but_while_it_is_on(void)
{
  struct pubsub_event one = event("alarm\0\0\0");

  PUBSUB_OBSERVE(published, &one);
  CHECK_PRINTED("");
  event_trace_switch(true);
  PUBSUB_OBSERVE(published, &one);
  CHECK_PRINTED("!pub,alarm,3,4,0\n");
  event_trace_switch(false);
  PUBSUB_OBSERVE(published, &one);
  CHECK_PRINTED("");
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_subject_is_text_or_digits), T(data_of_two_or_four_octets_are_a_number),
    T(each_record_has_its_fields), T(nothing_is_observed_but_while_it_is_on),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
