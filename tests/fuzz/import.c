// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Any bytes as a log: alone, and as one variant beside another.
 *
 * clang: -fsanitize=fuzzer,address,undefined; else with replay.c.
 */
#include "imports/import.h"
#include "imports/load.h"
#include "stats/dataset.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* what a reader may hand on, whatever it was given */
static void check(const struct kd_dataset *ds)
{
	for (size_t m = 0; m < ds->n_measures; m++) {
		const struct kd_measure *x = &ds->measures[m];

		for (size_t i = 0; i < x->n_samples; i++)
			if (x->samples[i].variant < 0 ||
			    (size_t)x->samples[i].variant >= ds->n_variants ||
			    !isfinite(x->samples[i].value))
				abort();
	}
}

static int read_as(const char *text, size_t size, const char *label,
		   struct kd_dataset *ds)
{
	struct kd_import_file f = {
		.name = "dir/log.txt", .label = label, .data = text,
		.len = size,
	};
	struct kd_diag d = { 0 };
	int r = kd_import_read(&f, NULL, ds, &d);

	/* a failure has words, a success has none */
	if (!r != !d.err || (r && !d.text[0]))
		abort();
	check(ds);
	return r;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct kd_dataset ds = { 0 }, *parts = NULL;
	char *text = malloc(size + 1);
	size_t n = 0;

	if (!text)
		return 0;
	memcpy(text, data, size);
	text[size] = '\0';
	read_as(text, size, "a", &ds);
	read_as(text, size, "b", &ds);
	kd_dataset_fini(&ds);
	if (!read_as(text, size, NULL, &ds) &&
	    !kd_import_parts(&ds, &parts, &n)) {
		for (size_t i = 0; i < n; i++) {
			check(&parts[i]);
			kd_dataset_fini(&parts[i]);
		}
		free(parts);
	}
	kd_dataset_fini(&ds);
	free(text);
	return 0;
}
