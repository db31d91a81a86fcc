/* SPDX-License-Identifier: Apache-2.0 */
#ifndef LIST_H_
#define LIST_H_

#include <stddef.h>

typedef void **list_t;
#define LIST(name) static void *name##_head; static list_t name = &name##_head

static inline void list_init(list_t list) { *list = NULL; }
static inline void *list_head(list_t list) { return *list; }
static inline void *list_item_next(void *item) { return *(void **)item; }

static inline void
list_remove(list_t list, const void *item)
{
  void **at;

  for(at = list; *at != NULL; at = *at) {
    if(*at == item) {
      *at = *(void **)*at;
      return;
    }
  }
}

static inline void
list_add(list_t list, void *item)
{
  void **at = list;

  list_remove(list, item);
  while(*at != NULL) {
    at = *at;
  }
  *at = item;
  *(void **)item = NULL;
}

/* Inserts after `previous`, or at the head if that is NULL. */
static inline void
list_insert(list_t list, void *previous, void *item)
{
  void **at = previous == NULL ? list : previous;

  list_remove(list, item);
  *(void **)item = *at;
  *at = item;
}

#endif
