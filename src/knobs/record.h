/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_RECORD_H
#define KD_KNOBS_RECORD_H

#include "knobs/netns.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct kd_buf;

/*
 * The journal's file is text: a record a line, "kd1 CRC NAME=VALUE...", parted
 * by tabs. The CRC-32 (ISO-HDLC, eight hexadecimal digits) is over all that
 * follows it and its tab. Each record has a line end before and after it, so
 * that a torn one spoils no other. An unknown NAME is passed over.
 */

enum kd_record_kind {
	KD_RECORD_OWNER,	/* who has the device from here on */
	KD_RECORD_SET,		/* about to be changed */
	KD_RECORD_SEEN,		/* read back as something else than written */
	KD_RECORD_DONE,		/* this knob is as it was found */
};

/**
 * struct kd_record - one record
 * @owner:   KD_RECORD_OWNER: words for people
 * @pid:     of the owner
 * @boot:    boot_id
 * @netns:   namespace that the change is made in
 * @flags:   KD_KNOB_* of the knob
 * @device:  what it sits on, struct kd_knob_ops::device; "" is the machine
 * @ifname:  struct kd_knob_env::ifname; "" where there is none
 * @knob:    "kind:name"
 * @old:     value before; KD_RECORD_SET only
 * @value:   value about to be set, or seen
 * @get, @set, @restore: of a command knob; NULL where there is none
 *
 * Text is never NULL but for the commands. It is borrowed when formatting, and
 * points into the parsed line after parsing.
 */
struct kd_record {
	enum kd_record_kind kind;
	int64_t pid;
	unsigned int flags;
	struct kd_netns_id netns;
	const char *owner;
	const char *boot;
	const char *device;
	const char *ifname;
	const char *knob;
	const char *old;
	const char *value;
	const char *get;
	const char *set;
	const char *restore;
};

/** kd_record_format() - append @r with its line ends */
int kd_record_format(const struct kd_record *r, struct kd_buf *out);

/** kd_record_parse() - read one line (NUL-terminated, changed in place); false
 * for one that is torn, empty or foreign */
bool kd_record_parse(char *line, struct kd_record *r);

/** kd_record_parse_body() - as kd_record_parse(), of what follows the CRC */
bool kd_record_parse_body(char *body, struct kd_record *r);

#endif
