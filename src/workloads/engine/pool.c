// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The engine's threads: made before the run, started together, stopped by an
 * eventfd that each has in its own epoll set. Nothing is shared on the hot
 * path but the stop word, which is only read.
 */
#include "workloads/engine/pool.h"

#include "base/clock.h"
#include "workloads/engine/cpus.h"
#include "workloads/workload.h"

#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <stdio.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* env->cancelled has no descriptor to wait for */
#define CANCEL_POLL_NS (20 * KD_NS_PER_MS)

static void wake(int fd)
{
	uint64_t one = 1;
	ssize_t n = write(fd, &one, sizeof(one));

	(void)n;
}

static void *thread_main(void *arg)
{
	struct kd_worker *w = arg;
	struct kd_pool *p = w->pool;
	struct pollfd pfd = { .fd = w->wake_fd, .events = POLLIN };
	uint64_t drop;
	int r = kd_cpus_pin(w->cpu);

	prctl(PR_SET_TIMERSLACK, 1, 0, 0, 0);
	if (r)
		kd_pool_fail(p, r, "cannot run on CPU %d: %s", w->cpu,
			     strerror(-r));
	while (!__atomic_load_n(&p->go, __ATOMIC_ACQUIRE) &&
	       !kd_pool_is_stopped(p))
		if (poll(&pfd, 1, -1) > 0 &&
		    read(w->wake_fd, &drop, sizeof(drop)) < 0)
			continue;
	/* a start that came before the poll: left there, every wait of the
	 * body would return at once */
	if (read(w->wake_fd, &drop, sizeof(drop)) < 0)
		drop = 0;
	if (!kd_pool_is_stopped(p) && !r)
		p->body(w, p->arg);
	return NULL;
}

static int worker_init(struct kd_pool *p, struct kd_worker *w,
		       unsigned int index, const char *cpus, struct kd_diag *d)
{
	w->pool = p;
	w->index = index;
	w->cpu = kd_cpus_nth(cpus, index);
	w->wake_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	w->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
	if (w->wake_fd < 0 || w->epoll_fd < 0 ||
	    kd_worker_watch(w, w->wake_fd, EPOLLIN, NULL))
		return kd_fail_errno(d, "cannot make an epoll set");
	if (w->cpu == -EINVAL)
		return kd_cpus_check(cpus, "cpus", d);
	errno = pthread_create(&w->thread, NULL, thread_main, w);
	if (errno)
		return kd_fail_errno(d, "cannot start a thread");
	w->running = true;
	return 0;
}

int kd_pool_init(struct kd_pool *p, const struct kd_work_env *env,
		 unsigned int count, const char *cpus,
		 void (*body)(struct kd_worker *w, void *arg), void *arg,
		 struct kd_diag *d)
{
	sigset_t all, old;
	int r = 0;

	memset(p, 0, sizeof(*p));
	p->env = env;
	p->body = body;
	p->arg = arg;
	p->finish_at = UINT32_MAX;
	p->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	if (p->event_fd < 0)
		return kd_fail_errno(d, "cannot make an eventfd");
	pthread_mutex_init(&p->lock, NULL);
	p->locked = true;
	p->workers = aligned_alloc(KD_LINE, count * sizeof(*p->workers));
	if (!p->workers)
		return kd_fail(d, -ENOMEM, "out of memory");
	memset(p->workers, 0, count * sizeof(*p->workers));
	for (unsigned int i = 0; i < count; i++)
		p->workers[i].wake_fd = p->workers[i].epoll_fd = -1;
	p->count = count;
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	for (unsigned int i = 0; i < count && !r; i++)
		r = worker_init(p, &p->workers[i], i, cpus, d);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return r;
}

void kd_pool_go(struct kd_pool *p)
{
	__atomic_store_n(&p->go, 1, __ATOMIC_RELEASE);
	for (unsigned int i = 0; i < p->count; i++)
		wake(p->workers[i].wake_fd);
}

void kd_pool_stop(struct kd_pool *p)
{
	if (!p->locked)
		return;
	pthread_mutex_lock(&p->lock);
	__atomic_store_n(&p->stop, 1, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&p->lock);
	for (unsigned int i = 0; i < p->count; i++)
		if (p->workers[i].running)
			wake(p->workers[i].wake_fd);
	for (unsigned int i = 0; i < p->count; i++) {
		if (p->workers[i].running)
			pthread_join(p->workers[i].thread, NULL);
		p->workers[i].running = false;
	}
}

void kd_pool_fini(struct kd_pool *p)
{
	kd_pool_stop(p);
	for (unsigned int i = 0; i < p->count; i++) {
		if (p->workers[i].wake_fd >= 0)
			close(p->workers[i].wake_fd);
		if (p->workers[i].epoll_fd >= 0)
			close(p->workers[i].epoll_fd);
	}
	free(p->workers);
	if (p->locked) {
		pthread_mutex_destroy(&p->lock);
		close(p->event_fd);
	}
	memset(p, 0, sizeof(*p));
}

int kd_pool_fail(struct kd_pool *p, int err, const char *fmt, ...)
{
	char text[sizeof(p->diag.text)];
	va_list ap;

	va_start(ap, fmt);
	vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	pthread_mutex_lock(&p->lock);
	if (!p->stop)
		kd_fail(p->diag.err ? NULL : &p->diag, err, "%s", text);
	pthread_mutex_unlock(&p->lock);
	wake(p->event_fd);
	return err;
}

void kd_pool_finish(struct kd_pool *p)
{
	__atomic_add_fetch(&p->finished, 1, __ATOMIC_RELEASE);
	wake(p->event_fd);
}

bool kd_pool_is_finished(const struct kd_pool *p)
{
	return __atomic_load_n(&p->finished, __ATOMIC_ACQUIRE) >= p->finish_at;
}

static int failure(struct kd_pool *p, struct kd_diag *d)
{
	int err;

	pthread_mutex_lock(&p->lock);
	err = p->diag.err;
	if (err && d && !d->err)
		*d = p->diag;
	pthread_mutex_unlock(&p->lock);
	return err;
}

int kd_pool_wait(struct kd_pool *p, uint64_t until_ns, uint64_t due_ns,
		 struct kd_diag *d)
{
	struct pollfd pfd = { .fd = p->event_fd, .events = POLLIN };
	uint64_t end = until_ns, drop;

	if (end > p->env->deadline_ns)
		end = p->env->deadline_ns;
	for (;;) {
		uint64_t now = kd_now(), next = now + CANCEL_POLL_NS;
		struct timespec ts;
		int r = failure(p, d);

		if (r)
			return r;
		if (now >= end || kd_pool_is_finished(p) ||
		    (p->env->cancelled && *p->env->cancelled))
			return 0;
		if (due_ns && now >= due_ns)
			return -EAGAIN;
		if (next > end)
			next = end;
		if (due_ns && next > due_ns)
			next = due_ns;
		ts.tv_sec = (time_t)((next - now) / KD_NS_PER_SEC);
		ts.tv_nsec = (long)((next - now) % KD_NS_PER_SEC);
		if (ppoll(&pfd, 1, &ts, NULL) > 0 &&
		    read(p->event_fd, &drop, sizeof(drop)) < 0)
			continue;
	}
}

static int wait_events(struct kd_worker *w, struct epoll_event *events,
		       int max, uint64_t due_ns)
{
	uint64_t now, left;
	int n;

	if (!due_ns)
		return epoll_wait(w->epoll_fd, events, max, -1);
	now = kd_now();
	left = due_ns > now ? due_ns - now : 0;
#ifdef SYS_epoll_pwait2
	/* the kernel's __kernel_timespec has 64-bit fields everywhere */
	long long ts[2] = { (long long)(left / KD_NS_PER_SEC),
			    (long long)(left % KD_NS_PER_SEC) };

	n = (int)syscall(SYS_epoll_pwait2, w->epoll_fd, events, max, ts, NULL,
			 8);
	if (n >= 0 || errno != ENOSYS)
		return n;
#endif
	n = epoll_wait(w->epoll_fd, events, max, (int)(left / KD_NS_PER_MS));
	return n;
}

int kd_worker_wait(struct kd_worker *w, struct epoll_event *events, int max,
		   uint64_t due_ns)
{
	int n = wait_events(w, events, max, due_ns);
	int kept = 0;

	for (int i = 0; i < n; i++)
		if (events[i].data.ptr)
			events[kept++] = events[i];
	return kept;
}

int kd_worker_watch(struct kd_worker *w, int fd, uint32_t events, void *ptr)
{
	struct epoll_event ev = { .events = events, .data.ptr = ptr };

	return epoll_ctl(w->epoll_fd, EPOLL_CTL_ADD, fd, &ev) ? -errno : 0;
}

int kd_worker_rewatch(struct kd_worker *w, int fd, uint32_t events, void *ptr)
{
	struct epoll_event ev = { .events = events, .data.ptr = ptr };

	return epoll_ctl(w->epoll_fd, EPOLL_CTL_MOD, fd, &ev) ? -errno : 0;
}
