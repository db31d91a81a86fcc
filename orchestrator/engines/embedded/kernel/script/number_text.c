/* SPDX-License-Identifier: Apache-2.0 */
#include "script/number_text.h"

#include "base/exact.h"
#include "base/text.h"
#include "script/beyond.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { SURE_DIGITS = 15 /* that many of any decimal number survive in a double */, MOST_DIGITS = 17, EXACT_POWER = 22 };

static const double SMALLEST = 1e-300; /* smaller numbers have fewer digits */
static const double ALL_WHOLE = 1e15; /* smaller whole numbers are written with all their digits */

/* Finds the fewest digits that read back as the number; returns the power of ten of the first. No decimal point is used,
   because that of printf and strtod depends on the environment. */
static int
shortest(double number, char digits[MOST_DIGITS + 1])
{
  char text[NUMBER_ROOM + 16], *power;
  int precision = SURE_DIGITS - 1, count = 0;

  if(number < SMALLEST) {
    beyond("so small a number's text");
  }
  do {
    precision++;
    snprintf(text, sizeof(text), "%.*e", precision - 1, number);
  } while(precision < MOST_DIGITS && strtod(text, NULL) != number);
  if(precision > SURE_DIGITS) {
    int unused;
    if(frexp(number, &unused) == 0.5) {
      beyond("a number of which there may be several shortest texts");
    }
  }
  power = strchr(text, 'e');
  for(const char *at = text; at < power; at++) {
    if(isdigit((uint8_t)*at)) {
      digits[count++] = *at;
    }
  }
  while(count > 1 && digits[count - 1] == '0') {
    count--;
  }
  digits[count] = 0;
  return atoi(power + 1);
}

size_t
number_text(char room[NUMBER_ROOM], double number)
{
  char digits[MOST_DIGITS + 1];
  struct text text = {room, 0, NUMBER_ROOM};
  int point, count;

  if(isnan(number)) {
    text_add(&text, "NaN");
    return text.used;
  }
  if(fabs(number) < ALL_WHOLE && number == trunc(number)) {
    return format_number(room, (int64_t)number);
  }
  if(number < 0) {
    text_add(&text, "-");
    number = -number;
  }
  if(isinf(number)) {
    text_add(&text, "Infinity");
    return text.used;
  }
  point = shortest(number, digits) + 1; /* digits before the point */
  count = (int)strlen(digits);
  if(point > 21 || point <= -6) {
    text_add_bytes(&text, digits, 1);
    if(count > 1) {
      text_add(&text, ".");
      text_add(&text, digits + 1);
    }
    text_add(&text, point > 0 ? "e+" : "e-");
    text_add_number(&text, point > 0 ? point - 1 : 1 - point);
    return text.used;
  }
  if(point <= 0) {
    text_add(&text, "0.");
  }
  for(int i = point < 0 ? point : 0; i < count || i < point; i++) {
    if(i == point && point > 0) {
      text_add(&text, ".");
    }
    text_add_bytes(&text, i >= 0 && i < count ? &digits[i] : "0", 1);
  }
  return text.used;
}

static bool
is_blank(char byte)
{
  return byte == ' ' || (byte >= '\t' && byte <= '\r');
}

void
text_trim(const char **bytes, size_t *length)
{
  while(*length > 0 && is_blank(**bytes)) {
    ++*bytes;
    --*length;
  }
  while(*length > 0 && is_blank((*bytes)[*length - 1])) {
    --*length;
  }
  if(*length > 0 && ((**bytes & 0x80) || ((*bytes)[*length - 1] & 0x80))) {
    beyond("a text to trim that may have blanks other than ASCII's");
  }
}

/* Reads the number at the beginning of a text without blanks around it; `taken`: its bytes, 0 if there is none. */
static double
leading(const char *bytes, size_t length, size_t *taken)
{
  static const double POWERS[] = {1, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11, 1e12, 1e13, 1e14, 1e15};
  size_t at = 0, digits = 0, behind = 0;
  double whole = 0;

  if(length > 0 && (*bytes == '-' || *bytes == '+')) {
    at++;
  }
  if(at < length && bytes[at] == 'I') {
    beyond("a text that may be infinity");
  }
  for(bool point = false; at < length && (isdigit((uint8_t)bytes[at]) || (bytes[at] == '.' && !point)); at++) {
    if(bytes[at] == '.') {
      point = true;
    } else {
      digits++;
      behind += point;
      if(digits > SURE_DIGITS) {
        beyond("a text of so many digits");
      }
      whole = 10 * whole + (bytes[at] - '0');
    }
  }
  if(digits > 0 && at < length && (bytes[at] == 'e' || bytes[at] == 'E')) {
    beyond("a text that may have an exponent");
  }
  *taken = digits > 0 ? at : 0;
  whole /= POWERS[behind]; /* both exact, so rounded once */
  return digits == 0 ? NAN : *bytes == '-' ? -whole : whole;
}

double
text_number(const char *bytes, size_t length)
{
  size_t taken, sign;
  double number;

  text_trim(&bytes, &length);
  if(length == 0) {
    return 0;
  }
  sign = *bytes == '-' || *bytes == '+';
  if(length > sign + 1 && bytes[sign] == '0' && (bytes[sign + 1] & 0x40)) {
    beyond("a number with a letter behind its 0");
  }
  number = leading(bytes, length, &taken);
  return taken == length ? number : NAN;
}

double
text_float(const char *bytes, size_t length)
{
  size_t taken;

  text_trim(&bytes, &length);
  return leading(bytes, length, &taken);
}

double
text_integer(const char *bytes, size_t length)
{
  size_t at = 0, end;
  double number = 0;

  text_trim(&bytes, &length);
  at = length > 0 && (*bytes == '-' || *bytes == '+');
  if(at + 1 < length && bytes[at] == '0' && (bytes[at + 1] == 'x' || bytes[at + 1] == 'X')) {
    beyond("a number to the base 16");
  }
  for(end = at; end < length && isdigit((uint8_t)bytes[end]); end++) {
    if(end - at >= SURE_DIGITS) {
      beyond("a text of so many digits");
    }
    number = 10 * number + (bytes[end] - '0');
  }
  return end == at ? NAN : *bytes == '-' ? -number : number;
}
