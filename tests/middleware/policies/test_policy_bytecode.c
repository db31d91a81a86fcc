/* SPDX-License-Identifier: Apache-2.0 */
/* A policy in bytecode: taken, refused and replaced. */
#include "bytecode_node.h"
/*---------------------------------------------------------------------------*/
static void
a_program_decides(void)
{
  uint16_t length;

  node(4);
  CHECK(publish(51) && publish(31));
  CHECK(policy_bytecode_present(&length) == NULL);
  CHECK_EQUAL(give(fifty, sizeof(fifty)), POLICY_BYTECODE_GOOD);
  CHECK(policy_manager_is_loaded(1));
  CHECK(takes(-9, 50));
  CHECK_EQUAL(policy_manager_counters.policy_discarded, 1);
  CHECK_EQUAL(give(thirty, sizeof(thirty)), POLICY_BYTECODE_GOOD);
  CHECK(takes(-9, 30));
  CHECK(policy_bytecode_revert());
  CHECK(takes(-9, 50));
  policy_manager_disable(1);
  CHECK(publish(51));
  policy_manager_load(1);
  CHECK(takes(-9, 50));
  CHECK(policy_bytecode_present(&length) != NULL);
  CHECK_EQUAL(length, sizeof(fifty));
}
/*---------------------------------------------------------------------------*/
static void
one_that_is_refused_changes_nothing(void)
{
  static const struct {
    uint8_t at, value;
    enum policy_bytecode_verdict verdict;
  } faults[] = {
    { 0, 2, POLICY_BYTECODE_BAD_FORM },
    { 1, 0x36, POLICY_BYTECODE_BAD_FIRMWARE },
    { 2, 0xf3, POLICY_BYTECODE_BAD_FIRMWARE },
    { 3, POLICY_BYTECODE_CELLS + 1, POLICY_BYTECODE_BAD_HANDLERS },
    { 3, 0, POLICY_BYTECODE_BAD_OPERAND },
    { 4, 3, POLICY_BYTECODE_BAD_HANDLERS },
    { 4, 1, POLICY_BYTECODE_BAD_INSTRUCTION }, /* the second entry as code */
    { 4, 200, POLICY_BYTECODE_BAD_HANDLERS },
    { 5, 0xff, POLICY_BYTECODE_BAD_HANDLERS }, /* first values of a topic */
    { 5, 5, POLICY_BYTECODE_BAD_HANDLERS },    /* no operation */
    { 5, 0x28, POLICY_BYTECODE_BAD_HANDLERS }, /* no direction */
    { 6, TOPICS, POLICY_BYTECODE_BAD_HANDLERS },
    { 6, 0, POLICY_BYTECODE_BAD_HANDLERS },
    { 7, 12, POLICY_BYTECODE_BAD_HANDLERS },    /* in the table */
    { 7, 14, POLICY_BYTECODE_BAD_INSTRUCTION }, /* nothing reaches the first */
    { 7, 30, POLICY_BYTECODE_BAD_HANDLERS },    /* behind the end */
    { 8, 1, POLICY_BYTECODE_BAD_HANDLERS },
    { 10, 1, POLICY_BYTECODE_BAD_HANDLERS },
    { 13, POLICY_BYTECODE_CODES, POLICY_BYTECODE_BAD_INSTRUCTION },
    { 14, POLICY_BYTECODE_TYPES << 5, POLICY_BYTECODE_BAD_OPERAND },
    { 14, POLICY_ARGUMENTS, POLICY_BYTECODE_BAD_OPERAND },
    { 16, 1, POLICY_BYTECODE_BAD_OPERAND },
    { 17, I(STORE_AT), POLICY_BYTECODE_BAD_OPERAND },
    { 17, I(NOT), POLICY_BYTECODE_GOOD }, /* numbers that stay on the stack do no harm */
    { 18, I(STORE), POLICY_BYTECODE_BAD_OPERAND },
    { 18, I(NOT), POLICY_BYTECODE_BAD_INSTRUCTION },
    { 19, 1, POLICY_BYTECODE_BAD_JUMP }, /* into the operand of accept */
    { 19, 4, POLICY_BYTECODE_BAD_INSTRUCTION }, /* nothing reaches discard */
    { 19, 10, POLICY_BYTECODE_BAD_JUMP },
    { 20, I(WITH), POLICY_BYTECODE_GOOD },
    { 20, I(STORE), POLICY_BYTECODE_BAD_STACK },
    { 26, I(POP), POLICY_BYTECODE_BAD_INSTRUCTION },
    { 28, I(WITH), POLICY_BYTECODE_BAD_END },
    { 28, I(PUSH16), POLICY_BYTECODE_BAD_END },
  };
  uint8_t program[sizeof(fifty)];
  unsigned i;

  node(4);
  for(i = 0; i < sizeof(faults) / sizeof(faults[0]); i++) {
    CHECK_EQUAL(give(fifty, sizeof(fifty)), POLICY_BYTECODE_GOOD);
    memcpy(program, thirty, sizeof(program));
    program[faults[i].at] = faults[i].value;
    if(give(program, sizeof(program)) != faults[i].verdict) {
      fprintf(stderr, "%u at %u\n", faults[i].value, faults[i].at);
      CHECK(false);
    }
    CHECK(faults[i].verdict == POLICY_BYTECODE_GOOD || takes(-9, 50));
  }
  CHECK_EQUAL(give(fifty, 4), POLICY_BYTECODE_BAD_FORM);
  CHECK_EQUAL(give(fifty, 12), POLICY_BYTECODE_BAD_HANDLERS);
  CHECK_EQUAL(policy_bytecode_take(POLICY_BYTECODE_SIZE + 1), POLICY_BYTECODE_BAD_FORM);
  CHECK(takes(-9, 50));
}
/*---------------------------------------------------------------------------*/
/* A program with one handler, of those bytes. */
static enum policy_bytecode_verdict
verify(const uint8_t *code, uint16_t length)
{
  uint8_t program[POLICY_BYTECODE_SIZE] = {
    1, 0x35, 0xf2, 4, 1, POLICY_POINT(POLICY_C_B, POLICY_NOTIFY), TEMPERATURE, 9, 0
  };

  memcpy(program + 9, code, length);
  return give(program, 9 + length);
}

#define VERIFY(...) verify((const uint8_t[]) { __VA_ARGS__ }, sizeof((const uint8_t[]) { __VA_ARGS__ }))
#define FOUR(x) x, x, x, x
/*---------------------------------------------------------------------------*/
static void
the_stack_has_bounds(void)
{
  node(4);
  CHECK_EQUAL(VERIFY(FOUR(I(NODE)), FOUR(I(NODE)), FOUR(I(NODE)), I(NODE), I(NODE), I(NO_RULE)),
              POLICY_BYTECODE_GOOD);
  CHECK(publish(1));
  CHECK_EQUAL(VERIFY(FOUR(I(NODE)), FOUR(I(NODE)), FOUR(I(NODE)), I(NODE), I(NODE), I(NODE), I(NO_RULE)),
              POLICY_BYTECODE_BAD_STACK);
  CHECK_EQUAL(VERIFY(I(NODE), I(ADD), I(NO_RULE)), POLICY_BYTECODE_BAD_STACK);
  CHECK_EQUAL(VERIFY(I(CALL), 0, I(NO_RULE)), POLICY_BYTECODE_BAD_STACK);
  CHECK_EQUAL(VERIFY(I(NODE), I(CALL), 1, I(NO_RULE)), POLICY_BYTECODE_BAD_OPERAND);
  CHECK_EQUAL(VERIFY(I(NODE), I(OPERATE), 0x10, ALARM, 0, I(NO_RULE)), POLICY_BYTECODE_GOOD);
  CHECK_EQUAL(VERIFY(I(OPERATE), 0x10, ALARM, 0, I(NO_RULE)), POLICY_BYTECODE_BAD_STACK);
  CHECK_EQUAL(VERIFY(I(OPERATE), 0, TOPICS, 0, I(NO_RULE)), POLICY_BYTECODE_BAD_OPERAND);
  CHECK_EQUAL(VERIFY(I(OPERATE), 0, 0, 0, I(NO_RULE)), POLICY_BYTECODE_BAD_OPERAND);
  CHECK_EQUAL(VERIFY(I(OPERATE), 5, ALARM, 0, I(NO_RULE)), POLICY_BYTECODE_BAD_OPERAND);
  CHECK_EQUAL(VERIFY(FOUR(I(NODE)), I(NODE), I(OPERATE), 0x50, ALARM, 0, I(NO_RULE)),
              POLICY_BYTECODE_BAD_OPERAND);
  CHECK_EQUAL(VERIFY(FOUR(I(NODE)), I(NODE), I(ARGUMENTS), 5, I(NO_RULE)), POLICY_BYTECODE_BAD_OPERAND);
  CHECK_EQUAL(VERIFY(I(NODE), I(LOAD_AT), 2, 2, I(NO_RULE)), POLICY_BYTECODE_GOOD);
  CHECK_EQUAL(VERIFY(I(NODE), I(LOAD_AT), 2, 3, I(NO_RULE)), POLICY_BYTECODE_BAD_OPERAND);
  CHECK_EQUAL(VERIFY(I(NODE), I(LOAD_AT), 2, 0, I(NO_RULE)), POLICY_BYTECODE_BAD_OPERAND);
  CHECK_EQUAL(VERIFY(I(NODE), I(NODE), I(STORE_AT), 200, 100, I(NO_RULE)), POLICY_BYTECODE_BAD_OPERAND);
}
/*---------------------------------------------------------------------------*/
static void
jumps_keep_the_stack(void)
{
  node(4);
  CHECK_EQUAL(VERIFY(I(NODE), I(BOTH), 1, I(NODE), I(STORE), 0, I(NO_RULE)), POLICY_BYTECODE_GOOD);
  CHECK_EQUAL(VERIFY(I(NODE), I(EITHER), 2, I(NODE), I(POP), I(NO_RULE)), POLICY_BYTECODE_BAD_JUMP);
  CHECK_EQUAL(VERIFY(I(NODE), I(UNLESS), 1, I(NODE), I(NO_RULE)), POLICY_BYTECODE_BAD_JUMP);
  CHECK_EQUAL(VERIFY(I(JUMP), 2, I(PUSH16), I(NO_RULE), I(NO_RULE)), POLICY_BYTECODE_BAD_JUMP);
  CHECK_EQUAL(VERIFY(I(NODE), I(AGAIN), 1, I(NO_RULE)), POLICY_BYTECODE_GOOD);
  CHECK_EQUAL(VERIFY(I(NODE), I(NODE), I(AGAIN), 1, I(NO_RULE)), POLICY_BYTECODE_GOOD);
  CHECK_EQUAL(VERIFY(I(NODE), I(NODE), I(AGAIN), 2, I(NO_RULE)), POLICY_BYTECODE_BAD_JUMP);
  CHECK_EQUAL(VERIFY(I(PUSH8), 0, I(AGAIN), 1, I(NO_RULE)), POLICY_BYTECODE_BAD_JUMP);
  CHECK_EQUAL(VERIFY(I(NODE), I(AGAIN), 2, I(NO_RULE)), POLICY_BYTECODE_BAD_JUMP); /* into the table */
  CHECK_EQUAL(VERIFY(I(NODE), I(AGAIN), 200, I(NO_RULE)), POLICY_BYTECODE_BAD_JUMP);
  CHECK_EQUAL(VERIFY(I(JUMP), 0), POLICY_BYTECODE_BAD_JUMP);
}
/*---------------------------------------------------------------------------*/
static void
a_loop_without_end_is_left(void)
{
  node(4);
  CHECK_EQUAL(VERIFY(I(PUSH8), 1, I(CALL), 0, I(POP), I(PUSH8), 1, I(AGAIN), 7, I(DISCARD), 0),
              POLICY_BYTECODE_GOOD);
  CHECK(!publish(1));
  CHECK_EQUAL(called, POLICY_MOST_TURNS + 1);
  CHECK_EQUAL(policy_manager_faults[POLICY_FAULT_TURNS], 1);
}
/*---------------------------------------------------------------------------*/
static void
time_outs_come_with_a_program(void)
{
  static const uint8_t timed[] = {
    1, 0x35, 0xf2, 0, 2,
    POLICY_POINT_TIME, POLICY_IDLE, 21, 0, 0x58, 2, 0, 0,     /* 600 ms */
    POLICY_POINT_TIME, POLICY_IN_STATE, 27, 0, 0xf4, 1, 0, 0, /* 500 ms */
    I(PUSH8), 1, I(CALL), 0, I(ACCEPT), 0,
    I(PUSH8), 100, I(CALL), 0, I(ACCEPT), 0
  };
  uint8_t never[sizeof(timed)];

  node(4);
  policy_manager_load(0);
  CHECK_EQUAL(give(timed, sizeof(timed)), POLICY_BYTECODE_GOOD);
  host_pass(499);
  CHECK_EQUAL(called, 0);
  host_pass(1);
  CHECK_EQUAL(called, 100);
  host_pass(100);
  CHECK_EQUAL(called, 101);
  CHECK_EQUAL(compiled_in, 0);
  host_pass(300);
  CHECK_EQUAL(compiled_in, 1); /* those that are compiled in have their own time */
  host_pass(300);
  CHECK_EQUAL(called, 101);
  policy_timeouts_event(); /* the silence is over, and another begins */
  host_pass(600);
  CHECK_EQUAL(called, 102);
  CHECK_EQUAL(give(fifty, sizeof(fifty)), POLICY_BYTECODE_GOOD);
  host_pass(5000);
  CHECK_EQUAL(called, 102);
  memcpy(never, timed, sizeof(never));
  never[9] = never[10] = 0;
  CHECK_EQUAL(give(never, sizeof(never)), POLICY_BYTECODE_BAD_HANDLERS);
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(a_program_decides),
    T(one_that_is_refused_changes_nothing),
    T(the_stack_has_bounds),
    T(jumps_keep_the_stack),
    T(a_loop_without_end_is_left),
    T(time_outs_come_with_a_program),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
