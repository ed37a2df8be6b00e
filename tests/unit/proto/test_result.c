// SPDX-License-Identifier: GPL-2.0-or-later
#include "proto/result.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

static const struct kd_metric_desc rx = { "tcp.rx-throughput", "Mbit/s",
					  KD_BETTER_HIGHER, "" };
static const struct kd_metric_desc lat = { "rr.latency", "us",
					   KD_BETTER_LOWER, "" };

static void survives_the_wire(void **state)
{
	const uint64_t t[] = { 0, UINT64_MAX };
	const double v[] = { 1.5, NAN };
	struct kd_json_sink a, b;

	assert_int_equal(kd_json_sink_init(&a), 0);
	assert_int_equal(kd_json_sink_init(&b), 0);
	a.sink.metric(&a.sink, &rx, "0", 0.1);
	a.sink.metric(&a.sink, &rx, NULL, NAN);
	a.sink.series(&a.sink, &rx, NULL, t, v, 2);
	a.sink.hist(&a.sink, &lat, "x", v, t, 2);
	a.sink.event(&a.sink, "oops", KD_EVENT_FAIL, 5, "BUG: \xff");
	assert_int_equal(kd_result_replay(a.out, &b.sink, NULL), 0);
	/* series and histograms have no direction of their own on the wire */
	assert_true(json_equal(a.out, b.out));
	assert_int_equal(json_array_size(json_object_get(b.out, "metrics")), 1);
	kd_json_sink_fini(&a);
	kd_json_sink_fini(&b);
}

static void refuses_what_is_malformed(void **state)
{
	static const char *const bad[] = {
		"{\"metrics\":[{\"n\":\"a\",\"u\":\"s\"}]}",
		"{\"metrics\":[{\"n\":1,\"u\":\"s\",\"v\":1}]}",
		"{\"metrics\":[3]}",
		"{\"series\":[{\"n\":\"a\",\"u\":\"s\",\"t\":[\"1\"],\"v\":[]}]}",
		"{\"hists\":[{\"n\":\"a\",\"u\":\"s\",\"x\":1,\"c\":[]}]}",
		"{\"events\":[{\"k\":\"x\"}]}",
	};
	struct kd_json_sink b;
	struct kd_diag d;

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		json_t *v = json_loads(bad[i], 0, NULL);

		memset(&d, 0, sizeof(d));
		kd_json_sink_init(&b);
		assert_int_equal(kd_result_replay(v, &b.sink, &d), -EPROTO);
		assert_int_equal(json_array_size(json_object_get(b.out, "metrics")), 0);
		kd_json_sink_fini(&b);
		json_decref(v);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(survives_the_wire),
		cmocka_unit_test(refuses_what_is_malformed),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
