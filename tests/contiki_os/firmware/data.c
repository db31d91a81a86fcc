/* SPDX-License-Identifier: Apache-2.0 */
/* Data structures: lists, queues, stacks, pools, rings, packet buffers, the list of etimers. */
#include "contiki.h"
#include "lib/list.h"
#include "lib/memb.h"
#include "lib/queue.h"
#include "lib/ringbuf.h"
#include "lib/stack.h"
#include "net/linkaddr.h"
#include "net/netstack.h"
#include "net/packetbuf.h"
#include "net/queuebuf.h"

#include <string.h>

#include "check.h"

struct item {
  struct item *next;
  int value;
};

struct owner {
  struct owner *next;
  LIST_STRUCT(items);
};

LIST(list);
QUEUE(queue);
STACK(stack);
MEMB(pool, struct item, 3);

static struct item a = { NULL, 1 }, b = { NULL, 2 }, c = { NULL, 3 };

static int
in_order(const_list_t l)
{
  int digits = 0;

  for(struct item *i = list_head(l); i != NULL; i = list_item_next(i)) {
    digits = 10 * digits + i->value;
  }
  return digits;
}

static void
check_list(void)
{
  static struct owner owner;

  list_init(list);
  CHECK(list_head(list) == NULL && list_tail(list) == NULL && list_length(list) == 0);
  CHECK(list_pop(list) == NULL && list_chop(list) == NULL);
  list_remove(list, &a);
  list_add(list, &a);
  list_add(list, &b);
  list_push(list, &c);
  CHECK(in_order(list) == 312);
  CHECK(list_head(list) == &c && list_tail(list) == &b && list_length(list) == 3);
  list_add(list, &c);
  CHECK(in_order(list) == 123);
  list_push(list, &b);
  CHECK(in_order(list) == 213);
  list_insert(list, &a, &b);
  CHECK(in_order(list) == 123);
  list_insert(list, NULL, &c);
  CHECK(in_order(list) == 312);
  CHECK(list_contains(list, &a));
  list_remove(list, &a);
  CHECK(in_order(list) == 32 && !list_contains(list, &a) && a.next == NULL);
  CHECK(list_chop(list) == &b && in_order(list) == 3);
  CHECK(list_pop(list) == &c && list_length(list) == 0);
  CHECK(list_item_next(NULL) == NULL);
  LIST_STRUCT_INIT(&owner, items);
  list_add(owner.items, &a);
  list_add(owner.items, &b);
  list_copy(list, owner.items);
  CHECK(in_order(list) == 12);
}

static void
check_queue_and_stack(void)
{
  queue_init(queue);
  CHECK(queue_is_empty(queue) && queue_dequeue(queue) == NULL);
  queue_enqueue(queue, &a);
  queue_enqueue(queue, &b);
  CHECK(queue_peek(queue) == &a && queue_dequeue(queue) == &a);
  CHECK(queue_dequeue(queue) == &b && queue_is_empty(queue));
  stack_init(stack);
  stack_push(stack, &a);
  stack_push(stack, &b);
  CHECK(stack_peek(stack) == &b && stack_pop(stack) == &b);
  CHECK(stack_pop(stack) == &a && stack_pop(stack) == NULL && stack_is_empty(stack));
}

static void
check_memb(void)
{
  struct item *x, *y, *z;

  memb_init(&pool);
  CHECK(memb_numfree(&pool) == 3);
  x = memb_alloc(&pool);
  y = memb_alloc(&pool);
  z = memb_alloc(&pool);
  CHECK(x != NULL && y != NULL && z != NULL && x != y && y != z && x != z);
  CHECK(memb_alloc(&pool) == NULL && memb_numfree(&pool) == 0);
  CHECK(memb_inmemb(&pool, y) && !memb_inmemb(&pool, &a));
  CHECK(memb_free(&pool, y) == 0 && memb_free(&pool, y) != 0);
  CHECK(memb_free(&pool, &a) != 0 && memb_free(&pool, (char *)x + 1) != 0);
  CHECK(memb_alloc(&pool) == y);
  x->value = 7;
  memb_init(&pool);
  CHECK(memb_numfree(&pool) == 3 && x->value == 0);
}

static void
check_ringbuf(void)
{
  static struct ringbuf ring;
  static uint8_t data[8];
  int sum = 0;

  ringbuf_init(&ring, data, sizeof(data));
  CHECK(ringbuf_size(&ring) == 8 && ringbuf_elements(&ring) == 0 && ringbuf_get(&ring) == -1);
  for(int round = 0; round < 5; round++) {
    for(int i = 0; i < 7; i++) {
      CHECK(ringbuf_put(&ring, (uint8_t)(200 + i)) != 0);
    }
    CHECK(ringbuf_put(&ring, 0) == 0 && ringbuf_elements(&ring) == 7);
    for(int i = 0; i < 7; i++) {
      sum += ringbuf_get(&ring) == 200 + i;
    }
  }
  CHECK(sum == 35 && ringbuf_get(&ring) == -1);
}

static void
check_packetbuf(void)
{
  uint8_t bytes[PACKETBUF_SIZE + 10], out[PACKETBUF_SIZE];
  linkaddr_t address = { { 1, 2, 3 } };

  for(size_t i = 0; i < sizeof(bytes); i++) {
    bytes[i] = (uint8_t)i;
  }
  CHECK(packetbuf_copyfrom(bytes, sizeof(bytes)) == PACKETBUF_SIZE);
  CHECK(packetbuf_remaininglen() == 0 && packetbuf_hdralloc(1) == 0);
  packetbuf_set_attr(PACKETBUF_ATTR_CHANNEL, 5);
  CHECK(packetbuf_copyfrom(bytes, 10) == 10 && packetbuf_attr(PACKETBUF_ATTR_CHANNEL) == 0);
  CHECK(packetbuf_hdralloc(5) == 1 && packetbuf_hdrlen() == 5);
  memset(packetbuf_hdrptr(), 0xee, 5);
  CHECK(packetbuf_datalen() == 10 && packetbuf_totlen() == 15);
  CHECK(packetbuf_copyto(out) == 15 && out[0] == 0xee && out[4] == 0xee && out[5] == 0 && out[14] == 9);
  CHECK(packetbuf_copyfrom(out, 15) == 15 && packetbuf_hdrreduce(16) == 0);
  CHECK(packetbuf_hdrreduce(5) == 1 && packetbuf_datalen() == 10);
  CHECK(memcmp(packetbuf_dataptr(), bytes, 10) == 0);
  CHECK(packetbuf_holds_broadcast());
  packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, &address);
  CHECK(!packetbuf_holds_broadcast());
  CHECK(linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_RECEIVER), &address));
  CHECK(!linkaddr_cmp(packetbuf_addr(PACKETBUF_ADDR_SENDER), &address));
}

static void
check_queuebuf(void)
{
  struct queuebuf *buffers[QUEUEBUF_NUM + 1];

  for(int i = 0; i <= QUEUEBUF_NUM; i++) {
    char text[3] = { 'q', (char)('a' + i), 0 };
    packetbuf_copyfrom(text, sizeof(text));
    packetbuf_set_attr(PACKETBUF_ATTR_MAC_SEQNO, (packetbuf_attr_t)i);
    packetbuf_set_addr(PACKETBUF_ADDR_SENDER, &(linkaddr_t){ { 1, (uint8_t)i } });
    packetbuf_set_addr(PACKETBUF_ADDR_RECEIVER, &(linkaddr_t){ { 2, (uint8_t)i } });
    buffers[i] = queuebuf_new_from_packetbuf();
  }
  CHECK(buffers[QUEUEBUF_NUM] == NULL && queuebuf_numfree() == 0);
  queuebuf_to_packetbuf(buffers[3]);
  CHECK(strcmp(packetbuf_dataptr(), "qd") == 0 && packetbuf_attr(PACKETBUF_ATTR_MAC_SEQNO) == 3);
  CHECK(strcmp(queuebuf_dataptr(buffers[5]), "qf") == 0 && queuebuf_datalen(buffers[5]) == 3);
  CHECK(queuebuf_attr(buffers[6], PACKETBUF_ATTR_MAC_SEQNO) == 6);
  CHECK(linkaddr_cmp(queuebuf_addr(buffers[6], PACKETBUF_ADDR_SENDER), &(linkaddr_t){ { 1, 6 } }));
  CHECK(linkaddr_cmp(queuebuf_addr(buffers[6], PACKETBUF_ADDR_RECEIVER), &(linkaddr_t){ { 2, 6 } }));
  packetbuf_set_attr(PACKETBUF_ATTR_MAC_SEQNO, 77);
  queuebuf_update_attr_from_packetbuf(buffers[1]);
  CHECK(queuebuf_attr(buffers[1], PACKETBUF_ATTR_MAC_SEQNO) == 77);
  for(int i = 0; i < QUEUEBUF_NUM; i++) {
    queuebuf_free(buffers[i]);
  }
  CHECK(queuebuf_numfree() == QUEUEBUF_NUM);
}

/* What the platform asks: 0 if none runs. */
static void
check_next_etimer(void)
{
  static struct etimer timer;

  CHECK(!etimer_pending() && etimer_next_expiration_time() == 0);
  etimer_set(&timer, 25);
  CHECK(etimer_pending() && etimer_next_expiration_time() == clock_time() + 25);
  etimer_stop(&timer);
  CHECK(!etimer_pending() && etimer_next_expiration_time() == 0);
}

PROCESS(check_process, "Check");
AUTOSTART_PROCESSES(&check_process);

PROCESS_THREAD(check_process, ev, data)
{
  PROCESS_BEGIN();
  check_list();
  check_queue_and_stack();
  check_memb();
  check_ringbuf();
  check_packetbuf();
  check_queuebuf();
  check_next_etimer();
  CHECK(NETSTACK_NETWORK.output(NULL) == 1);
  REPORT_CHECKS();
  PROCESS_END();
}
