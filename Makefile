# SPDX-License-Identifier: GPL-2.0-or-later
# A thin front: meson builds, tools/ and tests/ do the rest.
B ?= build

all: build
	@ninja -C $(B)

deps:
	@tools/install-deps.sh

$(B)/build.ninja:
	@meson setup $(B) >/dev/null

build: $(B)/build.ninja

demo: deps all
	@tools/demo.sh $(B)

check: deps all
	@tests/run.sh $(B)

check-all: deps all
	@tests/run.sh $(B) --all

install: all
	@meson install -C $(B)

clean:
	@rm -rf $(B)

.PHONY: all build deps demo check check-all install clean
