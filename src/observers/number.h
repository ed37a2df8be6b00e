/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_OBSERVERS_NUMBER_H
#define KD_OBSERVERS_NUMBER_H

#include <stdint.h>

/**
 * kd_number_read() - the number that an open sysfs file holds now
 * Return: 0, or -errno (-EINVAL where it does not begin with a digit).
 */
int kd_number_read(int fd, uint64_t *out);

/** kd_number_close() - close @fd unless it is negative */
void kd_number_close(int fd);

#endif
