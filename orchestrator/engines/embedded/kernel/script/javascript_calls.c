/* SPDX-License-Identifier: Apache-2.0 */
#include "script/javascript_calls.h"

#include "base/memory.h"
#include "base/report.h"
#include "observation/power_tracker.h"
#include "observation/watch.h"
#include "operation/devices.h"
#include "operation/population.h"
#include "operation/requests.h"
#include "outside/outside.h"
#include "script/script_files.h"
#include "sky/sky.h"
#include "ticks/tick.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { PRINTED = 1 << 20 };     /* bytes that print() writes at most */
enum { LINES_BEFORE = 100000 }; /* the script's own text begins behind so many lines (interpreter.py) */

static const char NAME[] = JAVASCRIPT_NAME;

struct javascript *javascript_running;

int
javascript_line_of(const char *stack)
{
  for(const char *at = stack; at != NULL && (at = strstr(at, NAME)) != NULL; at += sizeof(NAME)) {
    long line = at[sizeof(NAME) - 1] == ':' ? strtol(at + sizeof(NAME), NULL, 10) : 0;
    if(line > LINES_BEFORE) {
      return (int)line - LINES_BEFORE;
    }
  }
  return 0;
}

_Noreturn void
javascript_end(const char *kind, const char *what, size_t length, int line)
{
  char bytes[8 * LONGEST_WHAT];
  struct text json = {bytes, 0, sizeof(bytes) - 64};

  log_flush(&javascript_running->simulation->log);
  text_add(&json, "{\"report\":\"error\",\"kind\":\"");
  text_add(&json, kind);
  text_add(&json, "\",\"message\":");
  text_add_json(&json, what, length < LONGEST_WHAT ? length : LONGEST_WHAT);
  json.size = sizeof(bytes);
  text_add_member(&json, "line", line);
  text_add(&json, "}\n");
  report_line(&json);
  leave(EXIT_SCRIPT);
}

/* The text of an argument, UTF-8, where half of a pair of surrogates is a question mark, as in Java. NULL: it has none, and
   an error was thrown. */
static char *
text_of(JSContext *context, JSValue value, size_t *length)
{
  const char *text = JS_ToCStringLen2(context, length, value, false);
  char *copy, *to;

  if(text == NULL) {
    return NULL;
  }
  copy = to = allocate(*length + 1, 1);
  for(size_t i = 0; i < *length; i++) {
    if((uint8_t)text[i] == 0xed && i + 2 < *length && (uint8_t)text[i + 1] >= 0xa0) {
      *to++ = '?';
      i += 2;
    } else {
      *to++ = text[i];
    }
  }
  *length = (size_t)(to - copy);
  JS_FreeCString(context, text);
  return copy;
}

/* An argument as a whole number from `least` to `most`. Returns false if an error was thrown. */
static bool
whole_of(JSContext *context, JSValue value, double least, double most, int64_t *number)
{
  double real;

  if(JS_ToFloat64(context, &real, value) < 0) {
    return false;
  }
  if(!(real >= least && real <= most)) {
    JS_ThrowRangeError(context, "a value that Cooja's function doesn't take: %g", real);
    return false;
  }
  *number = (int64_t)real;
  return true;
}

static bool
mote_of(JSContext *context, JSValue value, struct mote **mote)
{
  int64_t index;

  if(!whole_of(context, value, 0, (double)javascript_running->simulation->mote_count - 1, &index)) {
    return false;
  }
  *mote = &javascript_running->simulation->motes[index];
  return true;
}

void
javascript_wait(void)
{
  watch_script(false);
  javascript_running->switches(&javascript_running->own, &javascript_running->kernel);
  watch_script(true);
}

/* Returns whether a line came, which the script then has; otherwise its time is over. */
static JSValue
wait_(JSContext *context, JSValue self, int count, JSValue *arguments)
{
  JSValue values[4], result;

  (void)self, (void)count, (void)arguments;
  javascript_wait();
  if(javascript_running->timed_out) {
    return js_boolean(false);
  }
  values[0] = js_whole((int32_t)javascript_running->mote->index);
  values[1] = js_whole(javascript_running->mote->id);
  values[2] = js_real((double)javascript_running->simulation->queue.now); /* exact up to 2^53 us */
  values[3] = JS_NewStringLen(context, javascript_running->line, javascript_running->line_length);
  result = JS_Call(context, javascript_running->came, JS_UNDEFINED, 4, values);
  JS_FreeValue(context, values[3]);
  return js_is_exception(result) ? result : js_boolean(true);
}

static JSValue
log_(JSContext *context, JSValue self, int count, JSValue *arguments)
{
  size_t length;
  char *text = count < 1 ? NULL : text_of(context, arguments[0], &length);

  (void)self;
  if(text == NULL) {
    return JS_EXCEPTION;
  }
  watch_script(false);
  log_append(&javascript_running->simulation->log, text, length);
  if(log_position(&javascript_running->simulation->log) > javascript_running->simulation->log.limit) {
    watch_log_full();
  }
  watch_script(true);
  free(text);
  return JS_UNDEFINED;
}

/* Where an emulated mote has these bytes. */
static uint8_t *
memory_at(struct mote *mote, int64_t address, size_t size)
{
  if(mote->sky == NULL || address < 0 || address > MSP430_MEMORY || size > (size_t)(MSP430_MEMORY - address)) {
    report_error(ERROR_KERNEL, "the script wants memory that there isn't, from %lld", (long long)address);
  }
  return sky_memory(mote) + address;
}

static void
set_memory(struct mote *mote, uint32_t address, const char *digits, size_t size)
{
  uint8_t *bytes = memory_at(mote, address, size);

  for(size_t i = 0; i < size; i++) {
    const char two[] = {digits[2 * i], digits[2 * i + 1], 0};
    bytes[i] = (uint8_t)strtol(two, NULL, 16);
  }
  sky_memory_changed(mote, address, (uint32_t)size);
}

static JSValue
variable_of(JSContext *context, struct mote *mote, const char *name)
{
  uint32_t address, size;
  char text[32];

  if(mote->sky == NULL || !msp430_image_variable(mote->type->sky_image, name, &address, &size)) {
    return JS_NewStringLen(context, "", 0);
  }
  return JS_NewStringLen(context, text, (size_t)sprintf(text, "%u %u", address, size));
}

static JSValue
memory_of(JSContext *context, struct mote *mote, int64_t address, size_t size)
{
  const uint8_t *bytes = memory_at(mote, address, size);
  char *digits = allocate(2 * size + 1, 1);
  JSValue value;

  for(size_t i = 0; i < size; i++) {
    sprintf(digits + 2 * i, "%02x", bytes[i]);
  }
  value = JS_NewStringLen(context, digits, 2 * size);
  free(digits);
  return value;
}

static bool
obey(JSContext *context, int64_t kind, struct mote *mote, JSValue *arguments, const char *text, size_t length)
{
  static const enum operation OPERATIONS[] = {ADD, REMOVE, WRITE, GENERATE, PRESS, RELEASE, CLICK, SIGNAL_PIR, VIBRATE};
  double place[3];
  int64_t number = 0;

  for(int i = 0; i < 3; i++) {
    if(JS_ToFloat64(context, &place[i], arguments[3 + i]) < 0) {
      return false;
    }
  }
  /* Times are exact up to 2^53 us, and an id is a Java int. */
  if(!(kind == TELL_SET_ID ? whole_of(context, arguments[2], INT32_MIN, INT32_MAX, &number)
                           : whole_of(context, arguments[2], -0x1p53, 0x1p53, &number))) {
    return false;
  }
  watch_script(false);
  switch(kind) {
  case TELL_MOVE:
    population_move(javascript_running->simulation, mote, place[0], place[1], place[2]);
    break;
  case TELL_SET_ID:
    mote_set_id(javascript_running->simulation, mote, (int)number);
    break;
  case TELL_APPEND:
  case TELL_WRITE_FILE:
    script_files_write(javascript_running->simulation, text, length, kind == TELL_WRITE_FILE);
    break;
  case TELL_SET_MEMORY:
    set_memory(mote, (uint32_t)number, text, length / 2);
    break;
  case TELL_SPEED:
    outside_set_speed(javascript_running->simulation, place[0]);
    break;
  default:
    if(kind < TELL_ADD || kind > TELL_VIBRATE) {
      report_error(ERROR_KERNEL, "the script wants what there isn't, %lld", (long long)kind);
    }
    requests_add(javascript_running->simulation, OPERATIONS[kind - TELL_ADD], mote, number, text, length);
  }
  watch_script(true);
  return true;
}

/* tell_(kind, mote, number, x, y, z, text) */
static JSValue
tell_(JSContext *context, JSValue self, int count, JSValue *arguments)
{
  struct mote *mote;
  int64_t kind;
  size_t length;
  char *text;
  bool well;

  (void)self;
  if(count < 7) {
    return JS_ThrowRangeError(context, "tell_ takes seven values");
  }
  if(!whole_of(context, arguments[0], 0, INT32_MAX, &kind) || !mote_of(context, arguments[1], &mote) ||
     (text = text_of(context, arguments[6], &length)) == NULL) {
    return JS_EXCEPTION;
  }
  well = obey(context, kind, mote, arguments, text, length);
  free(text);
  return well ? JS_UNDEFINED : JS_EXCEPTION;
}

static JSValue
all_motes(JSContext *context)
{
  char *text = allocate(javascript_running->simulation->present_count + 1, 24);
  size_t length = 0;
  JSValue value;

  for(uint32_t i = 0; i < javascript_running->simulation->present_count; i++) {
    uint32_t index = javascript_running->simulation->present[i];
    length += (size_t)sprintf(text + length, "%s%u %d", i == 0 ? "" : " ", index, javascript_running->simulation->motes[index].id);
  }
  value = JS_NewStringLen(context, text, length);
  free(text);
  return value;
}

static int
power_times(const struct mote *mote, char *text)
{
  const struct power_times *times = power_tracker_times(mote);

  return times == NULL ? 0 : sprintf(text, "%lld %lld %lld %lld %lld", (long long)times->monitored, (long long)times->on,
                                     (long long)times->transmitting, (long long)times->receiving, (long long)times->interfered);
}

/* The answer to a question with a text. */
static JSValue
ask_text(JSContext *context, int64_t kind, struct mote *mote, JSValue argument)
{
  size_t length;
  char *text = text_of(context, argument, &length);
  JSValue answer;

  if(text == NULL) {
    return JS_EXCEPTION;
  }
  answer = kind == ASK_VARIABLE ? variable_of(context, mote, text)
                                : memory_of(context, mote, javascript_running->type, strtoul(text, NULL, 10));
  free(text);
  return answer;
}

/* ask_(kind, mote, number, text); only some questions have a text */
static JSValue
ask_(JSContext *context, JSValue self, int count, JSValue *arguments)
{
  char text[160];
  struct mote *mote;
  int64_t kind;
  int length;

  (void)self;
  if(count < 3) {
    return JS_ThrowRangeError(context, "ask_ takes three values");
  }
  if(!whole_of(context, arguments[0], 0, INT32_MAX, &kind) || !mote_of(context, arguments[1], &mote) ||
     !whole_of(context, arguments[2], INT32_MIN, INT32_MAX, &javascript_running->type)) {
    return JS_EXCEPTION;
  }
  switch(kind) {
  case ASK_GENERATE_MOTE: /* whose code must not run on the script's stack */
    javascript_running->generates = true;
    javascript_wait();
    length = sprintf(text, "%u", javascript_running->generated->index);
    break;
  case ASK_MOTES:
    return all_motes(context);
  case ASK_VARIABLE:
  case ASK_MEMORY:
    return count < 4 ? JS_ThrowRangeError(context, "ask_ takes a text for this") : ask_text(context, kind, mote, arguments[3]);
  case ASK_LEDS:
    length = sprintf(text, "%u", mote->sky == NULL ? 0 : sky_leds(mote));
    break;
  case ASK_POWER_TIMES:
    length = power_times(mote, text);
    break;
  case ASK_IS_PRESSED:
    length = sprintf(text, "%d", device_button_is_down(mote));
    break;
  default:
    length = sprintf(text, "%d %.17g %.17g %.17g %d", mote->id, mote->x, mote->y, mote->z, (int)(mote->type - javascript_running->simulation->types));
  }
  return JS_NewStringLen(context, text, (size_t)length);
}

/* unsupported_(what, stack) */
static JSValue
unsupported_(JSContext *context, JSValue self, int count, JSValue *arguments)
{
  size_t length = 0;
  char *what = count < 2 ? NULL : text_of(context, arguments[0], &length);
  const char *stack = count < 2 ? NULL : JS_ToCStringLen2(context, NULL, arguments[1], false);

  (void)self;
  watch_script(false);
  javascript_end("unsupported", what == NULL ? "" : what, length, javascript_line_of(stack));
}

static JSValue
print_(JSContext *context, JSValue self, int count, JSValue *arguments)
{
  size_t length;
  char *text = count < 1 ? NULL : text_of(context, arguments[0], &length);

  (void)self;
  if(text == NULL) {
    return JS_EXCEPTION;
  }
  text[length++] = '\n';
  if(javascript_running->printed + length <= PRINTED && write(STDERR_FILENO, text, length) > 0) {
    javascript_running->printed += length;
  }
  free(text);
  return JS_UNDEFINED;
}

void
javascript_define_calls(JSContext *context)
{
  static const struct {
    const char *name;
    JSFunction *function;
    int count;
  } FUNCTIONS[] = {
    {"wait_", wait_, 0}, {"log_", log_, 1},   {"tell_", tell_, 7}, {"ask_", ask_, 4}, {"unsupported_", unsupported_, 2},
    {"print_", print_, 1},
  };

  for(size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++) {
    JS_SetPropertyStr(context, JS_GetGlobalObject(context), FUNCTIONS[i].name,
                      JS_NewCFunction2(context, FUNCTIONS[i].function, FUNCTIONS[i].name, FUNCTIONS[i].count, 0, 0));
  }
}
