/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "policy-subject.h"
#include "pubsub-octets.h"

/*---------------------------------------------------------------------------*/
static uint32_t
crc32(const char *text)
{
  uint32_t crc = 0xffffffffUL;

  for(; *text != '\0'; text++) {
    crc = pubsub_crc32_add(crc, (uint8_t)*text);
  }
  return crc ^ 0xffffffffUL;
}
/*---------------------------------------------------------------------------*/
pubsub_subject_t
policy_subject(const char *topic)
{
  static const char digits[] = "0123456789abcdef";
  char name[9];

  if(strlen(topic) <= 8) {
    return pubsub_subject(topic);
  }
  memcpy(name, topic, 6);
  name[6] = digits[crc32(topic) >> 4 & 0xf];
  name[7] = digits[crc32(topic) & 0xf];
  name[8] = '\0';
  return pubsub_subject(name);
}
