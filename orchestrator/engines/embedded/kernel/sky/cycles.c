/* SPDX-License-Identifier: Apache-2.0 */
#include "sky/cycles.h"

#include "base/report.h"
#include "msp430/msp430.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

void
sky_write_cycles(const struct simulation *simulation, const char *path)
{
  FILE *file = fopen(path, "w");
  bool good = file != NULL;

  for(uint32_t i = 0; good && i < simulation->type_count; i++) {
    const struct msp430_image *image = simulation->types[i].sky_image;

    for(uint32_t address = 0; image != NULL && address < MSP430_MEMORY; address += 2) {
      int64_t cycles = msp430_image_cycles(image, address);

      if(cycles > 0) {
        fprintf(file, "%u %x %lld\n", i, address, (long long)cycles);
      }
    }
  }
  if(!good || ferror(file) || fclose(file) != 0) {
    report_error(ERROR_STORAGE, "can't write %s: %s", path, strerror(errno));
  }
}
