/* SPDX-License-Identifier: Apache-2.0 */
#include "observation/processors.h"

#include "base/text.h"
#include "observation/recording.h"

#include <stdio.h>

enum { LONGEST_ROW = 200 };

static void
add_item(const struct mote *mote, const struct processor_times *times)
{
  struct item item = item_of(OTHER);

  add_number(&item, PROCESSOR);
  add_number(&item, zigzag(mote->id));
  add_number(&item, (uint64_t)times->active_us);
  for(int mode = 0; mode < LOW_POWER_MODES; mode++) {
    add_number(&item, (uint64_t)times->asleep_us[mode]);
  }
  end_item(&item);
}

static void
add_row(struct log *file, const struct mote *mote, const struct processor_times *times)
{
  char bytes[LONGEST_ROW];
  struct text row = {bytes, 0, sizeof(bytes)};

  text_add_number(&row, mote->id);
  text_add(&row, ",");
  text_add_number(&row, times->active_us);
  for(int mode = 0; mode < LOW_POWER_MODES; mode++) {
    text_add(&row, ",");
    text_add_number(&row, times->asleep_us[mode]);
  }
  text_add(&row, "\n");
  log_reserve(file, row.used);
  log_append(file, row.bytes, row.used);
}

void
processors_record(const struct simulation *simulation, processor_times_of *times_of)
{
  static const char HEAD[] = "mote,active_us,lpm0_us,lpm1_us,lpm2_us,lpm3_us,lpm4_us\n";
  char path[4096];
  struct log file;
  bool opened = false;
  struct processor_times times;

  for(uint32_t i = 0; i < simulation->mote_count; i++) {
    if(!times_of(&simulation->motes[i], &times)) {
      continue;
    }
    if(observer->file != NULL) {
      add_item(&simulation->motes[i], &times);
    }
    if(observer->folder != NULL && !opened) {
      opened = true;
      snprintf(path, sizeof(path), "%s/cpu.csv", observer->folder); /* fits, as radio.pcap did */
      log_open(&file, path, 0);
      log_append(&file, HEAD, sizeof(HEAD) - 1);
    }
    if(opened) {
      add_row(&file, &simulation->motes[i], &times);
    }
  }
  if(opened && !log_flush(&file)) {
    report_error(ERROR_STORAGE, "can't write the times of processors in %s", observer->folder);
  }
}
