/* SPDX-License-Identifier: Apache-2.0 */
#include "deployment.h"
#include "host.h"
/*---------------------------------------------------------------------------*/
static unsigned
levels(uint8_t where, uint8_t share, uint16_t deepest)
{
  unsigned n = 0;

  for(uint16_t depth = 1; depth <= deepest; depth++) {
    n += deployment_at(where, share, depth, deepest);
  }
  return n;
}
/*---------------------------------------------------------------------------*/
static void
the_share_is_of_the_distances(void)
{
  for(uint16_t deepest = 1; deepest < 60; deepest++) {
    for(unsigned share = 0; share <= 100; share++) {
      for(uint8_t where = DEPLOYMENT_SPREAD; where <= DEPLOYMENT_FAR; where++) {
        unsigned n = levels(where, share, deepest);
        int off = (int)n * 100 - (int)(share * deepest);
        CHECK(off <= 50 && off >= -50);
      }
    }
  }
  CHECK_EQUAL(levels(DEPLOYMENT_SPREAD, 50, 10000), 5000);
}
/*---------------------------------------------------------------------------*/
static void
which_they_are(void)
{
  CHECK(deployment_at(DEPLOYMENT_NEAR, 40, 2, 5));
  CHECK(!deployment_at(DEPLOYMENT_NEAR, 40, 3, 5));
  CHECK(deployment_at(DEPLOYMENT_FAR, 40, 4, 5));
  CHECK(!deployment_at(DEPLOYMENT_FAR, 40, 3, 5));
  for(uint16_t depth = 1; depth <= 10; depth++) {
    CHECK_EQUAL(deployment_at(DEPLOYMENT_SPREAD, 50, depth, 10), depth % 2 == 0);
  }
}
/*---------------------------------------------------------------------------*/
static void
never_at_the_subscriber(void)
{
  CHECK(!deployment_at(DEPLOYMENT_SPREAD, 100, 0, 5));
  CHECK(!deployment_at(DEPLOYMENT_NEAR, 100, 0, 5));
  CHECK(!deployment_at(DEPLOYMENT_FAR, 100, 0, 0));
  CHECK(!deployment_at(DEPLOYMENT_SPREAD, 100, 6, 5));
}
/*---------------------------------------------------------------------------*/
int
main(int argc, char **argv)
{
#define T(name) { #name, name }
  static const struct test tests[] = {
    T(the_share_is_of_the_distances), T(which_they_are),
    T(never_at_the_subscriber),
    { 0 }
  };

  return host_main(tests, argc, argv);
}
