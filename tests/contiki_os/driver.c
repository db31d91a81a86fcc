/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Ticks a firmware with the Cooja mote ABI, for unit tests: a small stand-in for
 * the simulator, not its rules. All motes hear each other; a frame arrives when
 * no other was on the air meanwhile. One copy of the object is loaded; each
 * mote's data and bss are copied in and out around its ticks, as Cooja does.
 *
 *   driver FIRMWARE [--motes N] [--seed N] [--until MS] [--frames]
 *     [--eeprom HEX]              every mote's image
 *     [--input MOTE:MS:TEXT]      a line to a mote's serial line
 *     [--set MOTE:MS:NAME=VALUE]  a char variable of the mote
 *     [--lose N]                  the Nth frame on the air (from 1) reaches nobody
 *     [--deaf MOTE:FROM:TO]       hears nothing in that time (ms)
 *     [--raw MOTE:MS:HEX]         a frame out of nothing
 * A time in ms may have decimals, down to the us.
 *
 * Prints "time in us TAB ID:mote TAB text", and "time TAB frame mote hex".
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "driver_library.h"

enum { MOTES_MAX = 64, ORDERS_MAX = 64, LINE_MAX_SIZE = 20000 };
#define NEVER INT64_MAX
#define BYTE_TIME 32 /* us: 250 kbit/s */

struct mote {
  char *memory;
  int64_t start, wake, sent_at;
  char line[LINE_MAX_SIZE];
  size_t line_length;
  bool clean, sending;
};

struct order {
  int kind, mote;
  int64_t time, until;
  const char *text;
};

static struct mote motes[MOTES_MAX + 1];
static struct order orders[ORDERS_MAX];
static int mote_count = 1, order_count, seed = 1, on_air, frames_sent;
static int lost[ORDERS_MAX], lost_count;
static int64_t now;
static bool show_frames;
static const char *eeprom_hex = "";

static int
from_hex(const char *hex, unsigned char *bytes, int size)
{
  int n = 0;
  unsigned byte;

  while(n < size && sscanf(hex + 2 * n, "%2x", &byte) == 1) {
    bytes[n++] = (unsigned char)byte;
  }
  return n;
}

static void
print_log(int id, struct mote *m)
{
  char *data = symbol("simLoggedData");
  int length = VAR(int, "simLoggedLength");

  for(int i = 0; i < length; i++) {
    if(data[i] == '\n') {
      printf("%lld\tID:%d\t%.*s\n", (long long)now, id, (int)m->line_length, m->line);
      m->line_length = 0;
    } else if(m->line_length < LINE_MAX_SIZE) {
      m->line[m->line_length++] = data[i];
    }
  }
  VAR(int, "simLoggedLength") = 0;
  VAR(char, "simLoggedFlag") = 0;
}

static void
set_signal(void)
{
  for(int i = 1; i <= mote_count; i++) {
    swap_in(motes[i].memory);
    VAR(int, "simSignalStrength") = on_air > motes[i].sending ? -50 : -100;
    swap_out(motes[i].memory);
  }
}

static void
request(struct mote *m, int64_t time)
{
  if(time < m->wake) {
    m->wake = time < now ? now : time;
  }
}

static bool
is_deaf(int id)
{
  for(int i = 0; i < order_count; i++) {
    if(orders[i].kind == 'd' && orders[i].mote == id && orders[i].time <= now &&
       now < orders[i].until) {
      return true;
    }
  }
  return false;
}

static void
begin_frame(int id, struct mote *m)
{
  int size = VAR(int, "simOutSize");

  if(show_frames) {
    printf("%lld\tframe %d ", (long long)now, id);
    for(int i = 0; i < size; i++) {
      printf("%02x", ((unsigned char *)symbol("simOutDataBuffer"))[i]);
    }
    printf("\n");
  }
  m->sending = true;
  m->clean = on_air == 0;
  m->sent_at = now + BYTE_TIME * size;
  frames_sent++;
  for(int i = 0; i < lost_count; i++) {
    m->clean = m->clean && lost[i] != frames_sent;
  }
  on_air++;
  swap_out(m->memory);
  for(int i = 1; i <= mote_count; i++) {
    if(i == id) {
      continue;
    }
    if(motes[i].sending) {
      motes[i].clean = false;
      continue;
    }
    swap_in(motes[i].memory);
    if(VAR(char, "simRadioHWOn") && now >= motes[i].start && !is_deaf(i)) {
      VAR(char, "simReceiving") = 1;
      VAR(int64_t, "simLastPacketTimestamp") = now;
      request(&motes[i], now);
    }
    swap_out(motes[i].memory);
  }
  set_signal();
  swap_in(m->memory);
}

static void
end_frame(int id, struct mote *m)
{
  unsigned char frame[256];
  int size;

  swap_in(m->memory);
  size = VAR(int, "simOutSize");
  memcpy(frame, symbol("simOutDataBuffer"), (size_t)size + 2);
  VAR(int, "simOutSize") = 0;
  m->sending = false;
  m->sent_at = NEVER;
  request(m, now);
  swap_out(m->memory);
  on_air--;
  for(int i = 1; i <= mote_count; i++) {
    if(i == id || motes[i].sending) {
      continue;
    }
    swap_in(motes[i].memory);
    if(VAR(char, "simReceiving") && on_air == 0) {
      VAR(char, "simReceiving") = 0;
      VAR(int, "simInSize") = 0;
      if(m->clean && VAR(char, "simRadioHWOn")) {
        VAR(int, "simInSize") = size;
        memcpy(symbol("simInDataBuffer"), frame, (size_t)size + 2);
      }
      request(&motes[i], now);
    }
    swap_out(motes[i].memory);
  }
  set_signal();
}

static void
run_tick(int id, struct mote *m)
{
  int64_t boot_time = now - m->start;

  swap_in(m->memory);
  m->wake = NEVER;
  VAR(int64_t, "simCurrentTime") = boot_time / 1000;
  VAR(int64_t, "simRtimerCurrentTicks") = now;
  tick();
  if(VAR(char, "simLoggedFlag")) {
    print_log(id, m);
  }
  if(VAR(int, "simOutSize") > 0 && !m->sending && VAR(char, "simRadioHWOn")) {
    begin_frame(id, m);
  }
  if(VAR(int, "simRtimerPending")) {
    request(m, VAR(int64_t, "simRtimerNextExpirationTime"));
  }
  if(VAR(int, "simProcessRunValue")) {
    request(m, now + 1000);
  }
  if(VAR(int, "simEtimerPending")) {
    int64_t due = VAR(int64_t, "simEtimerNextExpirationTime") * 1000 + m->start;
    request(m, due <= now ? now + 1000 : due);
  }
  swap_out(m->memory);
}

static void
obey(struct order *o)
{
  struct mote *m = &motes[o->mote];
  char name[64];
  int value;

  swap_in(m->memory);
  switch(o->kind) {
  case 'i':
    strcpy(symbol("simSerialReceivingData"), o->text);
    VAR(int, "simSerialReceivingLength") = (int)strlen(o->text);
    VAR(char, "simSerialReceivingFlag") = 1;
    break;
  case 's':
    if(sscanf(o->text, "%63[^=]=%d", name, &value) == 2) {
      VAR(char, name) = (char)value;
    }
    break;
  case 'r':
    VAR(int, "simInSize") = from_hex(o->text, symbol("simInDataBuffer"), 125);
    break;
  }
  request(m, now);
  swap_out(m->memory);
}

static void
load(const char *path)
{
  driver_library_open(path);
  for(int i = 1; i <= mote_count; i++) {
    struct mote *m = &motes[i];
    m->memory = malloc(data_size + bss_size);
    m->start = m->wake = 10000 * i; /* boots 10 ms apart */
    m->sent_at = NEVER;
    swap_out(m->memory);
  }
  for(int i = 1; i <= mote_count; i++) {
    swap_in(motes[i].memory);
    VAR(int, "simMoteID") = i;
    VAR(int, "simRandomSeed") = seed + i;
    VAR(char, "simMoteIDChanged") = 1;
    from_hex(eeprom_hex, symbol("simEEPROMData"), 1024);
    swap_out(motes[i].memory);
  }
}

static void
run(int64_t until)
{
  while(1) {
    int64_t next = NEVER;

    for(int i = 0; i < order_count; i++) {
      if(orders[i].kind != 'd' && orders[i].time < next) {
        next = orders[i].time;
      }
    }
    for(int i = 1; i <= mote_count; i++) {
      next = motes[i].wake < next ? motes[i].wake : next;
      next = motes[i].sent_at < next ? motes[i].sent_at : next;
    }
    if(next > until) {
      return;
    }
    now = next;
    for(int i = 0; i < order_count; i++) {
      if(orders[i].kind != 'd' && orders[i].time == now) {
        obey(&orders[i]);
        orders[i].time = NEVER;
      }
    }
    for(int i = 1; i <= mote_count; i++) {
      if(motes[i].sent_at == now) {
        end_frame(i, &motes[i]);
      }
    }
    for(int i = 1; i <= mote_count; i++) {
      if(motes[i].wake == now) {
        run_tick(i, &motes[i]);
      }
    }
  }
}

static void
add_order(int kind, char *text)
{
  struct order *o = &orders[order_count++];
  double time, until = 0;
  int length = 0;

  if(order_count > ORDERS_MAX - 1 ||
     sscanf(text, "%d:%lf:%n", &o->mote, &time, &length) < 2 ||
     o->mote < 1 || o->mote > MOTES_MAX) {
    fprintf(stderr, "driver: what is %s?\n", text);
    exit(2);
  }
  o->kind = kind;
  o->time = (int64_t)(time * 1000 + 0.5);
  o->text = text + length;
  sscanf(o->text, "%lf", &until);
  o->until = (int64_t)(until * 1000 + 0.5);
}

int
main(int argc, char **argv)
{
  int64_t until = 60000;

  for(int i = 2; i < argc; i++) {
    const char *option = argv[i];
    if(strcmp(option, "--frames") == 0) {
      show_frames = true;
      continue;
    }
    if(++i >= argc) {
      fprintf(stderr, "driver: %s needs a value\n", option);
      return 2;
    }
    if(strcmp(option, "--motes") == 0) {
      mote_count = atoi(argv[i]);
    } else if(strcmp(option, "--seed") == 0) {
      seed = atoi(argv[i]);
    } else if(strcmp(option, "--until") == 0) {
      until = atoll(argv[i]);
    } else if(strcmp(option, "--eeprom") == 0) {
      eeprom_hex = argv[i];
    } else if(strcmp(option, "--lose") == 0 && lost_count < ORDERS_MAX) {
      lost[lost_count++] = atoi(argv[i]);
    } else {
      add_order(option[2], argv[i]); /* input, set, raw, deaf */
    }
  }
  if(argc < 2 || mote_count < 1 || mote_count > MOTES_MAX) {
    fprintf(stderr, "driver: see the head of driver.c\n");
    return 2;
  }
  load(argv[1]);
  run(until * 1000);
  return 0;
}
