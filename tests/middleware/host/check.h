/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that stop a test program, and its list of tests. */
#ifndef CHECK_H_
#define CHECK_H_

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define CHECK(condition) do { \
    if(!(condition)) { \
      fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
      exit(1); \
    } \
  } while(0)

#define CHECK_EQUAL(a, b) do { \
    long long a_ = (long long)(a), b_ = (long long)(b); \
    if(a_ != b_) { \
      fprintf(stderr, "%s:%d: %s is %lld, %s is %lld\n", __FILE__, __LINE__, \
              #a, a_, #b, b_); \
      exit(1); \
    } \
  } while(0)

/* A test program lists its tests, ended by { 0 }. */
struct test {
  const char *name;
  void (*run)(void);
};

/* Runs the test that the command line names, or prints the names of all. */
static inline int
host_main(const struct test *test, int argc, char **argv)
{
  for(; test->name != NULL; test++) {
    if(argc < 2) {
      printf("%s\n", test->name);
    } else if(strcmp(argv[1], test->name) == 0) {
      test->run();
      return 0;
    }
  }
  return argc < 2 ? 0 : 2;
}

#endif
