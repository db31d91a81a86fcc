/* SPDX-License-Identifier: Apache-2.0 */
#include "script/list_methods.h"

#include <string.h>

static struct list *
list_of(struct value value)
{
  if(value.kind != LIST) {
    beyond("a method of lists with a value that is none");
  }
  return value.list;
}

struct value
list_push(struct value of, struct value *arguments, unsigned count)
{
  struct list *list = list_of(of);

  for(unsigned i = 0; i < count; i++) {
    if(arguments[i].kind >= LIST || arguments[i].kind == LONG) {
      beyond("a list that has another, or a Java long");
    }
    list_append(list, value_keep(arguments[i]));
  }
  return number_value(list->count);
}

struct value
list_pop(struct value of, struct value *arguments, unsigned count)
{
  struct list *list = list_of(of);

  (void)arguments, (void)count;
  return list->count == 0 ? nothing(UNDEFINED) : list->values[--list->count];
}

struct value
list_shift(struct value of, struct value *arguments, unsigned count)
{
  struct list *list = list_of(of);
  struct value first = nothing(UNDEFINED);

  (void)arguments, (void)count;
  if(list->count > 0) {
    first = list->values[0];
    memmove(list->values, list->values + 1, --list->count * sizeof(*list->values));
  }
  return first;
}

struct value
list_join(struct value of, struct value *arguments, unsigned count)
{
  const struct list *list = list_of(of);
  struct value all = string_value("", 0);

  for(uint32_t i = 0; i < list->count; i++) {
    if(i > 0) {
      all = value_sum(all, count > 0 ? value_keep((value_text(arguments[0]), arguments[0])) : string_value(",", 1));
    }
    if(list->values[i].kind != UNDEFINED && list->values[i].kind != NIL) {
      all = value_sum(all, value_keep(list->values[i]));
    }
  }
  return all;
}
