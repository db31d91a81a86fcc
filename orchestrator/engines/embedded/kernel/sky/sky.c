/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/sky.h"

#include "base/memory.h"
#include "base/text.h"
#include "observation/watch.h"
#include "radio/byte_radio.h"
#include "sky/awake.h"
#include "sky/board.h"
#include "sky/cc2420_receive.h"
#include "sky/debugger.h"
#include "sky/faults.h"
#include "sky/identity.h"
#include "sky/input.h"

enum { SPI = 0, UART = 1 };         /* USARTs */
enum { MOST_DEBUG_CHARACTERS = 128 };

struct sky {
  struct simulation *simulation;
  struct mote *mote;
  struct msp430 *mcu;
  struct board board;
  struct awake_mote awake; /* its time */
  bool has_header; /* the flash has its header with the id */
  struct identity identity;
  struct faults faults;
  uint32_t debug_at;       /* the address of the pointer to a text; 0: there is none */
  struct input input;
};

/* ---- what it tells the simulation ---- */

static void
refused(void *context, const char *what)
{
  faults_refuse(&((struct sky *)context)->faults, what);
}

static void
fault(void *context, enum msp430_fault fault, uint32_t address)
{
  faults_end(&((struct sky *)context)->faults, fault, address);
}

static void
instruction(void *context)
{
  (void)context;
  debugger_instruction();
}

static void
noticed(void *context, enum msp430_notice notice, uint32_t address)
{
  faults_note(&((struct sky *)context)->faults, notice, address);
}

void
sky_report(const struct simulation *simulation)
{
  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    const struct sky *sky = simulation->motes[i].sky;
    if(sky != NULL) {
      faults_report(&sky->faults, sky->awake.last_us - simulation->queue.now);
    }
  }
}

static void
take_line(void *context, struct mote *mote, const char *line, size_t length)
{
  if(!ahead_keep(DEED_LINE, 0, 0, line, length)) {
    mote_line(context, mote, line, length);
  }
}

static void
take_byte(const struct sky *sky, uint8_t byte)
{
  if(sky->simulation->printed != NULL && !ahead_keep(DEED_PRINTED, byte, 0, NULL, 0)) {
    sky->simulation->printed(sky->simulation, sky->mote, &byte, 1);
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
    take_byte(sky, (uint8_t)byte);
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
                                          .instruction = instruction, .noticed = noticed, .refused = refused, .fault = fault};

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
  case DEED_PRINTED:
    simulation->printed(simulation, mote, &(uint8_t){(uint8_t)first}, 1);
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
  case DEED_NOTICE:
  case DEED_REFUSAL:
  case DEED_FAULT:
    faults_do(&mote->sky->faults, deed, first, second, text);
    break;
  case DEED_BYTE:
    byte_radio_send(simulation, mote, (uint8_t)first);
    break;
  }
}

void
sky_start(struct simulation *simulation, bool every_slice, bool acts)
{
  watch_before_fault = sky_report;
  awake_init(simulation, every_slice, acts, do_kept);
}

static void
catch_up(struct simulation *simulation, struct mote *mote)
{
  (void)simulation;
  awake_run(&mote->sky->awake, 0);
}

static void
be_measured(struct simulation *simulation, struct mote *mote)
{
  (void)simulation;
  awake_disturb(&mote->sky->awake);
}

void
sky_set_start(struct mote *mote, int64_t time_us)
{
  mote->drift_us = -time_us;
}

/* ---- radio ---- */

/* The radio of a mote that is ahead takes no bytes now, whatever it does later. */

static void
radio_receive(struct mote *mote, uint8_t byte)
{
  if(!awake_is_ahead(&mote->sky->awake)) {
    cc2420_receive(&mote->sky->board.radio, byte);
  }
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
  return !awake_is_ahead(&mote->sky->awake) && cc2420_searches(&mote->sky->board.radio);
}

static bool
radio_follows(const struct mote *mote, bool to_its_end)
{
  return !awake_is_ahead(&mote->sky->awake) && cc2420_takes_frame(&mote->sky->board.radio, to_its_end);
}

static const struct byte_radio_chip CHIP = {catch_up, be_measured, radio_receive, radio_set_strength, radio_set_quality, radio_listens,
                                            radio_follows};

static void
radio_sent(void *context, uint8_t byte)
{
  struct sky *sky = context;

  if(sky->mote->radio.bytes != NULL && !ahead_keep(DEED_BYTE, byte, 0, NULL, 0)) {
    byte_radio_send(sky->simulation, sky->mote, byte);
  }
}

static void
radio_mode_changed(void *context)
{
  struct sky *sky = context;
  const struct cc2420 *radio = &sky->board.radio;

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
    radio->bytes->bit_errors = (sky->mote->type->sky_interfaces & SKY_BIT_ERRORS) != 0;
    observe_state(sky->mote);
  }
}

/* ---- serial input and button ---- */

void
sky_write(struct simulation *simulation, struct mote *mote, const uint8_t *bytes, size_t length)
{
  input_write(simulation, &mote->sky->input, bytes, length);
}

void
sky_write_line(struct simulation *simulation, struct mote *mote, const char *text, size_t length)
{
  input_write_line(simulation, &mote->sky->input, text, length);
}

size_t
sky_unread(const struct mote *mote)
{
  return mote->sky->input.count - mote->sky->input.next;
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

uint8_t *
sky_memory(struct mote *mote)
{
  return msp430_memory(mote->sky->mcu);
}

void
sky_memory_changed(struct mote *mote, uint32_t address, uint32_t size)
{
  msp430_memory_changed(mote->sky->mcu, address, size);
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
  sky->faults = (struct faults){.simulation = simulation, .mote = mote, .mcu = sky->mcu};
  sky->awake = (struct awake_mote){.simulation = simulation, .mote = mote, .mcu = sky->mcu, .last_us = -1, .undisturbed_us = -2,
                                   .radio = &sky->board.radio};
  sky->input = (struct input){.mote = mote, .mcu = sky->mcu, .catch_up = catch_up};
  input_init(&sky->input);
  sky->identity.mcu = sky->mcu;
  board_init(&sky->board, sky->mcu, &RADIO, sky);
  init_radio(sky);
  if(debugger_waits_for(mote)) {
    debugger_attach(sky->mcu);
  }
  if((mote->type->sky_interfaces & SKY_DEBUG_OUTPUT) != 0 && (sky->debug_at = identity_variable(sky->mcu, "cooja_debug_ptr")) != 0) {
    msp430_watch(sky->mcu, sky->debug_at, 1);
  }
}

bool
sky_processor_times(const struct mote *mote, struct processor_times *times)
{
  if(mote->sky == NULL) {
    return false;
  }
  awake_processor_times(&mote->sky->awake, times);
  return true;
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
