/* SPDX-License-Identifier: Apache-2.0 */
#include "lib/list.h"

struct item {
  struct item *next;
};

void
list_init(list_t list)
{
  *list = NULL;
}

void *
list_head(const_list_t list)
{
  return *list;
}

void *
list_item_next(const void *item)
{
  return item == NULL ? NULL : ((const struct item *)item)->next;
}

void *
list_tail(const_list_t list)
{
  struct item *last = NULL;

  for(struct item *item = *list; item != NULL; item = item->next) {
    last = item;
  }
  return last;
}

int
list_length(const_list_t list)
{
  int length = 0;

  for(const struct item *item = *list; item != NULL; item = item->next) {
    length++;
  }
  return length;
}

bool
list_contains(const_list_t list, const void *item)
{
  const struct item *at = *list;

  while(at != NULL && at != item) {
    at = at->next;
  }
  return at != NULL;
}

void
list_remove(list_t list, const void *item)
{
  struct item *before = NULL;

  for(struct item *at = *list; at != NULL; before = at, at = at->next) {
    if(at != item) {
      continue;
    }
    if(before == NULL) {
      *list = at->next;
    } else {
      before->next = at->next;
    }
    at->next = NULL;
    return;
  }
}

void
list_push(list_t list, void *item)
{
  list_remove(list, item);
  ((struct item *)item)->next = *list;
  *list = item;
}

void
list_insert(list_t list, void *after, void *item)
{
  if(after == NULL) {
    list_push(list, item);
  } else if(after != item) {
    list_remove(list, item);
    ((struct item *)item)->next = ((struct item *)after)->next;
    ((struct item *)after)->next = item;
  }
}

void
list_add(list_t list, void *item)
{
  list_remove(list, item);
  list_insert(list, list_tail(list), item);
}

void *
list_pop(list_t list)
{
  struct item *first = *list;

  if(first != NULL) {
    *list = first->next;
  }
  return first;
}

void *
list_chop(list_t list)
{
  struct item *last = list_tail(list);

  list_remove(list, last);
  return last;
}

void
list_copy(list_t to, const_list_t from)
{
  *to = *from;
}
