// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Seeded random numbers: GSL's MT19937, whose seed is 32 bits, so 64-bit seeds
 * are mixed down first (finaliser of splitmix64).
 */
#include "stats/random.h"

#include <errno.h>

static uint64_t mixed(uint64_t x)
{
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9ULL;
	x = (x ^ x >> 27) * 0x94d049bb133111ebULL;
	return x ^ x >> 31;
}

int kd_random_init(struct kd_random *r, uint64_t seed)
{
	r->rng = gsl_rng_alloc(gsl_rng_mt19937);
	if (!r->rng)
		return -ENOMEM;
	gsl_rng_set(r->rng, (unsigned long)(mixed(seed) >> 32));
	return 0;
}

void kd_random_fini(struct kd_random *r)
{
	gsl_rng_free(r->rng);
	r->rng = NULL;
}

uint64_t kd_random_seed(uint64_t seed, const char *text)
{
	uint64_t h = mixed(seed + 0x9e3779b97f4a7c15ULL);

	for (; *text; text++)
		h = (h ^ (unsigned char)*text) * 0x100000001b3ULL;
	return mixed(h);
}
