/* SPDX-License-Identifier: Apache-2.0 */
#include "base/exact.h"
#include "script/methods.h"
#include "script/number_text.h"

#include <string.h>

static const double ALL_WHOLE = 4503599627370496; /* 2^52: numbers from here on have no fraction */

static double
rounded(double number) /* as Nashorn does: 0.49999999999999994 is 1 */
{
  return fabs(number) < ALL_WHOLE ? copysign(floor(number + 0.5), number) : number;
}

static double
larger(double a, double b)
{
  return isnan(a) || isnan(b) ? NAN : a > b || (a == b && !signbit(a)) ? a : b;
}

static double of_floor(double x) { return floor(x); }
static double of_ceil(double x) { return ceil(x); }
static double of_abs(double x) { return fabs(x); }
static double of_is_nan(double x) { return isnan(x); }
static double of_number(double x) { return x; }

enum { NUMBERS_ONLY, OF_TEXT, TRUTH, STRING_OF, MOST, LEAST };

static const struct {
  const char *name;
  int what;
  double (*call)(double number);
  double (*read)(const char *bytes, size_t length);
} FUNCTIONS[] = {
  {"Math.floor", NUMBERS_ONLY, of_floor, NULL}, {"Math.ceil", NUMBERS_ONLY, of_ceil, NULL}, {"Math.abs", NUMBERS_ONLY, of_abs, NULL},
  {"Math.round", NUMBERS_ONLY, rounded, NULL}, {"Math.max", MOST, NULL, NULL}, {"Math.min", LEAST, NULL, NULL},
  {"parseInt", OF_TEXT, NULL, text_integer}, {"parseFloat", OF_TEXT, NULL, text_float}, {"Number", NUMBERS_ONLY, of_number, NULL},
  {"isNaN", TRUTH, of_is_nan, NULL}, {"String", STRING_OF, NULL, NULL},
};

int
function_named(const char *name)
{
  for(size_t i = 0; i < sizeof(FUNCTIONS) / sizeof(FUNCTIONS[0]); i++) {
    if(strcmp(name, FUNCTIONS[i].name) == 0) {
      return (int)i;
    }
  }
  return -1;
}

struct value
function_call(int function, struct value *arguments, unsigned count)
{
  struct value first = arguments[0], result;
  char room[NUMBER_ROOM];
  const char *bytes;
  size_t length;

  switch(FUNCTIONS[function].what) {
  case OF_TEXT:
    bytes = value_bytes(&first, room, &length);
    result = number_value(FUNCTIONS[function].read(bytes, length));
    break;
  case STRING_OF:
    return (struct value){.kind = STRING, .string = to_string(first)};
  case TRUTH:
    result = truth_value(FUNCTIONS[function].call(to_number(first)) != 0);
    break;
  case MOST:
    result = number_value(larger(to_number(first), to_number(arguments[1])));
    break;
  case LEAST:
    result = number_value(-larger(-to_number(first), -to_number(arguments[1])));
    break;
  default:
    result = number_value(FUNCTIONS[function].call(to_number(first)));
  }
  for(unsigned i = 0; i < count; i++) {
    value_drop(arguments[i]);
  }
  return result;
}
