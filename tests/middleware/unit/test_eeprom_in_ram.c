/* SPDX-License-Identifier: Apache-2.0 */
/* The EEPROM that a platform without one has, which no simulated mote compiles. */
#include <string.h>
#include "identity/eeprom-in-ram.c"
#include "host.h"

/*---------------------------------------------------------------------------*/
static void
what_was_written_is_read(void)
{
  unsigned char read[4];

  CHECK(eeprom_init());
  CHECK(eeprom_read(EEPROM_SIZE - 4, read, 4));
  CHECK(memcmp(read, "\0\0\0\0", 4) == 0);
  CHECK(eeprom_write(0, (const unsigned char *)"abcd", 4));
  CHECK(eeprom_write(EEPROM_SIZE - 4, (const unsigned char *)"wxyz", 4));
  CHECK(eeprom_write(1, (const unsigned char *)"B", 1));
  CHECK(eeprom_read(0, read, 4));
  CHECK(memcmp(read, "aBcd", 4) == 0);
  CHECK(eeprom_read(EEPROM_SIZE - 4, read, 4));
  CHECK(memcmp(read, "wxyz", 4) == 0);
}
/*---------------------------------------------------------------------------*/
static void
nothing_is_read_or_written_beyond_its_end(void)
{
  static const struct {
    eeprom_addr_t at;
    size_t count;
  } beyond[] = { { EEPROM_SIZE, 1 }, { EEPROM_SIZE, 0 }, { EEPROM_SIZE - 3, 4 }, { 1, EEPROM_SIZE }, { 65535, 1 } };
  static unsigned char octets[EEPROM_SIZE + 1];
  unsigned char last[3];
  unsigned i;

  for(i = 0; i < sizeof(beyond) / sizeof(beyond[0]); i++) {
    memset(octets, 7, sizeof(octets));
    CHECK(!eeprom_write(beyond[i].at, octets, beyond[i].count));
    CHECK(!eeprom_read(beyond[i].at, octets, beyond[i].count));
    CHECK_EQUAL(octets[0], 7);
    CHECK(eeprom_read(EEPROM_SIZE - 3, last, 3));
    CHECK(memcmp(last, "\0\0\0", 3) == 0);
  }
  CHECK(eeprom_read(0, octets, EEPROM_SIZE)); /* all of it fits */
  CHECK(eeprom_write(0, octets, EEPROM_SIZE));
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(what_was_written_is_read),
    T(nothing_is_read_or_written_beyond_its_end),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
