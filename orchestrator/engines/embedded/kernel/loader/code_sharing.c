/* SPDX-License-Identifier: Apache-2.0 */
#include "loader/code_sharing.h"

#include "base/memory.h"
#include "loader/detour.h"
#include "loader/instruction.h"

#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>

enum { MOST_ALIGNED = 64 }; /* bytes */
enum { RELATIVE_TO_ITSELF = 5, RELATIVE_TO_RBX = 0x83, REGISTER_FIELD = 0x38 }; /* ModRM: mod 0 and r/m 5; mod 2 and r/m 3 */

static bool
is_writable(const struct firmware *firmware, uint64_t address)
{
  return address >= firmware->data_start && address <= firmware->data_end;
}

static void
make_relative_to_rbx(uint8_t *operand, uint32_t target)
{
  operand[-1] = (uint8_t)((operand[-1] & REGISTER_FIELD) | RELATIVE_TO_RBX);
  memcpy(operand, &target, sizeof(target));
}

/* Checks an instruction whose operand is writable data; with an image, rewrites it. Returns false if that is impossible. */
static bool
rewrite(struct firmware *firmware, const struct instruction *instruction, const uint8_t *code, uint8_t *in_image, uint64_t target)
{
  if(firmware->base_in == IN_RBX) {
    if(instruction->extends_base) {
      return false;
    }
    if(in_image != NULL) {
      make_relative_to_rbx(in_image + instruction->displacement, (uint32_t)target);
    }
    return true;
  }
  if(!detour_possible(instruction, code)) {
    return false;
  }
  if(in_image != NULL) {
    detour_make(instruction, in_image, firmware->detours + firmware->detour_count * DETOUR_SIZE, (uint32_t)target, firmware->base);
    firmware->detoured[firmware->detour_count] = (uint32_t)(in_image - firmware->region);
  }
  firmware->detour_count++;
  return true;
}

/* Checks a section; with an image, rewrites it. Returns false if some instruction can't be rewritten. */
static bool
visit(struct firmware *firmware, const struct code *section, uint8_t *image)
{
  const uint8_t *bytes = elf_at(&firmware->elf, section->start, section->size);
  uint64_t at = 0;

  for(size_t i = 0; i < section->count; i++) {
    const struct instruction *instruction = &section->instructions[i];
    int32_t displacement;
    uint64_t target;
    if(instruction->uses_rbx && firmware->base_in == IN_RBX) {
      return false;
    }
    if(instruction->displacement > 0) {
      memcpy(&displacement, bytes + at + instruction->displacement, sizeof(displacement));
      target = section->start + at + instruction->length + (uint64_t)(int64_t)displacement;
      if(is_writable(firmware, target) &&
         !rewrite(firmware, instruction, bytes + at, image ? image + section->start + at : NULL, target)) {
        return false;
      }
    }
    at += instruction->length;
  }
  return true;
}

/* Decodes a section's instructions. Returns false if one is unknown. */
static bool
read_code(const struct firmware *firmware, struct code *section)
{
  const uint8_t *bytes = elf_at(&firmware->elf, section->start, section->size);
  size_t room = 0;

  for(uint64_t at = 0; bytes != NULL && at < section->size;) {
    if(section->count == room) {
      room = room ? 2 * room : section->size / 4 + 1; /* their usual length */
      section->instructions = reallocate(section->instructions, room, sizeof(*section->instructions));
    }
    if(!instruction_read(&section->instructions[section->count], bytes + at, section->size - at)) {
      return false;
    }
    at += section->instructions[section->count++].length;
  }
  return bytes != NULL;
}

/* Do all jumps lead to the beginnings of instructions? */
static bool
jumps_are_right(const struct firmware *firmware, const struct code *section, const bool *begins)
{
  const uint8_t *bytes = elf_at(&firmware->elf, section->start, section->size);
  uint64_t to = 0;

  for(size_t i = 0; i < section->count; i++) {
    const struct instruction *instruction = &section->instructions[i];
    int8_t near;
    int32_t distance;
    uint64_t target;
    to += instruction->length;
    if(instruction->branch == 0) {
      continue;
    }
    memcpy(&near, bytes + to - 1, 1);
    memcpy(&distance, bytes + to - sizeof(distance), sizeof(distance));
    target = to + (uint64_t)(int64_t)(instruction->branch == 1 ? near : distance);
    if(target < section->size && !begins[target]) { /* others lead to another section */
      return false;
    }
  }
  return true;
}

/* Data among code would be decoded as instructions and rewritten; it is noticed by a jump or a function that does not
   begin at a decoded instruction. */
static bool
is_only_code(const struct firmware *firmware, const struct code *section)
{
  const struct elf_file *elf = &firmware->elf;
  bool *begins = allocate(section->size + 1, sizeof(*begins)), only;
  uint64_t begin = 0;

  for(size_t i = 0; i < section->count; i++) {
    begins[begin] = true;
    begin += section->instructions[i].length;
  }
  only = jumps_are_right(firmware, section, begins);
  for(uint64_t i = 1; only && i < elf->all_symbols.count; i++) {
    const char *name;
    Elf64_Sym symbol = elf_symbol(elf, &elf->all_symbols, i, &name);
    uint64_t at = symbol.st_value - section->start;
    only = ELF64_ST_TYPE(symbol.st_info) != STT_FUNC || symbol.st_shndx == SHN_UNDEF || at >= section->size || begins[at];
  }
  free(begins);
  return only;
}

/* Functions of other libraries that call none of ours. Those that do (qsort) would call it with their own value in rbx. */
static bool
calls_nothing_back(const char *name)
{
  static const char *const NAMES[] = {
    "abort", "exit", "_exit", "__assert_fail", "__stack_chk_fail", "getcontext", "setcontext", "swapcontext", "makecontext",
    "rand", "srand", "random", "srandom", "abs", "labs", "llabs", "atoi", "atol", "atoll", "malloc", "calloc", "realloc",
    "free", "printf", "puts", "putchar", "snprintf", "sprintf", "vsnprintf", "vsprintf", "fflush", "stdout", "stderr",
    "toupper", "tolower", "__ctype_b_loc", "__ctype_tolower_loc", "__ctype_toupper_loc", "floor", "ceil", "round", "lround",
    "trunc", "fabs", "fmod", "fmin", "fmax", "sqrt", "cbrt", "hypot", "pow", "exp", "exp2", "expm1", "log", "log2", "log10",
    "log1p", "sin", "cos", "tan", "asin", "acos", "atan", "atan2", "ldexp", "frexp", "erf", "tgamma", "lgamma",
    "_ITM_deregisterTMCloneTable", "_ITM_registerTMCloneTable", "__gmon_start__", "__cxa_finalize",
  };

  if(strncmp(name, "mem", 3) == 0 || strncmp(name, "str", 3) == 0) {
    return true;
  }
  for(size_t i = 0; i < sizeof(NAMES) / sizeof(NAMES[0]); i++) {
    if(strcmp(NAMES[i], name) == 0) {
      return true;
    }
  }
  return false;
}

static bool
nothing_calls_back(const struct firmware *firmware)
{
  const struct elf_file *elf = &firmware->elf;

  for(uint64_t i = 1; i < elf->dynamic_symbols.count; i++) {
    const char *name;
    if(elf_symbol(elf, &elf->dynamic_symbols, i, &name).st_shndx == SHN_UNDEF && !calls_nothing_back(name)) {
      return false;
    }
  }
  return true;
}

/* The motes' data begin at cache lines, not at pages. */
static bool
is_aligned_moderately(const struct firmware *firmware)
{
  Elf64_Shdr section;
  const char *name;

  for(unsigned i = 0; elf_section(&firmware->elf, i, &section, &name); i++) {
    if((section.sh_flags & SHF_WRITE) && section.sh_addralign > MOST_ALIGNED) {
      return false;
    }
  }
  return true;
}

/* All sections of code but the linker's jumps to other libraries, which may read the first image's table. */
static bool
read_all_code(struct firmware *firmware)
{
  Elf64_Shdr section;
  const char *name;

  for(unsigned i = 0; elf_section(&firmware->elf, i, &section, &name); i++) {
    struct code *code;
    if((section.sh_flags & SHF_EXECINSTR) == 0 || strncmp(name, ".plt", 4) == 0) {
      continue;
    }
    firmware->code = reallocate(firmware->code, firmware->code_count + 1, sizeof(*firmware->code));
    code = &firmware->code[firmware->code_count++];
    *code = (struct code){.start = section.sh_addr, .size = section.sh_size};
    if(!read_code(firmware, code) || !is_only_code(firmware, code)) {
      return false;
    }
  }
  return firmware->code_count > 0;
}

static bool
visit_all(struct firmware *firmware, uint8_t *image)
{
  firmware->detour_count = 0;
  for(size_t i = 0; i < firmware->code_count; i++) {
    if(!visit(firmware, &firmware->code[i], image)) {
      return false;
    }
  }
  return true;
}

/* May a program set gs without a system call? (HWCAP2_FSGSBASE of Linux' <asm/hwcap2.h>) */
static bool
gs_is_free(void)
{
  return (getauxval(AT_HWCAP2) & 2) != 0;
}

bool
code_sharing_possible(struct firmware *firmware)
{
  Elf64_Sym symbol;

  if(!ON_X86_64 || !is_aligned_moderately(firmware) || !read_all_code(firmware)) {
    return false;
  }
  firmware->base_in = IN_RBX;
  if(elf_find(&firmware->elf, CODE_SHARING_SYMBOL, &symbol) && nothing_calls_back(firmware) && visit_all(firmware, NULL)) {
    return true;
  }
  firmware->base_in = IN_GS;
  return gs_is_free() && visit_all(firmware, NULL);
}

void
code_sharing_rewrite(struct firmware *firmware, uint8_t *image)
{
  visit_all(firmware, image);
}
