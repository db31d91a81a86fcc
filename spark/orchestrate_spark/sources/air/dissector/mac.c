/* SPDX-License-Identifier: Apache-2.0 */
/* The MAC of IEEE 802.15.4-2006 and -2015: header, security, information elements, TSCH's and 6P's among them. */
#include "dissect.h"

#include <string.h>

enum { T_BEACON, T_DATA, T_ACK, T_COMMAND };
enum { NONE, RESERVED_MODE, SHORT, LONG };
enum { VERSION_2003, VERSION_2006, VERSION_2015 };
enum { HT1 = 0x7E, HT2 = 0x7F, TIME_CORRECTION = 0x1E };                 /* header IEs (table 7-7) */
enum { MLME = 1, IETF = 5, PAYLOAD_END = 15 };                           /* payload IEs (table 7-15) */
enum { TSCH_SYNC = 0x1A, TSCH_TIMESLOT = 0x1C, SIXTOP = 0xC9, ASN_SIZE = 5 }; /* sub-IEs; RFC 8480 */
enum { IMPLICIT, INDEX_ONLY, SOURCE4, SOURCE8 };                         /* key identifier modes */
enum { NONCE_SIZE = 13 };
static const unsigned MICS[] = {0, 4, 8, 16}; /* bytes, by the lower bits of the security level */

/* The last ASN that a beacon announced: the time slot of any later frame follows from it. */
static struct {
  bool known;
  uint64_t asn;
  int64_t t_us;
} beat;

struct header {
  int type, version;
  bool secured, ies;
  const uint8_t *start;
  int level, key_mode, key_index;
  bool no_counter;
  uint8_t counter[4]; /* as the nonce has it */
};

/* Reads an address, which frames have with its least significant byte first. */
static const uint8_t *
address(struct link_address *into, const uint8_t *from, int mode)
{
  into->size = mode == LONG ? EXTENDED : mode == SHORT ? 2 : 0;
  for(unsigned i = 0; i < into->size; i++) {
    into->bytes[i] = from[into->size - 1 - i];
  }
  return from + into->size;
}

/* Which PAN ids a frame has (table 7-2 of the 2015 standard; 7.2.1.1.5 of 2006's). */
static void
pans(int version, int to, int from, bool compressed, bool *of_destination, bool *of_source)
{
  if(version < VERSION_2015) {
    *of_destination = to != NONE;
    *of_source = from != NONE && !(compressed && to != NONE);
  } else if(to == NONE) {
    *of_destination = from == NONE && compressed;
    *of_source = from != NONE && !compressed;
  } else if(from == NONE || (to == LONG && from == LONG)) {
    *of_destination = !compressed;
    *of_source = false;
  } else {
    *of_destination = true;
    *of_source = !compressed;
  }
}

static void
time_sync(struct frame *frame, const uint8_t *from, size_t size)
{
  uint64_t asn = 0;

  if(size < ASN_SIZE + 1) {
    dissect_flaw(frame, W_BAD_IE);
    return;
  }
  for(int i = ASN_SIZE - 1; i >= 0; i--) {
    asn = asn << 8 | from[i];
  }
  set(frame, F_asn, (int64_t)asn);
  set(frame, F_join_metric, from[ASN_SIZE]);
  beat.known = true;
  beat.asn = asn;
  beat.t_us = frame->t_us;
}

static void
mlme(struct frame *frame, const uint8_t *from, const uint8_t *end)
{
  while(end - from >= 2) {
    unsigned head = little16(from), size = head & 0x8000 ? head & 0x7FF : head & 0xFF;
    from += 2;
    if((size_t)(end - from) < size) {
      dissect_flaw(frame, W_BAD_IE);
      return;
    }
    if(!(head & 0x8000) && (head >> 8 & 0x7F) == TSCH_SYNC) {
      time_sync(frame, from, size);
    }
    from += size;
  }
  if(from != end) {
    dissect_flaw(frame, W_BAD_IE);
  }
}

/* A message of 6P (RFC 8480, 3.2). */
static void
sixtop(struct frame *frame, const uint8_t *from, size_t size)
{
  static const enum word TYPES[] = {W_REQUEST, W_RESPONSE, W_CONFIRMATION, W_RESERVED};

  if(size < 1 || from[0] != SIXTOP) {
    return;
  }
  if(size < 5) {
    dissect_flaw(frame, W_BAD_IE);
    return;
  }
  set(frame, F_network, W_SIXP);
  set(frame, F_sixp_type, TYPES[from[1] >> 4 & 3]);
  set(frame, F_sixp_code, from[2]);
  set(frame, F_sixp_sfid, from[3]);
  set(frame, F_sixp_seq, from[4]);
}

/* Payload IEs up to the payload; returns where it begins, NULL if there are faults. */
static const uint8_t *
payload_ies(struct frame *frame, const uint8_t *from)
{
  while(frame->end - from >= 2) {
    unsigned head = little16(from), size = head & 0x7FF, group = head >> 11 & 15;
    from += 2;
    if(!(head & 0x8000) || (size_t)(frame->end - from) < size) {
      dissect_flaw(frame, W_BAD_IE);
      return NULL;
    }
    if(group == PAYLOAD_END) {
      return from + size;
    }
    if(group == MLME) {
      mlme(frame, from, from + size);
    } else if(group == IETF) {
      sixtop(frame, from, size);
    }
    from += size;
  }
  if(from != frame->end) {
    dissect_flaw(frame, W_BAD_IE);
    return NULL;
  }
  return from;
}

/* Header IEs; returns what follows, NULL if there are faults. `payload`: payload IEs follow. */
static const uint8_t *
header_ies(struct frame *frame, const uint8_t *from, const uint8_t *end, bool *payload)
{
  while(end - from >= 2) {
    unsigned head = little16(from), size = head & 0x7F, id = head >> 7 & 0xFF;
    from += 2;
    if(head & 0x8000 || (size_t)(end - from) < size) {
      dissect_flaw(frame, W_BAD_IE);
      return NULL;
    }
    if(id == HT1 || id == HT2) {
      *payload = id == HT1;
      return from + size;
    }
    if(id == TIME_CORRECTION && size >= 2) { /* a number of 12 bits with sign */
      unsigned word = little16(from);
      set(frame, F_time_correction_us, (int)((word & 0xFFF) ^ 0x800) - 0x800);
      set(frame, F_nack, word >> 15);
    }
    from += size;
  }
  if(from != end) {
    dissect_flaw(frame, W_BAD_IE);
    return NULL;
  }
  return from;
}

/* The auxiliary security header (9.4); returns what follows it, NULL if it isn't whole. */
static const uint8_t *
security_header(struct frame *frame, struct header *header, const uint8_t *from)
{
  static const unsigned IDENTIFIERS[] = {[IMPLICIT] = 0, [INDEX_ONLY] = 1, [SOURCE4] = 5, [SOURCE8] = 9};
  unsigned size;

  if(from >= frame->end) {
    return NULL;
  }
  header->level = *from & 7;
  header->key_mode = *from >> 3 & 3;
  header->no_counter = header->version == VERSION_2015 && *from & 1 << 5;
  size = (header->no_counter ? 0 : 4) + IDENTIFIERS[header->key_mode];
  set(frame, F_security_level, header->level);
  from++;
  if((size_t)(frame->end - from) < size) {
    return NULL;
  }
  if(!header->no_counter) {
    set(frame, F_frame_counter, little32(from));
    for(int i = 0; i < 4; i++) {
      header->counter[i] = from[3 - i];
    }
  }
  from += size;
  header->key_index = header->key_mode == IMPLICIT ? -1 : from[-1];
  if(header->key_mode != IMPLICIT) {
    set(frame, F_key_index, header->key_index);
  }
  return from;
}

static const struct key *
key_of(const struct settings *settings, const struct header *header)
{
  for(unsigned i = 0; i < settings->key_count; i++) {
    if(settings->keys[i].index == header->key_index) {
      return &settings->keys[i];
    }
  }
  return NULL;
}

/* Builds the nonce (9.3.3.1): source, then frame counter and security level, or the ASN. */
static bool
make_nonce(const struct frame *frame, const struct header *header, bool with_asn, uint8_t nonce[NONCE_SIZE])
{
  if(frame->source.size != EXTENDED) {
    return false;
  }
  memcpy(nonce, frame->source.bytes, EXTENDED);
  if(!with_asn) {
    memcpy(nonce + EXTENDED, header->counter, 4);
    nonce[EXTENDED + 4] = (uint8_t)header->level;
    return true;
  }
  if(!beat.known || frame->settings->slot_us <= 0) {
    return false;
  }
  int64_t half = frame->settings->slot_us / 2, passed = frame->t_us - beat.t_us;
  uint64_t asn = beat.asn + (uint64_t)((passed + (passed < 0 ? -half : half)) / frame->settings->slot_us);
  for(int i = 0; i < ASN_SIZE; i++) {
    nonce[NONCE_SIZE - 1 - i] = (uint8_t)(asn >> 8 * i);
  }
  return true;
}

/* Takes security off: `from` is behind the MAC header. Returns the readable rest, NULL if that can't be had. */
static const uint8_t *
unsecured(struct frame *frame, const struct header *header, const uint8_t *from, bool payload_follows)
{
  unsigned mic_size = MICS[header->level & 3];
  bool encrypted = header->level >= 4;
  const struct key *key = key_of(frame->settings, header);
  uint8_t nonce[NONCE_SIZE];
  size_t size, plain = 0;
  bool any = false;

  if(frame->end < from || (size_t)(frame->end - from) < mic_size) {
    dissect_flaw(frame, W_SHORT_MAC);
    return NULL;
  }
  frame->end -= mic_size;
  size = (size_t)(frame->end - from);
  if(key == NULL || size > sizeof(frame->plain)) {
    if(encrypted && size > 0) {
      dissect_flaw(frame, W_NO_KEY);
      return NULL;
    }
    return from; /* it is only authenticated, and can be read without the key */
  }
  /* Of a command, its identifier is not encrypted (2006: open payload). */
  if(header->type == T_COMMAND && size > 0) {
    plain = header->version < VERSION_2015 ? 1 : 0;
  }
  if(header->type == T_BEACON && !encrypted && payload_follows) { /* its own ASN may be in its nonce */
    payload_ies(frame, from);
  }
  /* Contiki-NG's TSCH sends a counter (0), and has the ASN in its nonce nevertheless. */
  for(int with_asn = header->no_counter; with_asn <= (header->version == VERSION_2015); with_asn++) {
    if(!make_nonce(frame, header, with_asn, nonce)) {
      continue;
    }
    any = true;
    memcpy(frame->plain, from, size);
    if(ccm_open(key->bytes, nonce, header->start, (size_t)(from - header->start) + plain, frame->plain + plain, size - plain,
                encrypted, frame->end, mic_size)) {
      frame->end = frame->plain + size;
      return frame->plain;
    }
  }
  if(any || (encrypted && size > 0)) {
    dissect_flaw(frame, any ? W_WRONG_KEY : W_NO_NONCE);
  }
  return encrypted && size > 0 ? NULL : from;
}

static void
content(struct frame *frame, const struct header *header, const uint8_t *from, bool payload_follows)
{
  if(payload_follows && (from = payload_ies(frame, from)) == NULL) {
    set(frame, F_network, W_OPAQUE);
    return;
  }
  switch(header->type) {
  case T_BEACON:
    if(header->version == VERSION_2015) {
      set(frame, F_network, W_EB);
    }
    break;
  case T_COMMAND:
    if(from < frame->end) {
      set(frame, F_command, *from);
    }
    break;
  case T_DATA:
    if(from >= frame->end) {
      if(!row_has(frame->row, F_network)) {
        set(frame, F_network, W_EMPTY);
      }
    } else if(frame->settings->nullnet) {
      set(frame, F_network, W_NULLNET);
      dissect_payload(frame, from);
    } else {
      dissect_lowpan(frame, from);
    }
    break;
  }
}

void
dissect_mac(struct frame *frame, const uint8_t *bytes, size_t size)
{
  static const enum word TYPES[] = {W_BEACON, W_DATA, W_ACK, W_COMMAND, W_OTHER, W_OTHER, W_OTHER, W_OTHER};
  struct header header = {.start = bytes};
  const uint8_t *from = bytes;
  bool to_pan, from_pan, payload_follows = false;
  int to, source, destination_pan = -1;
  unsigned control;
  size_t needed;

  frame->end = bytes + size;
  frame->pan = -1;
  frame->source.size = frame->destination.size = 0;
  if(size < 2) {
    set(frame, F_type, W_OTHER);
    dissect_flaw(frame, W_SHORT_MAC);
    return;
  }
  control = little16(bytes);
  header.type = control & 7;
  header.version = control >> 12 & 3;
  header.secured = control >> 3 & 1;
  to = control >> 10 & 3;
  source = control >> 14;
  set(frame, F_type, TYPES[header.type]);
  if(header.type > T_COMMAND) {
    dissect_opaque(frame, bytes + 2);
    return;
  }
  set(frame, F_version, header.version);
  set(frame, F_pending, control >> 4 & 1);
  set(frame, F_ack_request, control >> 5 & 1);
  if(header.version > VERSION_2015 || to == RESERVED_MODE || source == RESERVED_MODE) {
    dissect_flaw(frame, W_BAD_MODE);
    return;
  }
  header.ies = header.version == VERSION_2015 && control >> 9 & 1;
  from += 2;
  pans(header.version, to, source, control >> 6 & 1, &to_pan, &from_pan);
  needed = (header.version == VERSION_2015 && control >> 8 & 1 ? 0 : 1) + 2u * to_pan + 2u * from_pan +
           (to == LONG ? 8u : to == SHORT ? 2u : 0u) + (source == LONG ? 8u : source == SHORT ? 2u : 0u);
  if(size - 2 < needed) {
    dissect_flaw(frame, W_SHORT_MAC);
    return;
  }
  if(header.version < VERSION_2015 || !(control >> 8 & 1)) {
    set(frame, F_seq, *from++);
  }
  if(to_pan) {
    frame->pan = destination_pan = (int)little16(from);
    from += 2;
  }
  from = address(&frame->destination, from, to);
  if(from_pan) {
    frame->pan = destination_pan < 0 ? (int)little16(from) : destination_pan;
    from += 2;
  }
  from = address(&frame->source, from, source);
  if(frame->pan >= 0) {
    set(frame, F_pan, frame->pan);
  }
  if(frame->source.size > 0) {
    set(frame, F_src, address_entry(&frame->source));
  }
  if(frame->destination.size > 0) {
    set(frame, F_dst, address_entry(&frame->destination));
  }
  if(header.secured && header.version == VERSION_2003) {
    dissect_flaw(frame, W_OLD_SECURITY);
    set(frame, F_network, W_SECURED);
    return;
  }
  set(frame, F_security_level, 0);
  if(header.secured && (from = security_header(frame, &header, from)) == NULL) {
    dissect_flaw(frame, W_SHORT_MAC);
    return;
  }
  if(header.ies) {
    /* The MIC at the end is no IE; a frame without payload ends its IEs by its length alone. */
    unsigned mic = header.secured ? MICS[header.level & 3] : 0;
    if((size_t)(frame->end - from) < mic || (from = header_ies(frame, from, frame->end - mic, &payload_follows)) == NULL) {
      dissect_flaw(frame, W_BAD_IE);
      set(frame, F_network, W_OPAQUE);
      return;
    }
  }
  if(header.secured && header.level > 0 && (from = unsecured(frame, &header, from, payload_follows)) == NULL) {
    set(frame, F_network, W_SECURED);
    return;
  }
  content(frame, &header, from, payload_follows);
}
