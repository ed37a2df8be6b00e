/* SPDX-License-Identifier: GPL-2.0-or-later */
#ifndef KD_BASE_PARSE_H
#define KD_BASE_PARSE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Text to numbers, whole string or nothing: 0, -EINVAL (not of the form) or
 * -ERANGE (of the form, does not fit). On failure *out is untouched. All use
 * the C locale's point whatever the process's locale is.
 */
int kd_parse_i64(const char *s, int64_t *out);
int kd_parse_u64(const char *s, uint64_t *out);
int kd_parse_double(const char *s, double *out);

/** kd_parse_bool() - 1/0, y/n, yes/no, on/off, true/false in any case */
int kd_parse_bool(const char *s, bool *out);

/** kd_parse_size() - bytes: "4096", "64k", "16MiB", "1GB" (k, M, G, T and KiB
 * are 1024-based as in iperf3 -n; kB, MB, GB, TB are 1000-based) */
int kd_parse_size(const char *s, uint64_t *out);

/** kd_parse_time() - ns: "2s", "250ms", "10us", "5min", "1h"; a bare number is
 * seconds */
int kd_parse_time(const char *s, uint64_t *out);

/** kd_parse_rate() - bit/s: "200mbit", "1.5Gbit/s", "54M"; 1000-based */
int kd_parse_rate(const char *s, uint64_t *out);

/** kd_parse_pct() - percent: "2%" and "2" are 2.0 */
int kd_parse_pct(const char *s, double *out);

/**
 * kd_parse_line() - the next line out of a buffer
 * @cur: in: where to start; out: after the line and its end
 * @end: past the last byte
 * @len: length of the line without LF or CR LF
 * Return: the line (not terminated), or NULL when nothing is left.
 */
const char *kd_parse_line(const char **cur, const char *end, size_t *len);

#endif
