/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Runs a microcontroller (kernel/msp430) and prints a hash of its states for each 1,000 steps; Driver.java does the same with
 * MSPSim. A step is an instruction, an interrupt with one, or a sleep up to the next event; with --slices it is a slice of 1 us as
 * Cooja runs it. The board answers each byte on USART 0 and ties its ports together, so that input pins change.
 */
#include "base/report.h"
#include "msp430/msp430.h"

#include <inttypes.h>
#include <setjmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STEPS_A_HASH = 1000, RAM_BEGIN = 0x1100, RAM_END = 0x3900 };

struct board {
  struct msp430 *mcu;
  uint64_t hash;
  jmp_buf end;
  char what[80];
  bool prints;
};

static void
mix(uint64_t *hash, uint64_t value)
{
  *hash = (*hash ^ value) * 0x100000001b3; /* FNV-1a by words */
}

static void
usart_sent(void *context, unsigned usart, unsigned byte)
{
  struct board *board = context;

  if(board->prints && usart == 1) {
    putchar((int)byte);
  }
  mix(&board->hash, (uint64_t)msp430_cycles(board->mcu) << 16 | usart << 15 | (byte & 0x7fff));
  if(usart == 0) {
    msp430_usart_receive(board->mcu, 0, byte * 7 + 1);
  }
}

/* The lower four pins of port n drive those of port n + 1, the upper ones the same port's lower ones. */
static void
port_written(void *context, unsigned port, unsigned levels)
{
  struct board *board = context;

  mix(&board->hash, (uint64_t)msp430_cycles(board->mcu) << 24 | port << 16 | levels);
  for(unsigned pin = 0; pin < 4; pin++) {
    msp430_set_pin(board->mcu, port % 6 + 1, pin, levels >> pin & 1);
  }
  if(port != 3) {
    msp430_set_pin(board->mcu, port, 6, levels >> 4 & 1);
  }
}

static void
board_reset(void *context)
{
  mix(&((struct board *)context)->hash, 0x7265736574);
}

static int
analog_input(void *context, unsigned channel)
{
  return channel < 8 ? (int)(channel * 100 + (unsigned)(msp430_cycles(((struct board *)context)->mcu) & 63)) : -1;
}

static void
refused(void *context, const char *what)
{
  struct board *board = context;

  snprintf(board->what, sizeof(board->what), "refused: %s", what);
  longjmp(board->end, 1);
}

static void
fault(void *context, enum msp430_fault fault, uint32_t address)
{
  struct board *board = context;

  (void)fault;
  (void)address;
  snprintf(board->what, sizeof(board->what), "stopped");
  longjmp(board->end, 1);
}

static const struct msp430_board BOARD = {
  .usart_sent = usart_sent, .port_written = port_written, .reset = board_reset, .analog_input = analog_input,
  .refused = refused, .fault = fault};

static void
mix_state(struct board *board)
{
  mix(&board->hash, (uint64_t)msp430_cycles(board->mcu));
  for(unsigned i = 0; i < 16; i++) {
    mix(&board->hash, msp430_register(board->mcu, i));
  }
}

static void
print_hash(struct board *board, uint64_t step)
{
  const uint8_t *memory = msp430_memory(board->mcu);

  for(unsigned i = RAM_BEGIN; i < RAM_END; i++) {
    mix(&board->hash, memory[i]);
  }
  printf("%" PRIu64 " %" PRId64 " %016" PRIx64 "\n", step, msp430_cycles(board->mcu), board->hash);
}

static void
run(struct board *board, uint64_t steps, bool in_slices)
{
  volatile uint64_t step = 0;
  static int64_t jump;

  jump = 0;
  if(setjmp(board->end) == 0) {
    while(step < steps) {
      if(in_slices) {
        jump = msp430_step(board->mcu, jump, 1) + 1;
        mix(&board->hash, (uint64_t)jump);
      } else {
        msp430_step_once(board->mcu);
      }
      mix_state(board);
      step++;
      if(step % STEPS_A_HASH == 0) {
        print_hash(board, step);
      }
      if(getenv("TRACE") != NULL) {
        printf("%" PRIu64 " %" PRId64 " %016" PRIx64, step, msp430_cycles(board->mcu), board->hash);
        for(unsigned i = 0; i < 16; i++) {
          printf(" %x", msp430_register(board->mcu, i));
        }
        printf("\n");
      }
    }
    snprintf(board->what, sizeof(board->what), "done");
  }
  printf("%s %" PRIu64 " %016" PRIx64 "\n", board->what, step, board->hash);
}

/*
 * Runs one microcontroller in slices and another one in runs of many, and compares what they are after each run. A run that stops
 * within a slice is completed by a slice.
 */
static void
compare(struct board *board, struct msp430_image *image, uint64_t runs)
{
  static struct board other;
  volatile uint64_t run = 0;
  static int64_t jump, other_jump, most, ran;
  static uint32_t length;

  other = (struct board){.hash = board->hash};
  other.mcu = msp430_new(image, &BOARD, &other, MSP430_COOJA_MASTER);
  jump = other_jump = 0;
  length = 1;
  snprintf(board->what, sizeof(board->what), "done");
  if(setjmp(other.end) == 0) {
    while(run < runs) {
      length = length * 1103515245 + 12345;
      most = 1 + length % 97;
      ran = 0;
      if(msp430_is_awake(other.mcu)) {
        msp430_stop_at_looks(other.mcu, length / 97 % 2);
        ran = msp430_run(other.mcu, other_jump, most);
        msp430_stop_at_looks(other.mcu, false);
        other_jump = 1;
      }
      if(ran < most) {
        other_jump = msp430_step(other.mcu, other_jump, 1) + 1;
        ran++;
      }
      if(setjmp(board->end) != 0) {
        snprintf(board->what, sizeof(board->what), "differs");
        break;
      }
      for(int64_t i = 0; i < ran; i++) {
        jump = msp430_step(board->mcu, jump, 1) + 1;
        if(i < ran - 1 && jump != 1) {
          snprintf(board->what, sizeof(board->what), "differs: it slept");
        }
      }
      mix_state(board);
      mix_state(&other);
      if(jump != other_jump || board->hash != other.hash) {
        snprintf(board->what, sizeof(board->what), "differs");
        break;
      }
      run++;
    }
  }
  printf("%s %" PRIu64 "\n", board->what, run);
  msp430_free(other.mcu);
}

/* Simulated seconds, a line of how fast; bytes of USART 1 are printed. */
static void
measure(struct board *board, double seconds)
{
  board->prints = true;
  if(setjmp(board->end) == 0) {
    msp430_step(board->mcu, 0, (int64_t)(seconds * 1e6));
  }
  printf("\n%" PRId64 " cycles, %" PRId64 " awake %s\n", msp430_cycles(board->mcu), msp430_active_cycles(board->mcu),
         board->what);
}

static struct msp430_image *
image_of(const char *path, bool raw)
{
  static uint8_t memory[MSP430_MEMORY];
  FILE *file;

  if(!raw) {
    return msp430_image_read(path);
  }
  file = fopen(path, "rb");
  if(file == NULL || fread(memory, 1, sizeof(memory), file) != sizeof(memory)) {
    fprintf(stderr, "can't read 65536 bytes of %s\n", path);
    exit(3);
  }
  fclose(file);
  return msp430_image_raw(memory);
}

int
main(int argc, char **argv)
{
  if(argc < 4) {
    fprintf(stderr, "use: driver raw|raw-slices|raw-runs|elf|elf-slices|time STEPS FILE...\n");
    return 2;
  }
  for(int i = 3; i < argc; i++) {
    static struct board board;
    struct msp430_image *image = image_of(argv[i], strncmp(argv[1], "raw", 3) == 0);
    board = (struct board){.hash = 0xcbf29ce484222325};
    board.mcu = msp430_new(image, &BOARD, &board, MSP430_COOJA_MASTER);
    if(strcmp(argv[1], "time") == 0) {
      measure(&board, atof(argv[2]));
    } else {
      const char *name = strrchr(argv[i], '/');
      puts(name != NULL ? name + 1 : argv[i]);
      if(strcmp(argv[1], "raw-runs") == 0) {
        compare(&board, image, strtoull(argv[2], NULL, 10));
      } else {
        run(&board, strtoull(argv[2], NULL, 10), strstr(argv[1], "-slices") != NULL);
      }
    }
    msp430_free(board.mcu);
    msp430_image_free(image);
  }
  return 0;
}
