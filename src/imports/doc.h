/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_DOC_H
#define KD_IMPORTS_DOC_H

#include "base/diag.h"
#include "imports/limits.h"

#include <stdbool.h>
#include <stddef.h>

struct kd_dataset;
struct kd_import_file;
struct kd_import_ops;

/**
 * struct kd_doc_line - one line of a log, cleaned
 * @text: without mail quoting, terminal colours and line end; NUL-terminated
 * @len:  its length
 * @no:   its number in the file, from 1
 * @col:  column in the file of text[0], from 1
 */
struct kd_doc_line {
	char *text;
	size_t len;
	int no;
	int col;
};

/**
 * struct kd_doc - a text that holds figures under labels
 * @heading: the label that stands above the present line: "TX", "" where none
 * @sub:     the second label below it, of "## TX TCP"
 * @caption: the last short comment, for tables
 * @alone:   no other format has blocks in this text
 */
struct kd_doc {
	const struct kd_import_file *file;
	struct kd_dataset *ds;
	struct kd_diag *d;
	struct kd_doc_line *lines;
	size_t n;
	char *store;
	char stem[KD_IMPORT_LABEL_MAX];
	char heading[KD_IMPORT_LABEL_MAX];
	char sub[KD_IMPORT_LABEL_MAX];
	char caption[KD_IMPORT_LABEL_MAX];
	bool alone;
};

/** struct kd_figure - one value on its way into the dataset; text is borrowed */
struct kd_figure {
	const char *variant;
	const char *workload;
	const char *metric;	/* NULL: by the unit */
	const char *unit;	/* as in the log */
	double value;
	bool binary;		/* K before bytes is 1024 */
	bool exploratory;	/* beside the point of the log */
};

/** kd_doc_open() - cut a file into lines; closed with kd_doc_close() */
int kd_doc_open(struct kd_doc *doc, const struct kd_import_file *f,
		struct kd_dataset *ds, struct kd_diag *d);
void kd_doc_close(struct kd_doc *doc);

/** kd_doc_read() - read all blocks of @ops (NULL-terminated) in a text
 * Return: 0, -ENOENT where no block was found, or an error. */
int kd_doc_read(struct kd_doc *doc, const struct kd_import_ops *const *ops);

/** kd_doc_fail() - -EINVAL at a line; @column counts from 0 in its text */
int kd_doc_fail(const struct kd_doc *doc, size_t i, size_t column,
		const char *fmt, ...) __attribute__((format(printf, 4, 5)));

/** kd_doc_is_blank() - nothing but blanks; true past the end */
bool kd_doc_is_blank(const struct kd_doc *doc, size_t i);

/**
 * kd_doc_place() - which variant and which workload a labelled figure is of
 * @label:    of the line itself, "" where none
 * @variant, @workload: KD_IMPORT_LABEL_MAX bytes each
 *
 * A file that is one variant keeps all labels as the workload. Else the label
 * that names a direction is the workload, and the other one the variant.
 */
int kd_doc_place(const struct kd_doc *doc, const char *label, char *variant,
		 char *workload);

/** kd_figure_add() - add it in the unit that its measure has already */
int kd_figure_add(struct kd_dataset *ds, const struct kd_figure *f,
		  struct kd_diag *d);

/** kd_note() - a sentence for the reader, the same one only once */
int kd_note(struct kd_dataset *ds, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/** kd_snip() - up to 40 bytes of @text, printable */
const char *kd_snip(const char *text, char out[48]);

/** kd_label_is_direction() - does it say which way data goes */
bool kd_label_is_direction(const char *label);

/** kd_label_is_change() - does it name a state of what was changed: "before",
 * "enable_sleep=1", "with patch" */
bool kd_label_is_change(const char *label);

/**
 * kd_number_scan() - a number at the start of a text: "~3.7", "76,672", "163k"
 * @s:      where; blanks are not skipped
 * @suffix: allow k, M, G (1000-based) right after the digits
 * @approx: set where it is marked with ~; may be NULL
 * Return: the first byte after it, or NULL.
 */
const char *kd_number_scan(const char *s, bool suffix, double *value,
			   bool *approx);

/** kd_number_is() - is the whole text one number */
bool kd_number_is(const char *s);

#endif
