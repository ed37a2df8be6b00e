// SPDX-License-Identifier: GPL-2.0-or-later
#include "helper.h"

#define TCP(bits, extra) \
	"{\"start\":{\"version\":\"iperf 3.12\",\"test_start\":{\"protocol\":\"TCP\"," \
	"\"num_streams\":1,\"reverse\":0}},\"intervals\":[],\"end\":{" \
	"\"sum_sent\":{\"seconds\":10,\"bits_per_second\":9e9,\"retransmits\":3}," \
	"\"sum_received\":{\"seconds\":10,\"bits_per_second\":" bits "}" extra "}}"

static void runs_in_one_file(void **state)
{
	static const char *const between[] = { "", "\n", "\r\n\r\n", " " };

	for (size_t k = 0; k < 4; k++) {
		struct kd_dataset ds = { 0 };
		char text[4096], msg[1280];

		snprintf(text, sizeof(text), "%s%s%s%s", TCP("1000000", ""),
			 between[k], TCP("2500000.5", ""), between[k]);
		assert_int_equal(read_text(&ds, "d/run.json", NULL, text, msg),
				 0);
		EXPECT(&ds, "run", "TCP TX", "throughput", "Mbit/s", 1,
		       2.5000005);
		EXPECT(&ds, "run", "TCP TX", "retransmits", "", 3, 3);
		assert_true(measure(&ds, "TCP TX", "throughput")->primary);
		assert_false(measure(&ds, "TCP TX", "retransmits")->primary);
		kd_dataset_fini(&ds);
	}
}

static void array_of_runs(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "a", "x", "[" TCP("1e6", "") ","
				   TCP("3e6", "") "]", msg), 0);
	EXPECT(&ds, "x", "TCP TX", "throughput", "Mbit/s", 1, 3);
	kd_dataset_fini(&ds);
}

static void stream_of_events(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "a", "x",
		"{\"event\":\"start\",\"data\":{\"test_start\":{\"protocol\":\"TCP\",\"reverse\":1}}}\n"
		"{\"event\":\"interval\",\"data\":{\"sum\":{\"bits_per_second\":1}}}\n"
		"{\"event\":\"end\",\"data\":{\"sum_received\":{\"bits_per_second\":5e6}}}\n"
		"{\"event\":\"start\",\"data\":{\"test_start\":{\"protocol\":\"TCP\"}}}\n"
		"{\"event\":\"error\",\"data\":\"lost\"}\n"
		"{\"event\":\"end\",\"data\":{}}\n"
		"{\"event\":\"start\",\"data\":{\"test_start\":{\"protocol\":\"TCP\"}}}\n",
		msg), 0);
	EXPECT(&ds, "x", "TCP RX", "throughput", "Mbit/s", 5);
	has_note(&ds, "run 2 (line 5) has no figure: iperf3 says \"lost\"");
	has_note(&ds, "run 3 (line 8) has no figure: it did not finish");
	assert_int_equal(ds.n_measures, 1);
	kd_dataset_fini(&ds);
}

/* a count of 2^64 - 1 is "unknown" and not 1.8e19 retransmits */
static void counts_out_of_range(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "a", "x",
		"{\"start\":{\"test_start\":{\"protocol\":\"TCP\"}},\"end\":{\"sum_sent\":"
		"{\"retransmits\":18446744073709551615},\"sum_received\":"
		"{\"bits_per_second\":2e6,\"bytes\":18446744073709551616}}}", msg),
		0);
	EXPECT(&ds, "x", "TCP TX", "throughput", "Mbit/s", 2);
	assert_int_equal(ds.n_measures, 1);
	kd_dataset_fini(&ds);
}

static void both_directions(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "a", "x", TCP("1e6",
		",\"sum_received_bidir_reverse\":{\"bits_per_second\":7e6},"
		"\"sum_sent_bidir_reverse\":{\"bits_per_second\":8e6}"), msg), 0);
	EXPECT(&ds, "x", "TCP bidir TX", "throughput", "Mbit/s", 1);
	EXPECT(&ds, "x", "TCP bidir RX", "throughput", "Mbit/s", 7);
	kd_dataset_fini(&ds);
}

static void udp(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	/* as 3.12 and later write it, and as 3.1 did */
	assert_int_equal(read_text(&ds, "a", "new",
		"{\"start\":{\"test_start\":{\"protocol\":\"UDP\"}},\"end\":{\"sum\":"
		"{\"bits_per_second\":1e7,\"jitter_ms\":0.5,\"lost_packets\":25,\"packets\":100},"
		"\"sum_received\":{\"bits_per_second\":7.5e6,\"jitter_ms\":0.5,"
		"\"lost_packets\":25,\"packets\":100}}}", msg), 0);
	assert_int_equal(read_text(&ds, "b", "old",
		"{\"start\":{\"test_start\":{\"protocol\":\"UDP\"}},\"end\":{\"sum\":"
		"{\"bits_per_second\":1e7,\"jitter_ms\":0.25,\"lost_packets\":50,\"packets\":100}}}",
		msg), 0);
	EXPECT(&ds, "new", "UDP TX", "throughput", "Mbit/s", 7.5);
	EXPECT(&ds, "old", "UDP TX", "throughput", "Mbit/s", 5);
	EXPECT(&ds, "new", "UDP TX", "loss", "%", 25);
	EXPECT(&ds, "old", "UDP TX", "jitter", "ms", 0.25);
	has_note(&ds, "less the datagrams lost");
	kd_dataset_fini(&ds);
}

static void failed_runs(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_text(&ds, "a", "x",
		"{\"start\":{},\"intervals\":[],\"end\":{},\"error\":\"unable to connect\"}\n"
		TCP("1e6", "") "\niperf3: error - unable to send control message\n"
		"{\"start\":{\"test_start\":{}},\"intervals\":[]}", msg), 0);
	EXPECT(&ds, "x", "TCP TX", "throughput", "Mbit/s", 1);
	has_note(&ds, "run 1 (line 1) has no figure: iperf3 says \"unable to connect\"");
	has_note(&ds, "text after run 2 (line 3)");
	has_note(&ds, "run 3 (line 4) has no figure: it has no \"end\"");
	kd_dataset_fini(&ds);
	assert_int_equal(read_text(&ds, "a", "x",
		"{\"start\":{},\"intervals\":[],\"end\":{},\"error\":\"unable to connect\"}",
		msg), -EINVAL);
	assert_non_null(strstr(msg, "a: no result in it"));
	assert_non_null(strstr(msg, "unable to connect"));
	kd_dataset_fini(&ds);
}

static void real_logs(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280];

	assert_int_equal(read_data(&ds,
		"40-iperf3-json-trailing-text-fragment.json", NULL, msg),
		-EINVAL);
	assert_non_null(strstr(msg, "fragment.json:1:"));
	assert_int_equal(ds.n_measures, 0);
	assert_int_equal(read_data(&ds,
		"44-iperf3-json-server-output-text.json", NULL, msg), -EINVAL);
	assert_non_null(strstr(msg, "only the server's text"));
	kd_dataset_fini(&ds);
	assert_int_equal(read_data(&ds, "42-iperf3-json-short-zero-received.json",
				   "x", msg), 0);
	EXPECT(&ds, "x", "TCP TX", "throughput", "Mbit/s", 0);
	has_note(&ds, "the receiver counted 0 bytes in 0.293512 s");
	has_note(&ds, "too short");
	kd_dataset_fini(&ds);
}

static void broken_json(void **state)
{
	struct kd_dataset ds = { 0 };
	char msg[1280], *deep = malloc(200001);

	assert_int_equal(read_text(&ds, "a", "x", TCP("1e6", "") "\n"
				   "{\"end\":{\"sum_received\":\n  {bad}}}", msg),
			 -EINVAL);
	assert_non_null(strstr(msg, "a:3:"));
	kd_dataset_fini(&ds);
	memset(deep, '[', 200000);
	strcpy(deep, "{\"sum_received\":");
	deep[strlen(deep)] = '[';
	deep[200000] = '\0';
	assert_int_equal(read_text(&ds, "a", "x", deep, msg), -EINVAL);
	free(deep);
	kd_dataset_fini(&ds);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(runs_in_one_file),
		cmocka_unit_test(array_of_runs),
		cmocka_unit_test(stream_of_events),
		cmocka_unit_test(counts_out_of_range),
		cmocka_unit_test(both_directions),
		cmocka_unit_test(udp),
		cmocka_unit_test(failed_runs),
		cmocka_unit_test(real_logs),
		cmocka_unit_test(broken_json),
	};

	cmocka_set_message_output(CM_OUTPUT_TAP);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
