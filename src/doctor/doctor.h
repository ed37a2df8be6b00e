/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_DOCTOR_DOCTOR_H
#define KD_DOCTOR_DOCTOR_H

#include <stddef.h>

struct kd_root;

enum kd_fitness {
	KD_FIT_ABSENT,		/* this machine has no such thing */
	KD_FIT_OK,
	KD_FIT_NOTE,		/* matters to some measurements */
	KD_FIT_WARN,		/* adds noise that can be had away */
	KD_FIT_BAD,		/* what is measured is something else */
	KD_FIT_COUNT,
};

/** kd_fitness_name() - "absent", "ok", "note", "warn", "bad" */
const char *kd_fitness_name(enum kd_fitness f);

/**
 * struct kd_finding - what a check saw
 * @found: what there is, in words
 * @fix:   what to do, where the check's own is not the right one; may be empty
 */
struct kd_finding {
	enum kd_fitness fitness;
	char found[320];
	char fix[256];
};

/**
 * struct kd_doctor_check - one question to a machine
 * @name:    one word
 * @summary: what is looked at, for --help and --verbose
 * @cost:    what it costs where it is not as it should be
 * @fix:     what to do about it: a command, or words
 * @look:    read below @root; @f is zeroed, and stays so where the machine has
 *           no such thing
 */
struct kd_doctor_check {
	const char *name;
	const char *summary;
	const char *cost;
	const char *fix;
	void (*look)(const struct kd_root *root, struct kd_finding *f);
};

/** kd_doctor_groups - tables of checks, each ended by a NULL name; ends with
 * NULL */
extern const struct kd_doctor_check *const kd_doctor_groups[];

extern const struct kd_doctor_check kd_doctor_cpu[];
extern const struct kd_doctor_check kd_doctor_heat[];
extern const struct kd_doctor_check kd_doctor_host[];
extern const struct kd_doctor_check kd_doctor_kernel[];
extern const struct kd_doctor_check kd_doctor_memory[];
extern const struct kd_doctor_check kd_doctor_link[];

#endif
