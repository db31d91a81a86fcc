/* SPDX-License-Identifier: Apache-2.0 */
/* Converts between the packet buffer and the bytes of a frame. */
#ifndef FRAMER_H_
#define FRAMER_H_

#define FRAMER_FAILED -1

struct framer {
  int (*length)(void); /* of the header that create() would make */
  int (*create)(void); /* puts it before the data; its length */
  int (*parse)(void);  /* takes it off; its length */
};

#endif
