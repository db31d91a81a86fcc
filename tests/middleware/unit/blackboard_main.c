/* SPDX-License-Identifier: Apache-2.0 */
/*
 * A blackboard that carries out what it reads, one step a line, and tells what
 * came of it. test_blackboard.py has the steps and the model they are checked
 * against.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "blackboard.h"
#include "blackboard_threads.h"

#define HANDLERS 16
#define MOST_CONDITIONS 6
#define POOL 20001 /* requests in one run of the program; those of a blocked event wait long */

static struct thread_semaphore semaphores[HANDLERS];
static struct blackboard_box boxes[HANDLERS];

/* Requests' subscriptions must live until they are carried out. The last one is
   for direct calls. */
static struct blackboard_subscription pool[POOL + 1];
static struct blackboard_condition conditions[POOL + 1][MOST_CONDITIONS];
static int16_t numbers[POOL];
static unsigned requests;
#define NO_NUMBER -99
/*---------------------------------------------------------------------------*/
static void
notify(const struct blackboard_notice *notice)
{
  bool with_value = notice->notification & BLACKBOARD_WITH_VALUE;
  int handler = -1;

  if((notice->notification & ~BLACKBOARD_WITH_VALUE)
     != BLACKBOARD_BY_CALLBACK && notice->handler.box != NULL) {
    handler = with_value ? notice->handler.box - boxes
      : notice->handler.semaphore - semaphores;
    if(with_value && notice->handler.box->value != notice->value) {
      abort();
    }
  }
  printf("n %u %u %u %u %" PRIu32 " %" PRIu32 " %" PRIu32 " %d\n",
         notice->event, notice->number, notice->notification, notice->thread,
         notice->value, notice->published, notice->deadline, handler);
}
/*---------------------------------------------------------------------------*/
static void
call(int which, uint8_t event, uint8_t number, const uint32_t *value)
{
  printf("c %u %u %d", event, number, which);
  if(value != NULL) {
    printf(" %" PRIu32, *value);
  }
  /* A callback can change the board by requests only. */
  printf(" %d\n", blackboard_unsubscribe(event, number));
}
/*---------------------------------------------------------------------------*/
static void
first_callback(uint8_t event, uint8_t number, const uint32_t *value)
{
  call(0, event, number, value);
}
/*---------------------------------------------------------------------------*/
static void
second_callback(uint8_t event, uint8_t number, const uint32_t *value)
{
  call(1, event, number, value);
}
/*---------------------------------------------------------------------------*/
static void
wanted(uint8_t event, bool is_wanted)
{
  printf("w %u %d\n", event, is_wanted);
}
/*---------------------------------------------------------------------------*/
static unsigned long
field(void)
{
  return strtoul(strtok(NULL, " "), NULL, 10);
}
/*---------------------------------------------------------------------------*/
static const struct blackboard_subscription *
subscription(unsigned slot)
{
  struct blackboard_subscription *s = &pool[slot];
  unsigned i, thread, handler;

  memset(s, 0, sizeof(*s));
  s->notification = field();
  thread = field();
  s->thread = thread < 4 ? &threads[thread] : NULL;
  s->deadline = field();
  handler = field();
  if(handler < HANDLERS) {
    if(s->notification & BLACKBOARD_WITH_VALUE
       && s->notification != (BLACKBOARD_BY_CALLBACK | BLACKBOARD_WITH_VALUE)) {
      s->handler.box = &boxes[handler];
    } else if((s->notification & 3) == BLACKBOARD_BY_CALLBACK) {
      s->handler.callback = handler % 2 ? second_callback : first_callback;
    } else {
      s->handler.semaphore = &semaphores[handler];
    }
  }
  s->number_of_conditions = field();
  s->conditions = conditions[slot];
  for(i = 0; i < s->number_of_conditions; i++) {
    conditions[slot][i].comparison = field();
    conditions[slot][i].limit = field();
  }
  if(slot < POOL) {
    numbers[slot] = NO_NUMBER;
    s->number = &numbers[slot];
  }
  return s;
}
/*---------------------------------------------------------------------------*/
/* `now` comes first, then the event, the number and the rest. */
static int
change(char letter, bool direct)
{
  static const char letters[] = "SMUPV"; /* in the commands' order */
  struct blackboard_command command = { 0 };
  int result;

  command.what = strchr(letters, letter) - letters;
  command.time = field();
  command.event = field();
  if(strchr("MUP", letter) != NULL) {
    command.number = field();
  }
  if(strchr("SM", letter) != NULL) {
    command.with.subscription = subscription(direct ? POOL : requests % POOL);
  } else if(letter != 'U') {
    command.with.value = field();
  }
  if(direct) {
    return blackboard_carry_out(&command);
  }
  result = blackboard_queue(&command);
  requests += command.what <= BLACKBOARD_MODIFY && result == BLACKBOARD_OK;
  return result;
}
/*---------------------------------------------------------------------------*/
static void
run(void)
{
  bool done = blackboard_run(field()) == BLACKBOARD_DONE;
  unsigned i;

  for(i = requests; i < requests + POOL; i++) {
    if(numbers[i % POOL] != NO_NUMBER) {
      printf("r %d\n", numbers[i % POOL]);
      numbers[i % POOL] = NO_NUMBER;
    }
  }
  printf("%d\n", done);
}
/*---------------------------------------------------------------------------*/
int
main(void)
{
  static struct blackboard_producer producers[BLACKBOARD_NUMBER_OF_EVENTS];
  char line[256];
  uint32_t value;
  uint8_t event;
  unsigned i;

  blackboard_init(&port);
  for(i = 0; i < POOL; i++) {
    numbers[i] = NO_NUMBER;
  }
  for(i = 0; i < HANDLERS; i++) {
    boxes[i].semaphore = &semaphores[i];
  }
  for(i = 0; i < BLACKBOARD_NUMBER_OF_EVENTS; i++) {
    producers[i].event = i;
    producers[i].wanted = wanted;
    blackboard_produce(&producers[i]);
  }
  while(fgets(line, sizeof(line), stdin) != NULL) {
    const char *what = strtok(line, " \n");

    switch(what[0]) {
    case 'd':
    case 'q':
      printf("%d\n", change(what[1], what[0] == 'd'));
      break;
    case 'r':
      run();
      break;
    case 'p':
      event = field();
      printf("%d\n", blackboard_poll(event, field()));
      break;
    case 'v':
      event = field();
      value = 0;
      i = blackboard_read(event, field(), &value);
      printf("%d %" PRIu32 "\n", (int)i, value);
      break;
    case 'b':
      printf("%d\n", blackboard_block(field()));
      break;
    case 'u':
      blackboard_unblock(field());
      break;
    case 'c': /* sets who does the next steps */
      caller = atoi(strtok(NULL, " "));
      break;
    case 't': /* a thread stops or is started */
      i = field();
      threads[i].alive = field();
      threads[i].life += !threads[i].alive;
      break;
    }
  }
#define COUNTER(name) \
  printf("%s %" PRIu32 "\n", #name, blackboard_counters.name);
  BLACKBOARD_COUNTS(COUNTER)
  BLACKBOARD_ERRORS(COUNTER)
  printf("words %u\nwoken %u\n", blackboard_words, woken > 0);
  return 0;
}
