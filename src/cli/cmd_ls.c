// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * kdelta ls: the stored experiments, a line each.
 */
#include "cli/cmd.h"
#include "cli/store_json.h"
#include "cli/store_open.h"
#include "cli/stored.h"

#include "reports/table.h"
#include "reports/words.h"

#include <inttypes.h>

struct options {
	char *store;
	bool json;
};

static const struct kd_opt opts[] = {
	{ "json", KD_OPT_BOOL, offsetof(struct options, json),
	  .help = "for programs" },
	KD_OPT_STORE_ROW(offsetof(struct options, store)),
	{ 0 },
};

static void print_json(const struct kd_store_item *items, size_t n)
{
	json_t *list = json_array();

	for (size_t i = 0; i < n; i++)
		json_array_append_new(list, kd_store_item_json(&items[i]));
	json_dumpf(list, stdout, JSON_INDENT(2));
	putchar('\n');
	json_decref(list);
}

static void number(struct kd_table *t, int64_t v)
{
	char s[24];

	snprintf(s, sizeof(s), "%" PRId64, v);
	kd_table_cell(t, s);
}

static void print_table(const struct kd_store_item *items, size_t n)
{
	static const char *const heads[] = { "id", "date", "variants",
		"workloads", "rounds", "runs", "failed", "name" };
	struct kd_table t = { .columns = 8, .left = 1u << 1 | 1u << 7 };
	struct kd_buf b = { 0 };
	char date[32];

	for (size_t i = 0; i < t.columns; i++)
		kd_table_cell(&t, heads[i]);
	for (size_t i = 0; i < n; i++) {
		number(&t, items[i].id);
		kd_stored_date(items[i].created_wall_ns, date);
		date[16] = '\0';	/* to the minute */
		kd_table_cell(&t, date);
		number(&t, items[i].variants);
		number(&t, items[i].workloads);
		number(&t, items[i].rounds);
		number(&t, items[i].runs_ok);
		number(&t, items[i].runs_failed);
		kd_buf_reset(&b);
		kd_rep_fit(&b, items[i].name, 60);
		kd_table_cell(&t, kd_buf_str(&b));
	}
	kd_table_print(stdout, &t, 0, false);
	kd_table_fini(&t);
	kd_buf_fini(&b);
}

static int run(const void *base, int argc, char **argv)
{
	const struct options *o = base;
	struct kd_store_item *items = NULL;
	struct kd_store *store = NULL;
	struct kd_diag d = { 0 };
	size_t n = 0;
	int r = kd_store_open_read(o->store, &store, &d);

	if (!r)
		r = kd_store_list(store, &items, &n, &d);
	if (r && r != -ENOENT)
		goto out;
	/* no store yet is an empty list, not an error */
	if (o->json)
		print_json(items, n);
	else if (n)
		print_table(items, n);
	else if (r)
		fprintf(stderr, "%s: %s\n", d.subject, d.text);
	else
		fprintf(stderr, "%s: no experiment is stored here yet\n",
			kd_store_name(store));
	kd_diag_clear(&d);
	r = kd_rep_done(stdout, &d);
out:
	kd_store_list_free(items, n);
	kd_store_close(store);
	return r ? kd_cli_fail("ls", &d) : KD_EXIT_DONE;
}

const struct kd_command kd_command_ls = {
	.name = "ls",
	.summary = "list the stored experiments",
	.opts = opts,
	.opts_size = sizeof(struct options),
	.run = run,
};
