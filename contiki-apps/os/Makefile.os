# SPDX-License-Identifier: Apache-2.0
# Compiles the embedded Contiki and the application into one shared object, with the host's compiler. Makefile.embedded
# includes this file.

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

# The MACs that aren't chosen are left out; of the rest, the linker drops what an application doesn't use.
OS_SOURCES := $(sort $(wildcard $(addprefix $(OS_DIR)/,platform/*.c sys/*.c lib/*.c dev/*.c \
  net/*.c net/nullnet/*.c net/mac/*.c net/mac/framer/*.c net/mac/$(MAC)/*.c)))
MODULE_SOURCES := $(sort $(foreach m,$(MODULES),$(wildcard $(MIDDLEWARE_DIR)/$(m)/*.c)))
PROJECT_SOURCES := $(CONTIKI_PROJECT).c $(PROJECT_SOURCEFILES)

$(foreach m,$(MODULES),$(if $(wildcard $(MIDDLEWARE_DIR)/$(m)/.),,$(error no module $(m) in $(MIDDLEWARE_DIR))))

# Optimising across files halves the time of a run (gcc; clang needs a linker
# plugin for it, which may not be installed). This is tried with an output file of its own, because a linker that root
# runs may replace /dev/null.
LTO := $(if $(filter -O1 -O2 -O3 -Os,$(CFLAGS)),$(shell t=$$(mktemp) && echo 'int x;' | \
  $(CC) -x c - -flto -fPIC -shared -nostdlib -o $$t 2>/dev/null && echo -flto; rm -f $$t))

# Without rbx, the embedded engine can share one copy of the code among all motes (gcc, x86-64; elsewhere every mote has
# its own copy). It makes no difference to Cooja.
SHARED_CODE := $(shell t=$$(mktemp) && echo 'int x;' | $(CC) -x c - -ffixed-rbx -fPIC -c -o $$t 2>/dev/null && \
  echo -ffixed-rbx -DMOTE_LEAVES_RBX; rm -f $$t)

MAC_WORD_csma := CSMA
MAC_WORD_nullmac := NULLMAC
MAC_WORD_radio-csma := RADIO_CSMA

# The clock is Cooja's own, unless CLOCK says otherwise.
CLOCK_FLAGS := $(if $(filter-out 1000,$(CLOCK)),-DCLOCK_CONF_SECOND=$(CLOCK)L) \
  $(if $(filter drawn,$(PHASE)),-DCLOCK_CONF_DRAWN_PHASE=1)
# And so is the threshold of its carrier sense, unless CCA says otherwise.
CCA_FLAGS := $(if $(filter-out -95,$(CCA)),-DCOOJA_RADIO_CONF_CCA_THRESHOLD=$(CCA))

# The library has the same bytes wherever it is built.
NO_PATHS := -ffile-prefix-map=$(APPS_ROOT)=. -ffile-prefix-map=$(CURDIR)=./app

COMMA := ,
ALL_CFLAGS := -std=gnu11 -Wall -Wextra -Wno-unused-parameter $(CFLAGS) $(LTO) $(SHARED_CODE) -g \
  -fPIC -fvisibility=hidden -fno-common -fno-strict-aliasing -fwrapv \
  -ffunction-sections -fdata-sections -fno-stack-protector \
  -U_FORTIFY_SOURCE \
  $(NO_PATHS) \
  -DCONTIKI=1 -DCONTIKI_TARGET_COOJA=1 -DCONTIKI_TARGET_STRING=\"cooja\" \
  -DNETSTACK_CONF_WITH_NULLNET=1 -DMAC_CONF_WITH_$(MAC_WORD_$(MAC))=1 $(CLOCK_FLAGS) $(CCA_FLAGS) \
  $(if $(wildcard project-conf.h),-DPROJECT_CONF_PATH=\"project-conf.h\") \
  $(addprefix -D,$(subst $(COMMA), ,$(DEFINES))) \
  $(if $(filter identity,$(MODULES)),-DIDENTITY_CONF_FIRMWARE=\"$(CONTIKI_PROJECT)\") \
  -I. -I$(OS_DIR)/platform/stdio -I$(OS_DIR) -I$(MIDDLEWARE_DIR) \
  $(addprefix -I$(MIDDLEWARE_DIR)/,$(MODULES)) $(EXTRA_CC_ARGS)

# Cooja copies each mote's .data and .bss in and out and asks where they are. Sections are sorted by alignment, so that
# the small variables, which every tick reads, lie together behind the large buffers. The engine has the functions that
# sanitizers call (orchestrator/build/sanitizers.py), so no library is linked for them.
UNDEFINED := $(if $(findstring -fsanitize=,$(EXTRA_CC_ARGS)),-fno-sanitize=all,-Wl,-z,defs)

ALL_LDFLAGS := -shared -nostartfiles -Wl,-Bsymbolic $(UNDEFINED) -Wl,-z,now \
  -Wl,--gc-sections -Wl,--build-id=none -Wl,--sort-section=alignment \
  '-Wl,--defsym=cooja_dataStart=ADDR(.data)' '-Wl,--defsym=cooja_dataSize=SIZEOF(.data)' \
  '-Wl,--defsym=cooja_bssStart=ADDR(.bss)' '-Wl,--defsym=cooja_bssSize=SIZEOF(.bss)'

# Objects of different settings have different folders, because a .csc may build two variants of one application in one
# folder.
SETTINGS := $(shell printf '%s' '$(subst ','\'',$(CC) $(ALL_CFLAGS))' | cksum | tr ' ' -)
OBJECT_DIR := $(BUILD_DIR_BOARD)/obj/$(SETTINGS)
LINKED := $(OBJECT_DIR)/$(CONTIKI_PROJECT).cooja
OBJECTS := $(patsubst $(APPS_ROOT)/%.c,$(OBJECT_DIR)/%.o,$(OS_SOURCES) $(MODULE_SOURCES)) \
  $(patsubst %.c,$(OBJECT_DIR)/app/%.o,$(PROJECT_SOURCES))

.PHONY: all clean objects settings $(CONTIKI_PROJECT) $(CONTIKI_PROJECT).cooja FORCE
$(CONTIKI_PROJECT) $(CONTIKI_PROJECT).cooja: $(LIBNAME)

# The library is written beside its place and then renamed, so that nobody sees half a file, whoever else builds here.
# The old one may have other settings, so contents are compared, not dates.
$(LIBNAME): $(LINKED) FORCE
	@mkdir -p $(@D)
	@cmp -s $< $@ || { cp $< $@.$$$$.tmp && mv -f $@.$$$$.tmp $@; }

$(LINKED): $(OBJECTS)
	@$(CC) $(ALL_CFLAGS) $(ALL_LDFLAGS) -o $@.$$$$.tmp $(OBJECTS) && mv -f $@.$$$$.tmp $@ \
	  || { rm -f $@.$$$$.tmp; exit 1; }

# `orchestrate sizes` compiles for a microcontroller by this: without linking, and without the context switch, which is
# the host's.
objects: $(filter-out %/platform/fibre.o,$(OBJECTS))

OBJECT_DIRS := $(sort $(patsubst %/,%,$(dir $(OBJECTS))))
$(OBJECTS): | $(OBJECT_DIRS)
$(OBJECT_DIRS): ; @mkdir -p $@

define COMPILE
@$(CC) $(ALL_CFLAGS) -MMD -MP -MF $(@:.o=.d).$$$$ -MT $@ -c -o $@.$$$$ $< \
  && mv -f $(@:.o=.d).$$$$ $(@:.o=.d) && mv -f $@.$$$$ $@ \
  || { rm -f $@.$$$$ $(@:.o=.d).$$$$; exit 1; }
endef

$(OBJECT_DIR)/app/%.o: %.c
	$(COMPILE)
$(OBJECT_DIR)/%.o: $(APPS_ROOT)/%.c
	$(COMPILE)

-include $(OBJECTS:.o=.d)

# Prints what is compiled, and how. Before it builds, orchestrate looks by this for what the embedded Contiki lacks.
settings: ; $(info SOURCES $(PROJECT_SOURCES))$(info CFLAGS $(ALL_CFLAGS))@:

clean:
	rm -rf $(BUILD_DIR)
