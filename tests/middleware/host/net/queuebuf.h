/* SPDX-License-Identifier: Apache-2.0 */
#ifndef QUEUEBUF_H_
#define QUEUEBUF_H_

#include <stddef.h>

#define QUEUEBUF_NUM 8

size_t queuebuf_numfree(void);

#endif
