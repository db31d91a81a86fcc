/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Throws at a Tmote Sky's chips (kernel/sky) what no sound firmware or medium would: commands in any order, cut short and mixed,
 * bytes from the air at any moment, resets and lost power within them. For sanitizers: it prints only how far it came.
 *
 * chips noise SEED STEPS: the microcontroller spins, the chips' wires are driven from here.
 * chips program STEPS FILE...: firmware (64 KB of memory) drives them, and bytes come from the air.
 */
#include "msp430/msp430.h"
#include "sky/board.h"
#include "sky/cc2420_receive.h"

#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static struct msp430 *mcu;
static struct board board;
static jmp_buf end;
static uint32_t state;
static uint8_t sent[512]; /* by the radio, the last ones; some come back */
static unsigned sent_count;

static int64_t passed_us; /* by the last step; they are what the next one begins with */

static uint32_t
chosen(uint32_t below)
{
  state = state * 1664525 + 1013904223;
  return (uint32_t)((uint64_t)state * below >> 32);
}

static void
radio_sent(void *context, uint8_t byte)
{
  (void)context;
  sent[sent_count++ % sizeof(sent)] = byte;
}

static void
radio_changed(void *context)
{
  (void)context;
}

static const struct cc2420_listener RADIO = {radio_sent, radio_changed, radio_changed, radio_changed};

static void
usart_sent(void *context, unsigned usart, unsigned byte)
{
  (void)context;
  if(usart == 0) {
    board_spi(&board, (uint8_t)byte);
  }
}

static void
port_written(void *context, unsigned port, unsigned levels)
{
  (void)context;
  if(mcu != NULL) {
    board_port_written(&board, port, levels);
  }
}

static void
was_reset(void *context)
{
  (void)context;
  if(mcu != NULL) {
    board_reset(&board);
  }
}

static void
refused(void *context, const char *what)
{
  (void)context;
  (void)what;
  longjmp(end, 1);
}

static void
fault(void *context, enum msp430_fault fault, uint32_t address)
{
  (void)context;
  (void)fault;
  (void)address;
  longjmp(end, 1);
}

static const struct msp430_board BOARD = {
  .usart_sent = usart_sent, .port_written = port_written, .reset = was_reset, .refused = refused, .fault = fault};

static void
begin(struct msp430_image *image, enum msp430_rules rules)
{
  mcu = NULL;
  passed_us = 0;
  mcu = msp430_new(image, &BOARD, NULL, rules);
  board_init(&board, mcu, &RADIO, NULL);
  ds2411_set_id(&board.serial_number, (int)chosen(70000));
  m25p80_write_id(&board.flash, (int)chosen(70000));
}

static void
forget(void)
{
  msp430_free(mcu);
  free(board.flash.content);
}

static void
wait_us(int64_t us)
{
  msp430_step(mcu, passed_us, us);
  passed_us = us;
}

/* Bytes from the air: noise, or a frame with a preamble that is whole, too long, or what the radio itself sent. */
static void
hear(void)
{
  unsigned length = chosen(8) == 0 ? 128 + chosen(128) : chosen(128);

  cc2420_set_rssi(&board.radio, (int)chosen(200) - 150);
  if(chosen(4) == 0) {
    cc2420_receive(&board.radio, (uint8_t)chosen(256));
    return;
  }
  for(unsigned i = 0; i < 4; i++) {
    cc2420_receive(&board.radio, 0);
  }
  cc2420_receive(&board.radio, 0x7a);
  cc2420_receive(&board.radio, (uint8_t)length);
  for(unsigned i = chosen(4) == 0 ? chosen(length + 1) : 0; i < length; i++) {
    cc2420_receive(&board.radio, chosen(2) == 0 ? (uint8_t)chosen(256) : sent[i]);
    if(chosen(40) == 0) {
      return;
    }
  }
}

/* A command on the SPI: which chips are selected, its first byte, and so many more. */
static void
command(void)
{
  unsigned levels = chosen(256) | (chosen(8) != 0 ? 0x20 : 0); /* mostly with power */

  board_port_written(&board, 4, levels);
  board_spi(&board, (uint8_t)chosen(256));
  for(unsigned count = chosen(4) == 0 ? chosen(600) : chosen(8); count > 0; count--) {
    board_spi(&board, (uint8_t)chosen(256));
    if(chosen(100) == 0) {
      board_port_written(&board, 4, levels ^ 1U << chosen(8));
    }
  }
  if(chosen(8) != 0) {
    board_port_written(&board, 4, levels | 0x34);
  }
}

/* As firmware turns the radio on, and then strobes. */
static void
start_radio(void)
{
  static const uint8_t STROBES[] = {0x01, 0x03, 0x04, 0x05, 0x06, 0x08};

  board_port_written(&board, 4, 0x34);
  wait_us(100);
  for(unsigned i = 0; i < 4; i++) {
    board_port_written(&board, 4, 0x30);
    board_spi(&board, i == 0 ? 0x01 : STROBES[chosen(sizeof(STROBES))]);
    board_port_written(&board, 4, 0x34);
    wait_us(chosen(3000));
  }
}

static void
act(void)
{
  switch(chosen(12)) {
  case 0: case 1: case 2: command(); break;
  case 3: start_radio(); break;
  case 4: case 5: hear(); break;
  case 6: board_port_written(&board, 1 + chosen(6), chosen(65536)); break;
  case 7: /* the climate sensor's two wires, and the serial number's one */
    for(unsigned i = chosen(80); i > 0; i--) {
      board_port_written(&board, 1, chosen(256));
      board_port_written(&board, 2, chosen(256));
      wait_us(chosen(600));
    }
    break;
  case 8: board_press(&board, chosen(2) == 0); break;
  case 9: cc2420_power(&board.radio, chosen(2) == 0); break;
  case 10: board_reset(&board); break;
  default: wait_us(1 + chosen(20000)); break;
  }
}

static void
noise(uint32_t seed, unsigned steps)
{
  static uint8_t memory[MSP430_MEMORY] = {[0x4000] = 0xff, [0x4001] = 0x3f, [0xfffe] = 0x00, [0xffff] = 0x40}; /* jmp $ */
  struct msp430_image *image = msp430_image_raw(memory);
  static volatile unsigned step, begins;

  state = seed;
  begins = step = 0;
  setjmp(end); /* after a fault with another board */
  if(begins++ > 0) {
    forget();
  }
  begin(image, seed % 2 == 0 ? MSP430_COOJA_5_0 : MSP430_COOJA_MASTER);
  wait_us(10);
  while(step < steps) {
    step++;
    act();
  }
  printf("%u boards, %u bytes sent\n", begins, sent_count);
  forget();
  msp430_image_free(image);
}

static void
program(const char *path, unsigned steps)
{
  static uint8_t memory[MSP430_MEMORY];
  FILE *file = fopen(path, "rb");
  struct msp430_image *image;
  static volatile unsigned step;
  static int64_t jump;

  if(file == NULL || fread(memory, 1, sizeof(memory), file) != sizeof(memory)) {
    fprintf(stderr, "can't read 65536 bytes of %s\n", path);
    exit(3);
  }
  fclose(file);
  image = msp430_image_raw(memory);
  begin(image, MSP430_COOJA_MASTER);
  step = 0;
  jump = 0;
  if(setjmp(end) == 0) {
    for(; step < steps; step++) {
      jump = msp430_step(mcu, jump, 1) + 1;
      if(chosen(200) == 0) {
        hear();
        jump = 1; /* something has come: it runs again at once */
      }
    }
  }
  printf("%u\n", step);
  forget();
  msp430_image_free(image);
}

int
main(int argc, char **argv)
{
  if(argc == 4 && strcmp(argv[1], "noise") == 0) {
    noise((uint32_t)strtoul(argv[2], NULL, 10), (unsigned)strtoul(argv[3], NULL, 10));
    return 0;
  }
  if(argc > 3 && strcmp(argv[1], "program") == 0) {
    for(int i = 3; i < argc; i++) {
      program(argv[i], (unsigned)strtoul(argv[2], NULL, 10));
    }
    return 0;
  }
  fprintf(stderr, "use: chips noise SEED STEPS, or chips program STEPS FILE...\n");
  return 2;
}
