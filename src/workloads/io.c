// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Storage, one request at a time: reads or writes of one block in a working
 * set, and how long each takes. A directory gets a file that has no name, so
 * nothing stays behind whatever happens; an existing file is only read.
 */
#include "workloads/workload.h"

#include "base/clock.h"
#include "base/opt.h"
#include "workloads/engine/cpus.h"
#include "workloads/engine/histo.h"
#include "workloads/engine/pool.h"
#include "workloads/engine/ticks.h"

#include <fcntl.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define ALIGN 4096
#define FILL_BLOCK (1 << 20)

enum op { OP_READ, OP_WRITE };
enum access { ACCESS_RANDOM, ACCESS_SEQUENTIAL };

static const char *const op_names[] = { "read", "write", NULL };
static const char *const access_names[] = { "random", "sequential", NULL };

struct io_opts {
	char *path;
	int op;
	int access;
	uint64_t block;
	uint64_t size;
	double rate;
	bool direct;
	bool sync;
	bool cached;
	char *cpus;
};

static const struct kd_opt io_opts[] = {
	{ "op", KD_OPT_ENUM, offsetof(struct io_opts, op),
	  .choices = op_names, .def = "read", .flags = KD_OPT_POSITIONAL,
	  .help = "read or write" },
	{ "access", KD_OPT_ENUM, offsetof(struct io_opts, access),
	  .choices = access_names, .def = "random", .flags = KD_OPT_POSITIONAL,
	  .help = "order of the blocks" },
	{ "path", KD_OPT_STR, offsetof(struct io_opts, path), .arg = "PATH",
	  .def = "/tmp",
	  .help = "directory for a temporary file, or a file to read" },
	{ "block", KD_OPT_SIZE, offsetof(struct io_opts, block), .min = 1,
	  .max = 64 << 20, .def = "4k", .help = "bytes per request" },
	{ "size", KD_OPT_SIZE, offsetof(struct io_opts, size), .min = 1,
	  .def = "16m", .help = "working set" },
	{ "rate", KD_OPT_REAL, offsetof(struct io_opts, rate), .def = "0",
	  .help = "requests per second; 0 is one after the other" },
	{ "direct", KD_OPT_BOOL, offsetof(struct io_opts, direct),
	  .help = "past the page cache (O_DIRECT)" },
	{ "sync", KD_OPT_BOOL, offsetof(struct io_opts, sync),
	  .help = "each write is on the medium when it returns (O_DSYNC)" },
	{ "cached", KD_OPT_BOOL, offsetof(struct io_opts, cached),
	  .help = "let reads hit the page cache instead of dropping it before each" },
	{ "cpus", KD_OPT_STR, offsetof(struct io_opts, cpus), .arg = "LIST",
	  .help = "CPU of the thread" },
	{ 0 },
};

enum metric { IO_IOPS, IO_THROUGHPUT, IO_BYTES, IO_LATENCY };

static const struct kd_metric_desc io_metrics[] = {
	{ "io.iops", "1/s", KD_BETTER_HIGHER, "requests per second" },
	{ "io.throughput", "MiB/s", KD_BETTER_HIGHER, "bytes moved" },
	{ "io.bytes", "B", KD_BETTER_NONE, "bytes moved in the window" },
	KD_LATENCY_ROWS("io", "time of a request"),
	{ 0 },
};

struct io {
	const struct kd_work_env *env;
	const struct io_opts *opts;
	int fd;
	char *buf;
	uint64_t blocks;
	uint64_t seed;
	const char *note;
	struct kd_histo *histo;
	uint64_t done;
	int recording;
	uint64_t t0_ns, t1_ns, done0, done1;
	bool has_pool;
	struct kd_pool pool;
	struct kd_ticks ticks;
};

static int io_check(const void *opts, struct kd_diag *d)
{
	const struct io_opts *o = opts;

	if (o->block > o->size)
		return kd_fail(d, -EINVAL,
			       "io: a block of %llu does not fit a size of %llu",
			       (unsigned long long)o->block,
			       (unsigned long long)o->size);
	if (o->direct && o->block % 512)
		return kd_fail(d, -EINVAL,
			       "io: direct needs a block that is a multiple of 512");
	if (o->sync && o->op != OP_WRITE)
		return kd_fail(d, -EINVAL, "io: sync is for writes");
	if (o->rate < 0)
		return kd_fail(d, -EINVAL, "io: rate: below zero");
	return o->cpus ? kd_cpus_check(o->cpus, "cpus", d) : 0;
}

/* xorshift64* (Vigna, 2016) */
static uint64_t next_random(uint64_t *s)
{
	*s ^= *s >> 12;
	*s ^= *s << 25;
	*s ^= *s >> 27;
	return *s * 0x2545F4914F6CDD1DULL;
}

static void fill_random(char *buf, size_t len, uint64_t *seed)
{
	for (size_t i = 0; i < len; i += sizeof(uint64_t)) {
		uint64_t v = next_random(seed);

		memcpy(buf + i, &v, len - i < sizeof(v) ? len - i : sizeof(v));
	}
}

static int open_temporary(struct io *x, int flags, struct kd_diag *d)
{
	char name[512];
	int fd = open(x->opts->path, O_TMPFILE | O_RDWR | O_CLOEXEC | flags,
		      0600);

	if (fd >= 0 || (errno != EOPNOTSUPP && errno != EISDIR))
		return fd;
	/* a file system without nameless files */
	snprintf(name, sizeof(name), "%s/.kdelta-io-XXXXXX", x->opts->path);
	fd = mkostemp(name, O_CLOEXEC | flags);
	if (fd >= 0)
		unlink(name);
	return fd;
}

static int open_path(struct io *x, bool is_dir, struct kd_diag *d)
{
	int flags = x->opts->sync ? O_DSYNC : 0;
	int direct = x->opts->direct ? O_DIRECT : 0;
	struct statfs fs;

	for (;;) {
		x->fd = is_dir ? open_temporary(x, flags | direct, d) :
			open(x->opts->path, O_RDONLY | O_CLOEXEC | direct);
		if (x->fd >= 0)
			break;
		if (!direct || errno != EINVAL)
			return kd_fail_errno(d, "cannot open %s",
					     x->opts->path);
		direct = 0;
		x->note = "this file system has no direct I/O: requests go through the page cache";
	}
	if (direct && !fstatfs(x->fd, &fs) && fs.f_type == TMPFS_MAGIC)
		x->note = "tmpfs lives in the page cache: direct makes no difference there";
	return 0;
}

static int fill_file(struct io *x, struct kd_diag *d)
{
	uint64_t size = x->blocks * x->opts->block, at = 0;
	char *buf = aligned_alloc(ALIGN, FILL_BLOCK);
	int flags = fcntl(x->fd, F_GETFL), r = 0;

	if (!buf)
		return kd_fail(d, -ENOMEM, "out of memory");
	/* the last piece may be odd, and no medium needs each piece now */
	fcntl(x->fd, F_SETFL, flags & ~O_DIRECT);
	while (at < size && !r) {
		size_t len = size - at < FILL_BLOCK ? (size_t)(size - at) :
						      FILL_BLOCK;
		ssize_t n;

		fill_random(buf, len, &x->seed);
		n = pwrite(x->fd, buf, len, (off_t)at);
		if (n <= 0)
			r = kd_fail_errno(d, "cannot fill a file of %llu bytes in %s",
					  (unsigned long long)size,
					  x->opts->path);
		else
			at += (uint64_t)n;
		if (kd_now() >= x->env->deadline_ns ||
		    (x->env->cancelled && *x->env->cancelled))
			r = kd_fail(d, -ETIMEDOUT,
				    "no time left to fill a file of %llu bytes",
				    (unsigned long long)size);
	}
	if (!r && fdatasync(x->fd))
		r = kd_fail_errno(d, "cannot write to %s", x->opts->path);
	fcntl(x->fd, F_SETFL, flags);
	free(buf);
	return r;
}

static int open_file(struct io *x, struct kd_diag *d)
{
	const struct io_opts *o = x->opts;
	struct stat st;
	uint64_t size = o->size;
	int r;

	if (stat(o->path, &st))
		return kd_fail_errno(d, "cannot find %s", o->path);
	if (!S_ISDIR(st.st_mode) && o->op == OP_WRITE) {
		r = kd_fail(d, -EPERM, "%s is a file that exists, and would be "
			    "overwritten", o->path);
		kd_diag_hint(d, "give a directory, writes go to a file made there");
		return r;
	}
	r = open_path(x, S_ISDIR(st.st_mode), d);
	if (r)
		return r;
	if (!S_ISDIR(st.st_mode)) {
		off_t end = lseek(x->fd, 0, SEEK_END);

		if (end >= 0 && (uint64_t)end < size)
			size = (uint64_t)end;
	}
	x->blocks = size / o->block;
	if (!x->blocks)
		return kd_fail(d, -EINVAL, "%s is shorter than one block",
			       o->path);
	return S_ISDIR(st.st_mode) ? fill_file(x, d) : 0;
}

static int request(struct io *x, uint64_t block)
{
	off_t at = (off_t)(block * x->opts->block);
	size_t len = x->opts->block;
	ssize_t n;

	if (x->opts->op == OP_READ)
		n = pread(x->fd, x->buf, len, at);
	else
		n = pwrite(x->fd, x->buf, len, at);
	if (n < 0)
		return -errno;
	return (size_t)n == len ? 0 : -EIO;
}

static void io_body(struct kd_worker *w, void *arg)
{
	struct io *x = arg;
	const struct io_opts *o = x->opts;
	double step = o->rate > 0 ? 1e9 / o->rate : 0;
	bool drop = o->op == OP_READ && !o->cached && !o->direct;
	struct epoll_event ev;
	uint64_t from = kd_now(), block = 0;

	for (uint64_t i = 0; !kd_pool_is_stopped(w->pool); i++) {
		uint64_t due = from + (uint64_t)((double)i * step), t;
		int r;

		while (step > 0 && kd_now() < due &&
		       !kd_pool_is_stopped(w->pool))
			kd_worker_wait(w, &ev, 1, due);
		if (kd_pool_is_stopped(w->pool))
			break;
		if (o->access == ACCESS_RANDOM)
			block = next_random(&x->seed) % x->blocks;
		else
			block = i % x->blocks;
		if (drop)
			posix_fadvise(x->fd, (off_t)(block * o->block),
				      (off_t)o->block, POSIX_FADV_DONTNEED);
		t = kd_now();
		r = request(x, block);
		t = kd_now() - t;
		if (r) {
			kd_pool_fail(w->pool, r, "a %s of %s failed: %s",
				     op_names[o->op], o->path, strerror(-r));
			break;
		}
		if (__atomic_load_n(&x->recording, __ATOMIC_RELAXED))
			kd_histo_add(x->histo, t);
		__atomic_store_n(&x->done, x->done + 1, __ATOMIC_RELAXED);
	}
}

static void io_fini(void *priv)
{
	struct io *x = priv;

	if (x->has_pool)
		kd_pool_fini(&x->pool);
	if (x->fd >= 0)
		close(x->fd);
	free(x->buf);
	free(x->histo);
}

static int io_prepare(void *priv, const struct kd_work_env *env,
		      const void *opts, struct kd_diag *d)
{
	struct io *x = priv;
	int r;

	x->env = env;
	x->opts = opts;
	x->fd = -1;
	x->seed = kd_now() | 1;
	x->histo = calloc(1, sizeof(*x->histo));
	x->buf = aligned_alloc(ALIGN, (x->opts->block + ALIGN - 1) &
				      ~(uint64_t)(ALIGN - 1));
	if (!x->histo || !x->buf) {
		r = kd_fail(d, -ENOMEM, "out of memory");
	} else {
		fill_random(x->buf, x->opts->block, &x->seed);
		r = open_file(x, d);
	}
	if (!r) {
		x->has_pool = true;
		r = kd_pool_init(&x->pool, env, 1,
				 x->opts->cpus ? x->opts->cpus : env->cpus,
				 io_body, x, d);
	}
	if (r)
		io_fini(x);
	return r;
}

static int io_start(void *priv, struct kd_diag *d)
{
	struct io *x = priv;

	kd_pool_go(&x->pool);
	return 0;
}

static uint64_t done(const struct io *x)
{
	return __atomic_load_n(&x->done, __ATOMIC_RELAXED);
}

static int io_begin(void *priv, uint64_t *t0_ns, struct kd_diag *d)
{
	struct io *x = priv;

	*t0_ns = x->t0_ns = kd_now();
	x->done0 = done(x);
	__atomic_store_n(&x->recording, 1, __ATOMIC_RELAXED);
	kd_ticks_begin(&x->ticks, x->t0_ns, x->done0);
	return 0;
}

static int io_wait(void *priv, uint64_t until_ns, struct kd_diag *d)
{
	struct io *x = priv;
	int r;

	while ((r = kd_pool_wait(&x->pool, until_ns, kd_ticks_due(&x->ticks),
				 d)) == -EAGAIN)
		kd_ticks_add(&x->ticks, kd_now(), done(x));
	return r;
}

static int io_end(void *priv, uint64_t *t1_ns, struct kd_diag *d)
{
	struct io *x = priv;

	__atomic_store_n(&x->recording, 0, __ATOMIC_RELAXED);
	*t1_ns = x->t1_ns = kd_now();
	x->done1 = done(x);
	kd_ticks_add(&x->ticks, x->t1_ns, x->done1);
	return 0;
}

static void io_stop(void *priv)
{
	struct io *x = priv;

	kd_pool_stop(&x->pool);
}

static void io_result(void *priv, struct kd_sink *s)
{
	struct io *x = priv;
	double n = (double)(x->done1 - x->done0);
	double length = (double)(x->t1_ns - x->t0_ns) / 1e9;
	double bytes = n * (double)x->opts->block;

	if (x->note)
		s->event(s, "note", 0, 0, x->note);
	s->metric(s, &io_metrics[IO_BYTES], NULL, bytes);
	if (length <= 0)
		return;
	s->metric(s, &io_metrics[IO_IOPS], NULL, n / length);
	s->metric(s, &io_metrics[IO_THROUGHPUT], NULL,
		  bytes / 0x1p20 / length);
	kd_ticks_result(&x->ticks, s, &io_metrics[IO_IOPS], 1);
	kd_histo_report(x->histo, s, &io_metrics[IO_LATENCY]);
}

const struct kd_work_ops kd_work_io_ops = {
	.name = "io",
	.summary = "storage, one request at a time",
	.opts = io_opts,
	.opts_size = sizeof(struct io_opts),
	.priv_size = sizeof(struct io),
	.metrics = io_metrics,
	.check = io_check,
	.prepare = io_prepare,
	.start = io_start,
	.begin = io_begin,
	.wait = io_wait,
	.end = io_end,
	.stop = io_stop,
	.result = io_result,
	.fini = io_fini,
};
