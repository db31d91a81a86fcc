/* SPDX-License-Identifier: Apache-2.0 */
/* Packets that wait: copies of the packet buffer, from a pool. */
#ifndef QUEUEBUF_H_
#define QUEUEBUF_H_

#include "net/packetbuf.h"

#define QUEUEBUF_NUM QUEUEBUF_CONF_NUM

struct queuebuf;

void queuebuf_init(void);
struct queuebuf *queuebuf_new_from_packetbuf(void); /* NULL: all are in use */
void queuebuf_update_attr_from_packetbuf(struct queuebuf *b);
void queuebuf_update_from_packetbuf(struct queuebuf *b);
void queuebuf_to_packetbuf(struct queuebuf *b);
void queuebuf_free(struct queuebuf *b);

void *queuebuf_dataptr(struct queuebuf *b);
int queuebuf_datalen(struct queuebuf *b);
linkaddr_t *queuebuf_addr(struct queuebuf *b, uint8_t type);
packetbuf_attr_t queuebuf_attr(struct queuebuf *b, uint8_t type);
size_t queuebuf_numfree(void);

#endif
