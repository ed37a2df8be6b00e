// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The control connection of an iperf3 test: a byte a state, JSON behind a
 * length. See iperf3.h.
 */
#include "peer/iperf3_session.h"

#include "base/clock.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>

static int put(struct kd_iperf3_session *s, const void *data, size_t len)
{
	return kd_peer_write(s->peer, s->control, data, len,
			     kd_now() + KD_IPERF3_STEP_NS);
}

int kd_iperf3_send_state(struct kd_iperf3_session *s, int state)
{
	signed char c = (signed char)state;

	return put(s, &c, 1);
}

void kd_iperf3_send_error(struct kd_iperf3_session *s, int code, int err)
{
	uint32_t words[2] = { htobe32((uint32_t)code), htobe32((uint32_t)err) };

	if (!kd_iperf3_send_state(s, KD_IPERF3_SERVER_ERROR))
		put(s, words, sizeof(words));
}

int kd_iperf3_read_json(struct kd_iperf3_session *s, uint32_t max,
			json_t **out)
{
	uint64_t deadline = kd_now() + KD_IPERF3_STEP_NS;
	uint32_t len;
	char *text;
	int r = kd_peer_read(s->peer, s->control, &len, sizeof(len), deadline);

	if (r)
		return r;
	len = be32toh(len);
	if (!len || len > max)
		return -EMSGSIZE;
	text = malloc(len);
	if (!text)
		return -ENOMEM;
	r = kd_peer_read(s->peer, s->control, text, len, deadline);
	if (!r) {
		/* real and unknown counts of 2^64 - 1 pass 64 bits */
		*out = json_loadb(text, len, JSON_DECODE_INT_AS_REAL, NULL);
		r = *out ? 0 : -EPROTO;
	}
	free(text);
	return r;
}

int kd_iperf3_write_json(struct kd_iperf3_session *s, json_t *json)
{
	char *text = json_dumps(json, JSON_COMPACT);
	uint32_t len;
	int r;

	json_decref(json);
	if (!text)
		return -ENOMEM;
	len = htobe32((uint32_t)strlen(text));
	r = put(s, &len, sizeof(len));
	if (!r)
		r = put(s, text, strlen(text));
	free(text);
	return r;
}
