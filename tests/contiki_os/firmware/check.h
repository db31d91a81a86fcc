/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of a firmware about itself: "FAIL line: condition", and the count. */
#ifndef CHECK_H_
#define CHECK_H_

#include <stdio.h>

static int checks, failures;

#define CHECK(condition)                                                       \
  do {                                                                         \
    checks++;                                                                  \
    if(!(condition)) {                                                         \
      failures++;                                                              \
      printf("FAIL %d: %s\n", __LINE__, #condition);                           \
    }                                                                          \
  } while(0)

#define REPORT_CHECKS() printf("%d checks, %d failed\n", checks, failures)

#endif
