// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The environments that an experiment's runs had: few texts, many runs.
 */
#include "store/internal.h"

#include <stdlib.h>

int kd_store_environments(struct kd_store *store, int64_t exp_id,
			  struct kd_store_env **out, size_t *n,
			  struct kd_diag *d)
{
	struct kd_store_env *envs = NULL;
	struct kd_query q;
	size_t used = 0;
	int r;

	kd_query_init(&q, store,
		"SELECT c.variant, text, c.runs FROM (SELECT variant, environment, "
		"count(*) runs, min(id) first FROM run WHERE experiment = ? AND "
		"status = 0 AND NOT superseded AND environment NOT NULL "
		"GROUP BY variant, environment) c JOIN environment e ON "
		"e.id = c.environment ORDER BY c.variant, c.first");
	kd_query_int(&q, 1, exp_id);
	while (kd_query_step(&q)) {
		struct kd_store_env *more = envs;

		if (!(used & (used - 1)))
			more = reallocarray(envs, used ? used * 2 : 1,
					    sizeof(*envs));
		if (!more) {
			q.rc = SQLITE_NOMEM;
			break;
		}
		envs = more;
		envs[used++] = (struct kd_store_env){
			.variant = sqlite3_column_int(q.stmt, 0),
			.text = kd_query_str(&q, 1),
			.runs = sqlite3_column_int(q.stmt, 2),
		};
	}
	r = kd_query_fini(&q, d, "cannot read the environments");
	if (r) {
		kd_store_environments_free(envs, used);
		return r;
	}
	*out = envs;
	*n = used;
	return 0;
}

void kd_store_environments_free(struct kd_store_env *envs, size_t n)
{
	for (size_t i = 0; i < n; i++)
		free(envs[i].text);
	free(envs);
}
