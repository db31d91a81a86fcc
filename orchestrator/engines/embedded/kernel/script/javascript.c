/* SPDX-License-Identifier: Apache-2.0 */
#include "script/javascript.h"

#include "base/memory.h"
#include "base/report.h"
#include "libc/context.h"
#include "observation/watch.h"
#include "operation/population.h"
#include "operation/requests.h"
#include "script/javascript_calls.h"
#include "script/script.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <ucontext.h>
#include <unistd.h>

enum {
  MEMORY = 256 << 20, /* bytes that a script may take */
  DEEPEST = 4 << 20,  /* bytes of its stack for JavaScript; the rest is for this program */
  STACK = 8 << 20,
  GUARD = 64 << 10
};
enum { MOST_LINES = 1 << 20 };

static const char NAME[] = JAVASCRIPT_NAME;

struct source {
  struct source *next;
  size_t empty_lines, length;
  char *text;
};

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

bool
javascript_acts(const struct javascript *javascript)
{
  /* Also what could make any of these of other words. */
  static const char *const WORDS[] = {"mote", "sim", "node", "gui", "write", "GENERATE", "ava", "Packages", "import", "load",
                                      "eval", "Function", "constructor", "this", "with", "\\u"};
  const struct source *source = javascript->sources;

  if(source == NULL) {
    return true;
  }
  for(source = source->next; source != NULL; source = source->next) { /* the first has values of ours */
    for(size_t i = 0; i < sizeof(WORDS) / sizeof(WORDS[0]); i++) {
      if(memmem(source->text, source->length, WORDS[i], strlen(WORDS[i])) != NULL) {
        return true;
      }
    }
  }
  return false;
}

/* Takes the error that was thrown. */
static void
keep_error(JSContext *context)
{
  JSValue thrown = JS_GetException(context), stack;
  const char *what = JS_ToCStringLen2(context, NULL, thrown, false), *lines;
  size_t length = what == NULL ? 0 : strcspn(what, "\n");

  length = length < LONGEST_WHAT ? length : LONGEST_WHAT;
  javascript_running->error = allocate(length + 1, 1);
  memcpy(javascript_running->error, what == NULL ? "" : what, length);
  stack = JS_GetPropertyStr(context, thrown, "stack");
  lines = js_is_exception(stack) ? NULL : JS_ToCStringLen2(context, NULL, stack, false);
  javascript_running->error_line = javascript_line_of(lines);
}

/* Evaluates a text with so many empty lines before it. Returns false if an error was thrown, which is kept. */
static bool
evaluate(const char *text, size_t length, size_t empty_lines)
{
  char *whole = allocate(empty_lines + length + 1, 1); /* which QuickJS wants to end with a byte 0 */
  JSValue value;

  memset(whole, '\n', empty_lines);
  memcpy(whole + empty_lines, text, length);
  value = JS_Eval(javascript_running->context, whole, empty_lines + length, NAME, 0);
  free(whole);
  if(js_is_exception(value)) {
    keep_error(javascript_running->context);
    return false;
  }
  JS_FreeValue(javascript_running->context, value);
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
    report_error(ERROR_INTERPRETER, "%s: %s", path, javascript_running->error);
  }
  free(text);
}

static void
define_text(const char *name, const char *text)
{
  JS_SetPropertyStr(javascript_running->context, JS_GetGlobalObject(javascript_running->context), name, JS_NewStringLen(javascript_running->context, text, strlen(text)));
}

static const char *folder; /* of the .js files */

/* The first text has values that the files need, the others are the script. */
static void
define_all(void)
{
  static const char *const FILES[] = {"java.js", "map.js", "prelude.js", "memory.js", "random.js", "nashorn.js"};
  const struct source *source = javascript_running->sources;
  char seed[24];

  javascript_define_calls(javascript_running->context);
  snprintf(seed, sizeof(seed), "%lld", (long long)javascript_running->simulation->seed);
  define_text("seed_", seed);
  tzset();
  define_text("zone_", tzname[0]);
  if(source == NULL || !evaluate(source->text, source->length, source->empty_lines)) {
    report_error(ERROR_KERNEL, "the script's first text: %s", source == NULL ? "it is missing" : javascript_running->error);
  }
  for(size_t i = 0; i < sizeof(FILES) / sizeof(FILES[0]); i++) {
    evaluate_file(folder, FILES[i]);
  }
  javascript_running->came =
    JS_GetPropertyStr(javascript_running->context, JS_GetGlobalObject(javascript_running->context), "line_came_");
  while((source = source->next) != NULL) {
    if(!evaluate(source->text, source->length, source->empty_lines)) {
      javascript_end("faulty", javascript_running->error, strlen(javascript_running->error), javascript_running->error_line);
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
  javascript_running->context = runtime == NULL ? NULL : JS_NewContext(runtime);
  if(javascript_running->context == NULL) {
    report_error(ERROR_MEMORY, "no memory for the interpreter");
  }
  JS_SetMemoryLimit(runtime, MEMORY);
  JS_SetMaxStackSize(runtime, DEEPEST);
  define_all();
  verdict = JS_Eval(javascript_running->context, CALL, sizeof(CALL) - 1, NAME, 0);
  if(js_is_exception(verdict)) {
    keep_error(javascript_running->context);
  }
  javascript_running->simulation->script->failed = !(verdict.tag == 0 && verdict.is.whole == 0);
  javascript_running->simulation->log.closed = true;
  for(;;) {
    javascript_wait();
  }
}

/* Lets the script go on until it waits or has decided. */
static void
go_on(void)
{
  watch_script_begins();
  javascript_running->switches(&javascript_running->kernel, &javascript_running->own);
  while(javascript_running->generates) {
    javascript_running->generates = false;
    javascript_running->generated = population_generate(javascript_running->simulation, javascript_running->type);
    requests_add(javascript_running->simulation, WAKE, &javascript_running->simulation->motes[javascript_running->generated->index], 0, NULL, 0);
    javascript_running->switches(&javascript_running->kernel, &javascript_running->own);
  }
}

void
javascript_open(struct simulation *opened, const struct interpreter *interpreter)
{
  void *replaced;
  uint8_t *stack = mmap(NULL, STACK + GUARD, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_STACK, -1, 0);

  javascript_running = opened->script->javascript;
  javascript_running->simulation = opened;
  if(interpreter->module == NULL || interpreter->folder == NULL) {
    report_error(ERROR_DESCRIPTION, "a script needs --quickjs MODULE and --prelude FOLDER");
  }
  if(stack == MAP_FAILED) {
    report_error(ERROR_MEMORY, "no memory for the script's stack");
  }
  mprotect(stack, GUARD, PROT_NONE);
  folder = interpreter->folder;
  quickjs_load(interpreter->module);
  getcontext(&javascript_running->own);
  javascript_running->own.uc_stack.ss_sp = stack + GUARD;
  javascript_running->own.uc_stack.ss_size = STACK;
  javascript_running->own.uc_link = NULL;
  makecontext(&javascript_running->own, run, 0);
  javascript_running->switches = swapcontext; /* which knows how to begin */
  go_on();
  replaced = replacement("swapcontext");
  if(replaced != NULL) { /* without system calls */
    memcpy(&javascript_running->switches, &replaced, sizeof(replaced));
  }
}

void
javascript_line(struct simulation *opened, struct mote *mote, const char *text, size_t length)
{
  uint64_t before = log_position(&opened->log);

  if(opened->log.closed) {
    return;
  }
  javascript_running->mote = mote;
  javascript_running->line = text;
  javascript_running->line_length = length;
  go_on();
  if(log_position(&opened->log) > before) {
    serial_keep_place(&mote->serial, before, log_position(&opened->log));
  }
}

void
javascript_timeout(struct simulation *opened)
{
  (void)opened;
  javascript_running->timed_out = true;
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
