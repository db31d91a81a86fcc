/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/sky.h"

#include "base/exact.h"
#include "base/memory.h"
#include "base/report.h"
#include "msp430/image.h"
#include "observation/watch.h"
#include "radio/byte_radio.h"
#include "sky/board.h"
#include "sky/cc2420_receive.h"

#include <stdio.h>
#include <string.h>

enum { SPI = 0, UART = 1 };         /* USARTs */
enum { SERIAL_INPUT_US = 69 };      /* between bytes, as Cooja writes them: less than at 115,200 bit/s */
enum { WATCHED = 4, MOST_DEBUG_CHARACTERS = 128 };
enum { INFORMATION = 0x1980, INFORMATION_SIZE = 10 };

static const char *const ID_VARIABLES[WATCHED] = {"node_id", "TOS_NODE_ID", "ActiveMessageAddressC__addr",
                                                  "ActiveMessageAddressC$addr"};

struct input { /* bytes for its serial port */
  struct time_event time_event; /* first member */
  struct mote *mote;
  unsigned removals; /* of the mote, when the event was queued */
  uint8_t *bytes;
  uint32_t next, count, size;
};

struct sky {
  struct simulation *simulation;
  struct mote *mote;
  struct msp430 *mcu;
  struct board board;
  bool booted, has_header; /* the flash has its header with the id */
  int64_t last_us;   /* time up to which it has run; -1: it has not */
  double jump_error; /* us that its clock is behind because only whole ones pass */
  uint32_t id_at[WATCHED]; /* addresses of variables to which its id is written; 0: there is none, or it isn't guarded */
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
  watch_mote_fault(sky->mote, what);
}

static void
take_line(void *context, struct mote *mote, const char *line, size_t length)
{
  mote_line(context, mote, line, length);
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
    if(sky->simulation->printed != NULL) {
      uint8_t printed = (uint8_t)byte;
      sky->simulation->printed(sky->simulation, sky->mote, &printed, 1);
    }
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
    mote_line(sky->simulation, sky->mote, line, text.used);
  }
}

static void
write_word(struct sky *sky, uint32_t address, int value)
{
  msp430_memory(sky->mcu)[address] = (uint8_t)value;
  msp430_memory(sky->mcu)[address + 1] = (uint8_t)(value >> 8);
  msp430_memory_changed(sky->mcu, address, 2);
}

static void
written(void *context, uint32_t address)
{
  struct sky *sky = context;

  for(int i = 0; i < WATCHED; i++) {
    if(sky->id_at[i] != 0 && (address & ~1u) == sky->id_at[i]) {
      write_word(sky, sky->id_at[i], sky->mote->id);
    }
  }
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

/* The us that its clock passes in `us` of simulated time; what is left of a us adds up. */
static int64_t
deviated(struct sky *sky, int64_t us)
{
  double exact = (double)us * sky->mote->deviation;
  int64_t whole = to_int(floor(exact));

  sky->jump_error += exact - (double)whole;
  if(sky->jump_error > 1.0) {
    whole++;
    sky->jump_error -= 1.0;
  }
  return whole;
}

static void
run(struct sky *sky, int64_t duration_us)
{
  struct simulation *simulation = sky->simulation;
  struct mote *mote = sky->mote;
  int64_t now = simulation->queue.now, jump, until;

  if(!sky->booted && now + mote->drift_us < 0) {
    queue_wake(&simulation->queue, &mote->wakeup, -mote->drift_us);
    return;
  }
  sky->booted = true;
  sky->last_us = sky->last_us < 0 ? now : sky->last_us;
  jump = now > sky->last_us ? now - sky->last_us : 0;
  if(mote->deviation != 1.0) {
    jump = deviated(sky, jump);
  }
  until = msp430_step(sky->mcu, jump, duration_us) + duration_us;
  if(mote->deviation != 1.0) {
    until = to_int(floor((double)until * (1.0 / mote->deviation)));
  }
  sky->last_us = now;
  queue_wake(&simulation->queue, &mote->wakeup, now + until);
  queue_next_event(&simulation->queue);
}

void
sky_execute(struct simulation *simulation, struct mote *mote)
{
  simulation->ran++;
  run(mote->sky, 1);
}

static void
catch_up(struct simulation *simulation, struct mote *mote)
{
  (void)simulation;
  run(mote->sky, 0);
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

static const struct byte_radio_chip CHIP = {catch_up, radio_receive, radio_set_strength, radio_set_quality, radio_listens};

static void
radio_sent(void *context, uint8_t byte)
{
  struct sky *sky = context;

  if(sky->mote->radio.bytes != NULL) {
    byte_radio_send(sky->simulation, sky->mote, byte);
  }
}

static void
radio_mode_changed(void *context)
{
  struct sky *sky = context;

  if(sky->mote->radio.bytes != NULL) {
    byte_radio_mode_changed(sky->simulation, sky->mote, cc2420_is_on(&sky->board.radio), cc2420_searches(&sky->board.radio));
  }
}

static void
radio_channel_changed(void *context)
{
  struct sky *sky = context;

  if(sky->mote->radio.bytes != NULL) {
    byte_radio_channel_changed(sky->simulation, sky->mote, sky->board.radio.channel);
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

  if(sky->mote->radio.bytes != NULL) {
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

static void write_next(struct simulation *simulation, struct time_event *time_event);

static void
queue_input(struct simulation *simulation, struct input *input, int64_t time)
{
  input->removals = input->mote->removals;
  input->time_event.execute = write_next;
  queue_insert(&simulation->queue, &input->time_event.event, time);
}

static void
write_next(struct simulation *simulation, struct time_event *time_event)
{
  struct input *input = (struct input *)time_event;
  struct mote *mote = input->mote;

  if(input->removals != mote->removals) {
    return;
  }
  catch_up(simulation, mote);
  if(input->next < input->count && msp430_usart_ready(mote->sky->mcu, UART)) {
    msp430_usart_receive(mote->sky->mcu, UART, input->bytes[input->next++]);
    queue_wake(&simulation->queue, &mote->wakeup, simulation->queue.now);
  }
  if(input->next < input->count) {
    queue_input(simulation, input, simulation->queue.now + SERIAL_INPUT_US);
  }
}

void
sky_write(struct simulation *simulation, struct mote *mote, const char *bytes, size_t length)
{
  struct input *input = &mote->sky->input;

  if(input->next == input->count) {
    input->next = input->count = 0;
  }
  for(size_t i = 0; i < length; i++) {
    input->bytes = with_room(input->bytes, input->count, &input->size, 64, 1);
    input->bytes[input->count++] = (uint8_t)bytes[i];
  }
  if(!input->time_event.event.queued || input->removals != mote->removals) {
    queue_input(simulation, input, simulation->queue.now);
  }
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

/* ---- life ---- */

static uint32_t
variable(const struct sky *sky, const char *name)
{
  uint32_t address, size;

  return msp430_image_variable(sky->mote->type->sky_image, name, &address, &size) ? address : 0;
}

/* A part of memory that is erased gets the id in a form that old firmware reads. */
static void
write_information(struct sky *sky, int id)
{
  uint8_t *information = msp430_memory(sky->mcu) + INFORMATION;
  const uint8_t content[INFORMATION_SIZE] = {0xab, 0xcd, 0x02, 0x12, 0x74, 0, 0, 1, 0, (uint8_t)id};

  for(int i = 0; i < INFORMATION_SIZE; i++) {
    if(information[i] != 0xff) {
      return;
    }
  }
  memcpy(information, content, sizeof(content));
  msp430_memory_changed(sky->mcu, INFORMATION, INFORMATION_SIZE);
}

void
sky_set_id(struct simulation *simulation, struct mote *mote, int id)
{
  struct sky *sky = mote->sky;
  uint32_t seed = variable(sky, "rseed");

  mote->id = id;
  ds2411_set_id(&sky->board.serial_number, id);
  write_information(sky, id);
  for(int i = 0; i < WATCHED; i++) {
    uint32_t address = variable(sky, ID_VARIABLES[i]);
    if(address == 0) {
      continue;
    }
    write_word(sky, address, id);
    if(i == 0) {
      if((mote->type->sky_interfaces & SKY_FLASH) != 0 && !sky->has_header) {
        m25p80_write_id(&sky->board.flash, id);
      }
      sky->has_header = true;
      if(seed != 0) {
        write_word(sky, seed, (int)(uint32_t)((uint64_t)simulation->seed + (uint64_t)id));
      }
    }
    if(address % 2 == 0 && sky->id_at[i] == 0) {
      sky->id_at[i] = address;
      msp430_watch(sky->mcu, address, 2);
    }
  }
}

void
sky_create(struct simulation *simulation, struct mote *mote)
{
  struct sky *sky = allocate(1, sizeof(*sky));

  mote->sky = sky;
  sky->simulation = simulation;
  sky->mote = mote;
  sky->last_us = -1;
  sky->input.mote = mote;
  mote->deviation = mote->deviation > 0 ? mote->deviation : 1;
  event_init(&mote->wakeup);
  event_init(&sky->input.time_event.event);
  sky->mcu = msp430_new(mote->type->sky_image, &BOARD, sky,
                        simulation->medium->rules_2026_07 ? MSP430_COOJA_MASTER : MSP430_COOJA_5_0);
  board_init(&sky->board, sky->mcu, &RADIO, sky);
  init_radio(sky);
  if((mote->type->sky_interfaces & SKY_DEBUG_OUTPUT) != 0 && (sky->debug_at = variable(sky, "cooja_debug_ptr")) != 0) {
    msp430_watch(sky->mcu, sky->debug_at, 1);
  }
}

void
sky_removed(struct mote *mote)
{
  struct sky *sky = mote->sky;

  for(int i = 0; i < WATCHED; i++) {
    if(sky->id_at[i] != 0) {
      msp430_unwatch(sky->mcu, sky->id_at[i], 2);
      sky->id_at[i] = 0;
    }
  }
  if(sky->debug_at != 0) {
    msp430_unwatch(sky->mcu, sky->debug_at, 1);
    sky->debug_at = 0;
  }
}

void
sky_open(struct mote_type *type)
{
  uint32_t address, size;

  type->sky_image = msp430_image_read(type->path);
  if(type->sky_table == NULL) {
    return;
  }
  if(!msp430_image_variable(type->sky_image, "images", &address, &size) || size < type->sky_table_size) {
    report_error(ERROR_LOAD, "%s has no variable `images` of %zu bytes", type->path, type->sky_table_size);
  }
  memcpy(type->sky_image->memory + address, type->sky_table, type->sky_table_size);
}

bool
sky_interface(struct mote_type *type, const char *name)
{
  static const struct {
    const char *name;
    uint32_t interface, own;
  } KNOWN[] = {
    {"Position", WITH_Position, 0}, {"IPAddress", WITH_IPAddress, 0}, {"Mote2MoteRelations", WITH_Mote2MoteRelations, 0},
    {"MoteAttributes", WITH_MoteAttributes, 0}, {"MspClock", WITH_ContikiClock, 0}, {"MspMoteID", WITH_ContikiMoteID, 0},
    {"Msp802154Radio", WITH_ContikiRadio, 0}, {"MspSerial", WITH_ContikiRS232, 0}, {"MspLED", WITH_ContikiLED, 0},
    {"SkyButton", WITH_ContikiButton, 0}, {"SkyFlash", 0, SKY_FLASH}, {"SkyCoffeeFilesystem", 0, 0}, {"SkyTemperature", 0, 0},
    {"MspDebugOutput", 0, SKY_DEBUG_OUTPUT},
  };

  for(size_t i = 0; i < sizeof(KNOWN) / sizeof(KNOWN[0]); i++) {
    if(strcmp(KNOWN[i].name, name) == 0) {
      type->interfaces |= KNOWN[i].interface;
      type->sky_interfaces |= KNOWN[i].own;
      return true;
    }
  }
  return false;
}
