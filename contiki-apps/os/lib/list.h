/* SPDX-License-Identifier: Apache-2.0 */
/* Singly linked lists. An item is a struct whose first member is the pointer to
   the next item; it can be in one list at a time. */
#ifndef LIST_H_
#define LIST_H_

#include <stdbool.h>
#include <stddef.h>

#include "sys/cc.h"

typedef void **list_t;
typedef void *const *const_list_t;

#define LIST(name)                                                             \
  static void *CC_CONCAT(name, _list) = NULL;                                  \
  static list_t const name = (list_t)&CC_CONCAT(name, _list)

/* A list inside a struct, to be set up by LIST_STRUCT_INIT(). */
#define LIST_STRUCT(name)                                                      \
  void *CC_CONCAT(name, _list);                                                \
  list_t name
#define LIST_STRUCT_INIT(pointer, name)                                        \
  do {                                                                         \
    (pointer)->name = &(pointer)->CC_CONCAT(name, _list);                      \
    list_init((pointer)->name);                                                \
  } while(0)

void list_init(list_t list);
void *list_head(const_list_t list);
void *list_tail(const_list_t list);
void *list_item_next(const void *item);
int list_length(const_list_t list);
bool list_contains(const_list_t list, const void *item);

/* Add an item at the end, at the head, or after another one (NULL: at the
   head). An item that is already in the list is moved. */
void list_add(list_t list, void *item);
void list_push(list_t list, void *item);
void list_insert(list_t list, void *after, void *item);

/* Remove the first item, the last one (NULL: the list is empty), or a given
   one. */
void *list_pop(list_t list);
void *list_chop(list_t list);
void list_remove(list_t list, const void *item);

/* Two names for one chain of items. */
void list_copy(list_t to, const_list_t from);

#endif
