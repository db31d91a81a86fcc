/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/sht11.h"

enum { TEMPERATURE_COMMAND = 3, HUMIDITY_COMMAND = 5, TEMPERATURE = 3960 + 2400 /* 24 degrees C */, HUMIDITY = 0x1040 };
enum { CRC_POLYNOMIAL = 0x31 };
static const double MEASUREMENT_MS = 20;

/* Edges of clock (C) and data (D) that begin a command; upper case: rising. */
static const char START[] = "CdcCDc";

static void
drive(struct sht11 *sensor, bool high)
{
  msp430_set_pin(sensor->mcu, sensor->port, sensor->pin, high);
}

static void
reset(struct sht11 *sensor)
{
  sensor->clock_high = sensor->data_high = true;
  sensor->start = sensor->bits = sensor->command = sensor->sent = sensor->sending = 0;
  sensor->state = SHT11_IDLE;
  drive(sensor, true);
}

static uint8_t
reversed(uint8_t byte)
{
  uint8_t result = 0;

  for(int bit = 0; bit < 8; bit++) {
    result = (uint8_t)(result << 1 | (byte >> bit & 1));
  }
  return result;
}

static uint8_t
crc_add(uint8_t remainder, uint8_t byte)
{
  remainder ^= byte;
  for(int bit = 0; bit < 8; bit++) {
    remainder = (uint8_t)((remainder & 0x80) ? remainder << 1 ^ CRC_POLYNOMIAL : remainder << 1);
  }
  return remainder;
}

static void
show_measurement(struct msp430_event *event, int64_t time)
{
  struct sht11 *sensor = MSP430_AROUND(event, struct sht11, measured);
  unsigned value = sensor->command == TEMPERATURE_COMMAND ? TEMPERATURE : HUMIDITY;

  (void)time;
  if(sensor->command != TEMPERATURE_COMMAND && sensor->command != HUMIDITY_COMMAND) {
    return; /* it was reset */
  }
  sensor->answer[0] = (uint8_t)(value >> 8);
  sensor->answer[1] = (uint8_t)value;
  sensor->answer[2] = reversed(crc_add(crc_add(crc_add(0, (uint8_t)sensor->command), sensor->answer[0]), sensor->answer[1]));
  drive(sensor, false);
  sensor->state = SHT11_SENDS;
  sensor->sending = sensor->answer[0];
  sensor->sent = 0;
}

static void
look_for_start(struct sht11 *sensor, char edge)
{
  if(START[sensor->start] == edge) {
    sensor->start++;
    if(START[sensor->start] == 0) {
      sensor->start = 0;
      sensor->state = SHT11_COMMAND;
    }
  } else {
    sensor->start = edge == START[0];
  }
}

static void
read_bit(struct sht11 *sensor)
{
  sensor->command = sensor->command << 1 | sensor->data_high;
  if(++sensor->bits == 8) {
    sensor->bits = 0;
    sensor->state = SHT11_ACCEPTS;
    drive(sensor, false);
  }
}

static void
send_bit(struct sht11 *sensor)
{
  drive(sensor, (sensor->sending & 0x80) != 0);
  sensor->sending = (uint8_t)(sensor->sending << 1);
  if(++sensor->bits == 8) {
    sensor->state = SHT11_WAITS;
    sensor->sent++;
  }
}

void
sht11_clock(struct sht11 *sensor, bool high)
{
  if(high == sensor->clock_high) {
    return;
  }
  if(sensor->state == SHT11_IDLE) {
    look_for_start(sensor, high ? 'C' : 'c');
  } else if(sensor->state == SHT11_COMMAND && !high) {
    read_bit(sensor);
  } else if(sensor->state == SHT11_ACCEPTS && !high) {
    drive(sensor, true);
    if(sensor->command == TEMPERATURE_COMMAND || sensor->command == HUMIDITY_COMMAND) {
      sensor->state = SHT11_MEASURES;
      msp430_in_ms(sensor->mcu, &sensor->measured, MEASUREMENT_MS);
    }
  } else if(sensor->state == SHT11_SENDS && high) {
    send_bit(sensor);
  } else if(sensor->state == SHT11_WAITS && high && sensor->data_high) { /* no acknowledgement */
    reset(sensor);
  }
  sensor->clock_high = high;
}

void
sht11_data(struct sht11 *sensor, bool high)
{
  if(high == sensor->data_high) {
    return;
  }
  if(sensor->state == SHT11_IDLE) {
    look_for_start(sensor, high ? 'D' : 'd');
  } else if(sensor->state == SHT11_WAITS && high) { /* the end of an acknowledgement */
    if(sensor->sent < SHT11_ANSWER) {
      sensor->state = SHT11_SENDS;
      sensor->sending = sensor->answer[sensor->sent];
      sensor->bits = 0;
    } else {
      reset(sensor);
    }
  }
  sensor->data_high = high;
}

void
sht11_init(struct sht11 *sensor)
{
  sensor->measured.run = show_measurement;
}
