/* SPDX-License-Identifier: Apache-2.0 */
#include <stdio.h>
#include <string.h>
#include "contiki.h"
#include "sys/ctimer.h"
#include "event-service.h"
#include "event-service-binding.h"
#include "event-service-frames.h"
#include "event-service-output.h"
#include "pubsub-counters.h"
#include "pubsub-link.h"
#include "pubsub-observer.h"
#include "pubsub-octets.h"

/* The bits of a byte on a serial line: a start bit, eight data bits, a stop bit. */
#define BITS_PER_BYTE 10

static uint8_t under_way;
static uint16_t frame_number;
static clock_time_t uart_free_at;
static uint8_t on_uart;
static struct ctimer uart_timer;
/*---------------------------------------------------------------------------*/
static bool
take_buffer(void)
{
  if(under_way >= event_service_place.send_buffer) {
    event_service_counters.send_buffer_full++;
    return false;
  }
  under_way++;
  return true;
}
/*---------------------------------------------------------------------------*/
static void
sent(uint16_t number, const char *reason)
{
  under_way -= under_way > 0; /* a mote that has started anew doesn't count what it sent before */
  if(reason != NULL) {
    PUBSUB_OBSERVE(dropped, reason, event_service_place.mote, number);
  }
}
/*---------------------------------------------------------------------------*/
static uint16_t
make(uint8_t *frame, uint8_t type, uint16_t next_hop, const uint8_t *body, uint16_t length)
{
  uint8_t *at = frame;

  *at++ = PUBSUB_FRAME_FIRST(type);
  at = pubsub_put16(at, event_service_place.mote);
  at = pubsub_put16(at, next_hop);
  at = pubsub_put16(at, ++frame_number);
  memcpy(at, body, length);
  return PUBSUB_FRAME_HEADER_SIZE + length;
}
/*---------------------------------------------------------------------------*/
bool
event_service_send(uint8_t type, uint16_t next_hop, const uint8_t *body,
                   uint16_t length, const struct pubsub_event *event)
{
  uint8_t frame[PUBSUB_FRAME_SIZE];
  uint16_t size;

  if(length > PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE || !take_buffer()) {
    return false;
  }
  size = make(frame, type, next_hop, body, length);
#if EVENT_SERVICE_BINDINGS > 0
  event_service_binding_counters.frame_bytes_sent += size;
#endif
  if(event != NULL) {
    pubsub_counters.events_transmitted++;
    PUBSUB_OBSERVE(sent, event, next_hop, frame_number);
  } else {
    pubsub_counters.control_packets_sent++;
  }
  pubsub_link_send(frame, size, frame_number, sent);
  return true;
}
/*---------------------------------------------------------------------------*/
/* Called when the bytes of all frames written so far have left the UART. */
static void
uart_done(void *nothing)
{
  under_way -= on_uart;
  on_uart = 0;
}
/*---------------------------------------------------------------------------*/
static clock_time_t
time_on_uart(uint16_t size)
{
  uint32_t bits = (uint32_t)(size + EVENT_SERVICE_UART_FRAMING) * BITS_PER_BYTE;

  return (clock_time_t)(((uint64_t)bits * CLOCK_SECOND + event_service_place.uart_rate - 1)
                        / event_service_place.uart_rate);
}
/*---------------------------------------------------------------------------*/
bool
event_service_uart_send(uint8_t type, const uint8_t *body, uint16_t length)
{
  uint8_t frame[PUBSUB_FRAME_SIZE];
  uint16_t size, i;

  if(length > PUBSUB_FRAME_SIZE - PUBSUB_FRAME_HEADER_SIZE || !take_buffer()) {
    return false;
  }
  size = make(frame, type, PUBSUB_NOBODY, body, length);
  event_service_counters.uart_frames_sent++;
  printf("#");
  for(i = 0; i < size; i++) {
    printf("%02x", frame[i]);
  }
  printf("\n");
  if(on_uart++ == 0) {
    uart_free_at = clock_time();
  }
  uart_free_at += time_on_uart(size);
  ctimer_set(&uart_timer, uart_free_at - clock_time(), uart_done, NULL);
  return true;
}
/*---------------------------------------------------------------------------*/
bool
event_service_uart_read(const char *line, uint8_t *type, uint8_t *body, uint16_t *length)
{
  uint16_t size = 0;
  uint8_t frame[PUBSUB_FRAME_SIZE];
  int octet;

  if(*line++ != '#') {
    return false;
  }
  for(; (octet = pubsub_hex_octet(line)) >= 0 && size < sizeof(frame); line += 2) {
    frame[size++] = octet;
  }
  if(*line != '\0' || size < PUBSUB_FRAME_HEADER_SIZE
     || PUBSUB_FRAME_TYPE(frame[0]) >= PUBSUB_FRAME_TYPES) {
    event_service_counters.uart_frames_malformed++;
    return false;
  }
  event_service_counters.uart_frames_received++;
  *type = PUBSUB_FRAME_TYPE(frame[0]);
  *length = size - PUBSUB_FRAME_HEADER_SIZE;
  memcpy(body, frame + PUBSUB_FRAME_HEADER_SIZE, *length);
  return true;
}
/*---------------------------------------------------------------------------*/
void
event_service_output_init(void)
{
  under_way = on_uart = 0;
}
