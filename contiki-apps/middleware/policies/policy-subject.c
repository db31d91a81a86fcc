/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>
#include "contiki.h"
#include "policy-subject.h"

#define POLYNOMIAL 0xedb88320UL /* of CRC-32 (IEEE 802.3), reflected */
/*---------------------------------------------------------------------------*/
static uint32_t
crc32(const char *text)
{
  uint32_t crc = 0xffffffffUL;
  unsigned bit;

  for(; *text != '\0'; text++) {
    crc ^= (uint8_t)*text;
    for(bit = 0; bit < 8; bit++) {
      crc = crc & 1 ? crc >> 1 ^ POLYNOMIAL : crc >> 1;
    }
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
