/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "dev/eeprom.h"
#include "eeprom-image.h"
#include "host.h"

#define MAGIC 0x4f52

static unsigned char eeprom[EEPROM_SIZE] = { 0x52, 0x4f, 7, 1, 2, 3, 4, 0xff, 0xfe };
/*---------------------------------------------------------------------------*/
bool
eeprom_read(eeprom_addr_t addr, unsigned char *buf, size_t size)
{
  memcpy(buf, eeprom + addr, size);
  return true;
}
/*---------------------------------------------------------------------------*/
static void
fields_follow_each_other(void)
{
  for(int again = 0; again < 2; again++) {
    CHECK(eeprom_image_begin(MAGIC));
    CHECK_EQUAL(eeprom_image_number(1), 7);
    CHECK_EQUAL(eeprom_image_number(4), 0x04030201);
    CHECK_EQUAL(eeprom_image_number(2), 0xfeff);
    CHECK(!eeprom_image_is_cut_short());
  }
}
/*---------------------------------------------------------------------------*/
static void
another_image_is_none(void)
{
  CHECK(!eeprom_image_begin(MAGIC + 1));
  CHECK(eeprom_image_begin(MAGIC));
}
/*---------------------------------------------------------------------------*/
static void
the_end_is_not_passed(void)
{
  CHECK(eeprom_image_begin(MAGIC));
  for(int octets = 2; octets < EEPROM_SIZE - 2; octets += 4) {
    eeprom_image_number(4);
  }
  eeprom[EEPROM_SIZE - 2] = 9;
  CHECK_EQUAL(eeprom_image_number(4), 0);
  CHECK(eeprom_image_is_cut_short());
  CHECK_EQUAL(eeprom_image_number(2), 9); /* what fits is still read */
  CHECK(eeprom_image_is_cut_short());
  CHECK(eeprom_image_begin(MAGIC));
  CHECK(!eeprom_image_is_cut_short());
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(fields_follow_each_other), T(another_image_is_none),
    T(the_end_is_not_passed),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
