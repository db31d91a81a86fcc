/* SPDX-License-Identifier: Apache-2.0 */
/*
 * dissect FILE OUT [--prefix N HEX] [--key INDEX HEX] [--slot US] [--nullnet]
 *
 * Reads a record of the engine or a capture, and writes the tables' arrays to OUT and what they are to the standard output, as
 * JSON: {"tables": {NAME: {"rows", "columns": [{"name", "kind", "nulls", "data", "valid", ...}]}}, "warning", ...}. Places are
 * bytes in OUT. Exit code 3: the file can't be read, and the standard error says why.
 */
#include "matching.h"
#include "record.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

struct dictionary words, addresses, ips, codes, tokens, paths;

#define COLUMN(name, kind, dictionary) {#name, kind, dictionary, NULL, NULL, 0},
static struct column frame_columns[] = {FRAME_COLUMNS(COLUMN)};
static struct column rpl_columns[] = {RPL_COLUMNS(COLUMN)};
static struct column reception_columns[] = {RECEPTION_COLUMNS(COLUMN)};
static struct column state_columns[] = {STATE_COLUMNS(COLUMN)};
static struct column processor_columns[] = {PROCESSOR_COLUMNS(COLUMN)};
struct table frames = {"frames", frame_columns, FRAME_COLUMN_COUNT, 0, 0}, rpl = {"rpl", rpl_columns, RPL_COLUMN_COUNT, 0, 0},
             receptions = {"receptions", reception_columns, RECEPTION_COLUMN_COUNT, 0, 0},
             states = {"radio_states", state_columns, STATE_COLUMN_COUNT, 0, 0},
             processors = {"processor_modes", processor_columns, PROCESSOR_COLUMN_COUNT, 0, 0};

static const char *const TEXTS[] = {
#define TEXT_OF_WORD(name, text) text,
  WORDS(TEXT_OF_WORD)};


void
refuse(const char *format, ...)
{
  va_list values;

  va_start(values, format);
  vfprintf(stderr, format, values);
  va_end(values);
  fputc('\n', stderr);
  exit(3);
}

static uint16_t fcs_step[256];

unsigned
fcs_of(const uint8_t *bytes, size_t count)
{
  unsigned fcs = 0;

  for(size_t i = 0; i < count; i++) {
    fcs = fcs >> 8 ^ fcs_step[(fcs ^ bytes[i]) & 0xFF];
  }
  return fcs;
}

static void
prepare(void)
{
  for(unsigned i = 0; i < WORD_COUNT; i++) {
    dictionary_add(&words, TEXTS[i], strlen(TEXTS[i]));
  }
  for(unsigned byte = 0; byte < 256; byte++) {
    unsigned fcs = byte;
    for(int bit = 0; bit < 8; bit++) {
      fcs = fcs & 1 ? fcs >> 1 ^ 0x8408 : fcs >> 1;
    }
    fcs_step[byte] = (uint16_t)fcs;
  }
}

static size_t
ip_text(char *text, const uint8_t *key, size_t size)
{
  (void)size;
  inet_ntop(AF_INET6, key, text, INET6_ADDRSTRLEN);
  return strlen(text);
}

int64_t
ip_entry(const uint8_t address[IP_SIZE])
{
  return dictionary_intern(&ips, address, IP_SIZE, ip_text);
}

const uint8_t *
ip_bytes(int64_t entry)
{
  return ips.keys + (IP_SIZE + 1) * (size_t)entry + 1;
}

static size_t
address_text(char *text, const uint8_t *key, size_t size)
{
  size_t used = 0;

  if(size == 2) {
    return (size_t)sprintf(text, "0x%02x%02x", key[0], key[1]);
  }
  for(size_t i = 0; i < size; i++) {
    used += (size_t)sprintf(text + used, i > 0 ? ":%02x" : "%02x", key[i]);
  }
  return used;
}

int64_t
address_entry(const struct link_address *address)
{
  return dictionary_intern(&addresses, address->bytes, address->size, address_text);
}

/* The first flaw is the one that explains the others. */
void
dissect_flaw(struct frame *frame, enum word flaw)
{
  if(!row_has(frame->row, F_flaw)) {
    row_set(frame->row, F_flaw, flaw);
  }
}

void
dissect_payload(struct frame *frame, const uint8_t *from)
{
  size_t size = from < frame->end ? (size_t)(frame->end - from) : 0;

  frame->payload = from;
  row_set(frame->row, F_payload_length, (int64_t)size);
  row_set(frame->row, F_payload_hash, (int64_t)hash_of(from, size));
}

/* What a frame carries is not what it seemed to be: nothing of that counts. */
void
dissect_opaque(struct frame *frame, const uint8_t *from)
{
  for(unsigned column = F_ip_src; column < F_payload_length; column++) {
    row_unset(frame->row, column);
  }
  frame->checksum = 0;
  row_set(frame->row, F_network, W_OPAQUE);
  dissect_payload(frame, from);
}

size_t
frame_add(const struct settings *settings, struct row *row, int64_t t_us, const uint8_t *bytes, size_t size, enum word flaw)
{
  static struct frame frame;
  size_t number = frames.rows;

  frame.settings = settings;
  frame.row = row;
  frame.t_us = t_us;
  frame.payload = frame.plain_from = NULL;
  frame.checksum = 0;
  frame.cut_protocol = -1;
  row_set(row, F_frame, (int64_t)number);
  row_set(row, F_t_us, t_us);
  if(flaw != W_NO_FLAW) {
    row_set(row, F_flaw, flaw);
  }
  if(flaw == W_BAD_FCS || flaw == W_BAD_TAP) {
    row_set(row, F_type, W_OTHER); /* nothing in it can be believed */
  } else {
    dissect_mac(&frame, bytes, size);
  }
  bool fragment = row_has(row, F_frag_size);
  if(fragment && row->value[F_network] != W_FRAGN) {
    row_unset(row, F_payload_length);
    row_unset(row, F_payload_hash);
  } else if(fragment) {
    row_unset(row, F_payload_hash);
  }
  table_append(&frames, row);
  if(frame.checksum > 0 && !fragment) {
    udp_check(number, frame.checksum, frame.payload, (size_t)row->value[F_payload_length]);
  }
  if(fragment && row->value[F_network] != W_OPAQUE) {
    fragments_note(&frame, number);
  }
  return number;
}

static void
hex(const char *text, uint8_t *bytes, size_t count, const char *what)
{
  size_t digits = 0;

  for(; *text != 0; text++) {
    int value = *text >= '0' && *text <= '9' ? *text - '0' : *text >= 'a' && *text <= 'f' ? *text - 'a' + 10
                : *text >= 'A' && *text <= 'F' ? *text - 'A' + 10 : -1;
    if(value < 0 || digits == 2 * count) {
      refuse("%s: not %zu bytes in hexadecimal", what, count);
    }
    bytes[digits / 2] = (uint8_t)(bytes[digits / 2] << 4 | value);
    digits++;
  }
  if(digits != 2 * count) {
    refuse("%s: not %zu bytes in hexadecimal", what, count);
  }
}

static void
read_settings(struct settings *settings, int count, char **arguments)
{
  for(int i = 0; i < count;) {
    if(strcmp(arguments[i], "--prefix") == 0 && i + 2 < count) {
      unsigned long context = strtoul(arguments[i + 1], NULL, 10) % CONTEXTS;
      hex(arguments[i + 2], settings->context[context], 8, "--prefix");
      settings->has_context[context] = true;
      i += 3;
    } else if(strcmp(arguments[i], "--key") == 0 && i + 2 < count && settings->key_count < KEYS) {
      struct key *key = &settings->keys[settings->key_count++];
      key->index = (int)strtol(arguments[i + 1], NULL, 10);
      hex(arguments[i + 2], key->bytes, KEY_SIZE, "--key");
      i += 3;
    } else if(strcmp(arguments[i], "--slot") == 0 && i + 1 < count) {
      settings->slot_us = strtoll(arguments[i + 1], NULL, 10);
      i += 2;
    } else if(strcmp(arguments[i], "--nullnet") == 0) {
      settings->nullnet = true;
      i++;
    } else {
      refuse("dissect: unknown argument %s", arguments[i]);
    }
  }
}

int
main(int count, char **arguments)
{
  static struct table *const TABLES[] = {&frames, &receptions, &rpl, &states, &processors, &datagrams_table, &hops_table, &traffic, &links};
  struct settings settings = {.slot_us = 10000};
  struct source source = {.settings = &settings};
  struct stat status;
  int file;
  FILE *into;

  if(count < 3) {
    refuse("usage: dissect FILE OUT [--prefix N HEX] [--key INDEX HEX] [--slot US] [--nullnet]");
  }
  read_settings(&settings, count - 3, arguments + 3);
  source.path = arguments[1];
  file = open(source.path, O_RDONLY | O_CLOEXEC);
  if(file < 0 || fstat(file, &status) != 0) {
    refuse("%s: %s", source.path, strerror(errno));
  }
  source.size = (size_t)status.st_size;
  if(source.size == 0) {
    refuse("%s: the file is empty\n    name a capture with frames", source.path);
  }
  source.bytes = mmap(NULL, source.size, PROT_READ, MAP_PRIVATE, file, 0);
  if(source.bytes == MAP_FAILED) {
    refuse("%s: %s", source.path, strerror(errno));
  }
  prepare();
  bool engine = record_is(&source);
  if(engine) {
    record_read(&source);
  } else {
    capture_read(&source);
  }
  match(engine, record_end_us);
  into = fopen(arguments[2], "wb");
  if(into == NULL) {
    refuse("%s: %s", arguments[2], strerror(errno));
  }
  putchar('{');
  if(!tables_write(TABLES, sizeof(TABLES) / sizeof(TABLES[0]), into, stdout)) {
    refuse("%s: %s", arguments[2], strerror(errno));
  }
  printf(",\"warning\":\"");
  for(const char *at = record_warning; *at != 0; at++) {
    if(*at == '"' || *at == '\\' || (unsigned char)*at < ' ') {
      printf("\\u%04x", (unsigned char)*at);
    } else {
      putchar(*at);
    }
  }
  printf("\"}\n");
  return fflush(stdout) == 0 ? 0 : 3;
}
