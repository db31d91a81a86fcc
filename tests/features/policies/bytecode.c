/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The machine of policies in bytecode on the host.
 *
 *   bytecode run PROGRAM            events from standard input, as compiled.c reads them
 *   bytecode fuzz SEED COUNT PROGRAM...  programs that were damaged by chance: those that the verifier
 *                                   takes are run, and must end in time
 */
#include <sanitizer/asan_interface.h>
#include "events.h"
#include "policy-bytecode.h"

static unsigned long steps;

void
count_step(void)
{
  steps++;
}

struct policy policies[1];

bool
policy_manager_load(uint8_t policy)
{
  policies[policy].state = 0;
  policy_bytecode_start();
  return true;
}

static uint16_t
read_program(const char *name, uint8_t *program)
{
  FILE *file = fopen(name, "rb");
  size_t length = file != NULL ? fread(program, 1, POLICY_BYTECODE_SIZE, file) : 0;

  if(file != NULL) {
    fclose(file);
  }
  return (uint16_t)length;
}

static int
run(const char *name)
{
  char line[256];
  uint16_t length = read_program(name, policy_bytecode_place());
  enum policy_bytecode_verdict verdict = policy_bytecode_take(length);
  const uint8_t *program = policy_bytecode_present(&length);

  if(verdict != POLICY_BYTECODE_GOOD) {
    fprintf(stderr, "refused: %d\n", verdict);
    return 1;
  }
  while(fgets(line, sizeof(line), stdin) != NULL) {
    struct policy_event event = { 0 };
    unsigned entry = read_event(line, &event);
    const uint8_t *handler = program + POLICY_BYTECODE_HEADER;

    for(; entry > 0; entry--) {
      handler += *handler == POLICY_POINT_TIME ? 8 : 4;
    }
    forget_faults();
    enum policy_outcome outcome = policy_bytecode_run(program, (uint16_t)(handler[2] | handler[3] << 8),
                                                      policies, &event);
    print_outcome(outcome, policies, &event);
  }
  return 0;
}

/* Those bytes that aren't a program's are poisoned while one is run. */
static void
run_all(uint16_t length)
{
  const uint8_t *program = policy_bytecode_present(&length);
  const uint8_t *handler = program + POLICY_BYTECODE_HEADER;

  ASAN_POISON_MEMORY_REGION(program + length, (size_t)(POLICY_BYTECODE_SIZE - length));
  for(unsigned i = 0; i < program[4]; i++) {
    struct policy_event event = { .count = 2 };

    event.arguments[0] = policy_number_value((int32_t)drawn_long());
    event.arguments[1] = policy_real_value(2.5f);
    steps = 0;
    policy_bytecode_run(program, (uint16_t)(handler[2] | handler[3] << 8), policies, &event);
    if(steps > (POLICY_MOST_TURNS + 1ul) * length) {
      fprintf(stderr, "%lu instructions\n", steps);
      abort();
    }
    handler += *handler == POLICY_POINT_TIME ? 8 : 4;
  }
  ASAN_UNPOISON_MEMORY_REGION(program + length, (size_t)(POLICY_BYTECODE_SIZE - length));
}

static int
fuzz(unsigned long count, int programs, char **names)
{
  static uint8_t good[16][POLICY_BYTECODE_SIZE];
  static uint16_t lengths[16];
  unsigned long verdicts[POLICY_BYTECODE_BAD_END + 1] = { 0 };

  quiet = true;
  for(int i = 0; i < programs; i++) {
    lengths[i] = read_program(names[i], good[i]);
  }
  while(count-- > 0) {
    unsigned which = (draw() >> 8) % (unsigned)programs;
    uint16_t length = lengths[which];
    uint8_t *place = policy_bytecode_place();

    memcpy(place, good[which], length);
    for(unsigned changes = 1 + (draw() >> 8) % 4; changes > 0; changes--) {
      place[(draw() >> 8) % length] = (uint8_t)(draw() >> 16 & ((draw() >> 20) % 2 ? 0xff : 0x3f));
    }
    if((draw() >> 8) % 8 == 0) {
      length = (uint16_t)(1 + (draw() >> 8) % length);
    }
    place[0] = POLICY_BYTECODE_FORMAT;
    place[1] = (uint8_t)policy_bytecode_fingerprint;
    place[2] = (uint8_t)(policy_bytecode_fingerprint >> 8);
    enum policy_bytecode_verdict verdict = policy_bytecode_take(length);
    verdicts[verdict]++;
    if(verdict == POLICY_BYTECODE_GOOD) {
      run_all(length);
    }
  }
  for(unsigned i = 0; i <= POLICY_BYTECODE_BAD_END; i++) {
    printf("%lu ", verdicts[i]);
  }
  printf("\n");
  return 0;
}

int
main(int argc, char **argv)
{
  policy_bytecode_init();
  if(argc > 4 && strcmp(argv[1], "fuzz") == 0) {
    drawn = (uint32_t)strtoul(argv[2], NULL, 10);
    return fuzz(strtoul(argv[3], NULL, 10), argc - 4, argv + 4);
  }
  return argc > 2 ? run(argv[2]) : 1;
}
