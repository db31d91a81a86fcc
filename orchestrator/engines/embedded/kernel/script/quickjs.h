/* SPDX-License-Identifier: Apache-2.0 */
/*
 * The functions of QuickJS that run a script. The kernel takes them from the extension module of the Python package
 * quickjs-ng, which exports them, when a simulation has a script. So the interpreter is the installed package's, and no
 * other program or header is needed. The declarations are those of QuickJS 0.17 for 64-bit machines.
 */
#ifndef QUICKJS_H
#define QUICKJS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct JSRuntime JSRuntime;
typedef struct JSContext JSContext;
typedef struct JSValue {
  union {
    int32_t whole;
    double real;
    void *pointer;
  } is;
  int64_t tag;
} JSValue;
typedef JSValue JSFunction(JSContext *context, JSValue self, int count, JSValue *arguments);

static inline JSValue
js_whole(int32_t number)
{
  return (JSValue){.is.whole = number, .tag = 0};
}

static inline JSValue
js_boolean(bool truth)
{
  return (JSValue){.is.whole = truth, .tag = 1};
}

static inline JSValue
js_real(double number)
{
  return (JSValue){.is.real = number, .tag = 8};
}

static const JSValue JS_UNDEFINED = {.tag = 3};
static const JSValue JS_EXCEPTION = {.tag = 6};

static inline bool
js_is_exception(JSValue value)
{
  return value.tag == JS_EXCEPTION.tag;
}

#define QUICKJS_FUNCTIONS(FUNCTION) \
  FUNCTION(const char *, JS_GetVersion, (void)) \
  FUNCTION(JSRuntime *, JS_NewRuntime, (void)) \
  FUNCTION(JSContext *, JS_NewContext, (JSRuntime * runtime)) \
  FUNCTION(void, JS_SetMemoryLimit, (JSRuntime * runtime, size_t bytes)) \
  FUNCTION(void, JS_SetMaxStackSize, (JSRuntime * runtime, size_t bytes)) \
  FUNCTION(JSValue, JS_Eval, (JSContext * context, const char *text, size_t length, const char *name, int flags)) \
  FUNCTION(JSValue, JS_Call, (JSContext * context, JSValue function, JSValue self, int count, JSValue *arguments)) \
  FUNCTION(JSValue, JS_GetGlobalObject, (JSContext * context)) \
  FUNCTION(JSValue, JS_GetPropertyStr, (JSContext * context, JSValue object, const char *name)) \
  FUNCTION(int, JS_SetPropertyStr, (JSContext * context, JSValue object, const char *name, JSValue value)) \
  FUNCTION(JSValue, JS_NewCFunction2, (JSContext * context, JSFunction *function, const char *name, int count, int kind, int magic)) \
  FUNCTION(JSValue, JS_NewStringLen, (JSContext * context, const char *text, size_t length)) \
  FUNCTION(const char *, JS_ToCStringLen2, (JSContext * context, size_t *length, JSValue value, bool cesu8)) \
  FUNCTION(void, JS_FreeCString, (JSContext * context, const char *text)) \
  FUNCTION(int, JS_ToFloat64, (JSContext * context, double *number, JSValue value)) \
  FUNCTION(JSValue, JS_ThrowRangeError, (JSContext * context, const char *format, ...)) \
  FUNCTION(JSValue, JS_GetException, (JSContext * context)) \
  FUNCTION(void, JS_FreeValue, (JSContext * context, JSValue value))

#define DECLARED(type, name, arguments) extern type(*name) arguments;
QUICKJS_FUNCTIONS(DECLARED)
#undef DECLARED

/* Loads the module. If it can't be loaded, or has another version of QuickJS, the process ends with a report. */
void quickjs_load(const char *module);

#endif
