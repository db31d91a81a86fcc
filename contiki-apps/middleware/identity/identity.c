/* SPDX-License-Identifier: Apache-2.0 */
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include "contiki.h"
#include "dev/serial-line.h"
#include "net/linkaddr.h"
#include "identity.h"
#include "image-by-serial.h"
#if CONTIKI_TARGET_COOJA
#include "dev/eeprom.h"
#endif

#define EUI64_SIZE 8 /* octets */

#ifndef IDENTITY_CONF_FIRMWARE
#define IDENTITY_CONF_FIRMWARE "unknown"
#endif

#ifdef CONTIKI_TARGET_STRING
#define PLATFORM CONTIKI_TARGET_STRING
#elif CONTIKI_TARGET_COOJA
#define PLATFORM "cooja"
#else
#define PLATFORM "unknown"
#endif

PROCESS(identity_process, "Identity");
/*---------------------------------------------------------------------------*/
/* The address that the mote's hardware has. False: nothing tells. */
static bool
eui64(unsigned char *octets)
{
#if CONTIKI_TARGET_COOJA
  /* A simulated mote has none but the one that a virtual testbed puts at the end of its
     EEPROM, where AVR boards have theirs. */
  static const unsigned char nothing[EUI64_SIZE];

  return eeprom_read(EEPROM_SIZE - EUI64_SIZE, octets, EUI64_SIZE)
    && memcmp(octets, nothing, EUI64_SIZE) != 0;
#elif LINKADDR_SIZE == 8
  /* Contiki's platforms take their link address from it. */
  memcpy(octets, linkaddr_node_addr.u8, EUI64_SIZE);
  return true;
#else
  (void)octets;
  return false;
#endif
}
/*---------------------------------------------------------------------------*/
static void
print_octets(const unsigned char *octets, unsigned count)
{
  unsigned i;

  for(i = 0; i < count; i++) {
    printf("%02x", octets[i]);
  }
}
/*---------------------------------------------------------------------------*/
void
identity_say(void)
{
  unsigned char octets[EUI64_SIZE];

  printf("who %s address ", IDENTITY_CONF_FIRMWARE);
  print_octets(linkaddr_node_addr.u8, LINKADDR_SIZE);
  printf(" eui64 ");
  if(eui64(octets)) {
    print_octets(octets, EUI64_SIZE);
  } else {
    printf("unknown");
  }
  printf(" platform %s\n", PLATFORM);
}
/*---------------------------------------------------------------------------*/
PROCESS_THREAD(identity_process, ev, data)
{
  PROCESS_BEGIN();
  while(1) {
    PROCESS_WAIT_EVENT_UNTIL(ev == serial_line_event_message);
    if(strcmp(data, "who") == 0) {
      identity_say();
    } else {
      image_by_serial_line(data);
    }
  }
  PROCESS_END();
}
