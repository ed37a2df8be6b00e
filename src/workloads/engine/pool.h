/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_WORKLOADS_ENGINE_POOL_H
#define KD_WORKLOADS_ENGINE_POOL_H

#include "base/diag.h"

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct epoll_event;
struct kd_pool;
struct kd_work_env;

/* one cache line; counters of two threads never share one */
#define KD_LINE 64

/**
 * struct kd_worker - one thread of the engine
 * @epoll_fd: its own; @wake_fd is in it with a NULL pointer
 * @index:    from 0
 */
struct kd_worker {
	struct kd_pool *pool;
	unsigned int index;
	int epoll_fd;
	int wake_fd;
	int cpu;
	bool running;
	pthread_t thread;
} __attribute__((aligned(KD_LINE)));

/**
 * struct kd_pool - the threads of one end of one run
 *
 * Threads start at kd_pool_init(), wait for kd_pool_go(), then run @body until
 * kd_pool_is_stopped(). They tell the end's own thread about failures and
 * finished flows through @event_fd.
 */
struct kd_pool {
	const struct kd_work_env *env;
	struct kd_worker *workers;
	unsigned int count;
	void (*body)(struct kd_worker *w, void *arg);
	void *arg;
	int event_fd;
	int go;
	int stop;
	unsigned int finished;
	unsigned int finish_at;
	bool locked;
	pthread_mutex_t lock;
	struct kd_diag diag;
};

/**
 * kd_pool_init() - make @count threads that wait
 * @cpus: list to pin them to in turn, or NULL
 */
int kd_pool_init(struct kd_pool *p, const struct kd_work_env *env,
		 unsigned int count, const char *cpus,
		 void (*body)(struct kd_worker *w, void *arg), void *arg,
		 struct kd_diag *d);

/** kd_pool_go() - let the bodies run */
void kd_pool_go(struct kd_pool *p);

/** kd_pool_stop() - end and join the threads; may be called again */
void kd_pool_stop(struct kd_pool *p);

/** kd_pool_fini() - stop and free; right for a zeroed pool too */
void kd_pool_fini(struct kd_pool *p);

static inline bool kd_pool_is_stopped(const struct kd_pool *p)
{
	return __atomic_load_n(&p->stop, __ATOMIC_RELAXED);
}

/** kd_pool_fail() - from any thread: the run is broken; first one wins.
 * Nothing once the pool is being stopped. */
int kd_pool_fail(struct kd_pool *p, int err, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));

/** kd_pool_finish() - from a worker: one of @finish_at flows is complete */
void kd_pool_finish(struct kd_pool *p);

/** kd_pool_is_finished() - are all of @finish_at complete */
bool kd_pool_is_finished(const struct kd_pool *p);

/**
 * kd_pool_wait() - until @until_ns, a failure, all finished, or cancelled
 * @due_ns: also come back then, with -EAGAIN; 0 for never
 * Return: 0, -EAGAIN, or the failure with its words in @d.
 */
int kd_pool_wait(struct kd_pool *p, uint64_t until_ns, uint64_t due_ns,
		 struct kd_diag *d);

/**
 * kd_worker_wait() - the worker's epoll_wait()
 * @due_ns: come back then at the latest (to the microsecond where the kernel
 *          has epoll_pwait2(), 5.11); 0 for never
 * Return: number of events, wake-ups by kd_pool_stop() left out.
 */
int kd_worker_wait(struct kd_worker *w, struct epoll_event *events, int max,
		   uint64_t due_ns);

/** kd_worker_watch() - add @fd to the worker's epoll */
int kd_worker_watch(struct kd_worker *w, int fd, uint32_t events, void *ptr);

/** kd_worker_rewatch() - change what is waited for */
int kd_worker_rewatch(struct kd_worker *w, int fd, uint32_t events, void *ptr);

#endif
