/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include "contiki.h"
#include "dev/eeprom.h"
#include "image-by-serial.h"
#include "pubsub/pubsub-octets.h"
#include "sys/autostart.h"

#if EEPROM_SIZE > 0
#define KEPT_BACK 2 /* bytes that are written last */

static uint16_t size, received;
static uint32_t wanted;
static unsigned char first[KEPT_BACK];
static bool receiving;
/*---------------------------------------------------------------------------*/
/* Of what the memory has, or would have with the bytes that are kept back. */
static uint32_t
crc32_stored(bool with_kept_back)
{
  uint32_t crc = 0xffffffff;
  unsigned char octet;
  uint16_t at;

  for(at = 0; at < size; at++) {
    if(with_kept_back && at < KEPT_BACK) {
      octet = first[at];
    } else if(!eeprom_read(at, &octet, 1)) {
      return ~wanted;
    }
    crc = pubsub_crc32_add(crc, octet);
  }
  return ~crc;
}
/*---------------------------------------------------------------------------*/
static void
say_stored(void)
{
  printf("image stored %08lx\n", (unsigned long)wanted);
}
/*---------------------------------------------------------------------------*/
static void
begin(const char *line)
{
  static const unsigned char nothing[KEPT_BACK];
  char *rest;
  unsigned long bytes = strtoul(line, &rest, 10);

  receiving = false;
  if(bytes < KEPT_BACK || bytes > EEPROM_SIZE) {
    printf("image no room\n");
    return;
  }
  size = bytes;
  wanted = strtoul(rest, NULL, 16);
  if(crc32_stored(false) == wanted) {
    say_stored();
    return;
  }
  eeprom_write(0, nothing, sizeof(nothing));
  received = 0;
  receiving = true;
  printf("image ok 0\n");
}
/*---------------------------------------------------------------------------*/
static void
take(const char *line)
{
  char *rest;
  unsigned long offset = strtoul(line, &rest, 10);
  unsigned char octet;
  int read;

  if(offset == received && *rest == ' ') {
    for(rest++; (read = pubsub_hex_octet(rest)) >= 0 && received < size; rest += 2) {
      octet = read;
      if(received < KEPT_BACK) {
        first[received] = octet;
      } else {
        eeprom_write(received, &octet, 1);
      }
      received++;
    }
  }
  printf("image ok %u\n", (unsigned)received);
}
/*---------------------------------------------------------------------------*/
/* As after a boot, but for the process that runs. */
static void
start_application(void)
{
  int i;

  for(i = 0; autostart_processes[i] != NULL; i++) {
    if(autostart_processes[i] != PROCESS_CURRENT()) {
      process_exit(autostart_processes[i]);
      process_start(autostart_processes[i], NULL);
    }
  }
}
/*---------------------------------------------------------------------------*/
static void
end(void)
{
  if(received < size) {
    printf("image ok %u\n", (unsigned)received);
    return;
  }
  receiving = false;
  if(crc32_stored(true) != wanted) {
    printf("image no checksum\n");
    return;
  }
  eeprom_write(0, first, sizeof(first));
  say_stored();
  start_application();
}
/*---------------------------------------------------------------------------*/
void
image_by_serial_line(const char *line)
{
  if(strncmp(line, "image begin ", 12) == 0) {
    begin(line + 12);
  } else if(strncmp(line, "image ", 6) != 0) {
    return;
  } else if(!receiving) {
    printf("image no begin\n");
  } else if(strncmp(line, "image at ", 9) == 0) {
    take(line + 9);
  } else if(strcmp(line, "image end") == 0) {
    end();
  }
}
#else
void
image_by_serial_line(const char *line)
{
  if(strncmp(line, "image ", 6) == 0) {
    printf("image no memory: set EEPROM_CONF_SIZE\n");
  }
}
#endif
