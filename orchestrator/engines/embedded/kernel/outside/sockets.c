/* SPDX-License-Identifier: Apache-2.0 */
#include "outside/sockets.h"

#include "base/memory.h"
#include "base/text.h"
#include "observation/watch.h"
#include "sky/sky.h"

#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

enum { AT_ONCE = 16 * 1024 /* bytes read, as in Cooja */, MOST_WAITING = 1 << 20 /* bytes */ };
enum { LAST_PATIENCE_MS = 1000 /* real time, when the simulation has ended */ };

static void
tell(struct simulation *simulation, const struct sockets *sockets, const char *what, const struct serial_line *line,
     const char *reason)
{
  char bytes[256];
  struct text text = {bytes, 0, sizeof(bytes) - 1};

  text_add(&text, what);
  text_add(&text, " ");
  text_add_number(&text, line->port);
  text_add(&text, " ");
  text_add_number(&text, simulation->queue.now);
  text_add(&text, " ");
  text_add(&text, reason);
  text.size++;
  text_add(&text, "\n");
  if(sockets->control >= 0) {
    (void)!send(sockets->control, bytes, text.used, MSG_NOSIGNAL | MSG_DONTWAIT); /* a message is not worth waiting for */
  }
}

static void
hang_up(struct simulation *simulation, const struct sockets *sockets, struct serial_line *line, const char *reason)
{
  if(line->connection >= 0) {
    close(line->connection);
    line->connection = -1;
    line->used = 0;
    tell(simulation, sockets, "closed", line, reason);
  }
}

static void
prepare(int connection)
{
  int yes = 1;

  setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
  fcntl(connection, F_SETFD, FD_CLOEXEC);
}

void
sockets_add(struct sockets *sockets, struct mote *mote, int port, const int *listening, int connection)
{
  struct serial_line *line;

  sockets->lines = with_room(sockets->lines, sockets->count, &sockets->size, 4, sizeof(*sockets->lines));
  line = &sockets->lines[sockets->count++];
  *line = (struct serial_line){.mote = mote, .port = port, .connection = connection};
  for(int i = 0; i < LISTENING; i++) {
    line->listening[i] = listening == NULL ? -1 : listening[i];
    if(line->listening[i] >= 0) {
      fcntl(line->listening[i], F_SETFL, O_NONBLOCK);
    }
  }
  if(connection >= 0) {
    prepare(connection);
  }
}

void
sockets_open(struct sockets *sockets)
{
  sockets->polled = allocate((size_t)sockets->count * (LISTENING + 1) + 1, sizeof(*sockets->polled));
  for(uint32_t i = 0; i < sockets->count; i++) {
    struct serial_line *line = &sockets->lines[i];
    uint64_t offset;
    if(line->mote->sky != NULL) {
      line->room = AT_ONCE; /* which wait in Cooja's interface, not in the mote */
    } else if(!firmware_variable(&line->mote->type->firmware, "simSerialReceivingData", &offset, &line->room)) {
      line->room = 0;
    }
  }
}

/* Sends what it can without waiting. */
static void
send_waiting(struct simulation *simulation, const struct sockets *sockets, struct serial_line *line)
{
  while(line->used > 0) {
    ssize_t count = send(line->connection, line->waiting, line->used, MSG_NOSIGNAL | MSG_DONTWAIT);
    if(count < 0 && errno == EINTR) {
      continue;
    }
    if(count < 0) {
      if(errno != EAGAIN && errno != EWOULDBLOCK) {
        hang_up(simulation, sockets, line, strerror(errno));
      }
      return;
    }
    line->used -= (size_t)count;
    memmove(line->waiting, line->waiting + count, line->used);
  }
}

/* Waits until no more than so many bytes wait, as long as the other end takes some now and then. */
static void
send_patiently(struct simulation *simulation, const struct sockets *sockets, struct serial_line *line, size_t most, int patience_ms)
{
  double until = watch_elapsed() + patience_ms / 1000.0, left;

  while(line->connection >= 0 && line->used > most) {
    struct pollfd end = {.fd = line->connection, .events = POLLOUT};
    size_t before = line->used;
    send_waiting(simulation, sockets, line);
    if(line->used < before) {
      until = watch_elapsed() + patience_ms / 1000.0;
    } else if((left = until - watch_elapsed()) <= 0) {
      hang_up(simulation, sockets, line, "the other end does not read");
    } else {
      poll(&end, 1, (int)(left * 1000) + 1);
      if(watch_wanted) {
        watch_attend();
      }
    }
  }
}

void
sockets_send(struct simulation *simulation, struct sockets *sockets, struct mote *mote, const uint8_t *bytes, size_t length)
{
  for(uint32_t i = 0; i < sockets->count; i++) {
    struct serial_line *line = &sockets->lines[i];
    if(line->mote != mote || line->connection < 0) {
      continue;
    }
    if(line->used + length > line->size) {
      line->size = 2 * (line->used + length);
      line->waiting = reallocate(line->waiting, line->size, 1);
    }
    memcpy(line->waiting + line->used, bytes, length);
    line->used += length;
    sockets->taken += (int64_t)length;
    send_waiting(simulation, sockets, line);
    if(line->used > MOST_WAITING) {
      send_patiently(simulation, sockets, line, MOST_WAITING, sockets->patience_ms);
    }
  }
}

/* The bytes that the mote can take without losing any. */
static size_t
room_of(const struct sockets *sockets, const struct serial_line *line)
{
  uint64_t offset, size, used = inputs_waiting(sockets->inputs, line->mote);
  int unread;

  if(inputs_stop(sockets->inputs)) {
    return 0;
  }
  if(line->room == 0) {
    return AT_ONCE; /* which it drops */
  }
  if(line->mote->sky != NULL) {
    used += sky_unread(line->mote);
  } else if(!firmware_variable(&line->mote->type->firmware, "simSerialReceivingLength", &offset, &size) || size < sizeof(unread)) {
    return 0;
  } else {
    memcpy(&unread, line->mote->image + offset, sizeof(unread));
    used += unread > 0 ? (uint64_t)unread : 0;
  }
  return used >= line->room ? 0 : line->room - used > AT_ONCE ? AT_ONCE : (size_t)(line->room - used);
}

static void
receive(struct simulation *simulation, struct sockets *sockets, struct serial_line *line)
{
  uint8_t bytes[AT_ONCE];
  size_t room = room_of(sockets, line);
  ssize_t count;

  if(room == 0) {
    return;
  }
  count = recv(line->connection, bytes, room, MSG_DONTWAIT);
  if(count > 0) {
    sockets->given += count;
    if(line->room > 0) {
      inputs_add(simulation, sockets->inputs, line->mote, bytes, (size_t)count);
    }
  } else if(count == 0) {
    hang_up(simulation, sockets, line, "the other end closed it");
  } else if(errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR) {
    hang_up(simulation, sockets, line, strerror(errno));
  }
}

static void
take_client(struct simulation *simulation, const struct sockets *sockets, struct serial_line *line, int listening)
{
  int connection = accept(listening, NULL, NULL);

  if(connection < 0) {
    return; /* it has gone already */
  }
  if(line->connection >= 0) {
    close(connection);
    tell(simulation, sockets, "refused", line, "");
    return;
  }
  line->connection = connection;
  prepare(connection);
  tell(simulation, sockets, "connected", line, line->room == 0 ? "its mote's firmware takes no serial input" : "");
}

static void
hear_control(struct simulation *simulation, struct sockets *sockets)
{
  char verdict;
  ssize_t count = recv(sockets->control, &verdict, 1, MSG_DONTWAIT);

  if(count > 0) {
    inputs_add_stop(simulation, sockets->inputs, verdict == '1');
  } else if(count == 0 || (errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR)) {
    close(sockets->control);
    sockets->control = -1;
  }
}

/* What there is to wait for, in the order in which attend_to() takes it; an entry that has no file counts. */
static nfds_t
list_files(const struct sockets *sockets)
{
  nfds_t count = 0;

  sockets->polled[count++] = (struct pollfd){.fd = sockets->control, .events = POLLIN};
  for(uint32_t i = 0; i < sockets->count; i++) {
    const struct serial_line *line = &sockets->lines[i];
    struct pollfd connection = {.fd = line->connection};
    for(int j = 0; j < LISTENING; j++) {
      sockets->polled[count++] = (struct pollfd){.fd = line->listening[j], .events = POLLIN};
    }
    if(connection.fd >= 0) {
      connection.events = (short)((room_of(sockets, line) > 0 ? POLLIN : 0) | (line->used > 0 ? POLLOUT : 0));
      connection.fd = connection.events == 0 ? -1 : connection.fd; /* else an end that has gone would be told again and again */
    }
    sockets->polled[count++] = connection;
  }
  return count;
}

static void
let_go(struct simulation *simulation, const struct sockets *sockets, struct serial_line *line)
{
  hang_up(simulation, sockets, line, "its mote was removed");
  for(int j = 0; j < LISTENING; j++) {
    if(line->listening[j] >= 0) {
      close(line->listening[j]);
      line->listening[j] = -1;
    }
  }
}

static void
attend_to(struct simulation *simulation, struct sockets *sockets, struct serial_line *line, const struct pollfd *polled)
{
  if(line->mote->removed) {
    let_go(simulation, sockets, line);
    return;
  }
  if(line->connection >= 0 && (polled[LISTENING].revents & POLLOUT) != 0) {
    send_waiting(simulation, sockets, line);
  }
  if(line->connection >= 0 && (polled[LISTENING].revents & (POLLIN | POLLHUP | POLLERR)) != 0) {
    receive(simulation, sockets, line);
  }
  for(int j = 0; j < LISTENING; j++) {
    if(polled[j].revents != 0) {
      take_client(simulation, sockets, line, line->listening[j]);
    }
  }
}

void
sockets_attend(struct simulation *simulation, struct sockets *sockets, int64_t wait_ns)
{
  struct timespec wait = {.tv_sec = wait_ns / 1000000000, .tv_nsec = wait_ns % 1000000000};
  nfds_t count = list_files(sockets);

  if(ppoll(sockets->polled, count, &wait, NULL) <= 0) {
    return;
  }
  if(sockets->polled[0].revents != 0) {
    hear_control(simulation, sockets);
  }
  for(uint32_t i = 0; i < sockets->count; i++) {
    attend_to(simulation, sockets, &sockets->lines[i], &sockets->polled[1 + i * (LISTENING + 1)]);
  }
}

void
sockets_close(struct simulation *simulation, struct sockets *sockets)
{
  for(uint32_t i = 0; i < sockets->count; i++) {
    struct serial_line *line = &sockets->lines[i];
    send_patiently(simulation, sockets, line, 0, LAST_PATIENCE_MS);
    hang_up(simulation, sockets, line, "the simulation ended");
  }
}
