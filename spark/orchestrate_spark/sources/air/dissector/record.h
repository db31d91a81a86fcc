/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Reads what the frames come from, frame by frame: the engine's record (kernel/observation/observer.h) or a capture, in
 * libpcap's format or pcapng, of the link types 195 (with FCS), 230 (without) and 283 (with a TAP header).
 */
#ifndef RECORD_H
#define RECORD_H

#include "dissect.h"

struct source {
  const char *path;
  const uint8_t *bytes;
  size_t size;
  const struct settings *settings;
};

/* Why a file was not read to its end; empty if it was. */
extern char record_warning[512];
/* The last time of a record, in us. */
extern int64_t record_end_us;

bool record_is(const struct source *source);
void record_read(const struct source *source);

/* Ends the process with exit code 3 if the file is no capture of IEEE 802.15.4. */
void capture_read(const struct source *source);

/* Dissects a frame (without FCS) into a new row; `row` has what is known of it already. Returns the row's number. */
size_t frame_add(const struct settings *settings, struct row *row, int64_t t_us, const uint8_t *bytes, size_t size, enum word flaw);

_Noreturn void refuse(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* The FCS of IEEE 802.15.4-2015, 7.2.11, with 16 bits. */
unsigned fcs_of(const uint8_t *bytes, size_t count);

#endif
