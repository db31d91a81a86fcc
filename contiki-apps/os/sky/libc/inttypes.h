/* SPDX-License-Identifier: Apache-2.0 */
/* <inttypes.h> for the types of a 16-bit machine. */
#ifndef SKY_INTTYPES_H_
#define SKY_INTTYPES_H_

#include <stdint.h>

#define PRId8 "d"
#define PRIu8 "u"
#define PRIx8 "x"
#define PRId16 "d"
#define PRIu16 "u"
#define PRIx16 "x"
#define PRId32 "ld"
#define PRIu32 "lu"
#define PRIx32 "lx"
#define PRId64 "lld"
#define PRIu64 "llu"
#define PRIx64 "llx"

#endif
