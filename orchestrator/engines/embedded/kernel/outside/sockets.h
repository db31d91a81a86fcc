/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Motes' serial lines at sockets, as Cooja's SerialSocketServer and SerialSocketClient have them: what the mote prints goes
 * to the other end byte by byte, what comes from there goes to the mote's serial port. A server has one client at a time,
 * and any number one after the other.
 *
 * Two things differ from Cooja on purpose. What the mote's buffer has no room for stays in the socket, where Cooja writes over
 * other variables of the mote. And a client that doesn't read is cut off after some time, for which Cooja waits for ever.
 */
#ifndef SOCKETS_H
#define SOCKETS_H

#include "outside/input.h"

#include <poll.h>

enum { LISTENING = 2 /* for IPv4 and IPv6 */ };

struct serial_line {
  struct mote *mote;
  int port;
  int listening[LISTENING], connection; /* -1: none */
  char *waiting; /* bytes that the other end has not taken yet */
  size_t used, size;
  uint64_t room; /* bytes of the mote's buffer; 0: its firmware has none */
};

struct sockets {
  struct inputs *inputs;
  struct serial_line *lines;
  uint32_t count, size;
  int control; /* -1: none */
  int patience_ms; /* real time in which the other end has to take some bytes */
  struct pollfd *polled;
  int64_t taken, given; /* bytes from the motes, and to them */
  void (*printed)(struct simulation *simulation, struct mote *mote, const uint8_t *bytes, size_t length);
};

/* A socket that listens (one or two), or a connected one. */
void sockets_add(struct sockets *sockets, struct mote *mote, int port, const int *listening, int connection);

/* The motes must have been created. */
void sockets_open(struct sockets *sockets);

/* Waits for something to happen for at most so many ns, and does it. */
void sockets_attend(struct simulation *simulation, struct sockets *sockets, int64_t wait_ns);

/* For simulation.printed. */
void sockets_send(struct simulation *simulation, struct sockets *sockets, struct mote *mote, const uint8_t *bytes, size_t length);

/* Sends what waits, and closes all. */
void sockets_close(struct simulation *simulation, struct sockets *sockets);

#endif
