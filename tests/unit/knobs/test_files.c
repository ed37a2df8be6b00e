// SPDX-License-Identifier: GPL-2.0-or-later
/* kinds that are files, in a made-up machine */
#include "tree.h"

#include "base/buf.h"
#include "base/str.h"
#include "knobs/knob.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

static struct tree tree;

static int setup(void **state)
{
	tree_open(&tree);
	tree_put(&tree, "/proc/sys/net/ipv4/tcp_wmem", "4096\t16384\t4194304\n");
	tree_put(&tree, "/proc/sys/net/ipv4/conf/eth0.100/forwarding", "0\n");
	tree_put(&tree, "/proc/sys/kernel/sched_x", "7\n");
	tree_put(&tree, "/proc/sys/kernel/osrelease", "6.1\n");
	tree_mode(&tree, "/proc/sys/kernel/osrelease", 0444);
	tree_put(&tree, "/proc/sys/net/ipv4/route/flush", "");
	tree_mode(&tree, "/proc/sys/net/ipv4/route/flush", 0200);
	tree_put(&tree, "/sys/module/snd_hda/parameters/power_save", "Y\n");
	tree_put(&tree, "/sys/module/snd_hda/initstate", "live\n");
	tree_put(&tree, "/sys/module/snd_hda/parameters/index", "1\n");
	tree_mode(&tree, "/sys/module/snd_hda/parameters/index", 0444);
	tree_put(&tree, "/sys/module/printk/parameters/fixed", "1\n");
	tree_mode(&tree, "/sys/module/printk/parameters/fixed", 0444);
	tree_put(&tree, "/sys/block/sda/queue/scheduler", "none [mq-deadline]\n");
	tree_put(&tree, "/sys/block/sda/queue/read_ahead_kb", "128\n");
	return 0;
}

static int teardown(void **state)
{
	tree_close(&tree);
	return 0;
}

static struct kd_knob_env env(void)
{
	return (struct kd_knob_env){ .root = tree.root };
}

/* the value, or "error -N" */
static const char *get(const char *knob)
{
	static char text[512];
	struct kd_knob_env e = env();
	struct kd_buf b = { 0 };
	const char *name;
	const struct kd_knob_ops *ops = kd_knob_find(knob, &name);
	int r = ops->get(&e, name, &b, NULL);

	if (r)
		snprintf(text, sizeof(text), "error %d", r);
	else
		snprintf(text, sizeof(text), "%s", kd_buf_str(&b));
	kd_buf_fini(&b);
	return text;
}

/* what applying says; its words in @d */
static int apply(const char *knob, const char *value, struct kd_diag *d)
{
	struct kd_knob_env e = env();
	struct kd_buf seen = { 0 };
	enum kd_knob_match match;
	int r;

	memset(d, 0, sizeof(*d));
	r = kd_knob_apply(&e, knob, value, &seen, &match, d);
	kd_buf_fini(&seen);
	return r;
}

static void has(const char *text, const char *part)
{
	if (!strstr(text, part))
		fail_msg("\"%s\" lacks \"%s\"", text, part);
}

static void names(void **state)
{
	assert_string_equal(get("sysctl:net.ipv4.tcp_wmem"),
			    "4096\t16384\t4194304");
	assert_string_equal(get("sysctl:net/ipv4/tcp_wmem"),
			    "4096\t16384\t4194304");
	assert_string_equal(get("sysctl:net.ipv4.conf.eth0/100.forwarding"), "0");
	assert_string_equal(get("sysctl:net/ipv4/conf/eth0.100/forwarding"), "0");
	assert_string_equal(get("module-param:snd-hda.power_save"), "Y");
	assert_string_equal(get("module-param:snd_hda.power-save"), "Y");
	assert_string_equal(get("sysfs:/sys/block/sda/queue/read_ahead_kb"),
			    "128");
}

static void bad_names(void **state)
{
	static const char *const bad[] = {
		"sysctl:", "sysctl:net", "sysctl:.net.x", "sysctl:net.",
		"sysctl:net..x", "sysctl:net.//.//.//.etc/passwd",
		"sysctl:net/../../etc/passwd", "sysctl:net/ipv4/..",
		"module-param:", "module-param:x", "module-param:x.",
		"module-param:.x", "module-param:../../x.y", "module-param:x.../y",
		"module-param:x...",
		"sysfs:", "sysfs:/etc/passwd", "sysfs:/sys/../etc/passwd",
		"sysfs:/proc/..", "sysfs:/system/x", "sysfs:sys/x", "command:",
	};

	for (size_t i = 0; i < KD_ARRAY_SIZE(bad); i++) {
		struct kd_diag d = { 0 };
		const char *name;
		const struct kd_knob_ops *ops = kd_knob_find(bad[i], &name);

		if (ops->check(name, &d) != -EINVAL || !d.text[0])
			fail_msg("%s is taken", bad[i]);
	}
}

static void sets(void **state)
{
	struct kd_diag d;

	assert_int_equal(apply("sysctl:net.ipv4.tcp_wmem", "1 2 3", &d), 0);
	assert_string_equal(tree_get(&tree, "/proc/sys/net/ipv4/tcp_wmem"),
			    "1 2 3\n");
	assert_int_equal(apply("module-param:snd-hda.power_save", "0", &d), 0);
	assert_string_equal(tree_get(&tree, "/sys/module/snd_hda/parameters/power_save"),
			    "0\n");
	assert_int_equal(apply("sysctl:net.ipv4.route.flush", "1", &d), 0);
}

static void tells_why_not(void **state)
{
	struct kd_diag d;

	assert_int_equal(apply("sysctl:net.ipv4.tcp_wmen", "1", &d), -ENOENT);
	has(d.text, "absent");
	has(d.text, "No such file");
	has(d.hint, "tcp_wmem");
	assert_string_equal(d.subject, "sysctl:net.ipv4.tcp_wmen");
	assert_int_equal(apply("sysctl:net.ipv5.tcp_wmem", "1", &d), -ENOENT);
	has(d.hint, "\"ipv4\"");
	assert_int_equal(apply("sysctl:kernel.osrelease", "7", &d), -EACCES);
	has(d.text, "read-only");
	has(d.text, "it is \"6.1\", wanted \"7\"");
	assert_int_equal(apply("module-param:snd_hda.index", "2", &d), -EACCES);
	has(d.text, "read-only");
	has(d.hint, "when the module is loaded");
	assert_int_equal(apply("module-param:printk.fixed", "2", &d), -EACCES);
	has(d.hint, "built in");
	assert_int_equal(apply("module-param:absent.x", "2", &d), -ENOENT);
	has(d.text, "no module absent is loaded");
	assert_int_equal(apply("module-param:snd_hda.indexx", "2", &d), -ENOENT);
	has(d.hint, "\"index\"");
	assert_int_equal(apply("nonsense:x", "2", &d), -EOPNOTSUPP);
	assert_int_equal(apply("sysfs:/sys/block/sda/queue", "2", &d), -EISDIR);
}

static void flags(void **state)
{
	struct kd_knob_env e = env();
	static const struct {
		const char *knob;
		unsigned int flags;
	} cases[] = {
		{ "sysctl:net.ipv4.tcp_wmem", KD_KNOB_NETNS },
		{ "sysctl:net.ipv4.route.flush",
		  KD_KNOB_NETNS | KD_KNOB_WRITE_ONLY },
		{ "sysctl:kernel.sched_x", 0 },
		{ "module-param:snd_hda.power_save", 0 },
		{ "sysfs:/sys/block/sda/queue/scheduler", 0 },
		{ "command:x", KD_KNOB_WRITE_ONLY },
	};

	for (size_t i = 0; i < KD_ARRAY_SIZE(cases); i++) {
		const char *name;
		const struct kd_knob_ops *ops =
			kd_knob_find(cases[i].knob, &name);

		assert_int_equal(kd_knob_flags(&e, ops, name), cases[i].flags);
	}
}

struct listing {
	char text[4096];
};

static void collect(void *arg, const char *name, const char *value,
		    unsigned int knob_flags)
{
	struct listing *l = arg;
	size_t n = strlen(l->text);

	snprintf(l->text + n, sizeof(l->text) - n, "%s=%s %u\n", name,
		 value ? value : "?", knob_flags);
}

static void lists(void **state)
{
	struct kd_knob_env e = env();
	struct listing l = { "" };
	const char *name;

	assert_int_equal(kd_knob_find("sysctl", &name)->list(&e, NULL, collect,
							     &l, NULL), 0);
	has(l.text, "net.ipv4.conf.eth0/100.forwarding=0 1\n");
	has(l.text, "kernel.sched_x=7 0\n");
	assert_null(strstr(l.text, "osrelease"));
	l.text[0] = '\0';
	kd_knob_find("sysctl", &name)->list(&e, "net.ipv4.conf*", collect, &l,
					    NULL);
	assert_string_equal(l.text, "net.ipv4.conf.eth0/100.forwarding=0 1\n");
	l.text[0] = '\0';
	kd_knob_find("module-param", &name)->list(&e, NULL, collect, &l, NULL);
	has(l.text, "snd_hda.power_save=");
	assert_null(strstr(l.text, "fixed"));
	l.text[0] = '\0';
	kd_knob_find("sysfs", &name)->list(&e, "/sys/block/*/queue/s*", collect,
					   &l, NULL);
	assert_string_equal(l.text,
			    "/sys/block/sda/queue/scheduler=none [mq-deadline] 0\n");
}

static int run_command(const char *get_cmd, const char *set_cmd,
		       const char *value, struct kd_buf *seen,
		       struct kd_diag *d)
{
	struct kd_knob_env e = env();
	enum kd_knob_match match;

	e.cmd_get = get_cmd;
	e.cmd_set = set_cmd;
	memset(d, 0, sizeof(*d));
	return kd_knob_apply(&e, "command:x", value, seen, &match, d);
}

static void commands(void **state)
{
	struct kd_buf seen = { 0 };
	char get_cmd[200], set_cmd[200];
	struct kd_diag d;

	tree_put(&tree, "/state", "old\n");
	snprintf(get_cmd, sizeof(get_cmd), "cat %s/state", tree.dir);
	snprintf(set_cmd, sizeof(set_cmd), "echo \"$KD_VALUE\" >%s/state",
		 tree.dir);
	assert_int_equal(run_command(get_cmd, set_cmd, "new 'one'", &seen, &d),
			 0);
	assert_string_equal(kd_buf_str(&seen), "new 'one'");
	assert_string_equal(tree_get(&tree, "/state"), "new 'one'\n");
	kd_buf_reset(&seen);
	/* what runs on in the background holds nothing up */
	assert_int_equal(run_command(NULL, "sleep 20 & exit 0", "1", &seen, &d),
			 0);
	assert_int_equal(seen.len, 0);
	assert_int_equal(run_command(get_cmd, "echo no such gain >&2; exit 3",
				     "9", &seen, &d), -EIO);
	has(d.text, "status 3");
	has(d.text, "no such gain");
	assert_int_equal(run_command(get_cmd, "true", "9", &seen, &d), -EINVAL);
	has(d.text, "did not take: it was \"new 'one'\", wanted \"9\", now it reads \"new 'one'\"");
	kd_buf_fini(&seen);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names),
		cmocka_unit_test(bad_names),
		cmocka_unit_test(sets),
		cmocka_unit_test(tells_why_not),
		cmocka_unit_test(flags),
		cmocka_unit_test(lists),
		cmocka_unit_test(commands),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, setup, teardown);
}
