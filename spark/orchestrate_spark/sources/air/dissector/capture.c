/* SPDX-License-Identifier: Apache-2.0 */
#include "record.h"

#include <string.h>

enum { WITH_FCS = 195, WITHOUT_FCS = 230, TAP = 283 };
enum { FCS_TYPE = 0, SIGNAL = 1, CHANNEL = 3, ASN = 7 }; /* TLVs of TAP */
enum { LONGEST = 1 << 18, MOST_INTERFACES = 64, SHB = 0x0A0D0D0A, IDB = 1, SPB = 3, EPB = 6 };

struct capture {
  const struct source *source;
  const uint8_t *at, *end;
  bool swapped;
  uint64_t number; /* of the packet, from 1 */
};

static uint32_t
word(const struct capture *capture, const uint8_t *at)
{
  return capture->swapped ? big32(at) : little32(at);
}

static unsigned
half(const struct capture *capture, const uint8_t *at)
{
  return capture->swapped ? big16(at) : little16(at);
}

static bool
known(uint32_t link)
{
  return link == WITH_FCS || link == WITHOUT_FCS || link == TAP;
}

static void
cut(const struct capture *capture, const uint8_t *at, const char *why)
{
  snprintf(record_warning, sizeof(record_warning), "%s: packet %llu, at byte %zu: %s; the packets before it were read", capture->source->path,
           (unsigned long long)capture->number, (size_t)(at - capture->source->bytes), why);
}

/* Reads the TAP header; returns its length, 0 if it isn't one. */
static size_t
tap(struct row *row, const uint8_t *from, size_t size, unsigned *fcs_size)
{
  size_t length;

  *fcs_size = 0;
  if(size < 4 || from[0] != 0 || (length = little16(from + 2)) < 4 || length > size) {
    return 0;
  }
  for(size_t at = 4; at + 4 <= length;) {
    unsigned kind = little16(from + at), count = little16(from + at + 2);
    const uint8_t *value = from + at + 4;
    if(count > length - at - 4) {
      return 0;
    }
    if(kind == FCS_TYPE && count >= 1) {
      *fcs_size = value[0] == 1 ? 2 : value[0] == 2 ? 4 : 0;
    } else if(kind == SIGNAL && count >= 4) {
      row_set(row, F_rssi_dbm, (int64_t)little32(value));
    } else if(kind == CHANNEL && count >= 2 && little16(value) <= INT16_MAX) {
      row_set(row, F_channel, little16(value));
    }
    at += 4 + (count + 3) / 4 * 4;
  }
  return length;
}

static void
packet(struct capture *capture, uint32_t link, int64_t t_us, const uint8_t *from, size_t size, size_t original)
{
  unsigned fcs_size = link == WITH_FCS ? 2 : 0;
  enum word flaw = W_NO_FLAW;
  struct row row;

  row_clear(&row);
  if(link == TAP) {
    size_t header = tap(&row, from, size, &fcs_size);
    if(header == 0) {
      flaw = W_BAD_TAP;
    }
    from += header;
    size -= header;
    original -= header;
  }
  row_set(&row, F_length, (int64_t)(original < INT16_MAX - 2 ? original + (link == WITHOUT_FCS || fcs_size == 0 ? 2 : 0) : INT16_MAX));
  if(size < original) {
    flaw = W_CAPTURE_CUT;
    if(original - size < fcs_size) {
      size -= fcs_size - (original - size);
    }
  } else if(fcs_size == 2 && size >= 2) {
    size -= 2;
    if(fcs_of(from, size) != little16(from + size)) {
      flaw = W_BAD_FCS;
    }
  } else {
    size -= size < fcs_size ? size : fcs_size;
  }
  frame_add(capture->source->settings, &row, t_us, from, size, flaw);
}

static void
classic(struct capture *capture, int64_t per_second)
{
  const struct source *source = capture->source;
  uint32_t link;

  if(source->size < 24) {
    refuse("%s: the capture ends in its header\n    capture again, or copy the whole file", source->path);
  }
  link = word(capture, source->bytes + 20) & 0xFFFF;
  if(!known(link)) {
    refuse("%s: link type %u is not IEEE 802.15.4\n    capture with link type 195, 230 or 283", source->path, link);
  }
  for(capture->at = source->bytes + 24; capture->at < capture->end;) {
    const uint8_t *at = capture->at;
    size_t left = (size_t)(capture->end - at), size, original;
    capture->number++;
    if(left < 16) {
      cut(capture, at, "the file ends in its header");
      return;
    }
    size = word(capture, at + 8);
    original = word(capture, at + 12);
    if(size > LONGEST || original < size) {
      cut(capture, at, "it has an impossible length");
      return;
    }
    if(left - 16 < size) {
      cut(capture, at, "the file ends before the packet does");
      return;
    }
    packet(capture, link, (int64_t)word(capture, at) * 1000000 + (int64_t)word(capture, at + 4) * 1000000 / per_second, at + 16, size, original);
    capture->at += 16 + size;
  }
}

struct interface {
  uint32_t link;
  uint64_t per_second;
};

static uint64_t
resolution(const struct capture *capture, const uint8_t *from, const uint8_t *end)
{
  while(end - from >= 4) {
    unsigned code = half(capture, from), size = half(capture, from + 2);
    if(code == 0 || (size_t)(end - from - 4) < size) {
      break;
    }
    if(code == 9 && size >= 1) {
      uint64_t value = 1;
      unsigned power = from[4] & 0x7F;
      for(unsigned i = 0; i < power && value < UINT64_MAX / 10; i++) {
        value *= from[4] & 0x80 ? 2 : 10;
      }
      return value;
    }
    from += 4 + (size + 3) / 4 * 4;
  }
  return 1000000;
}

static void
next_generation(struct capture *capture)
{
  struct interface interfaces[MOST_INTERFACES];
  const struct source *source = capture->source;
  uint32_t count = 0, other = 0;
  bool any = false;

  for(capture->at = source->bytes; capture->at < capture->end;) {
    const uint8_t *at = capture->at;
    size_t left = (size_t)(capture->end - at), size;
    uint32_t kind;
    if(left >= 12 && little32(at) == SHB) {
      capture->swapped = big32(at + 8) == 0x1A2B3C4D;
      count = 0;
    }
    if(left < 12 || (size = word(capture, at + 4)) < 12 || size % 4 != 0 || size > left) {
      capture->number++;
      cut(capture, at, "the file ends before the block does, or the block has an impossible length");
      break;
    }
    kind = word(capture, at);
    if(kind == IDB && size >= 20 && count < MOST_INTERFACES) {
      interfaces[count].link = half(capture, at + 8);
      interfaces[count].per_second = resolution(capture, at + 16, at + size - 4);
      any |= known(interfaces[count].link);
      other = known(interfaces[count].link) ? other : interfaces[count].link;
      count++;
    } else if(kind == EPB && size >= 32) {
      uint32_t interface = word(capture, at + 8), kept = word(capture, at + 20), original = word(capture, at + 24);
      uint64_t time = (uint64_t)word(capture, at + 12) << 32 | word(capture, at + 16);
      capture->number++;
      if(kept > size - 32 || original < kept || interface >= count) {
        cut(capture, at, "it has an impossible length or an unknown interface");
        break;
      }
      if(known(interfaces[interface].link)) {
        uint64_t unit = interfaces[interface].per_second;
        packet(capture, interfaces[interface].link, (int64_t)(time / unit * 1000000 + (uint64_t)((double)(time % unit) * 1e6 / (double)unit)),
               at + 28, kept, original);
      }
    }
    capture->at += size;
  }
  if(!any) {
    refuse("%s: link type %u is not IEEE 802.15.4\n    capture with link type 195, 230 or 283", source->path, other);
  }
}

void
capture_read(const struct source *source)
{
  struct capture capture = {.source = source, .end = source->bytes + source->size};

  if(source->size >= 4) {
    switch(little32(source->bytes)) {
    case SHB:
      next_generation(&capture);
      return;
    case 0xA1B2C3D4: case 0xA1B23C4D:
      classic(&capture, little32(source->bytes) == 0xA1B2C3D4 ? 1000000 : 1000000000);
      return;
    case 0xD4C3B2A1: case 0x4D3CB2A1:
      capture.swapped = true;
      classic(&capture, little32(source->bytes) == 0xD4C3B2A1 ? 1000000 : 1000000000);
      return;
    }
  }
  refuse("%s: neither a record of the engine nor a capture (pcap or pcapng)\n    name a file that Wireshark opens", source->path);
}
