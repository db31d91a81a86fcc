/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/sky.h"

#include "base/memory.h"
#include "base/report.h"
#include "msp430/image.h"
#include "observation/watch.h"
#include "radio/byte_radio.h"
#include "sky/awake.h"
#include "sky/board.h"
#include "sky/cc2420_receive.h"
#include "sky/identity.h"
#include "sky/input.h"

#include <stdio.h>
#include <string.h>

enum { SPI = 0, UART = 1 };         /* USARTs */
enum { MOST_DEBUG_CHARACTERS = 128 };

struct sky {
  struct simulation *simulation;
  struct mote *mote;
  struct msp430 *mcu;
  struct board board;
  struct awake_mote awake; /* its time */
  bool has_header; /* the flash has its header with the id */
  bool sends; /* its radio sends, or prepares for it */
  struct identity identity;
  uint32_t debug_at;       /* the address of the pointer to a text; 0: there is none */
  struct input input;
};

/* ---- what it tells the simulation ---- */

static void
add_place(const struct sky *sky, uint32_t address, struct text *text)
{
  uint32_t start;
  const char *function = msp430_image_function(sky->mote->type->sky_image, address, &start);

  text_add(text, " at 0x");
  text_add_hex(text, address);
  if(function != NULL) {
    text_add(text, " in ");
    text_add(text, function);
    text_add(text, "()");
  }
}

static void
refused(void *context, const char *what)
{
  struct sky *sky = context;
  char place[200];
  struct text text = {place, 0, sizeof(place) - 1};

  add_place(sky, msp430_last_pc(sky->mcu), &text);
  place[text.used] = 0;
  log_flush(&sky->simulation->log);
  report_error(ERROR_DESCRIPTION, "mote %d, simulated time %lld us: its firmware uses %s%s, which the emulated Tmote Sky does not "
               "have; run the file with --engine cooja", sky->mote->id, (long long)sky->simulation->queue.now, what, place);
}

static void
fault(void *context, enum msp430_fault fault, uint32_t address)
{
  static const char *const NAMES[] = {
    [MSP430_ILLEGAL_INSTRUCTION] = "an illegal instruction", [MSP430_ILLEGAL_READ] = "a read where there is no memory",
    [MSP430_ILLEGAL_WRITE] = "a write where nothing can be written",
    [MSP430_INTERRUPT_IN_FLASH_WRITE] = "an interrupt while flash memory is written",
    [MSP430_LATE_EVENT] = "an event in the past, at which Cooja stops",
    [MSP430_BAD_STEP] = "a wake-up that Cooja's clock can't make good, at which it stops",
    [MSP430_HANGS] = "sleep inside an interrupt that another one waits for, in which Cooja hangs"
  };
  static char what[300];
  struct text text = {what, 0, sizeof(what) - 1};
  struct sky *sky = context;

  text_add(&text, NAMES[fault]);
  if(fault <= MSP430_ILLEGAL_WRITE) {
    add_place(sky, address, &text);
  }
  if(fault == MSP430_ILLEGAL_READ || fault == MSP430_ILLEGAL_WRITE) {
    text_add(&text, ", by the instruction");
    add_place(sky, msp430_last_pc(sky->mcu), &text);
  }
  what[text.used] = 0;
  ahead_keep_fault(what, text.used + 1);
  watch_mote_fault(sky->mote, what);
}

static void
take_line(void *context, struct mote *mote, const char *line, size_t length)
{
  if(!ahead_keep(DEED_LINE, 0, 0, line, length)) {
    mote_line(context, mote, line, length);
  }
}

static void
usart_sent(void *context, unsigned usart, unsigned byte)
{
  struct sky *sky = context;
  struct line_listener listener = {take_line, sky->simulation, sky->mote};

  if(byte > UINT8_MAX) {
    refused(sky, "words in a USART's transmit buffer");
  }
  if(usart == SPI) {
    board_spi(&sky->board, (uint8_t)byte);
  } else if(mote_has(sky->mote, WITH_ContikiRS232)) {
    serial_receive_latin(&sky->mote->serial, (uint8_t)byte, &listener);
  }
}

/* The text that a pointer of the firmware leads to, as Cooja reads it. */
static void
print_debug_text(struct sky *sky)
{
  const uint8_t *memory = msp430_memory(sky->mcu);
  uint32_t address = memory[sky->debug_at] | (uint32_t)memory[sky->debug_at + 1] << 8;
  char line[16 + 3 * (MOST_DEBUG_CHARACTERS + 1)] = "DEBUG: ";
  struct text text = {line, 7, sizeof(line)};

  for(int i = 0; i <= MOST_DEBUG_CHARACTERS && memory[address & 0xffff] != 0; i++, address++) {
    char byte = (char)memory[address & 0xffff];
    const char wide[] = {(char)0xef, (char)(0xbc | (byte >> 6 & 3)), (char)(0x80 | (byte & 0x3f))}; /* U+FF00 + byte */
    text_add_bytes(&text, (byte & 0x80) ? wide : &byte, (byte & 0x80) ? sizeof(wide) : 1);
    if(i == MOST_DEBUG_CHARACTERS) {
      text_add(&text, "...");
    }
  }
  if(text.used > 7) {
    take_line(sky->simulation, sky->mote, line, text.used);
  }
}

static void
written(void *context, uint32_t address)
{
  struct sky *sky = context;

  identity_written(&sky->identity, address);
  if(sky->debug_at != 0 && address == sky->debug_at) {
    print_debug_text(sky);
  }
}

static void
port_written(void *context, unsigned port, unsigned levels)
{
  struct sky *sky = context;

  if(sky->mcu != NULL) {
    board_port_written(&sky->board, port, levels);
  }
}

static void
reset(void *context)
{
  struct sky *sky = context;

  if(sky->mcu != NULL) { /* else there are no chips yet */
    board_reset(&sky->board);
  }
}

static const struct msp430_board BOARD = {.usart_sent = usart_sent, .port_written = port_written, .reset = reset, .written = written,
                                          .refused = refused, .fault = fault};

/* ---- time ---- */

void
sky_execute(struct simulation *simulation, struct mote *mote)
{
  simulation->ran++;
  awake_run(&mote->sky->awake, 1);
}

/* What a mote did while it ran ahead of the others. */
static void
do_kept(struct mote *mote, enum deed_kind deed, int first, int second, const char *text, size_t length)
{
  struct simulation *simulation = mote->sky->simulation;

  switch(deed) {
  case DEED_LINE:
    mote_line(simulation, mote, text, length);
    break;
  case DEED_MODE:
    byte_radio_mode_changed(simulation, mote, first, second);
    break;
  case DEED_CHANNEL:
    byte_radio_channel_changed(simulation, mote, first);
    break;
  case DEED_POWER:
    byte_radio_power_changed(simulation, mote, first);
    break;
  case DEED_FAULT:
    watch_mote_fault(mote, text);
  case DEED_SLEEP:
    break;
  }
}

void
sky_start(struct simulation *simulation, bool every_slice, bool script_acts)
{
  awake_init(simulation, every_slice, script_acts, do_kept);
}

static void
catch_up(struct simulation *simulation, struct mote *mote)
{
  (void)simulation;
  awake_run(&mote->sky->awake, 0);
}

void
sky_set_start(struct mote *mote, int64_t time_us)
{
  mote->drift_us = -time_us;
}

/* ---- radio ---- */

static void
radio_receive(struct mote *mote, uint8_t byte)
{
  cc2420_receive(&mote->sky->board.radio, byte);
}

static void
radio_set_strength(struct mote *mote, int dbm)
{
  cc2420_set_rssi(&mote->sky->board.radio, dbm);
}

static void
radio_set_quality(struct mote *mote, int lqi)
{
  mote->sky->board.radio.correlation = (uint8_t)(lqi < 0 ? 0 : lqi > INT8_MAX ? INT8_MAX : lqi);
}

static bool
radio_listens(const struct mote *mote)
{
  return cc2420_searches(&mote->sky->board.radio);
}

static bool
radio_follows(const struct mote *mote, bool to_its_end)
{
  return cc2420_takes_frame(&mote->sky->board.radio, to_its_end);
}

static const struct byte_radio_chip CHIP = {catch_up, radio_receive, radio_set_strength, radio_set_quality, radio_listens,
                                            radio_follows};

static void
radio_sent(void *context, uint8_t byte)
{
  struct sky *sky = context;

  awake_note_byte(&sky->awake);
  if(sky->mote->radio.bytes != NULL) {
    byte_radio_send(sky->simulation, sky->mote, byte);
  }
}

static void
radio_mode_changed(void *context)
{
  struct sky *sky = context;
  const struct cc2420 *radio = &sky->board.radio;
  bool sends = radio->mode == CC2420_SENDS;

  sky->awake.deaf = radio->mode == CC2420_OFF || radio->mode == CC2420_NO_POWER;
  if(sends != sky->sends) {
    sky->sends = sends;
    awake_count_sender(sends ? 1 : -1);
  }
  if(sky->mote->radio.bytes != NULL && !ahead_keep(DEED_MODE, cc2420_is_on(radio), cc2420_searches(radio), NULL, 0)) {
    byte_radio_mode_changed(sky->simulation, sky->mote, cc2420_is_on(radio), cc2420_searches(radio));
  }
}

static void
radio_channel_changed(void *context)
{
  struct sky *sky = context;
  int channel = sky->board.radio.channel;

  if(sky->mote->radio.bytes != NULL && !ahead_keep(DEED_CHANNEL, channel, 0, NULL, 0)) {
    byte_radio_channel_changed(sky->simulation, sky->mote, channel);
  }
}

static int
power_level(const struct sky *sky)
{
  return sky->board.radio.registers[CC2420_TXCTRL] & CC2420_FULL_POWER;
}

static void
radio_power_changed(void *context)
{
  struct sky *sky = context;

  if(sky->mote->radio.bytes != NULL && !ahead_keep(DEED_POWER, power_level(sky), 0, NULL, 0)) {
    byte_radio_power_changed(sky->simulation, sky->mote, power_level(sky));
  }
}

static const struct cc2420_listener RADIO = {radio_sent, radio_mode_changed, radio_channel_changed, radio_power_changed};

static void
init_radio(struct sky *sky)
{
  struct radio *radio = &sky->mote->radio;

  if(mote_has(sky->mote, WITH_ContikiRadio)) {
    radio->seen_power = power_level(sky);
    radio->full_power = CC2420_FULL_POWER;
    radio->seen_channel = sky->board.radio.channel;
    byte_radio_init(sky->mote, &CHIP);
    observe_state(sky->mote);
  }
}

/* ---- serial input and button ---- */

void
sky_write(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  input_write(simulation, &mote->sky->input, text, length);
}

void
sky_press(struct mote *mote, bool down)
{
  board_press(&mote->sky->board, down);
}

bool
sky_is_pressed(const struct mote *mote)
{
  return mote->sky->board.button;
}

unsigned
sky_leds(const struct mote *mote)
{
  return mote->sky->board.leds;
}

/* ---- life ---- */

void
sky_set_id(struct simulation *simulation, struct mote *mote, int id)
{
  struct sky *sky = mote->sky;
  int seed = (int)(uint32_t)((uint64_t)simulation->seed + (uint64_t)id);

  mote->id = id;
  ds2411_set_id(&sky->board.serial_number, id);
  if(identity_set(&sky->identity, id, seed) && !sky->has_header) {
    if((mote->type->sky_interfaces & SKY_FLASH) != 0) {
      m25p80_write_id(&sky->board.flash, id);
    }
    sky->has_header = true;
  }
}

void
sky_create(struct simulation *simulation, struct mote *mote)
{
  struct sky *sky = allocate(1, sizeof(*sky));

  mote->sky = sky;
  sky->simulation = simulation;
  sky->mote = mote;
  mote->deviation = mote->deviation > 0 ? mote->deviation : 1;
  event_init(&mote->wakeup);
  sky->mcu = msp430_new(mote->type->sky_image, &BOARD, sky,
                        simulation->medium->rules_2026_07 ? MSP430_COOJA_MASTER : MSP430_COOJA_5_0);
  sky->awake = (struct awake_mote){.simulation = simulation, .mote = mote, .mcu = sky->mcu, .last_us = -1, .deaf = true};
  sky->input = (struct input){.mote = mote, .mcu = sky->mcu, .catch_up = catch_up};
  input_init(&sky->input);
  sky->identity.mcu = sky->mcu;
  board_init(&sky->board, sky->mcu, &RADIO, sky);
  init_radio(sky);
  if((mote->type->sky_interfaces & SKY_DEBUG_OUTPUT) != 0 && (sky->debug_at = identity_variable(sky->mcu, "cooja_debug_ptr")) != 0) {
    msp430_watch(sky->mcu, sky->debug_at, 1);
  }
}

bool
sky_processor_times(const struct mote *mote, struct processor_times *times)
{
  return mote->sky != NULL && awake_processor_times(&mote->sky->awake, times);
}

void
sky_removed(struct mote *mote)
{
  struct sky *sky = mote->sky;

  sky->awake.removed_us = sky->simulation->queue.now;
  awake_leave(&sky->awake);
  identity_release(&sky->identity);
  if(sky->debug_at != 0) {
    msp430_unwatch(sky->mcu, sky->debug_at, 1);
    sky->debug_at = 0;
  }
}
