/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/load.h"

#include "base/memory.h"
#include "base/report.h"
#include "libc/context.h"
#include "loader/code_sharing.h"
#include "loader/detour.h"
#include "loader/placement.h"
#include "loader/relocations.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static void
lay_out(struct firmware *firmware)
{
  struct elf_file *elf = &firmware->elf;
  uint64_t end = 0;

  firmware->data_start = firmware->data_first = UINT64_MAX;
  for(int i = 0; i < elf->loads; i++) {
    const Elf64_Phdr *load = &elf->load[i];
    uint64_t first = page_floor(load->p_vaddr), last = page_ceiling(load->p_vaddr + load->p_memsz);
    end = last > end ? last : end;
    if((load->p_vaddr - load->p_offset) % page_size() != 0) {
      elf_bad(elf, "a segment isn't aligned to pages");
    }
    if(load->p_flags & PF_W) {
      firmware->data_start = first < firmware->data_start ? first : firmware->data_start;
      firmware->data_end = last > firmware->data_end ? last : firmware->data_end;
      first = load->p_vaddr & ~(uint64_t)(LINE - 1);
      last = (load->p_vaddr + load->p_memsz + LINE - 1) & ~(uint64_t)(LINE - 1);
      firmware->data_first = first < firmware->data_first ? first : firmware->data_first;
      firmware->data_last = last > firmware->data_last ? last : firmware->data_last;
      firmware->data_protection |= PROT_READ | PROT_WRITE | ((load->p_flags & PF_X) ? PROT_EXEC : 0);
    }
  }
  if(firmware->data_end == 0) {
    elf_bad(elf, "it has no writable data");
  }
  for(int i = 0; i < elf->loads; i++) {
    const Elf64_Phdr *load = &elf->load[i];
    if(!(load->p_flags & PF_W) && page_floor(load->p_vaddr) < firmware->data_end &&
       page_ceiling(load->p_vaddr + load->p_memsz) > firmware->data_start) {
      elf_bad(elf, "code and data share a page");
    }
  }
  firmware->size = end;
}

static void
find_known(struct firmware *firmware)
{
  Elf64_Shdr section;
  const char *name;

  for(unsigned i = 0; elf_section(&firmware->elf, i, &section, &name); i++) {
    bool data = strcmp(name, ".data") == 0;
    if((data || strcmp(name, ".bss") == 0) && section.sh_addr >= firmware->data_first && section.sh_addr <= firmware->data_last &&
       section.sh_size <= firmware->data_last - section.sh_addr) {
      firmware->known[data ? 0 : 1].start = section.sh_addr;
      firmware->known[data ? 0 : 1].end = section.sh_addr + section.sh_size;
    }
  }
}

/* Space for the detours, and a page for the base that they read. */
static uint64_t
detours_size(const struct firmware *firmware)
{
  return firmware->base_in == IN_GS ? page_ceiling(firmware->detour_count * DETOUR_SIZE) + page_size() : 0;
}

/* The last segment of a mapping that begins with this one: neighbouring read-only segments with the same layout in file and
   memory become one mapping, which is faster. */
static int
last_joined(const struct firmware *firmware, int first)
{
  const Elf64_Phdr *load = firmware->elf.load;
  int last = first;

  while(last + 1 < firmware->elf.loads && !(load[last + 1].p_flags & PF_W) && load[last + 1].p_vaddr >= load[last].p_vaddr &&
        load[last + 1].p_vaddr - load[first].p_vaddr == load[last + 1].p_offset - load[first].p_offset &&
        !(firmware->data_start >= load[first].p_vaddr && firmware->data_start < load[last + 1].p_vaddr)) {
    last++;
  }
  return last;
}

/* With shared code a mote needs two mappings: its data, and the unreadable page behind them, which very many motes share to
   stay within the system's limit. Otherwise it needs the mappings of its code, and one for its data. */
static void
plan_mappings(struct firmware *firmware, unsigned motes, uint64_t mappings)
{
  unsigned each = 1;

  firmware->guarded = 1;
  if(firmware->packed) {
    return;
  }
  if(firmware->shares_code) {
    while(2 * (uint64_t)(motes / firmware->guarded) > mappings && firmware->guarded < motes) {
      firmware->guarded++;
    }
    return;
  }
  for(int i = 0; i < firmware->elf.loads; i++) {
    if(!(firmware->elf.load[i].p_flags & PF_W)) {
      i = last_joined(firmware, i);
      each++;
    }
  }
  if((uint64_t)motes * each > mappings) {
    report_error(ERROR_MEMORY, "%u motes of %s need %llu memory mappings, and the system leaves them %llu; simulate fewer "
                 "motes, or raise the limit: sysctl -w vm.max_map_count=%llu", motes, firmware->elf.path,
                 (unsigned long long)motes * each, (unsigned long long)mappings, 2ull * motes * each + 65530);
  }
}

void
firmware_open(struct firmware *firmware, const char *path, unsigned motes, uint64_t mappings, bool share, bool guard)
{
  /* Where a process has nothing: a firmware that prints an address prints the same one in each run. It is a hint, which the
     system follows if it can (not with addresses of 39 bits). AddressSanitizer's shadow is below. */
  static uintptr_t next = (uintptr_t)0x200000000000;
  uint64_t size;
  void *region;

  *firmware = (struct firmware){0};
  elf_open(&firmware->elf, path);
  lay_out(firmware);
  find_known(firmware);
  relocations_read(firmware);
  firmware->shares_code = share && code_sharing_possible(firmware);
  firmware->packed = firmware->shares_code && !guard;
  plan_mappings(firmware, motes, mappings);
  firmware->stride = firmware->shares_code ? placement_stride(firmware) : firmware->size;
  firmware->code_size = firmware->shares_code ? firmware->size + detours_size(firmware) : 0;
  firmware->region_size = motes * firmware->stride + firmware->code_size;
  size = firmware->region_size + placement_spare(firmware) + page_size();
  region = mmap((void *)next, size, firmware->data_protection,
                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if(region == MAP_FAILED) {
    report_error(ERROR_MEMORY, "no memory for %u motes of %s: %s", motes, path, strerror(errno));
  }
  next += page_ceiling(size);
  firmware->region = placement_choose(firmware, region);
  /* An access behind the last image must fault, as one behind any other does in the next image's code. */
  mprotect(firmware->region + firmware->region_size, page_size(), PROT_NONE);
}

static void
map_code(struct firmware *firmware, uint8_t *image, int first, int last)
{
  const Elf64_Phdr *load = firmware->elf.load;
  uint64_t start = page_floor(load[first].p_vaddr);
  uint64_t end = page_ceiling(load[last].p_vaddr + load[last].p_filesz);
  int protection = 0;

  for(int i = first; i <= last; i++) {
    protection |= PROT_READ | ((load[i].p_flags & PF_X) ? PROT_EXEC : 0);
  }
  if(mmap(image + start, end - start, protection, MAP_PRIVATE | MAP_FIXED, firmware->elf.file,
          (off_t)page_floor(load[first].p_offset)) == MAP_FAILED) {
    report_error(ERROR_MEMORY, "can't map one more mote of %s: %s; simulate fewer motes, or raise the sysctl "
                 "vm.max_map_count", firmware->elf.path, strerror(errno));
  }
}

static void
map_all_code(struct firmware *firmware, uint8_t *image)
{
  const struct elf_file *elf = &firmware->elf;

  for(int i = 0; i < elf->loads; i++) {
    if(!(elf->load[i].p_flags & PF_W)) {
      int last = last_joined(firmware, i);
      map_code(firmware, image, i, last);
      i = last;
    }
  }
}

/* Sets the image's writable part to its relocated initial values; addresses of code lead into `code`. */
static void
fill_data(const struct firmware *firmware, uint8_t *image, uint8_t *code)
{
  const struct elf_file *elf = &firmware->elf;

  for(int i = 0; i < elf->loads; i++) {
    if(elf->load[i].p_flags & PF_W) {
      memcpy(image + elf->load[i].p_vaddr, elf->bytes + elf->load[i].p_offset, elf->load[i].p_filesz);
    }
  }
  for(size_t i = 0; i < firmware->relatives; i++) {
    bool is_code = firmware->relative[i].value < firmware->data_start;
    uint64_t value = firmware->relative[i].value + (uint64_t)(uintptr_t)(is_code ? code : image);
    memcpy(image + firmware->relative[i].offset, &value, sizeof(value));
  }
  for(size_t i = 0; i < firmware->absolutes; i++) {
    memcpy(image + firmware->absolute[i].offset, &firmware->absolute[i].value, sizeof(uint64_t));
  }
}

/* Makes the image with the code for all motes; of its data only the addresses of other libraries' functions are used. */
static void
map_shared_code(struct firmware *firmware)
{
  const struct elf_file *elf = &firmware->elf;

  map_all_code(firmware, firmware->region);
  fill_data(firmware, firmware->region, firmware->region);
  if(firmware->base_in == IN_GS) {
    firmware->detours = firmware->region + firmware->size;
    firmware->detoured = allocate(firmware->detour_count + 1, sizeof(*firmware->detoured));
    firmware->base = (void *)(firmware->region + firmware->code_size - page_size());
  }
  if(mprotect(firmware->region, firmware->data_start, PROT_READ | PROT_WRITE) == 0) {
    code_sharing_rewrite(firmware, firmware->region);
    if(mprotect(firmware->region, firmware->data_start, PROT_READ | PROT_EXEC) == 0 &&
       (firmware->base_in != IN_GS ||
        mprotect(firmware->detours, firmware->code_size - firmware->size - page_size(), PROT_READ | PROT_EXEC) == 0)) {
      return;
    }
  }
  report_error(ERROR_LOAD, "can't rewrite the code of %s in memory: %s", elf->path, strerror(errno));
}

enum { GUARD = 102 }; /* MADV_GUARD_INSTALL, since Linux 6.13: unreadable without being a mapping of its own, so faster */

static uint8_t *
map_data(struct firmware *firmware)
{
  uint8_t *image = placement_image(firmware, firmware->mapped);
  uint8_t *end = firmware->region + firmware->code_size + (firmware->mapped + 1) * firmware->stride;

  if(firmware->mapped == 0) {
    map_shared_code(firmware);
  }
  if(!firmware->packed && firmware->mapped % firmware->guarded == 0 && madvise(end - page_size(), page_size(), GUARD) != 0 &&
     mprotect(end - page_size(), page_size(), PROT_NONE) != 0) {
    report_error(ERROR_MEMORY, "can't set memory of one more mote of %s aside: %s; simulate fewer motes, or raise the "
                 "sysctl vm.max_map_count", firmware->elf.path, strerror(errno));
  }
  return image;
}

uint8_t *
firmware_map(struct firmware *firmware)
{
  uint8_t *image;

  if((firmware->mapped + 1) * firmware->stride > firmware->region_size) {
    report_error(ERROR_KERNEL, "more motes of a type than announced");
  }
  if(firmware->shares_code) {
    image = map_data(firmware);
  } else {
    image = firmware->region + firmware->mapped * firmware->stride;
    map_all_code(firmware, image);
  }
  fill_data(firmware, image, firmware_code(firmware, image));
  firmware->mapped++;
  return image;
}

void
firmware_run_constructors(const struct firmware *firmware, uint8_t *image)
{
  uint64_t first, size;

  firmware_enter(firmware, image);
  if(elf_dynamic(&firmware->elf, DT_INIT, &first) && first < firmware->size) {
    context_call((void (*)(void))(uintptr_t)(firmware_code(firmware, image) + first), image);
  }
  if(!elf_dynamic(&firmware->elf, DT_INIT_ARRAY, &first) || !elf_dynamic(&firmware->elf, DT_INIT_ARRAYSZ, &size)) {
    return;
  }
  if(elf_at(&firmware->elf, first, size) == NULL) {
    elf_bad(&firmware->elf, "its list of constructors is damaged");
  }
  for(uint64_t at = 0; at + sizeof(uintptr_t) <= size; at += sizeof(uintptr_t)) {
    uintptr_t function;
    memcpy(&function, image + first + at, sizeof(function));
    if(function != 0 && function != UINTPTR_MAX) {
      context_call((void (*)(void))function, image);
    }
  }
}
