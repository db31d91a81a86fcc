/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/packets.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

static int peer = -1;
static bool acknowledges = true;

void
packets_close(void)
{
  if(peer >= 0) {
    close(peer);
  }
  peer = -1;
}

bool
packets_open(int listener)
{
  do {
    peer = accept(listener, NULL, NULL);
  } while(peer < 0 && errno == EINTR);
  return peer >= 0;
}

bool
packets_are_open(void)
{
  return peer >= 0;
}

void
packets_without_acknowledgements(void)
{
  acknowledges = false;
}

int
packets_byte(bool wait)
{
  uint8_t byte;
  ssize_t got;

  do {
    got = peer < 0 ? 0 : recv(peer, &byte, 1, wait ? 0 : MSG_DONTWAIT);
  } while(got < 0 && errno == EINTR);
  if(got == 0 || (got < 0 && errno != EAGAIN && errno != EWOULDBLOCK)) {
    packets_close();
  }
  return got == 1 ? byte : -1;
}

static void
give(const char *bytes, size_t size)
{
  while(size > 0 && peer >= 0) {
    ssize_t sent = send(peer, bytes, size, MSG_NOSIGNAL);
    if(sent < 0 && errno != EINTR) {
      packets_close();
    }
    bytes += sent > 0 ? sent : 0;
    size -= sent > 0 ? (size_t)sent : 0;
  }
}

static const char DIGITS[] = "0123456789abcdef";

void
packets_reply(const char *content)
{
  char end[3] = "#";
  uint8_t sum = 0;
  size_t length = strlen(content);

  for(size_t i = 0; i < length; i++) {
    sum = (uint8_t)(sum + (uint8_t)content[i]);
  }
  end[1] = DIGITS[sum >> 4];
  end[2] = DIGITS[sum & 15];
  give("$", 1);
  give(content, length);
  give(end, sizeof(end));
}

bool
packets_take(char content[PACKETS_LONGEST + 1])
{
  while(true) {
    size_t length = 0;
    uint8_t sum = 0;
    char check[3] = "", *end;
    int byte = packets_byte(true);
    while(byte >= 0 && byte != '$') {
      byte = packets_byte(true);
    }
    while(byte >= 0 && (byte = packets_byte(true)) != '#') {
      if(byte >= 0 && length < PACKETS_LONGEST) {
        content[length++] = (char)byte;
        sum = (uint8_t)(sum + byte);
      }
    }
    for(int i = 0; i < 2 && byte >= 0; i++) {
      byte = packets_byte(true);
      check[i] = (char)byte;
    }
    if(byte < 0) {
      return false;
    }
    content[length] = 0;
    if(!acknowledges) {
      return true;
    }
    if(strtoul(check, &end, 16) == sum && end == check + 2) {
      give("+", 1);
      return true;
    }
    give("-", 1);
  }
}

void
packets_add_byte(struct text *text, uint8_t byte)
{
  const char two[2] = {DIGITS[byte >> 4], DIGITS[byte & 15]};

  text_add_bytes(text, two, 2);
}

size_t
packets_read_bytes(const char *hex, uint8_t *bytes, size_t count)
{
  size_t done = 0;

  while(done < count) {
    const char *high = hex[0] != 0 ? strchr(DIGITS, hex[0] | 0x20) : NULL, *low = high != NULL && hex[1] != 0 ? strchr(DIGITS, hex[1] | 0x20) : NULL;
    if(low == NULL) {
      break;
    }
    bytes[done++] = (uint8_t)((high - DIGITS) << 4 | (low - DIGITS));
    hex += 2;
  }
  return done;
}

void
packets_add_text(struct text *answer, const char *words)
{
  for(; *words != 0; words++) {
    packets_add_byte(answer, (uint8_t)*words);
  }
}
