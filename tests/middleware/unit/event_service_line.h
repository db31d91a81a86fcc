/* SPDX-License-Identifier: Apache-2.0 */
/* The lines between a base station and its gateway, and those of a bridge. */
#ifndef UNIT_EVENT_SERVICE_LINE_H_
#define UNIT_EVENT_SERVICE_LINE_H_

#include "event_service_node.h"

/* At 999 bit/s, bytes of ten bits, and five bytes around each frame. */
static void
frames_to_the_gateway_take_the_line_s_time(void)
{
  uint16_t length = event_of(TEMP, 1, 2);
  unsigned ms = ((PUBSUB_FRAME_HEADER_SIZE + length + 5) * 10 * 1000 + 998) / 999;
  uint8_t longest[PUBSUB_FRAME_SIZE];

  start(base);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  host_pass(50);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length); /* waits for the first one's end */
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
  host_pass(2 * ms - 51);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  CHECK(!event_service_send(PUBSUB_FRAME_PUSH, OTHER, event_bytes, length, NULL)); /* nor is there room for the radio */
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
  CHECK_EQUAL(event_service_counters.send_buffer_full, 2);
  host_pass(1);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 4);
  CHECK_EQUAL(event_service_counters.send_buffer_full, 3);
  host_pass(1000);
  CHECK(!event_service_uart_send(PUBSUB_FRAME_PUSH, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE + 1));
  CHECK(!event_service_send(PUBSUB_FRAME_PUSH, OTHER, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE + 1, NULL));
  CHECK_EQUAL(event_service_counters.send_buffer_full, 3);
  memset(longest, 7, sizeof(longest));
  CHECK(event_service_send(PUBSUB_FRAME_PUSH, OTHER, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE, NULL));
  CHECK_SENT(PUSH, OTHER, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE);
  CHECK(event_service_uart_send(PUBSUB_FRAME_PUSH, longest, sizeof(longest) - PUBSUB_FRAME_HEADER_SIZE));
}
/*---------------------------------------------------------------------------*/
static void
as_many_frames_are_under_way_as_there_are_buffers(void)
{
  uint16_t length = event_of(TEMP, 1, 2);

  host_link_waits = true;
  start(leaf);
  for(int anew = 0; anew < 3; anew++) {
    for(int frames = 1; frames <= 3; frames++) {
      receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
      CHECK_EQUAL(host_sent_frames - seen, frames < 3 ? frames : 2);
    }
    seen = host_sent_frames;
    CHECK_EQUAL(event_service_counters.send_buffer_full, anew + 1);
    if(anew == 1) {
      start(leaf); /* while frames are under way, of which it knows nothing then */
    }
    host_link_finish();
  }
}
/*---------------------------------------------------------------------------*/
static void
a_registration_for_the_gateway_waits_for_the_line(void)
{
  uint16_t length = event_of(TEMP, 1, 2);

  start(base);
  CHECK(registers(EVENT_SERVICE_ADVERTISE, CHILD, TEMP, WITHOUT_TERMS));
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  receive(PUBSUB_FRAME_PUSH, CHILD, event_bytes, length);
  host_pass(500);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
  host_pass(100);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 3);
  host_pass(2000);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 3);
  CHECK_EQUAL(event_service_counters.registrations_sent, 0);
  CHECK_SILENT();
}
/*---------------------------------------------------------------------------*/
static void
says(struct process *process, const char *line)
{
  process_post_synch(process, serial_line_event_message, (void *)line);
}
/*---------------------------------------------------------------------------*/
/* The line of a frame with this body. */
static const char *
line_of(uint8_t first, const uint8_t *bytes, uint16_t length)
{
  static char line[2 * PUBSUB_FRAME_SIZE + 20];
  char *at = line + sprintf(line, "#%02x020005000100", first);

  for(unsigned i = 0; i < length; i++) {
    at += sprintf(at, "%02x", bytes[i]);
  }
  return line;
}
/*---------------------------------------------------------------------------*/
static void
the_gateway_s_lines_are_read(void)
{
  uint8_t longest[PUBSUB_FRAME_SIZE + 1] = { 0 };
  unsigned wrong = 0;
  uint16_t length;
  char line[500];

  start(base);
  CHECK(event_channel_subscribe(TEMP, &consumer));
  CHECK(registers(EVENT_SERVICE_SUBSCRIBE, CHILD, TEMP, WITHOUT_TERMS));
  length = DELIVERY(TEMP, SELF, CHILD);
  strcpy(line, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_DELIVERY), delivery_bytes, length));
  process_post_synch(&event_service_process, serial_line_event_message, NULL);
  process_post_synch(&event_service_process, PROCESS_EVENT_POLL, line);
  CHECK_EQUAL(consumed, 0);
  says(&event_service_process, line);
  CHECK_EQUAL(consumed, 1);
  CHECK_EQUAL(consumed_from, SELF);
  CHECK_EQUAL(pubsub_counters.event_packets_received, 0);
  length = DELIVERY(TEMP, CHILD);
  CHECK_SENT(DELIVERY, PUBSUB_EVERYBODY, delivery_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_received, 1);
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 0);

  says(&event_service_process, line + 1); /* no frame at all, but what somebody typed */
  says(&event_service_process, "");
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 0);
  for(size_t cut = 1; cut < strlen(line); cut++) {
    char part[500];

    memcpy(part, line, cut);
    part[cut] = '\0';
    says(&event_service_process, part);
    CHECK_EQUAL(event_service_counters.uart_frames_malformed, ++wrong);
  }
  strcat(line, "0");
  says(&event_service_process, line);
  line[10] = 'x';
  says(&event_service_process, line);
  length = DELIVERY(TEMP, SELF, CHILD);
  says(&event_service_process, line_of(0x0c, delivery_bytes, length)); /* of other versions of the header */
  says(&event_service_process, line_of(0x30, delivery_bytes, length));
  says(&event_service_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_PUSH), delivery_bytes, length));
  says(&event_service_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_DELIVERY), longest,
                                       PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE + 1));
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, wrong += 6);
  CHECK_EQUAL(consumed, 1);
  CHECK_SILENT();
  {
    uint8_t type = 0, read[PUBSUB_FRAME_SIZE];

    CHECK(event_service_uart_read(line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_TYPES - 1), longest,
                                          PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE), &type, read, &length));
    CHECK_EQUAL(type, PUBSUB_FRAME_TYPES - 1);
    CHECK_EQUAL(length, PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE);
    CHECK(event_service_uart_read(line_of(PUBSUB_FRAME_FIRST(0), NULL, 0), &type, read, &length));
    CHECK_EQUAL(length, 0);
  }
}
/*---------------------------------------------------------------------------*/
static void
start_bridge(bool wanted, uint8_t buffers)
{
  struct event_service_place place = base;

  place.send_buffer = buffers;
  pubsub_init(SELF, 3, &tree);
  CHECK(pubsub_bridge_start(&place, TEMP, wanted));
}
/*---------------------------------------------------------------------------*/
static void
a_bridge_hands_up_the_board_s_events_and_takes_the_others(void)
{
  uint8_t aggregate[PUBSUB_FRAME_SIZE];
  uint16_t length;
  struct pubsub_event made;

  start_bridge(false, 1);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 0);
  length = event_of(PRES, 1, 2);
  receive(PUBSUB_FRAME_EVENT, CHILD, event_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 0);
  length = event_of(TEMP, 1, 2);
  receive(PUBSUB_FRAME_EVENT, CHILD, event_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  host_pass(2000);

  /* From the gateway: to this board's subscribers, and not up again. */
  CHECK_EQUAL(pubsub_counters.events_delivered, 1);
  says(&pubsub_bridge_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_EVENT), event_bytes, length));
  CHECK_EQUAL(pubsub_counters.events_delivered, 2);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  CHECK_EQUAL(event_service_counters.uart_frames_received, 1);
  receive(PUBSUB_FRAME_EVENT, CHILD, event_bytes, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);

  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 0);
  says(&pubsub_bridge_process, "temp");
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 0);
  says(&pubsub_bridge_process, "#11");
  says(&pubsub_bridge_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_PUSH), event_bytes, length));
  says(&pubsub_bridge_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_EVENT), event_bytes, length - 1));
  length = event_of(PRES, 1, 2);
  says(&pubsub_bridge_process, line_of(PUBSUB_FRAME_FIRST(PUBSUB_FRAME_EVENT), event_bytes, length));
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 4);
  CHECK_EQUAL(pubsub_counters.events_delivered, 3);
  process_post_synch(&pubsub_bridge_process, serial_line_event_message, NULL);
  process_post_synch(&pubsub_bridge_process, PROCESS_EVENT_POLL, (void *)"#11");
  CHECK_EQUAL(event_service_counters.uart_frames_malformed, 4);

  /* An aggregate is handed up as it is. */
  made = host_make(TEMP, 1, 2, (const struct pubsub_contributor[]){ { 1, 1 }, { 2, 1 } });
  made.flags = 0;
  length = pubsub_event_encode(&made, aggregate, sizeof(aggregate));
  host_pass(2000);
  receive(PUBSUB_FRAME_EVENT, CHILD, aggregate, length);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 3);
}
/*---------------------------------------------------------------------------*/
static void
a_bridge_that_wants_events_subscribes(void)
{
  start_bridge(true, 1);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  host_pass(10000);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  start_bridge(true, 0); /* there is no buffer, until there is */
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 1);
  host_pass(9);
  CHECK_EQUAL(event_service_counters.send_buffer_full, 1);
  host_pass(1);
  CHECK_EQUAL(event_service_counters.send_buffer_full, 2);
  event_service_place.send_buffer = 1;
  host_pass(10);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
  host_pass(10000);
  CHECK_EQUAL(event_service_counters.uart_frames_sent, 2);
}

#endif
