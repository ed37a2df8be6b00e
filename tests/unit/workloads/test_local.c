// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The workloads that have no peer: io, exec, idle.
 */
#include "pair.h"

#include "base/clock.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <dirent.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

static int run_alone(struct pair *p)
{
	struct pair_end *e = &p->device;

	e->alone = true;
	if (e->result || pair_end_prepare(e))
		return e->result;
	return pair_end_run(e);
}

static double io_counter(const char *key)
{
	FILE *f = fopen("/proc/self/io", "r");
	unsigned long long v = 0;
	char name[32];

	while (f && fscanf(f, "%31s %llu", name, &v) == 2)
		if (!strcmp(name, key))
			break;
	if (f)
		fclose(f);
	return (double)v;
}

static unsigned int entries(const char *dir)
{
	DIR *d = opendir(dir);
	unsigned int n = 0;

	while (d && readdir(d))
		n++;
	if (d)
		closedir(d);
	return n;
}

/* bytes and requests as the kernel counted them for this process */
static void io_agrees_with_the_kernel(void **state)
{
	static const char *const kinds[] = {
		"read,block=8k,size=1m", "read,sequential,block=4k,size=1m",
		"read,direct,block=4k,size=1m", "read,cached,block=1000,size=1m",
		"write,block=4k,size=1m", "write,sync,rate=2000,block=4k,size=1m"
	};
	char dir[] = "/tmp/kd-io-XXXXXX", options[128];
	double total = 0;

	assert_non_null(mkdtemp(dir));
	for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
		bool reads = kinds[i][0] == 'r';
		double calls, bytes, iops, blocks;
		struct pair p;

		snprintf(options, sizeof(options), "%s,path=%s", kinds[i], dir);
		pair_init(&p, "io", options, "", 100 * KD_NS_PER_MS);
		if (pair_end_prepare(&p.device))
			print_error("%s: %s\n", kinds[i], p.device.diag.text);
		assert_int_equal(p.device.result, 0);
		assert_int_equal(entries(dir), 2);
		calls = io_counter(reads ? "rchar:" : "wchar:");
		p.device.alone = true;
		assert_int_equal(pair_end_run(&p.device), 0);
		bytes = io_counter(reads ? "rchar:" : "wchar:") - calls;
		blocks = pair_value(&p.device, "io.bytes");
		/* a few requests lie before and after the window, and the
		 * eventfds and /proc/self/io itself count too */
		total += blocks;
		assert_true(blocks <= bytes);
		if (i != 5 && blocks > 1e6)
			assert_true(blocks >= 0.6 * bytes);
		iops = pair_value(&p.device, "io.iops");
		if (i == 5)
			assert_true(iops < 2100);
		if (blocks > 0)
			assert_true(pair_value(&p.device, "io.mean") > 0);
		pair_fini(&p);
	}
	assert_true(total > 0);
	assert_int_equal(entries(dir), 2);
	rmdir(dir);
}

static void io_spares_files(void **state)
{
	char name[] = "/tmp/kd-io-XXXXXX", options[128];
	int fd = mkstemp(name);
	struct pair p;

	assert_int_equal(write(fd, "keep", 4), 4);
	snprintf(options, sizeof(options), "write,block=4,path=%s", name);
	pair_init(&p, "io", options, "", 50 * KD_NS_PER_MS);
	assert_int_equal(run_alone(&p), -EPERM);
	pair_fini(&p);
	snprintf(options, sizeof(options), "read,block=4,path=%s", name);
	pair_init(&p, "io", options, "", 50 * KD_NS_PER_MS);
	assert_int_equal(run_alone(&p), 0);
	assert_true(pair_value(&p.device, "io.iops") > 0);
	pair_fini(&p);
	pair_init(&p, "io", "path=/nonexistent", "", 50 * KD_NS_PER_MS);
	assert_int_equal(run_alone(&p), -ENOENT);
	assert_non_null(strstr(p.device.diag.text, "/nonexistent"));
	pair_fini(&p);
	close(fd);
	unlink(name);
}

static void exec_takes_the_figure(void **state)
{
	struct pair p;

	pair_init(&p, "exec",
		  "command=\"echo rate 1.5; echo rate 2.25 x\",regex=\"^rate ([0-9.]+)\",metric=my.rate,unit=MB/s",
		  "", 0);
	assert_int_equal(run_alone(&p), 0);
	assert_true(pair_value(&p.device, "my.rate") == 2.25);
	assert_true(pair_value(&p.device, "exec.time") > 0);
	pair_fini(&p);
	pair_init(&p, "exec", "command=\"echo nothing\",regex=\"([0-9]+)\"", "",
		  0);
	assert_int_equal(run_alone(&p), 0);
	assert_int_equal(p.device.sink.event_flags, KD_EVENT_FAIL);
	pair_fini(&p);
	pair_init(&p, "exec", "command=\"echo a; echo b\",parse=numbers", "",
		  0);
	assert_int_equal(run_alone(&p), 0);
	assert_string_equal(p.device.sink.event_kind, "output");
	assert_string_equal(p.device.sink.event, "a\nb\n");
	pair_fini(&p);
}

static void exec_failure_is_told(void **state)
{
	struct pair p;

	pair_init(&p, "exec", "command=\"echo broken wire >&2; exit 3\"", "",
		  0);
	assert_int_equal(run_alone(&p), -EIO);
	assert_non_null(strstr(p.device.diag.text, "status 3"));
	assert_non_null(strstr(p.device.diag.text, "broken wire"));
	pair_fini(&p);
}

static void exec_checks(void **state)
{
	static const char *const bad[] = {
		"", "command=x,regex=\"(\"", "command=x,regex=nogroup",
		"command=x,regex=\"(a)\",parse=numbers"
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct pair p;

		pair_init(&p, "exec", bad[i], "", 0);
		assert_int_equal(p.device.result, -EINVAL);
		pair_fini(&p);
	}
}

static void exec_leaves_no_process(void **state)
{
	uint64_t t = kd_now();
	struct pair p;
	int pid = 0;
	FILE *f;

	pair_init(&p, "exec",
		  "command=\"sleep 30 & echo $! >/tmp/kd-exec-pid; sleep 30\"",
		  "", 0);
	p.device.env.deadline_ns = kd_now() + 300 * KD_NS_PER_MS;
	assert_int_equal(run_alone(&p), -ETIMEDOUT);
	assert_true(kd_now() - t < 2 * KD_NS_PER_SEC);
	pair_fini(&p);
	f = fopen("/tmp/kd-exec-pid", "r");
	assert_non_null(f);
	assert_int_equal(fscanf(f, "%d", &pid), 1);
	fclose(f);
	unlink("/tmp/kd-exec-pid");
	/* dead, or waiting for init to reap it */
	for (int i = 0; i < 100; i++) {
		char path[64], state_char = 'X';

		snprintf(path, sizeof(path), "/proc/%d/stat", pid);
		f = fopen(path, "r");
		if (f) {
			if (fscanf(f, "%*d (%*[^)]) %c", &state_char) != 1)
				state_char = 'X';
			fclose(f);
		}
		if (!f || state_char == 'Z' || state_char == 'X')
			return;
		usleep(10000);
	}
	fail();
}

static void idle_takes_its_time(void **state)
{
	uint64_t t = kd_now();
	struct pair p;

	pair_init(&p, "idle", "", "", 150 * KD_NS_PER_MS);
	assert_int_equal(run_alone(&p), 0);
	assert_true(kd_now() - t >= 150 * KD_NS_PER_MS);
	assert_true(p.device.t1_ns - p.device.t0_ns < 300 * KD_NS_PER_MS);
	pair_fini(&p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(io_agrees_with_the_kernel),
		cmocka_unit_test(io_spares_files),
		cmocka_unit_test(exec_takes_the_figure),
		cmocka_unit_test(exec_failure_is_told),
		cmocka_unit_test(exec_checks),
		cmocka_unit_test(exec_leaves_no_process),
		cmocka_unit_test(idle_takes_its_time),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
