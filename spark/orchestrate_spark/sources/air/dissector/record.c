/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <stdlib.h>
#include <string.h>

/* As in kernel/observation/observer.c. */
static const char MAGIC[8] = {'A', 'I', 'R', '\n', 1, 0, 0, 0};
enum { STATES = 5, FRAME = 5, FRAME_END = 6, OTHER = 7 };
enum { SETTING_CHANNEL, SETTING_POWER, LATE_RECEPTION, RUN_END, PART_OF_FRAME, PROCESSOR };
enum { LONG_TIME = 31, FCS_SIZE = 2 };
enum { PROCESSOR_MODES = 6 };
static const int64_t WINDOW_US = 60 * 1000000;

char record_warning[512];
int64_t record_end_us;

struct radio { /* of a mote */
  int32_t id;
  bool seen;
  int state;
  int64_t since, window; /* us */
  int64_t time[STATES];  /* us, in this window */
  size_t row;            /* of its frame that is under way */
  bool sending;
};

static struct radio *radios;
static size_t radio_count, radio_room;
static uint32_t *by_id; /* place in radios, from 1, of small ids */
enum { SMALL_IDS = 1 << 16 };

static struct radio *
radio_of(int32_t id)
{
  if(by_id == NULL) {
    by_id = grown(NULL, 0, SMALL_IDS * sizeof(*by_id));
  }
  if(id >= 0 && id < SMALL_IDS && by_id[id] > 0) {
    return &radios[by_id[id] - 1];
  }
  for(size_t i = 0; (id < 0 || id >= SMALL_IDS) && i < radio_count; i++) {
    if(radios[i].id == id) {
      return &radios[i];
    }
  }
  if(radio_count == radio_room) {
    size_t room = radio_room > 0 ? 2 * radio_room : 64;
    radios = grown(radios, radio_room * sizeof(*radios), room * sizeof(*radios));
    radio_room = room;
  }
  radios[radio_count++].id = id;
  if(id >= 0 && id < SMALL_IDS) {
    by_id[id] = (uint32_t)radio_count;
  }
  return &radios[radio_count - 1];
}

static void
end_window(struct radio *radio, int64_t to)
{
  struct row row;

  for(int state = 0; state < STATES; state++) {
    if(radio->time[state] > 0) {
      row_clear(&row);
      row_set(&row, S_mote, radio->id);
      row_set(&row, S_state, W_S_OFF + state);
      row_set(&row, S_from_us, radio->window);
      row_set(&row, S_to_us, to);
      row_set(&row, S_time_us, radio->time[state]);
      table_append(&states, &row);
      radio->time[state] = 0;
    }
  }
  radio->window = to;
}

static void
account(struct radio *radio, int64_t now)
{
  if(now - radio->window >= WINDOW_US) {
    int64_t whole = now - now % WINDOW_US, next = radio->window - radio->window % WINDOW_US + WINDOW_US;
    radio->time[radio->state] += next - radio->since;
    radio->since = next;
    end_window(radio, next);
    if(whole > next) { /* minutes without a change become one row */
      radio->time[radio->state] = whole - next;
      radio->since = whole;
      end_window(radio, whole);
    }
  }
  radio->time[radio->state] += now - radio->since;
  radio->since = now;
}

struct reader {
  const uint8_t *at, *end;
  bool cut;
};

static uint64_t
number(struct reader *reader)
{
  uint64_t value = 0;

  for(unsigned shift = 0; shift < 64; shift += 7) {
    if(reader->at >= reader->end) {
      reader->cut = true;
      return 0;
    }
    value |= (uint64_t)(*reader->at & 0x7F) << shift;
    if(!(*reader->at++ & 0x80)) {
      return value;
    }
  }
  reader->cut = true;
  return 0;
}

static int64_t
with_sign(uint64_t value)
{
  return (int64_t)(value >> 1) ^ -(int64_t)(value & 1);
}

bool
record_is(const struct source *source)
{
  return source->size >= sizeof(MAGIC) && memcmp(source->bytes, MAGIC, sizeof(MAGIC)) == 0;
}

static void
add_reception(size_t frame_row, int64_t mote, unsigned fate, bool has_signal, int64_t signal)
{
  struct row row;

  row_clear(&row);
  row_set(&row, C_frame, (int64_t)frame_row);
  row_set(&row, C_mote, mote);
  row_set(&row, C_outcome, W_RECEIVED + (int64_t)fate);
  row_set(&row, C_t_us, value(&frames, frame_row, F_t_us));
  if(has_signal) {
    row_set(&row, C_rssi_dbm, row_of_float((float)signal));
  }
  table_append(&receptions, &row);
}

static bool
has_signal(unsigned fate)
{
  return fate == 0;
}

/* `partly`: only a part of the frame was sent. */
static void
read_frame(struct reader *reader, const struct source *source, int64_t now, bool partly)
{
  int32_t mote = (int32_t)with_sign(number(reader));
  int64_t channel = with_sign(number(reader)), power = with_sign(number(reader));
  uint64_t whole = partly ? number(reader) : 0, size = number(reader), read;
  struct radio *radio;
  struct row row;

  if(reader->cut || (uint64_t)(reader->end - reader->at) < size) {
    reader->cut = true;
    return;
  }
  row_clear(&row);
  row_set(&row, F_mote, mote);
  if(channel >= 0 && channel < INT16_MAX) {
    row_set(&row, F_channel, channel);
  }
  row_set(&row, F_power, power);
  row_set(&row, F_length, (int64_t)size);
  whole = whole > size ? whole : size;
  read = whole < FCS_SIZE ? 0 : size < whole - FCS_SIZE ? size : whole - FCS_SIZE; /* without the FCS */
  radio = radio_of(mote);
  radio->row = frame_add(source->settings, &row, now, reader->at, read, partly ? W_PARTLY : W_NO_FLAW);
  radio->sending = true;
  reader->at += size;
}

/* Receptions of a frame, in an order in which they lie together that are alike from one frame of a sender to the next: the
   radios that received it, those that might have, and those that it reaches too weakly. */
enum { HEARD, MISSED, WEAK, ORDERS };

static void
read_end(struct reader *reader, int64_t now)
{
  static struct one {
    int64_t mote, signal;
    unsigned fate;
  } *of[ORDERS];
  static uint64_t room;
  struct radio *radio = radio_of((int32_t)with_sign(number(reader)));
  uint64_t beyond = number(reader), count = number(reader), found[ORDERS] = {0};
  int64_t mote = 0;

  if(reader->cut || count > (uint64_t)(reader->end - reader->at)) {
    reader->cut = true;
    return;
  }
  for(int order = 0; order < ORDERS && count > room; order++) {
    of[order] = grown(of[order], room * sizeof(struct one), 2 * count * sizeof(struct one));
  }
  room = count > room ? 2 * count : room;
  if(radio->sending) {
    table_replace(&frames, radio->row, F_end_us, now);
    table_replace(&frames, radio->row, F_beyond, beyond < INT16_MAX ? (int64_t)beyond : INT16_MAX);
  }
  for(; count > 0 && !reader->cut; count--) {
    uint64_t head = number(reader);
    unsigned fate = head & 7;
    int order = fate == 0 ? HEARD : fate == W_BELOW - W_RECEIVED ? WEAK : MISSED;
    int64_t signal = has_signal(fate) ? with_sign(number(reader)) : 0;
    mote += with_sign(head >> 3);
    of[order][found[order]++] = (struct one){mote, signal, fate};
  }
  for(int order = 0; order < ORDERS && radio->sending && !reader->cut; order++) {
    for(uint64_t i = 0; i < found[order]; i++) {
      add_reception(radio->row, of[order][i].mote, of[order][i].fate, has_signal(of[order][i].fate), of[order][i].signal);
    }
  }
  radio->sending = false;
}

/* The times of an emulated mote's processor in its modes. */
static void
read_processor(struct reader *reader)
{
  int64_t mote = with_sign(number(reader));
  struct row row;

  for(int mode = 0; mode < PROCESSOR_MODES; mode++) {
    int64_t time = (int64_t)number(reader);
    if(!reader->cut) {
      row_clear(&row);
      row_set(&row, P_mote, mote);
      row_set(&row, P_mode, W_P_ACTIVE + mode);
      row_set(&row, P_time_us, time);
      table_append(&processors, &row);
    }
  }
}

static void
read_other(struct reader *reader, const struct source *source, int64_t now)
{
  uint64_t what = number(reader);
  int64_t mote;
  uint64_t row, fate;

  switch(what) {
  case SETTING_CHANNEL: case SETTING_POWER:
    number(reader);
    number(reader);
    break;
  case LATE_RECEPTION:
    mote = with_sign(number(reader));
    row = number(reader);
    fate = number(reader);
    reader->cut |= fate > W_MISSED - W_RECEIVED;
    int64_t signal = has_signal((unsigned)fate) ? with_sign(number(reader)) : 0;
    if(!reader->cut && row < frames.rows) {
      add_reception(row, mote, (unsigned)fate, has_signal((unsigned)fate), signal);
    }
    break;
  case RUN_END:
    number(reader);
    break;
  case PROCESSOR:
    read_processor(reader);
    break;
  case PART_OF_FRAME:
    read_frame(reader, source, now, true);
    break;
  default:
    reader->cut = true;
  }
}

void
record_read(const struct source *source)
{
  struct reader reader = {source->bytes + sizeof(MAGIC), source->bytes + source->size, false};
  int64_t now = 0;

  while(reader.at < reader.end) {
    const uint8_t *before = reader.at;
    unsigned head = *reader.at++;
    uint64_t passed = head >> 3;
    if(passed == LONG_TIME) {
      passed += number(&reader);
    }
    if(!reader.cut && passed <= (uint64_t)(INT64_MAX - now)) {
      now += (int64_t)passed;
      record_end_us = now;
      if((head & 7) < STATES) {
        struct radio *radio = radio_of((int32_t)with_sign(number(&reader)));
        if(!reader.cut) {
          account(radio, now);
          radio->state = head & 7;
          radio->seen = true;
        }
      } else if((head & 7) == FRAME) {
        read_frame(&reader, source, now, false);
      } else if((head & 7) == FRAME_END) {
        read_end(&reader, now);
      } else {
        read_other(&reader, source, now);
      }
    } else {
      reader.cut = true;
    }
    if(reader.cut) {
      snprintf(record_warning, sizeof(record_warning), "%s: damaged or cut short at byte %zu; what is before that was read",
               source->path, (size_t)(before - source->bytes));
      break;
    }
  }
  for(size_t i = 0; i < radio_count; i++) {
    if(radios[i].seen) {
      account(&radios[i], record_end_us);
      end_window(&radios[i], record_end_us);
    }
  }
}
