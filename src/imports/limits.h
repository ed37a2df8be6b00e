/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_IMPORTS_LIMITS_H
#define KD_IMPORTS_LIMITS_H

/*
 * What a log may hold. Real ones are far below; a hostile one must not take
 * the machine's memory or time.
 */
#define KD_IMPORT_BYTES_MAX (64u << 20)
#define KD_IMPORT_LINES_MAX 1000000	/* of a text */
#define KD_IMPORT_LINE_MAX (1u << 20)	/* bytes; curl's meter is one line */
#define KD_IMPORT_LABEL_MAX 160		/* bytes of one name */
#define KD_IMPORT_VARIANTS_MAX 256
#define KD_IMPORT_MEASURES_MAX 2048
#define KD_IMPORT_SAMPLES_MAX 1000000	/* of one measure */
#define KD_IMPORT_NOTES_MAX 200

/* a uniq -c histogram up to this many events is a sample of that size; a
 * larger one is one run's distribution, told by its summary */
#define KD_IMPORT_EXPAND_MAX 5000

#endif
