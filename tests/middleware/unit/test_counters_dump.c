/* SPDX-License-Identifier: Apache-2.0 */
/* What is printed of the counters, with those of MAC=radio-csma. */
#define MAC_CONF_WITH_RADIO_CSMA 1
#include "printed.h"
#include "run-log/counters-dump.c"
#include "host.h"

/*---------------------------------------------------------------------------*/
static void
every_counter_is_printed_once_and_frames_are_added_up(void)
{
  const struct pubsub_counters counters = {
    .events_published = 1, .events_transmitted = 20, .control_packets_sent = 300, .control_packets_received = 4000,
    .packets_off_topology = 5, .packets_malformed = 6, .event_packets_received = 70, .events_delivered = 8,
    .merged = 9, .forward_timeout = 10, .forward_full = 11, .forward_contained = 12, .forward_frame = 13,
    .no_route = 14, .mac_sent = 15, .mac_channel_access_failure = 16, .mac_collision = 17, .queue_dropped = 18,
    .pool_exhausted = 4294967295, .merges_undone = 99,
    .radio = { .assessments = 21, .busy_assessments = 22, .missed_contending = 23, .buffer_overflow = 24,
               .no_ack = 25, .deaf_us = 5000001999 }
  };

  counters_dump(&counters);
  CHECK_PRINTED("!cnt,events_published,1\n"
                "!cnt,events_transmitted,20\n"
                "!cnt,control_packets_sent,300\n"
                "!cnt,control_packets_received,4000\n"
                "!cnt,packets_off_topology,5\n"
                "!cnt,packets_malformed,6\n"
                "!cnt,event_packets_received,70\n"
                "!cnt,events_delivered,8\n"
                "!cnt,merged,9\n"
                "!cnt,forward_timeout,10\n"
                "!cnt,forward_full,11\n"
                "!cnt,forward_contained,12\n"
                "!cnt,forward_frame,13\n"
                "!cnt,no_route,14\n"
                "!cnt,mac_sent,15\n"
                "!cnt,mac_channel_access_failure,16\n"
                "!cnt,mac_collision,17\n"
                "!cnt,queue_dropped,18\n"
                "!cnt,pool_exhausted,4294967295\n"
                "!cnt,radio_assessments,21\n"
                "!cnt,radio_busy_assessments,22\n"
                "!cnt,radio_missed_contending,23\n"
                "!cnt,radio_buffer_overflow,24\n"
                "!cnt,radio_no_ack,25\n"
                "!cnt,radio_deaf_ms,5000001\n"
                "!cnt,packets_sent,320\n"
                "!cnt,packets_received,4070\n");
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(every_counter_is_printed_once_and_frames_are_added_up),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
