/* SPDX-License-Identifier: Apache-2.0 */
/* Serial line, LEDs, button, sensors, EEPROM, energest, logging, random. */
#include "contiki.h"
#include "dev/button-hal.h"
#include "dev/eeprom.h"
#include "dev/leds.h"
#include "dev/pir-sensor.h"
#include "dev/serial-line.h"
#include "dev/vib-sensor.h"
#include "lib/random.h"
#include "lib/sensors.h"
#include "net/netstack.h"
#include "sys/energest.h"
#include "sys/log.h"
#include "sys/node-id.h"

#include <stdio.h>
#include <string.h>

#define LOG_MODULE "Board"
#define LOG_LEVEL LOG_LEVEL_MAIN

PROCESS(board_process, "Board");
AUTOSTART_PROCESSES(&board_process);

static void
show_leds(void)
{
  static const uint8_t sequence[] = { 1, 2, 4 };

  for(size_t i = 0; i < sizeof(sequence); i++) {
    leds_on(sequence[i]);
  }
  leds_off(LEDS_RED);
  printf("leds %u", leds_get());
  leds_toggle(LEDS_ALL);
  printf(" %u", leds_get());
  leds_single_on(LEDS_LED1);
  leds_single_toggle(LEDS_LED2);
  printf(" %u\n", leds_get());
}

static void
show_eeprom(void)
{
  unsigned char bytes[8] = { 0 };

  eeprom_init();
  printf("eeprom %d", eeprom_read(0, bytes, 4));
  printf(" %02x%02x%02x%02x", bytes[0], bytes[1], bytes[2], bytes[3]);
  printf(" %d", eeprom_write(1020, (const unsigned char *)"abcdefgh", 8));
  memset(bytes, 0, sizeof(bytes));
  printf(" %d", eeprom_read(1022, bytes, 8));
  printf(" %s %d\n", (const char *)bytes, eeprom_read(1024, bytes, 1));
}

static void
show_random(void)
{
  printf("random");
  for(int i = 0; i < 1000; i++) {
    printf(" %u", random_rand());
  }
  printf("\n");
}

static void
show_log(void)
{
  LOG_PRINT("printed\n");
  LOG_WARN("warned %d", 1);
  LOG_WARN_(" of it\n");
  LOG_INFO("to ");
  LOG_INFO_LLADDR(&linkaddr_node_addr);
  LOG_INFO_(" ");
  LOG_INFO_BYTES("AZ", 2);
  LOG_INFO_("\n");
  LOG_DBG("FAIL: too deep\n");
  log_set_level("main", LOG_LEVEL_ERR);
  LOG_INFO("FAIL: level was lowered\n");
  LOG_ERR("error %s\n", log_level_to_str(log_get_level("main")));
  log_set_level("all", LOG_LEVEL_DBG);
  printf("level %d %d\n", log_get_level("main"), log_get_level("nobody"));
}

/* As status() answers whether it is active, ready, and what no sensor knows. */
static void
show_status(const struct sensors_sensor *sensor)
{
  printf(" %d%d%d", sensor->status(SENSORS_ACTIVE), sensor->status(SENSORS_READY), sensor->status(0));
}

static void
show_sensor(const struct sensors_sensor *sensor)
{
  printf("%s", sensor->type);
  show_status(sensor);
  printf(" %d", SENSORS_ACTIVATE(*sensor));
  show_status(sensor);
  printf(" %d", SENSORS_DEACTIVATE(*sensor));
  show_status(sensor);
  printf(" %d\n", sensor->configure(0, 1));
}

static void
show_energy(void)
{
  energest_flush();
  printf("energest cpu %llu lpm %llu tx %llu rx %llu total %llu\n",
         (unsigned long long)energest_type_time(ENERGEST_TYPE_CPU),
         (unsigned long long)energest_type_time(ENERGEST_TYPE_LPM),
         (unsigned long long)energest_type_time(ENERGEST_TYPE_TRANSMIT),
         (unsigned long long)energest_type_time(ENERGEST_TYPE_LISTEN),
         (unsigned long long)ENERGEST_GET_TOTAL_TIME());
}

/* The radio's only object: when the last frame began to come in. */
static void
show_radio_object(void)
{
  const struct radio_driver *radio = &NETSTACK_RADIO;
  rtimer_clock_t time = 0;
  radio_result_t result = radio->get_object(RADIO_PARAM_LAST_PACKET_TIMESTAMP, &time, sizeof(time));

  printf("object %d %llu,", result, (unsigned long long)time);
  printf(" %d", radio->get_object(RADIO_PARAM_CHANNEL, &time, sizeof(time)));
  printf(" %d", radio->get_object(RADIO_PARAM_LAST_PACKET_TIMESTAMP, &time, sizeof(time) - 1));
  printf(" %d", radio->get_object(RADIO_PARAM_LAST_PACKET_TIMESTAMP, NULL, sizeof(time)));
  printf(" %d\n", radio->set_object(RADIO_PARAM_LAST_PACKET_TIMESTAMP, &time, sizeof(time)));
}

/* A line of 200 bytes, 50 in each ms, which the serial line's buffer always has room for. */
static void
type(void *unused)
{
  static struct ctimer next;
  static int typed;

  do {
    serial_line_input_byte("abcd"[typed / 50]);
  } while(++typed % 50 != 0);
  if(typed < 200) {
    ctimer_set(&next, 1, type, NULL);
  } else {
    serial_line_input_byte('\n');
  }
}

static void
obey(const char *line)
{
  if(strcmp(line, "energy") == 0) {
    show_energy();
  } else if(strcmp(line, "off") == 0) {
    NETSTACK_RADIO.off();
  } else if(strcmp(line, "on") == 0) {
    NETSTACK_RADIO.on();
  } else if(strcmp(line, "send") == 0) {
    uint8_t frame[98] = { 0 };
    NETSTACK_RADIO.send(frame, sizeof(frame));
  } else if(strcmp(line, "object") == 0) {
    show_radio_object();
  } else if(strcmp(line, "vibration") == 0) {
    SENSORS_ACTIVATE(vib_sensor);
  } else if(strcmp(line, "type") == 0) {
    type(NULL);
  } else if(strcmp(line, "much") == 0) {
    for(int i = 0; i < 300; i++) {
      printf("line %03d of many\n", i);
    }
  } else {
    printf("line of %d: %s\n", (int)strlen(line), line);
  }
}

PROCESS_THREAD(board_process, ev, data)
{
  PROCESS_BEGIN();
  printf("node %u\n", node_id);
  show_leds();
  show_eeprom();
  show_random();
  show_log();
  show_sensor(&pir_sensor);
  show_sensor(&vib_sensor);
  SENSORS_ACTIVATE(pir_sensor);
  printf("sensors %d %d %d\n", sensors_find("PIR") == &pir_sensor, sensors_find("no") == NULL,
         sensors_next(sensors_first()) == &vib_sensor);
  while(1) {
    PROCESS_WAIT_EVENT();
    if(ev == serial_line_event_message) {
      obey(data);
    } else if(ev == sensors_event) {
      const struct sensors_sensor *sensor = data;
      printf("sensor %s %d\n", sensor->type, sensor->value(0));
    } else if(ev == button_hal_press_event) {
      button_hal_button_t *button = data;
      printf("pressed %s\n", BUTTON_HAL_GET_DESCRIPTION(button));
    } else if(ev == button_hal_periodic_event) {
      printf("held %u\n", ((button_hal_button_t *)data)->press_duration_seconds);
    } else if(ev == button_hal_release_event) {
      printf("released\n");
    }
  }
  PROCESS_END();
}
