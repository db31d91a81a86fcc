/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include "event-condition.h"
#include "event-terms.h"

/* Of a term's value, as frames/frames.yaml has it. */
#define LONGEST 32
/*---------------------------------------------------------------------------*/
bool
event_terms_are(const uint8_t *terms, uint8_t length)
{
  uint16_t at = 0;

  while(at + 2 <= length && terms[at] >= EVENT_TERMS_SUPPLIER && terms[at] <= EVENT_TERMS_BRIDGE
        && terms[at + 1] <= LONGEST) {
    at += 2 + terms[at + 1];
  }
  return at == length;
}
/*---------------------------------------------------------------------------*/
const uint8_t *
event_terms_find(const uint8_t *terms, uint8_t length, uint8_t kind, uint8_t *value_length)
{
  uint16_t at;

  for(at = 0; at + 2 <= length; at += 2 + terms[at + 1]) {
    if(terms[at] == kind) {
      *value_length = terms[at + 1];
      return terms + at + 2;
    }
  }
  return NULL;
}
/*---------------------------------------------------------------------------*/
bool
event_terms_want(const uint8_t *terms, uint8_t length, const uint8_t *data, uint8_t data_length)
{
  uint8_t size;
  const uint8_t *code = event_terms_find(terms, length, EVENT_TERMS_CONDITION, &size);

  return code == NULL || (event_terms_condition_is(code, size)
                          && event_terms_condition_holds(code, size, data, data_length));
}
