# SPDX-License-Identifier: Apache-2.0
# The embedded Contiki: all of it and the application in one shared object, by
# the host's compiler. Included by Makefile.embedded.

ifneq ($(TARGET),cooja)
$(error TARGET=$(TARGET) needs a Contiki-NG tree: give CONTIKI=DIR)
endif

ifneq ($(words $(CURDIR) $(APPS_ROOT) $(BUILD_DIR)),$(if $(BUILD_DIR),3,2))
$(error make can't build in or into a folder with white space in its name: $(CURDIR) $(BUILD_DIR))
endif

.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules

OS_DIR := $(APPS_ROOT)/os
MIDDLEWARE_DIR := $(APPS_ROOT)/middleware
BUILD_DIR ?= build
BUILD_DIR_BOARD ?= $(BUILD_DIR)/cooja
LIBNAME ?= $(BUILD_DIR_BOARD)/$(CONTIKI_PROJECT).cooja
CFLAGS ?= -O2

# The MAC that isn't chosen is left out; what an application doesn't use of the
# rest, the linker drops.
OS_SOURCES := $(sort $(wildcard $(addprefix $(OS_DIR)/,platform/*.c sys/*.c lib/*.c dev/*.c \
  net/*.c net/nullnet/*.c net/mac/*.c net/mac/framer/*.c net/mac/$(MAC)/*.c)))
MODULE_SOURCES := $(sort $(foreach m,$(MODULES),$(wildcard $(MIDDLEWARE_DIR)/$(m)/*.c)))
PROJECT_SOURCES := $(CONTIKI_PROJECT).c $(PROJECT_SOURCEFILES)

$(foreach m,$(MODULES),$(if $(wildcard $(MIDDLEWARE_DIR)/$(m)/.),,$(error no module $(m) in $(MIDDLEWARE_DIR))))

# Optimising across files halves the time of a run (gcc; clang needs a linker
# plugin for it, which may not be here). Tried out on a file of its own: a linker
# that root runs may replace /dev/null.
LTO := $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),$(shell t=$$(mktemp) && echo 'int x;' | \
  $(CC) -x c - -flto -fPIC -shared -nostdlib -o $$t 2>/dev/null && echo -flto; rm -f $$t))

# Without rbx, the embedded engine can share one copy of the code among all motes (gcc, x86-64; elsewhere every mote has
# its own copy). It makes no difference to Cooja.
SHARED_CODE := $(shell t=$$(mktemp) && echo 'int x;' | $(CC) -x c - -ffixed-rbx -fPIC -c -o $$t 2>/dev/null && \
  echo -ffixed-rbx -DMOTE_LEAVES_RBX; rm -f $$t)

MAC_WORD_csma := CSMA
MAC_WORD_nullmac := NULLMAC
MAC_WORD_radio-csma := RADIO_CSMA

# The clock: Cooja's own unless told otherwise.
CLOCK_FLAGS := $(if $(filter-out 1000,$(CLOCK)),-DCLOCK_CONF_SECOND=$(CLOCK)L) \
  $(if $(filter drawn,$(PHASE)),-DCLOCK_CONF_DRAWN_PHASE=1)

# The same bytes wherever it is built.
NO_PATHS := -ffile-prefix-map=$(APPS_ROOT)=. -ffile-prefix-map=$(CURDIR)=./app

COMMA := ,
ALL_CFLAGS := -std=gnu11 -Wall -Wextra -Wno-unused-parameter $(CFLAGS) $(LTO) $(SHARED_CODE) -g \
  -fPIC -fvisibility=hidden -fno-common -fno-strict-aliasing -fwrapv \
  -ffunction-sections -fdata-sections -fno-stack-protector \
  -U_FORTIFY_SOURCE \
  $(NO_PATHS) \
  -DCONTIKI=1 -DCONTIKI_TARGET_COOJA=1 -DCONTIKI_TARGET_STRING=\"cooja\" \
  -DNETSTACK_CONF_WITH_NULLNET=1 -DMAC_CONF_WITH_$(MAC_WORD_$(MAC))=1 $(CLOCK_FLAGS) \
  $(if $(wildcard project-conf.h),-DPROJECT_CONF_PATH=\"project-conf.h\") \
  $(addprefix -D,$(subst $(COMMA), ,$(DEFINES))) \
  -I. -I$(OS_DIR)/platform/stdio -I$(OS_DIR) -I$(MIDDLEWARE_DIR) \
  $(addprefix -I$(MIDDLEWARE_DIR)/,$(MODULES)) $(EXTRA_CC_ARGS)

# Cooja copies each mote's .data and .bss in and out and asks where they are. Sorted,
# the small variables that every tick reads lie together behind the large buffers.
# What sanitizers call is the engine's (orchestrator/build/sanitizers.py): no library for it, and nothing defined here.
UNDEFINED := $(if $(findstring -fsanitize=,$(EXTRA_CC_ARGS)),-fno-sanitize=all,-Wl,-z,defs)

ALL_LDFLAGS := -shared -nostartfiles -Wl,-Bsymbolic $(UNDEFINED) -Wl,-z,now \
  -Wl,--gc-sections -Wl,--build-id=none -Wl,--sort-section=alignment \
  '-Wl,--defsym=cooja_dataStart=ADDR(.data)' '-Wl,--defsym=cooja_dataSize=SIZEOF(.data)' \
  '-Wl,--defsym=cooja_bssStart=ADDR(.bss)' '-Wl,--defsym=cooja_bssSize=SIZEOF(.bss)'

# Objects of different settings don't meet: a .csc may build two variants of one
# application in one folder.
SETTINGS := $(shell printf '%s' '$(subst ','\'',$(CC) $(ALL_CFLAGS))' | cksum | tr ' ' -)
OBJECT_DIR := $(BUILD_DIR_BOARD)/obj/$(SETTINGS)
LINKED := $(OBJECT_DIR)/$(CONTIKI_PROJECT).cooja
OBJECTS := $(patsubst $(APPS_ROOT)/%.c,$(OBJECT_DIR)/%.o,$(OS_SOURCES) $(MODULE_SOURCES)) \
  $(patsubst %.c,$(OBJECT_DIR)/app/%.o,$(PROJECT_SOURCES))

.PHONY: all clean objects settings $(CONTIKI_PROJECT) $(CONTIKI_PROJECT).cooja FORCE
$(CONTIKI_PROJECT) $(CONTIKI_PROJECT).cooja: $(LIBNAME)

# Written beside, then renamed: nobody sees half a file, whoever else builds here.
# The library may be one of other settings, so it is compared, not dated.
$(LIBNAME): $(LINKED) FORCE
	@mkdir -p $(@D)
	@cmp -s $< $@ || { cp $< $@.$$$$.tmp && mv -f $@.$$$$.tmp $@; }

$(LINKED): $(OBJECTS)
	@$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@.$$$$.tmp $(OBJECTS) && mv -f $@.$$$$.tmp $@ \
	  || { rm -f $@.$$$$.tmp; exit 1; }

# For a microcontroller, by `orchestrate sizes`: only compiled, without the
# context switch, which is the host's.
objects: $(filter-out %/platform/fibre.o,$(OBJECTS))

define COMPILE
@mkdir -p $(@D)
@$(CC) $(ALL_CFLAGS) -MMD -MP -MF $(@:.o=.d).$$$$ -MT $@ -c -o $@.$$$$ $< \
  && mv -f $(@:.o=.d).$$$$ $(@:.o=.d) && mv -f $@.$$$$ $@ \
  || { rm -f $@.$$$$ $(@:.o=.d).$$$$; exit 1; }
endef

$(OBJECT_DIR)/app/%.o: %.c
	$(COMPILE)
$(OBJECT_DIR)/%.o: $(APPS_ROOT)/%.c
	$(COMPILE)

-include $(OBJECTS:.o=.d)

# What is compiled, and how: orchestrate looks, before it builds, for what the embedded Contiki lacks.
settings: ; $(info SOURCES $(PROJECT_SOURCES))$(info CFLAGS $(ALL_CFLAGS))@:

clean:
	rm -rf $(BUILD_DIR)
