/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_STATS_HOLM_H
#define KD_STATS_HOLM_H

#include <stddef.h>

/**
 * kd_holm() - Holm's step-down adjustment over a family
 * @p:     in: raw, out: adjusted; NAN entries are no members and stay
 * @order: room for @n indices
 * Return: size of the family
 */
size_t kd_holm(double *p, size_t n, size_t *order);

#endif
