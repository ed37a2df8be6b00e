// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The client's side of an iperf3 test. See client.h and iperf3.h.
 */
#include "iperf3/client.h"

#include "base/clock.h"
#include "base/io.h"

#include <endian.h>
#include <errno.h>
#include <math.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <unistd.h>

#define STEP_NS (10 * KD_NS_PER_SEC)
#define HELLO_TRIES 10
#define HELLO_NS (500 * KD_NS_PER_MS)

static uint64_t step(const struct kd_iperf3_client *c)
{
	uint64_t end = kd_now() + STEP_NS;

	return end < c->deadline_ns ? end : c->deadline_ns;
}

static int lost(struct kd_diag *d, int err, const char *doing)
{
	return kd_fail(d, err, "the iperf3 server %s while %s",
		       err == -ETIMEDOUT ? "was silent" :
		       err == -EPIPE ? "closed the connection" : "was lost",
		       doing);
}

/* SERVER_ERROR: iperf3's own number, then an errno */
static int refused(struct kd_iperf3_client *c, struct kd_diag *d)
{
	uint32_t words[2] = { 0 };

	if (kd_recv_all(c->control, words, sizeof(words), step(c)))
		return kd_fail(d, -EPROTO, "the iperf3 server had an error");
	return kd_fail(d, -EPROTO,
		       "the iperf3 server had its error %u (errno %u)",
		       be32toh(words[0]), be32toh(words[1]));
}

static int unwanted(struct kd_iperf3_client *c, int state, const char *doing,
		    struct kd_diag *d)
{
	switch (state) {
	case KD_IPERF3_ACCESS_DENIED:
		kd_fail(d, -EBUSY, "the iperf3 server is busy with another test");
		kd_diag_hint(d, "it serves one client at a time");
		return -EBUSY;
	case KD_IPERF3_SERVER_ERROR:
		return refused(c, d);
	case KD_IPERF3_SERVER_TERMINATE:
		return kd_fail(d, -ECONNRESET,
			       "the iperf3 server was stopped while %s", doing);
	default:
		return kd_fail(d, -EPROTO,
			       "the iperf3 server sent state %d while %s",
			       state, doing);
	}
}

static int await_state(struct kd_iperf3_client *c, int wanted,
		       const char *doing, struct kd_diag *d)
{
	signed char state;
	int r = kd_recv_all(c->control, &state, 1, step(c));

	if (r)
		return lost(d, r, doing);
	return state == wanted ? 0 : unwanted(c, state, doing, d);
}

static int send_state(struct kd_iperf3_client *c, int state, const char *doing,
		      struct kd_diag *d)
{
	signed char byte = (signed char)state;
	int r = kd_send_all(c->control, &byte, 1, step(c));

	return r ? lost(d, r, doing) : 0;
}

static int send_json(struct kd_iperf3_client *c, json_t *json,
		     const char *doing, struct kd_diag *d)
{
	char *text = json_dumps(json, JSON_COMPACT);
	uint32_t len;
	int r;

	json_decref(json);
	if (!text)
		return kd_fail(d, -ENOMEM, "out of memory");
	len = htobe32((uint32_t)strlen(text));
	r = kd_send_all(c->control, &len, sizeof(len), step(c));
	if (!r)
		r = kd_send_all(c->control, text, strlen(text), step(c));
	free(text);
	return r ? lost(d, r, doing) : 0;
}

static int recv_json(struct kd_iperf3_client *c, json_t **out,
		     const char *doing, struct kd_diag *d)
{
	uint32_t len;
	char *text;
	int r = kd_recv_all(c->control, &len, sizeof(len), step(c));

	if (r)
		return lost(d, r, doing);
	len = be32toh(len);
	if (!len || len > KD_IPERF3_MAX_RESULTS)
		return kd_fail(d, -EPROTO,
			       "the iperf3 server announced %u bytes of results",
			       len);
	text = malloc(len);
	if (!text)
		return kd_fail(d, -ENOMEM, "out of memory");
	r = kd_recv_all(c->control, text, len, step(c));
	/* counts that are real or unknown may pass 64 bits */
	*out = r ? NULL : json_loadb(text, len, JSON_DECODE_INT_AS_REAL, NULL);
	free(text);
	if (r)
		return lost(d, r, doing);
	return *out ? 0 : kd_fail(d, -EPROTO,
				  "the iperf3 server's results are no JSON");
}

/* as iperf3 makes them: 36 of these letters, and a zero */
static int draw_cookie(unsigned char *cookie)
{
	static const char letters[] = "abcdefghijklmnopqrstuvwxyz234567";

	if (getrandom(cookie, KD_IPERF3_COOKIE, 0) != KD_IPERF3_COOKIE)
		return -EIO;
	for (int i = 0; i < KD_IPERF3_COOKIE - 1; i++)
		cookie[i] = (unsigned char)letters[cookie[i] % 32];
	cookie[KD_IPERF3_COOKIE - 1] = 0;
	return 0;
}

int kd_iperf3_client_open(struct kd_iperf3_client *c, struct kd_diag *d)
{
	static const char doing[] = "agreeing on the test";
	int one = 1, r;

	c->control = c->connect(c->arg, d);
	if (c->control < 0)
		return c->control;
	setsockopt(c->control, IPPROTO_TCP, TCP_NODELAY, &one, sizeof(one));
	c->n_streams = (size_t)c->params.streams * (c->params.bidir ? 2 : 1);
	c->streams = calloc(c->n_streams, sizeof(*c->streams));
	c->theirs = calloc(c->n_streams, sizeof(*c->theirs));
	if (!c->streams || !c->theirs || draw_cookie(c->cookie))
		return kd_fail(d, -ENOMEM, "out of memory");
	for (size_t i = 0; i < c->n_streams; i++)
		c->streams[i].fd = -1;
	r = kd_send_all(c->control, c->cookie, sizeof(c->cookie), step(c));
	if (r)
		return lost(d, r, doing);
	r = await_state(c, KD_IPERF3_PARAM_EXCHANGE, doing, d);
	return r ? r : send_json(c, kd_iperf3_params_write(&c->params), doing,
				 d);
}

/* a UDP stream's first datagram is answered, or was lost */
static int udp_stream(struct kd_iperf3_client *c, struct kd_diag *d)
{
	int fd = socket(c->to.ss_family, SOCK_DGRAM | SOCK_CLOEXEC |
			SOCK_NONBLOCK, 0);
	char answer[64];
	int r = -ETIMEDOUT;

	if (fd < 0 || connect(fd, (struct sockaddr *)&c->to, c->to_len)) {
		r = kd_fail_errno(d, "cannot make a datagram socket");
		goto fail;
	}
	for (int i = 0; i < HELLO_TRIES && r == -ETIMEDOUT; i++) {
		r = kd_send_all(fd, "9876", 4, step(c));
		if (!r)
			r = kd_recv_all(fd, answer, 4, kd_now() + HELLO_NS);
	}
	if (!r)
		return fd;
	lost(d, r, "opening a datagram stream");
fail:
	if (fd >= 0)
		close(fd);
	return r;
}

static int tcp_stream(struct kd_iperf3_client *c, struct kd_diag *d)
{
	int fd = c->connect(c->arg, d);
	int r;

	if (fd < 0)
		return fd;
	r = kd_send_all(fd, c->cookie, sizeof(c->cookie), step(c));
	if (!r)
		return fd;
	close(fd);
	return lost(d, r, "opening a stream");
}

int kd_iperf3_client_start(struct kd_iperf3_client *c, struct kd_diag *d)
{
	static const char doing[] = "starting the test";
	const struct kd_iperf3_params *p = &c->params;
	int r = await_state(c, KD_IPERF3_CREATE_STREAMS, doing, d);

	for (size_t i = 0; !r && i < c->n_streams; i++) {
		int fd = p->udp ? udp_stream(c, d) : tcp_stream(c, d);
		/* in both directions the first half carries what is sent */
		bool sender = p->bidir ? i < (size_t)p->streams : !p->reverse;

		c->streams[i] = (struct kd_iperf3_stream){
			.fd = fd,
			.id = kd_iperf3_stream_id((int)i),
			.sender = sender,
			.retransmits = -1,
		};
		if (fd < 0)
			r = fd;
	}
	if (!r)
		r = await_state(c, KD_IPERF3_TEST_START, doing, d);
	return r ? r : await_state(c, KD_IPERF3_TEST_RUNNING, doing, d);
}

int kd_iperf3_client_end(struct kd_iperf3_client *c, struct kd_diag *d)
{
	return send_state(c, KD_IPERF3_TEST_END, "ending the test", d);
}

static double number(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	return json_is_number(v) ? json_number_value(v) : 0;
}

static int64_t count(double v)
{
	return v > -0x1p62 && v < 0x1p62 ? (int64_t)v : 0;
}

static void take_figures(struct kd_iperf3_client *c, const json_t *results)
{
	const json_t *list = json_object_get(results, "streams");
	size_t i;
	json_t *o;

	json_array_foreach(list, i, o) {
		for (size_t k = 0; k < c->n_streams; k++) {
			if (c->streams[k].id != count(number(o, "id")))
				continue;
			c->theirs[k] = (struct kd_iperf3_figures){
				.bytes = (uint64_t)count(
					fmax(0, number(o, "bytes"))),
				.seconds = number(o, "end_time") -
					   number(o, "start_time"),
				.jitter_s = number(o, "jitter"),
				.packets = count(number(o, "packets") -
						 number(o, "omitted_packets")),
				.lost = count(number(o, "errors") -
					      number(o, "omitted_errors")),
			};
		}
	}
}

int kd_iperf3_client_finish(struct kd_iperf3_client *c,
			    const struct kd_iperf3_run *run, struct kd_diag *d)
{
	static const char doing[] = "exchanging results";
	double seconds = (double)(run->t1_ns - run->t0_ns) / 1e9;
	struct kd_iperf3_cpu cpu = { 0 };
	json_t *theirs = NULL;
	int r;

	if (seconds > 0) {
		cpu.user = run->cpu_user_s / seconds * 100;
		cpu.system = run->cpu_system_s / seconds * 100;
		cpu.total = cpu.user + cpu.system;
	}
	r = await_state(c, KD_IPERF3_EXCHANGE_RESULTS, doing, d);
	if (!r)
		r = send_json(c, kd_iperf3_results_write(&c->params, c->streams,
				c->n_streams, &cpu, seconds, NULL), doing, d);
	if (!r)
		r = recv_json(c, &theirs, doing, d);
	if (!r)
		r = await_state(c, KD_IPERF3_DISPLAY_RESULTS, doing, d);
	if (!r) {
		take_figures(c, theirs);
		send_state(c, KD_IPERF3_DONE, doing, NULL);
	}
	json_decref(theirs);
	return r;
}

int kd_iperf3_client_why(struct kd_iperf3_client *c, struct kd_diag *d)
{
	static const char doing[] = "the test was running";
	signed char state;
	int r = kd_recv_all(c->control, &state, 1, kd_now());

	return r ? lost(d, r, doing) : unwanted(c, state, doing, d);
}

void kd_iperf3_client_close(struct kd_iperf3_client *c)
{
	for (size_t i = 0; c->streams && i < c->n_streams; i++)
		if (c->streams[i].fd >= 0)
			close(c->streams[i].fd);
	if (c->control >= 0)
		close(c->control);
	c->control = -1;
	free(c->streams);
	free(c->theirs);
	c->streams = NULL;
	c->theirs = NULL;
}
