/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_KNOBS_KNOB_H
#define KD_KNOBS_KNOB_H

#include "base/diag.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_buf;
struct kd_root;

/**
 * struct kd_knob_env - where knobs are
 * @root:  where /proc and /sys are
 * @ifname: the device's interface of the experiment, NULL where unknown;
 *          "ethtool:gro" means this one, "ethtool:eth1.gro" another
 * @cmd_get, @cmd_set, @cmd_restore: of a "command:LABEL" knob, the shell
 *          commands; see command.h. NULL where there is none, and for all
 *          other kinds.
 *
 * Calls run in the right network namespace: that of the calling thread.
 */
struct kd_knob_env {
	const struct kd_root *root;
	const char *ifname;
	const char *cmd_get;
	const char *cmd_set;
	const char *cmd_restore;
};

/* the knob lives in a network namespace; without: the whole machine's */
#define KD_KNOB_NETNS 1u
/* cannot be read back */
#define KD_KNOB_WRITE_ONLY 2u
/* changing it resets the device (module reload, boot): one boot, one sample */
#define KD_KNOB_RESETS 4u

enum kd_knob_match {
	KD_KNOB_SAME,		/* what was asked for */
	KD_KNOB_ROUNDED,	/* accepted, but rounded by the kernel: note it */
	KD_KNOB_DIFFERS,	/* did not take */
};

/**
 * struct kd_knob_ops - one kind of knob
 * @name:    the kind: "sysctl", "ethtool", ...
 * @summary: one line for help
 * @flags:   KD_KNOB_*
 * @scope:   flags of one knob by its name alone, in the controller; NULL: @flags
 * @look:    flags of one knob as it is here, by asking the kernel; NULL: @scope
 * @device:  append what the knob sits on, such that another device under the
 *           same name has another text ("eth0#3", a path in /sys/devices); NULL:
 *           the machine
 * @check:   is @name a name of this kind, syntactically; in the controller,
 *           before anything is touched; may be NULL
 * @list:    call @found for every knob whose name matches @pattern (fnmatch;
 *           NULL: all), with its present value (NULL: unreadable)
 * @get:     append the present value, without line end
 * @set:     write @value; read-only, absent and out of range tell so
 * @match:   does the value read back mean the wanted one; NULL:
 *           kd_knob_match_text()
 */
struct kd_knob_ops {
	const char *name;
	const char *summary;
	unsigned int flags;
	unsigned int (*scope)(const char *name);
	unsigned int (*look)(const struct kd_knob_env *env, const char *name);
	int (*device)(const struct kd_knob_env *env, const char *name,
		      struct kd_buf *out);
	int (*check)(const char *name, struct kd_diag *d);
	int (*list)(const struct kd_knob_env *env, const char *pattern,
		    void (*found)(void *arg, const char *name,
				  const char *value, unsigned int flags),
		    void *arg, struct kd_diag *d);
	int (*get)(const struct kd_knob_env *env, const char *name,
		   struct kd_buf *out, struct kd_diag *d);
	int (*set)(const struct kd_knob_env *env, const char *name,
		   const char *value, struct kd_diag *d);
	enum kd_knob_match (*match)(const char *wanted, const char *seen);
};

extern const struct kd_knob_ops *const kd_knob_table[];

/** kd_knob_find() - the kind of "kind:name" or "kind", or NULL; *@name is set
 * to what follows the colon */
const struct kd_knob_ops *kd_knob_find(const char *knob, const char **name);

/** kd_knob_flags() - KD_KNOB_* of one knob here: @look, else @scope, else
 * @flags */
unsigned int kd_knob_flags(const struct kd_knob_env *env,
			   const struct kd_knob_ops *ops, const char *name);

/** kd_knob_match() - does @seen mean @wanted, by the kind's own rules */
enum kd_knob_match kd_knob_match(const struct kd_knob_ops *ops,
				 const char *wanted, const char *seen);

/** kd_knob_match_text() - equal after Y/1, N/0, blanks and the bracketed choice
 * of "[cubic] reno" are normalised; numbers compare as numbers */
enum kd_knob_match kd_knob_match_text(const char *wanted, const char *seen);

/** kd_knob_match_rounded() - as kd_knob_match_text(), but a whole number that
 * came out within half and double of the wanted one is KD_KNOB_ROUNDED */
enum kd_knob_match kd_knob_match_rounded(const char *wanted, const char *seen);

/** kd_knob_settable() - append what has to be written to get the value @seen:
 * of a list with one choice in brackets, the choice alone */
int kd_knob_settable(const char *seen, struct kd_buf *out);

/**
 * kd_knob_apply() - set, read back and verify
 * @seen: appended: the value read back, on failure too; nothing where the knob
 *        cannot be read
 *
 * A rounded value that is the old one did not take.
 * Return: 0; on failure the words name old, wanted and seen value: -EOPNOTSUPP
 * (no such kind, or the device cannot), -ENOENT (absent), -EACCES (read-only),
 * -EPERM (needs root), -EINVAL or -ERANGE (refused, or did not take).
 */
int kd_knob_apply(const struct kd_knob_env *env, const char *knob,
		  const char *value, struct kd_buf *seen,
		  enum kd_knob_match *match, struct kd_diag *d);

#endif
