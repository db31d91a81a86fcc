/* SPDX-License-Identifier: Apache-2.0 */
#include "script/quickjs.h"

#include "base/report.h"

#include <dlfcn.h>
#include <string.h>

_Static_assert(sizeof(void *) == 8 && sizeof(JSValue) == 16, "QuickJS has other values on 32-bit machines");

static const char VERSION[] = "0.17.";

/* Variables of Python that the module's table of relocations names. What needs them is never called here. */
#define OF_PYTHON __attribute__((used, visibility("default")))
OF_PYTHON char PyBool_Type[8], PyFloat_Type[8], _Py_FalseStruct[8], _Py_NoneStruct[8], _Py_TrueStruct[8];
OF_PYTHON char PyExc_TypeError[8], PyExc_ValueError[8];

#define DEFINED(type, name, arguments) type(*name) arguments;
QUICKJS_FUNCTIONS(DEFINED)
#undef DEFINED

static void *module;

static void
find(void *function, const char *name)
{
  void *found = dlsym(module, name);

  if(found == NULL) {
    report_error(ERROR_INTERPRETER, "the package quickjs-ng doesn't export %s", name);
  }
  memcpy(function, &found, sizeof(found));
}

void
quickjs_load(const char *path)
{
  module = dlopen(path, RTLD_LAZY | RTLD_LOCAL);
  if(module == NULL) {
    report_error(ERROR_INTERPRETER, "the package quickjs-ng can't be loaded: %s", dlerror());
  }
#define FOUND(type, name, arguments) find(&name, #name);
  QUICKJS_FUNCTIONS(FOUND)
#undef FOUND
  if(strncmp(JS_GetVersion(), VERSION, sizeof(VERSION) - 1) != 0) {
    report_error(ERROR_INTERPRETER, "the package quickjs-ng has QuickJS %s; %sx is needed", JS_GetVersion(), VERSION);
  }
}
