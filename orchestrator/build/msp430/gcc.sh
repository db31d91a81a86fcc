#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# In the place of msp430-gcc: has clang and lld do what a Makefile of Contiki-NG wants from it. RECIPE, CLANG, LLD, HEADERS,
# PERIPHERALS, RUNTIME and WARNINGS come before these lines (msp430.py).

compiles= into=a.out next=
for word in "$@"; do
  shift
  if [ -n "$next" ]; then
    next=
    into=$word
    continue
  fi
  case $word in
  -dumpfullversion | -dumpversion)
    echo 4.7.4
    exit
    ;;
  -c | -E | -S | -M | -MM) compiles=1 ;;
  -o)
    next=1
    continue
    ;;
  # Flags that clang doesn't know, or that this recipe decides.
  -gstabs* | -mmcu=* | -mhwmult=* | -mmemory-model=* | -m*-region=* | -O* | -Werror* | -fwhole-program | -g) continue ;;
  -Wl,* | -L* | -T*) continue ;; # the linker's; there is no library but ours
  -l*) continue ;;
  esac
  set -- "$@" "$word"
done
# memset is called also where its result is not used, as by gcc: Contiki-NG's stack check fills the stack by it.
# Lines are known whether or not a Makefile asks for them: they are no part of what a mote executes.
flags="--target=msp430-none-elf -gdwarf-4 -mhwmult=none -Oz -fno-common -ffunction-sections -fdata-sections -fno-strict-aliasing -fno-builtin-memset $WARNINGS"
if [ -n "$compiles" ]; then
  set -- -isystem "$CONTIKI/sky/libc" "$@" # CONTIKI, from msp430.py as well: our own Contiki, whose C headers these are
  # shellcheck disable=SC2086 # words
  exec "$CLANG" $flags -nostdlibinc -isystem "$RECIPE/include" -isystem "$HEADERS" -include "$RECIPE/include/target.h" \
    -ffile-prefix-map="$RECIPE"=msp430-runtime "$@" ${into:+-o "$into"}
fi
exec "$LLD" -T "$RECIPE/sky.x" "$PERIPHERALS" --gc-sections --sort-section=alignment -z max-page-size=2 "$@" "$RUNTIME" -o "$into"
