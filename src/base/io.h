/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_IO_H
#define KD_BASE_IO_H

#include <stddef.h>
#include <stdint.h>

/*
 * All of @len bytes over a socket, blocking or not, until @deadline_ns on
 * kd_now()'s clock. Return: 0, -EPIPE (the other end has closed), -ETIMEDOUT or
 * another -errno.
 */
int kd_recv_all(int fd, void *data, size_t len, uint64_t deadline_ns);
int kd_send_all(int fd, const void *data, size_t len, uint64_t deadline_ns);

#endif
