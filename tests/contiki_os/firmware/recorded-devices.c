/* SPDX-License-Identifier: Apache-2.0 */
/* LEDs one by one and by mask, the EEPROM's bounds, texts in buffers. */
#include "contiki.h"
#include "dev/eeprom.h"
#include "dev/leds.h"

#include <stdio.h>
#include <string.h>

PROCESS(recorded_process, "Recorded");
AUTOSTART_PROCESSES(&recorded_process);

static void
show_leds(void)
{
  printf("leds %u %u %u, all %u:", LEDS_GREEN, LEDS_RED, LEDS_YELLOW, LEDS_ALL);
  for(leds_num_t led = 0; led < 5; led++) { /* the last two don't exist */
    leds_single_on(led);
    printf(" %u", leds_get());
  }
  for(leds_num_t led = 0; led < 5; led++) {
    leds_single_toggle(led);
    printf(" %u", leds_get());
    leds_single_toggle(led);
  }
  for(leds_num_t led = 5; led-- > 0; ) {
    leds_single_off(led);
    printf(" %u", leds_get());
  }
  for(leds_mask_t mask = 0; mask < 8; mask++) {
    leds_set(5);
    leds_on(mask);
    printf(", %u", leds_get());
    leds_off(mask);
    printf(" %u", leds_get());
    leds_toggle(mask);
    printf(" %u", leds_get());
  }
  printf("\n");
}

static void
show_eeprom(void)
{
  static const eeprom_addr_t places[] = { 0, 1, 1016, 1020, 1022, 1023, 1024 };
  unsigned char bytes[5];

  printf("eeprom of %d, %d:", EEPROM_SIZE, EEPROM_END_ADDR);
  for(unsigned i = 0; i < sizeof(places) / sizeof(places[0]); i++) {
    memset(bytes, '-', sizeof(bytes));
    printf(" %d", eeprom_write(places[i], (const unsigned char *)"abcd", 4));
    printf(" %d", eeprom_read(places[i], bytes, 4));
    printf(" %.5s", (char *)bytes);
  }
  eeprom_read(0, bytes, 5);
  printf(", %.5s\n", (char *)bytes);
}

static void
show_texts(void)
{
  char text[12];

  for(int size = 0; size < 8; size++) {
    memset(text, '#', sizeof(text));
    text[11] = '\0';
    printf("%d:%d", size, snprintf(text, (size_t)size, "%s-%d", "ab", 42));
    printf(" %d ", (int)strlen(text));
    for(int i = 0; i < 11; i++) {
      putchar(text[i] == '\0' ? '0' : text[i]);
    }
    putchar('\n');
  }
  printf("%d ", sprintf(text, "%03u|%x", 7u, 255u));
  puts(text);
}

PROCESS_THREAD(recorded_process, ev, data)
{
  PROCESS_BEGIN();
  show_leds();
  show_eeprom();
  show_texts();
  PROCESS_END();
}
