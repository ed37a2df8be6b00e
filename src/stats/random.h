/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_RANDOM_H
#define KD_STATS_RANDOM_H

#include <gsl/gsl_rng.h>
#include <stddef.h>
#include <stdint.h>

/** struct kd_random - a seeded stream; the same on every machine */
struct kd_random {
	gsl_rng *rng;
};

/** kd_random_init() - 0 or -ENOMEM */
int kd_random_init(struct kd_random *r, uint64_t seed);
void kd_random_fini(struct kd_random *r);

/** kd_random_seed() - a seed of its own for something named @text, so that
 * what else is analysed beside it changes nothing */
uint64_t kd_random_seed(uint64_t seed, const char *text);

/** kd_random_bits() - 32 random bits (MT19937 gives 32) */
static inline uint32_t kd_random_bits(struct kd_random *r)
{
	return (uint32_t)gsl_rng_get(r->rng);
}

/** kd_random_below() - 0 to @n - 1; bias is under n / 2^32 */
static inline size_t kd_random_below(struct kd_random *r, size_t n)
{
	return (size_t)((uint64_t)kd_random_bits(r) * (uint64_t)n >> 32);
}

#endif
