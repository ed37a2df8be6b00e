/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_STR_H
#define KD_BASE_STR_H

#include <stdbool.h>
#include <stddef.h>

#define KD_ARRAY_SIZE(a) (sizeof(a) / sizeof((a)[0]))

/**
 * kd_str_distance() - edits (insert, delete, replace, swap of neighbours)
 * between two words; words over 63 bytes are cut there
 */
unsigned int kd_str_distance(const char *a, const char *b);

/**
 * kd_str_nearest() - the word of a list that @s most likely meant
 * @words: @n pointers, @stride bytes apart (so that a table's name column can
 *         be searched in place); NULL entries are passed over
 * Return: the word, or NULL where none is near enough to be worth saying.
 */
const char *kd_str_nearest(const char *s, const void *words, size_t n,
			   size_t stride);

/** kd_str_trim() - cut blanks at both ends in place; returns the new start */
char *kd_str_trim(char *s);

/** kd_str_has_prefix() - does @s start with @prefix */
bool kd_str_has_prefix(const char *s, const char *prefix);

#endif
