/* SPDX-License-Identifier: Apache-2.0 */
#include "script/javascript.h"

#include "base/memory.h"
#include "base/report.h"
#include "observation/watch.h"
#include "operation/devices.h"
#include "operation/population.h"
#include "operation/requests.h"
#include "script/quickjs.h"
#include "script/script.h"
#include "script/script_files.h"
#include "ticks/tick.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
  MEMORY = 256 << 20,                             /* bytes that a script may take */
  DEEPEST = 4 << 20,                              /* bytes of its stack for JavaScript; the rest is for this program */
  STACK = 8 << 20,
  GUARD = 64 << 10,
  PRINTED = 1 << 20,                              /* bytes that print() writes at most */
  LONGEST_WHAT = 400                              /* bytes of an error's text that are reported */
};
enum { MOST_LINES = 1 << 20, LINES_BEFORE = 100000 }; /* the script's own text begins behind so many lines (interpreter.py) */

static const char NAME[] = "<input>"; /* of all texts, in stacks; line_of() looks for it */

struct source {
  struct source *next;
  size_t empty_lines, length;
  char *text;
};

struct javascript {
  struct source *sources;
  JSContext *context;
  ucontext_t kernel, own; /* what goes on when the other waits */
  bool timed_out;
  char *line; /* "INDEX ID TIME TEXT", which the script gets when it goes on */
  size_t line_size, line_length, printed;
  bool generates;         /* it waits for a new mote of this type: */
  int64_t type;
  const struct mote *generated;
  char *error; /* that ended it */
  int error_line;
};

/* There is one script in a process, and the functions that it calls get nothing but its values. */
static struct simulation *simulation;
static struct javascript *script;

struct javascript *
javascript_read(struct reader *reader)
{
  struct javascript *read = allocate(1, sizeof(*read));
  struct source **last = &read->sources;

  done(reader);
  for(next_line(reader); is(reader, "source"); next_line(reader)) {
    struct source *source = allocate(1, sizeof(*source));
    source->empty_lines = (size_t)whole_number(reader, 0, MOST_LINES);
    source->text = (char *)hexadecimal(reader, &source->length);
    done(reader);
    *last = source;
    last = &source->next;
  }
  return read;
}

/* The innermost line of the script's own text in a stack, from 1; lines of the time-out's code come behind. 0: none. */
static int
line_of(const char *stack)
{
  for(const char *at = stack; at != NULL && (at = strstr(at, NAME)) != NULL; at += sizeof(NAME)) {
    long line = at[sizeof(NAME) - 1] == ':' ? strtol(at + sizeof(NAME), NULL, 10) : 0;
    if(line > LINES_BEFORE) {
      return (int)line - LINES_BEFORE;
    }
  }
  return 0;
}

/* Takes the error that was thrown. */
static void
keep_error(JSContext *context)
{
  JSValue thrown = JS_GetException(context), stack;
  const char *what = JS_ToCStringLen2(context, NULL, thrown, false), *lines;
  size_t length = what == NULL ? 0 : strcspn(what, "\n");

  length = length < LONGEST_WHAT ? length : LONGEST_WHAT;
  script->error = allocate(length + 1, 1);
  memcpy(script->error, what == NULL ? "" : what, length);
  stack = JS_GetPropertyStr(context, thrown, "stack");
  lines = js_is_exception(stack) ? NULL : JS_ToCStringLen2(context, NULL, stack, false);
  script->error_line = line_of(lines);
}

/* Ends the process with a report of this kind that names a line of the script. */
_Noreturn static void
end_at_line(const char *kind, const char *what, size_t length, int line)
{
  char bytes[8 * LONGEST_WHAT];
  struct text json = {bytes, 0, sizeof(bytes) - 64};

  log_flush(&simulation->log);
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

  if(!whole_of(context, value, 0, (double)simulation->mote_count - 1, &index)) {
    return false;
  }
  *mote = &simulation->motes[index];
  return true;
}

/* Lets the kernel go on, until it lets the script go on. */
static void
wait_for_kernel(void)
{
  watch_script(false);
  swapcontext(&script->own, &script->kernel);
  watch_script(true);
}

static JSValue
wait_(JSContext *context, JSValue self, int count, JSValue *arguments)
{
  (void)self, (void)count, (void)arguments;
  wait_for_kernel();
  return JS_NewStringLen(context, script->line, script->timed_out ? 0 : script->line_length);
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
  log_append(&simulation->log, text, length);
  if(log_position(&simulation->log) > simulation->log.limit) {
    watch_log_full();
  }
  watch_script(true);
  free(text);
  return JS_UNDEFINED;
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
    population_move(simulation, mote, place[0], place[1], place[2]);
    break;
  case TELL_SET_ID:
    mote_set_id(simulation, mote, (int)number);
    break;
  case TELL_APPEND:
  case TELL_WRITE_FILE:
    script_files_write(simulation, text, length, kind == TELL_WRITE_FILE);
    break;
  default:
    if(kind < TELL_ADD || kind > TELL_VIBRATE) {
      report_error(ERROR_KERNEL, "the script wants what there isn't, %lld", (long long)kind);
    }
    requests_add(simulation, OPERATIONS[kind - TELL_ADD], mote, number, text, length);
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
  char *text = allocate(simulation->present_count + 1, 24);
  size_t length = 0;
  JSValue value;

  for(uint32_t i = 0; i < simulation->present_count; i++) {
    uint32_t index = simulation->present[i];
    length += (size_t)sprintf(text + length, "%s%u %d", i == 0 ? "" : " ", index, simulation->motes[index].id);
  }
  value = JS_NewStringLen(context, text, length);
  free(text);
  return value;
}

/* ask_(kind, mote, number) */
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
     !whole_of(context, arguments[2], INT32_MIN, INT32_MAX, &script->type)) {
    return JS_EXCEPTION;
  }
  switch(kind) {
  case ASK_GENERATE_MOTE: /* whose code must not run on the script's stack */
    script->generates = true;
    wait_for_kernel();
    length = sprintf(text, "%u", script->generated->index);
    break;
  case ASK_MOTES:
    return all_motes(context);
  case ASK_IS_PRESSED:
    length = sprintf(text, "%d", device_button_is_down(mote));
    break;
  default:
    length = sprintf(text, "%d %.17g %.17g %.17g %d", mote->id, mote->x, mote->y, mote->z, (int)(mote->type - simulation->types));
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
  end_at_line("unsupported", what == NULL ? "" : what, length, line_of(stack));
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
  if(script->printed + length <= PRINTED && write(STDERR_FILENO, text, length) > 0) {
    script->printed += length;
  }
  free(text);
  return JS_UNDEFINED;
}

/* Evaluates a text with so many empty lines before it. Returns false if an error was thrown, which is kept. */
static bool
evaluate(const char *text, size_t length, size_t empty_lines)
{
  char *whole = allocate(empty_lines + length + 1, 1); /* which QuickJS wants to end with a byte 0 */
  JSValue value;

  memset(whole, '\n', empty_lines);
  memcpy(whole + empty_lines, text, length);
  value = JS_Eval(script->context, whole, empty_lines + length, NAME, 0);
  free(whole);
  if(js_is_exception(value)) {
    keep_error(script->context);
    return false;
  }
  JS_FreeValue(script->context, value);
  return true;
}

/* Evaluates one of our own files. */
static void
evaluate_file(const char *folder, const char *name)
{
  char path[4096], *text;
  off_t size;
  int file;

  snprintf(path, sizeof(path), "%s/%s", folder, name);
  file = open(path, O_RDONLY | O_CLOEXEC);
  size = file < 0 ? -1 : lseek(file, 0, SEEK_END);
  text = size < 0 ? NULL : allocate((size_t)size + 1, 1);
  if(text == NULL || pread(file, text, (size_t)size, 0) != size) {
    report_error(ERROR_INTERPRETER, "can't read %s: %s", path, strerror(errno));
  }
  close(file);
  if(!evaluate(text, (size_t)size, 0)) {
    report_error(ERROR_INTERPRETER, "%s: %s", path, script->error);
  }
  free(text);
}

static void
define_text(const char *name, const char *text)
{
  JS_SetPropertyStr(script->context, JS_GetGlobalObject(script->context), name, JS_NewStringLen(script->context, text, strlen(text)));
}

static void
define_functions(void)
{
  static const struct {
    const char *name;
    JSFunction *function;
    int count;
  } FUNCTIONS[] = {
    {"wait_", wait_, 0}, {"log_", log_, 1},   {"tell_", tell_, 7}, {"ask_", ask_, 3}, {"unsupported_", unsupported_, 2},
    {"print_", print_, 1},
  };

  for(size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++) {
    JS_SetPropertyStr(script->context, JS_GetGlobalObject(script->context), FUNCTIONS[i].name,
                      JS_NewCFunction2(script->context, FUNCTIONS[i].function, FUNCTIONS[i].name, FUNCTIONS[i].count, 0, 0));
  }
}

static const char *folder; /* of the .js files */

/* The first text has values that the files need, the others are the script. */
static void
define_all(void)
{
  static const char *const FILES[] = {"java.js", "map.js", "prelude.js", "random.js", "nashorn.js"};
  const struct source *source = script->sources;
  char seed[24];

  define_functions();
  snprintf(seed, sizeof(seed), "%lld", (long long)simulation->seed);
  define_text("seed_", seed);
  tzset();
  define_text("zone_", tzname[0]);
  if(source == NULL || !evaluate(source->text, source->length, source->empty_lines)) {
    report_error(ERROR_KERNEL, "the script's first text: %s", source == NULL ? "it is missing" : script->error);
  }
  for(size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
    evaluate_file(folder, FILES[i]);
  }
  while((source = source->next) != NULL) {
    if(!evaluate(source->text, source->length, source->empty_lines)) {
      end_at_line("faulty", script->error, strlen(script->error), script->error_line);
    }
  }
}

/* Runs on the script's own stack. */
static void
run(void)
{
  static const char CALL[] = "run_()";
  JSRuntime *runtime;
  JSValue verdict;

  watch_script(true);
  runtime = JS_NewRuntime();
  script->context = runtime == NULL ? NULL : JS_NewContext(runtime);
  if(script->context == NULL) {
    report_error(ERROR_MEMORY, "no memory for the interpreter");
  }
  JS_SetMemoryLimit(runtime, MEMORY);
  JS_SetMaxStackSize(runtime, DEEPEST);
  define_all();
  verdict = JS_Eval(script->context, CALL, sizeof(CALL) - 1, NAME, 0);
  if(js_is_exception(verdict)) {
    keep_error(script->context);
  }
  simulation->script->failed = !(verdict.tag == 0 && verdict.is.whole == 0);
  simulation->log.closed = true;
  for(;;) {
    wait_for_kernel();
  }
}

/* Lets the script go on until it waits or has decided. */
static void
go_on(void)
{
  watch_script_begins();
  swapcontext(&script->kernel, &script->own);
  while(script->generates) {
    script->generates = false;
    script->generated = population_generate(simulation, script->type);
    requests_add(simulation, WAKE, &simulation->motes[script->generated->index], 0, NULL, 0);
    swapcontext(&script->kernel, &script->own);
  }
}

void
javascript_open(struct simulation *opened, const struct interpreter *interpreter)
{
  uint8_t *stack = mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

  simulation = opened;
  script = opened->script->javascript;
  if(interpreter->module == NULL || interpreter->folder == NULL) {
    report_error(ERROR_DESCRIPTION, "a script needs --quickjs MODULE and --prelude FOLDER");
  }
  if(stack == MAP_FAILED) {
    report_error(ERROR_MEMORY, "no memory for the script's stack");
  }
  mprotect(stack, GUARD, PROT_NONE);
  folder = interpreter->folder;
  quickjs_load(interpreter->module);
  getcontext(&script->own);
  script->own.uc_stack.ss_sp = stack + GUARD;
  script->own.uc_stack.ss_size = STACK;
  script->own.uc_link = NULL;
  makecontext(&script->own, run, 0);
  go_on();
}

void
javascript_line(struct simulation *opened, struct mote *mote, const char *text, size_t length)
{
  size_t most = length + 64; /* three numbers and blanks */
  int head;

  if(opened->log.closed) {
    return;
  }
  if(most > script->line_size) {
    script->line_size = 2 * most;
    script->line = reallocate(script->line, script->line_size, 1);
  }
  head = sprintf(script->line, "%u %d %lld ", mote->index, mote->id, (long long)opened->queue.now);
  memcpy(script->line + head, text, length);
  script->line_length = (size_t)head + length;
  go_on();
}

void
javascript_timeout(struct simulation *opened)
{
  (void)opened;
  script->timed_out = true;
  go_on();
}

void
javascript_report_error(const struct simulation *ended, struct text *json)
{
  const struct javascript *of = ended->script->javascript;

  if(of != NULL && of->error != NULL) {
    text_add(json, ",\"script\":");
    text_add_json(json, of->error, strlen(of->error));
    text_add_member(json, "line", of->error_line);
  }
}
