/* SPDX-License-Identifier: Apache-2.0 */
/*
 * What policies call, as both_ways.py has it, and events as lines: "N KIND:VALUE ..." is
 * an event for the N-th function of a table.
 */
#ifndef EVENTS_H_
#define EVENTS_H_

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "drawn.h"
#include "policy.h"

static uint32_t drawn = 1;
static unsigned faults[POLICY_FAULTS];
static bool quiet; /* operations aren't printed */

static uint32_t
draw(void)
{
  drawn = drawn * 1103515245u + 12345u;
  return drawn;
}

int16_t drawn_int(void) { return (int16_t)(draw() >> 8); }
int32_t drawn_long(void) { return (int32_t)draw(); }
uint32_t drawn_unsigned(uint32_t given) { return draw() ^ given; }
float drawn_float(float given) { return given > 0 ? (float)(draw() >> 9) / 16.0f : -2.5f; }

bool
drawn_bool(int8_t one, uint16_t other)
{
  return ((draw() >> 16) ^ (uint32_t)one ^ other) % 2 == 1;
}

struct policy_sealed
drawn_sealed(int16_t value)
{
  struct policy_sealed sealed = { { (uint8_t)value, (uint8_t)(value >> 8), 3, 4, 5, 6, 7, 8 } };
  return sealed;
}

int16_t
drawn_unsealed(struct policy_sealed sealed)
{
  return (int16_t)(sealed.octets[0] | sealed.octets[1] << 8);
}

uint16_t policy_node_id(void) { return 40000; }

void
policy_fault(enum policy_fault what)
{
  faults[what]++;
}

static void
print_value(const struct policy_value *value)
{
  uint32_t bits;

  switch(value->kind) {
  case POLICY_NUMBER:
    printf(" n%" PRId32, value->as.number);
    break;
  case POLICY_REAL:
    memcpy(&bits, &value->as.real, sizeof(bits));
    if(value->as.real != value->as.real) {
      printf(" nan");
    } else {
      printf(" r%08" PRIx32, bits);
    }
    break;
  case POLICY_SEALED:
    printf(" s");
    for(unsigned i = 0; i < POLICY_SEALED_SIZE; i++) {
      printf("%02x", value->as.sealed.octets[i]);
    }
    break;
  }
}

void
policy_operate(enum policy_operation operation, uint8_t topic, uint8_t with,
               uint8_t count, const struct policy_value *arguments)
{
  if(quiet) {
    return;
  }
  printf("[%d %u %u", operation, topic, with);
  for(unsigned i = 0; i < count; i++) {
    print_value(&arguments[i]);
  }
  printf("] ");
}

static void
read_value(struct policy_value *value, const char *word)
{
  uint32_t bits;

  if(word[0] == 'n') {
    *value = policy_number_value((int32_t)strtol(word + 1, NULL, 10));
  } else if(word[0] == 'r') {
    bits = (uint32_t)strtoul(word + 1, NULL, 16);
    value->kind = POLICY_REAL;
    memcpy(&value->as.real, &bits, sizeof(bits));
  } else {
    value->kind = POLICY_SEALED;
    for(unsigned i = 0; i < POLICY_SEALED_SIZE; i++) {
      char digits[3] = { word[1 + 2 * i], word[2 + 2 * i], 0 };
      value->as.sealed.octets[i] = (uint8_t)strtoul(digits, NULL, 16);
    }
  }
}

/* The event of a line; returns its function. */
static inline unsigned
read_event(char *line, struct policy_event *event)
{
  char *word = strtok(line, " \n");
  unsigned entry = (unsigned)strtoul(word, NULL, 10);

  while((word = strtok(NULL, " \n")) != NULL) {
    read_value(&event->arguments[event->count++], word);
  }
  return entry;
}

static inline void
forget_faults(void)
{
  memset(faults, 0, sizeof(faults));
}

static inline void
print_outcome(enum policy_outcome outcome, const struct policy *policy, const struct policy_event *event)
{
  printf("%d %u %u", outcome, policy->state, event->with);
  for(unsigned i = 0; i < event->count; i++) {
    print_value(&event->arguments[i]);
  }
  for(unsigned i = 0; i < POLICY_FAULTS; i++) {
    printf(" %u", faults[i]);
  }
  printf("\n");
}

#endif
