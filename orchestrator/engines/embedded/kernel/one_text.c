/* SPDX-License-Identifier: Apache-2.0 */
#include "one_text.h"

#include "instruction.h"

#include <string.h>

#if defined(__x86_64__)
enum { ON_X86_64 = 1 };
#else
enum { ON_X86_64 = 0 };
#endif
enum { MOST_ALIGNED = 64 }; /* bytes */
enum { RELATIVE_TO_ITSELF = 5, RELATIVE_TO_RBX = 0x83, REGISTER_FIELD = 0x38 }; /* ModRM: mod 0 and r/m 5; mod 2 and r/m 3 */

static bool
is_writable(const struct firmware *firmware, uint64_t address)
{
  return address >= firmware->data_start && address <= firmware->data_end;
}

/* Reads all of [start, start + size); with an image, rewrites it. False if something in it isn't understood. */
static bool
read_code(const struct firmware *firmware, uint64_t start, uint64_t size, uint8_t *image)
{
  const uint8_t *code = elf_at(&firmware->elf, start, size);

  for(uint64_t at = 0; code != NULL && at < size;) {
    struct instruction instruction;
    int32_t displacement;
    uint64_t target;
    if(!instruction_read(&instruction, code + at, size - at) || instruction.saves_rbx) {
      return false;
    }
    if(instruction.displacement > 0) {
      memcpy(&displacement, code + at + instruction.displacement, sizeof(displacement));
      target = start + at + instruction.length + (uint64_t)(int64_t)displacement;
      if(is_writable(firmware, target)) {
        if(instruction.extends_base) {
          return false;
        }
        if(image != NULL) {
          uint8_t *operand = image + start + at + instruction.displacement;
          displacement = (int32_t)target;
          operand[-1] = (uint8_t)((operand[-1] & REGISTER_FIELD) | RELATIVE_TO_RBX);
          memcpy(operand, &displacement, sizeof(displacement));
        }
      }
    }
    at += instruction.length;
  }
  return code != NULL;
}

/* Functions of other libraries that call none of ours: those that do (qsort) would do so with a value of theirs in rbx. */
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

/* Motes' data begin at lines of a cache, not at pages. */
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

/* All sections of code but the linker's own jumps to other libraries: those may read the first image's table. */
static bool
read_all_code(const struct firmware *firmware, uint8_t *image)
{
  Elf64_Shdr section;
  const char *name;
  bool any = false;

  for(unsigned i = 0; elf_section(&firmware->elf, i, &section, &name); i++) {
    if((section.sh_flags & SHF_EXECINSTR) == 0 || strncmp(name, ".plt", 4) == 0) {
      continue;
    }
    any = true;
    if(!read_code(firmware, section.sh_addr, section.sh_size, image)) {
      return false;
    }
  }
  return any;
}

bool
one_text_possible(const struct firmware *firmware)
{
  Elf64_Sym symbol;

  return ON_X86_64 && elf_find(&firmware->elf, ONE_TEXT_SYMBOL, &symbol) && nothing_calls_back(firmware) &&
    is_aligned_moderately(firmware) && read_all_code(firmware, NULL);
}

void
one_text_rewrite(const struct firmware *firmware, uint8_t *image)
{
  read_all_code(firmware, image);
}
