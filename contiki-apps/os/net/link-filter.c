/* SPDX-License-Identifier: Apache-2.0 */
#include "net/link-filter.h"

#include "dev/cooja-radio.h"
#include "net/mac/framer/framer-802154.h"

static bool (*payload_passes_by)(const uint8_t *payload, uint16_t length);

static bool
frame_passes_by(const uint8_t *frame, uint16_t length)
{
  int header = framer_802154_to_all(frame, length);

  return header > 0 && payload_passes_by(frame + header, length - header);
}

void
link_filter_set(bool (*passes_by)(const uint8_t *payload, uint16_t length))
{
  payload_passes_by = passes_by;
  cooja_radio_set_filter(frame_passes_by);
}
