/* SPDX-License-Identifier: Apache-2.0 */
/* Prints its records on standard output, which the checks read back. */
#include <string.h>
#include <unistd.h>
#include "configuration.h"
#include "configured-routes.h"
#include "host.h"
#include "pubsub.h"
#include "pubsub-counters.h"
#include "run-control.h"
#include "subscriber.h"
#include "sys/log.h"
#include "topic.h"

struct configuration configuration;
static char records[65536];
/*---------------------------------------------------------------------------*/
static void
begin(void)
{
  memset(&pubsub_counters, 0, sizeof(pubsub_counters));
  configuration.publication = (struct publication_parameters){
    .rate = RATE_HIGH, .seed = 5, .interval_min = 250, .interval_max = 250,
    .jitter = 0, .duration = 1000000
  };
  configured_routes_set(0);
  configured_routes_add_neighbour(2);
  pubsub_init(1, 0, &configured_routes);
  subscriber_initialise();
  host_pass(100);
  subscriber_start(run_now());
}
/*---------------------------------------------------------------------------*/
static void
arrive(int n, const struct pubsub_contributor *contributors)
{
  struct pubsub_event event =
    host_make(pubsub_subject(TOPIC), 0, n, contributors);

  host_receive_event(&event, 2, 1);
}

static void
arrive_one(uint8_t publisher, uint16_t sequence)
{
  struct pubsub_contributor one = { publisher, sequence };

  arrive(1, &one);
}
/*---------------------------------------------------------------------------*/
static const char *
dump(void)
{
  int file[2], kept = dup(1);
  ssize_t n;

  CHECK(pipe(file) == 0);
  fflush(stdout);
  dup2(file[1], 1);
  for(unsigned section = 0; subscriber_dump(section); section++);
  fflush(stdout);
  dup2(kept, 1);
  close(file[1]);
  n = read(file[0], records, sizeof(records) - 1);
  CHECK(n >= 0);
  records[n] = '\0';
  return records;
}

#define CHECK_RECORD(text) CHECK(strstr(dump(), text "\n") != NULL)
/*---------------------------------------------------------------------------*/
static void
individual_events_are_counted(void)
{
  begin();
  host_pass(600);
  arrive(3, (struct pubsub_contributor[]){ { 1, 1 }, { 2, 1 }, { 3, 2 } });
  arrive_one(1, 2);
  CHECK_RECORD("!from,1,2,0\n!from,2,1,0\n!from,3,1,0");
  CHECK_RECORD("!agg,1,1\n!agg,3,1");
  /* Rounds 1 and 2 were published at 0 and 250: delays 600, 600, 350, 350. */
  CHECK_RECORD("!cnt,delay_total_ms,1900");
  CHECK_RECORD("!dly,351,2\n!dly,639,2");
  CHECK_RECORD("!cnt,events_unaccounted,0");
}
/*---------------------------------------------------------------------------*/
static void
repeated_events_are_duplicates(void)
{
  begin();
  arrive_one(1, 5);
  arrive_one(1, 5);
  arrive_one(1, 4); /* late, but the first of it */
  arrive(2, (struct pubsub_contributor[]){ { 1, 4 }, { 2, 4 } });
  CHECK_RECORD("!from,1,2,2\n!from,2,1,0");
}
/*---------------------------------------------------------------------------*/
static void
what_cannot_be_told_is_unaccounted(void)
{
  begin();
  arrive_one(1, 300);
  arrive_one(1, 45);    /* it is 255 older, which is still known */
  arrive_one(1, 44);    /* it is 256 older */
  arrive_one(1, 4001);  /* the schedule ends at 4000 */
  arrive_one(1, 0);
  CHECK_RECORD("!from,1,2,0");
  CHECK_RECORD("!cnt,events_unaccounted,3");
}
/*---------------------------------------------------------------------------*/
static void
a_gap_opens_the_window(void)
{
  begin();
  for(uint16_t s = 1; s <= 300; s++) {
    arrive_one(1, s);
  }
  arrive_one(1, 600); /* the whole window moves on */
  for(uint16_t s = 599; s > 600 - 256; s--) {
    arrive_one(1, s);
  }
  CHECK_RECORD("!from,1,556,0");
  CHECK_RECORD("!cnt,events_unaccounted,0");
}
/*---------------------------------------------------------------------------*/
static void
a_small_gap_keeps_what_was_seen(void)
{
  begin();
  arrive_one(1, 1);
  arrive_one(1, 4);
  arrive_one(1, 1); /* again */
  arrive_one(1, 2); /* late, but the first of it */
  CHECK_RECORD("!from,1,3,1");
}
/*---------------------------------------------------------------------------*/
static void
nothing_counts_outside_the_measured_time(void)
{
  begin();
  arrive_one(1, 1);
  subscriber_stop();
  arrive_one(1, 2);
  CHECK_RECORD("!from,1,1,0");
  CHECK_RECORD("!agg,1,1");
}
/*---------------------------------------------------------------------------*/
static void
too_many_publishers_are_said_to_be(void)
{
  begin();
  for(int publisher = 255; publisher > 0; publisher--) {
    arrive_one(publisher, 1);
  }
  CHECK_EQUAL(pubsub_counters.pool_exhausted, 255 - 64);
  CHECK_EQUAL(host_logged, 1);
  CHECK_RECORD("!cnt,events_unaccounted,191");
  CHECK_RECORD("!from,254,1,0\n!from,255,1,0"); /* in order */
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(individual_events_are_counted), T(repeated_events_are_duplicates),
    T(what_cannot_be_told_is_unaccounted), T(a_gap_opens_the_window),
    T(a_small_gap_keeps_what_was_seen),
    T(nothing_counts_outside_the_measured_time),
    T(too_many_publishers_are_said_to_be),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
