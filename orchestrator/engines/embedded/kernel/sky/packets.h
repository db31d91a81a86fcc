/* SPDX-License-Identifier: Apache-2.0 */
/* Packets of gdb's remote serial protocol, on a socket. That the debugger has gone is noticed at the next packet; then nothing more is sent. */
#ifndef PACKETS_H
#define PACKETS_H

#include "base/text.h"

#include <stdbool.h>

enum { PACKETS_LONGEST = 4096 };

/* Waits for a debugger; false with errno if that can't be. */
bool packets_open(int listener);
bool packets_are_open(void);
void packets_close(void);

/* Takes a packet's content; false if the debugger has gone. A damaged one is asked for again. */
bool packets_take(char content[PACKETS_LONGEST + 1]);

/* The next byte outside of packets; negative if there is none without waiting, or the debugger has gone. */
int packets_byte(bool wait);

void packets_reply(const char *content);
void packets_without_acknowledgements(void);

/* Adds bytes in hexadecimal. */
void packets_add_byte(struct text *text, uint8_t byte);
void packets_add_text(struct text *answer, const char *words);

/* Reads `count` bytes in hexadecimal; returns how many there are. */
size_t packets_read_bytes(const char *hex, uint8_t *bytes, size_t count);

#endif
