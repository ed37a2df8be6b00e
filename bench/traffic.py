#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""The traffic engine and kdelta peer against their peers, side by side.

Each case is an experiment of kdelta's own: its variants are the tools, run in
interleaved rounds, and its report has the intervals. A tool that is not on PATH
is left out, and said.

"at least" is a test of non-inferiority: the lower 95 % bound of the ratio of
kdelta's mean to the best peer's is at least 0.97; for CPU per byte the upper
bound is at most 1.03.
"""
import argparse
import json
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent
PORT = 15200
IPERF3 = r"([0-9.]+) Mbits/sec.* receiver"
IPERF2 = r"([0-9.]+) Mbits/sec"
NUTTCP = r"([0-9.]+) Mbps"
CPU = "derived.cpu-per-byte"


class Rig:
    """Servers, and where clients find them."""

    def __init__(self, args, where):
        self.build = args.build
        self.secs = args.seconds
        self.where = where
        self.dir = pathlib.Path(tempfile.mkdtemp(prefix="kdbench-"))
        self.servers = []
        self.ns = [f"kdb{os.getpid()}{x}" for x in "ab"]
        self.addr = "127.0.0.1"
        if where == "veth":
            self.make_namespaces()
        two = os.cpu_count() > 1
        self.pin = [["taskset", "-c", str(n)] if two else [] for n in (0, 1)]

    def make_namespaces(self):
        a, b = self.ns
        self.addr = "10.97.0.1"
        for line in (f"netns add {a}", f"netns add {b}",
                     f"-n {a} link add va type veth peer name vb netns {b}",
                     f"-n {a} addr add 10.97.0.2/24 dev va",
                     f"-n {b} addr add {self.addr}/24 dev vb",
                     f"-n {a} link set lo up", f"-n {b} link set lo up",
                     f"-n {a} link set va up", f"-n {b} link set vb up"):
            subprocess.run(["ip", *line.split()], check=True)

    def inside(self, end):
        return ["ip", "netns", "exec", self.ns[end]] \
            if self.where == "veth" else []

    def serve(self, *argv):
        self.servers.append(subprocess.Popen(
            [*self.inside(1), *self.pin[0], *map(str, argv)],
            stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL))

    def traffic(self, workload, options):
        argv = [f"{self.build}/bench/traffic", workload, options,
                str(self.secs), self.addr]
        if self.where == "veth":
            argv.append(f"/run/netns/{self.ns[1]}")
        return " ".join(argv)

    def client(self, command):
        return " ".join([*self.pin[1], command])

    def close(self):
        for s in self.servers:
            s.send_signal(signal.SIGTERM)
        for s in self.servers:
            try:
                s.wait(3)
            except subprocess.TimeoutExpired:
                s.kill()
        if self.where == "veth":
            for n in self.ns:
                subprocess.run(["ip", "netns", "del", n], check=False)
        shutil.rmtree(self.dir, ignore_errors=True)


def have(tool):
    return shutil.which(tool)


def start_servers(rig):
    nginx = rig.dir / "nginx"
    (nginx / "fixed").mkdir(parents=True)
    for name, size in (("1k", 1 << 10), ("1m", 1 << 20), ("1g", 1 << 30)):
        with open(nginx / "fixed" / name, "wb") as f:
            f.truncate(size)
    (nginx / "conf").write_text(f"""
daemon off; worker_processes 1; pid {nginx}/pid;
error_log {nginx}/error.log; user root;
events {{ worker_connections 1024; }}
http {{ access_log off; sendfile on; tcp_nopush on; keepalive_requests 100000000;
  client_body_temp_path {nginx}/b; proxy_temp_path {nginx}/p;
  fastcgi_temp_path {nginx}/f; uwsgi_temp_path {nginx}/u;
  scgi_temp_path {nginx}/s;
  server {{ listen {rig.addr}:{PORT + 7}; root {nginx}; }} }}
""")
    rig.serve(f"{rig.build}/src/cli/kdelta", "peer", "--bind", rig.addr,
              "--iperf3-port", 0, "--ttcp-port", 0, "--http-port", PORT + 6)
    if have("iperf3"):
        rig.serve("iperf3", "-s", "-B", rig.addr, "-p", PORT + 1)
    if have("iperf"):
        rig.serve("iperf", "-s", "-B", rig.addr, "-p", PORT + 2)
    if have("nuttcp"):
        rig.serve("nuttcp", "-S", "--nofork", "-P", PORT + 3, "-p", PORT + 4)
    if have("sockperf"):
        rig.serve("sockperf", "server", "--tcp", "-i", rig.addr, "-p", PORT + 5)
        rig.serve("sockperf", "server", "-i", rig.addr, "-p", PORT + 5)
    if have("nginx"):
        rig.serve("nginx", "-c", nginx / "conf")
    time.sleep(1)


def tcp_tools(rig, streams, engine, iperf3=""):
    tools = {name: (rig.traffic("tcp", options),
                    r"^tcp.tx-throughput +([0-9.e+]+)")
             for name, options in engine.items()}
    t, p = f"-t {rig.secs}", f"-P {streams}"
    tools["iperf3"] = (rig.client(
        f"iperf3 {iperf3} -c {rig.addr} -p {PORT + 1} {t} {p} -f m"), IPERF3)
    tools["iperf"] = (rig.client(
        f"iperf -c {rig.addr} -p {PORT + 2} {t} {p} -f m"), IPERF2)
    tools["nuttcp"] = (rig.client(
        f"nuttcp -P {PORT + 3} -p {PORT + 14} -T{rig.secs} -N{streams} "
        f"{rig.addr}"), NUTTCP)
    return tools


def udp_tools(rig, size):
    return {
        "kdelta": (rig.traffic("udp", f"tx,size={size}"),
                   r"^udp.tx-throughput +([0-9.e+]+)"),
        "iperf3": (rig.client(f"iperf3 -u -b 0 -l {size} -c {rig.addr} "
                              f"-p {PORT + 1} -t {rig.secs} -f m"), IPERF3),
    }


def rr_tools(rig, protocol, flows, figure):
    metric, line = figure
    options = f"{protocol},request=14,response=14,concurrency={flows}"
    tcp = "--tcp " if protocol == "tcp" else ""
    one = (f"sockperf ping-pong {tcp}-i {rig.addr} -p {PORT + 5} "
           f"-t {rig.secs} --msg-size 14")
    many = one if flows == 1 else \
        f"for i in $(seq {flows}); do {one} & done; wait"
    return {
        "kdelta": (rig.traffic("rr", options),
                   rf"^{metric} +([0-9.e+]+)"),
        "sockperf": (rig.client(f"sh -c '{many}'") + f" | awk '{line}'",
                     r"^sum ([0-9.e+]+)"),
    }


RATE = ("rr.transactions", "/Summary: Latency is/ { s += 1e6 / (2 * $5) } "
        "END { print \"sum\", s }")
P99 = ("rr.p99", "/percentile 99.000/ { s = $NF * 2; n++ } "
       "END { print \"sum\", s }")


def http_tools(rig, path, connections):
    def wrk(port):
        return (rig.client(f"wrk -t1 -c{connections} -d{rig.secs}s "
                           f"http://{rig.addr}:{port}/fixed/{path}"),
                r"Requests/sec: +([0-9.]+)")
    return {"kdelta peer": wrk(PORT + 6), "nginx": wrk(PORT + 7)}


def curl_tools(rig):
    def curl(port):
        return (rig.client("curl -s -o /dev/null -w %{speed_download} "
                           f"http://{rig.addr}:{port}/fixed/1g") +
                " | awk \"{ print \\\"rate\\\", \\$1 * 8 / 1e6 }\"",
                r"^rate ([0-9.e+]+)")
    return {"kdelta peer": curl(PORT + 6), "nginx": curl(PORT + 7)}


THROUGHPUT = ("tcp.tx-throughput", "Mbit/s", "higher")
ZEROCOPY = {"kdelta": "tx,source=zerocopy,sink=discard",
            "kdelta sendfile": "tx,source=sendfile,sink=discard"}
# name: what is measured, the tools
CASES = {
    "tcp1": (THROUGHPUT, lambda r: tcp_tools(r, 1, {"kdelta": "tx"})),
    "tcp8": (THROUGHPUT, lambda r: tcp_tools(r, 8, {"kdelta": "tx,streams=8"})),
    "tcp64": (THROUGHPUT,
              lambda r: tcp_tools(r, 64, {"kdelta": "tx,streams=64"})),
    "zerocopy": (THROUGHPUT, lambda r: tcp_tools(r, 1, ZEROCOPY)),
    "zerocopy-Z": (THROUGHPUT, lambda r: tcp_tools(r, 1, ZEROCOPY, "-Z")),
    "udp1400": (("udp.tx-throughput", "Mbit/s", "higher"),
                lambda r: udp_tools(r, 1400)),
    "udp64": (("udp.tx-throughput", "Mbit/s", "higher"),
              lambda r: udp_tools(r, 64)),
    "rr1": (("rr.transactions", "1/s", "higher"),
            lambda r: rr_tools(r, "tcp", 1, RATE)),
    "rr1-udp": (("rr.transactions", "1/s", "higher"),
                lambda r: rr_tools(r, "udp", 1, RATE)),
    "rr1-p99": (("rr.p99", "us", "lower"),
                lambda r: rr_tools(r, "tcp", 1, P99)),
    "rr32": (("rr.transactions", "1/s", "higher"),
             lambda r: rr_tools(r, "tcp", 32, RATE)),
    "http-1k": (("http.requests", "1/s", "higher"),
                lambda r: http_tools(r, "1k", 8)),
    "http-1m": (("http.requests", "1/s", "higher"),
                lambda r: http_tools(r, "1m", 8)),
    "curl": (("http.rx-throughput", "Mbit/s", "higher"), curl_tools),
}


def experiment(name, figure, tools, rounds):
    metric, unit, better = figure
    variants = {
        tool: {"workload": {"t.command": command, "t.regex": regex}}
        for tool, (command, regex) in tools.items()}
    return json.dumps({
        "name": name, "dut": "local", "variants": variants,
        "baseline": "kdelta" if "kdelta" in tools else "kdelta peer",
        "workloads": {"t": {"exec": {
            "command": "true", "regex": "(.)", "metric": metric, "unit": unit,
            "better": better, "deadline": "60s"}}},
        "observe": ["cpu"],
        # 90 % intervals have one-sided 95 % bounds
        "plan": {"rounds": rounds, "alpha": 0.1, "warm-up-round": True}},
        indent=1)


def measure(rig, name, figure, tools, rounds):
    path = rig.dir / f"{name}.yaml"
    path.write_text(experiment(f"{name}-{rig.where}", figure, tools, rounds))
    argv = [*rig.inside(0), f"{rig.build}/src/cli/kdelta", "run", "--store",
            str(rig.dir / "db"), "--report", "json", str(path)]
    p = subprocess.run(argv, capture_output=True, text=True, check=False)
    if p.returncode not in (0, 4):
        sys.exit(f"{name}: {p.stderr}")
    for line in p.stderr.splitlines():
        if "failed" in line and " 0 failed" not in line:
            print(f"# {name}: {line}", file=sys.stderr)
    return {m["metric"]: m for m in json.loads(p.stdout)["measures"]}


def bounds(comparison):
    """Of kdelta's mean over the other's, from the other's change."""
    low, high = comparison["interval"]
    if low is None or high is None or low <= -1:
        return None, None
    return 1 / (1 + high), 1 / (1 + low)


def show(name, where, figure, measures):
    """A table of the tools, then the ratios to each peer."""
    metric, unit, better = figure
    main, cpu = measures[metric], measures.get(CPU)
    cpus = {v["variant"]: v for v in cpu["variants"]} if cpu else {}
    cpu_ratio = {c["variant"]: c for c in cpu["comparisons"]} if cpu else {}
    ratio = {c["variant"]: c for c in main["comparisons"]}
    base = main["variants"][0]
    for v in main["variants"]:
        if not v["n"]:
            continue
        tool = v["variant"]
        line = f"{name:10} {where:4} {tool:15} {v['n']:3} " \
               f"{v['median']:12.1f} {unit:6}"
        c = cpus.get(tool)
        line += f" {c['median']:8.3f}" if c and c["n"] else f" {'-':>8}"
        if tool in ratio and ratio[tool]["interval"]:
            low, high = bounds(ratio[tool])
            if low is not None:
                line += f"   {base['median'] / v['median']:6.2f} " \
                        f"[{low:.2f}, {high:.2f}]"
            if tool in cpu_ratio and cpu_ratio[tool]["interval"]:
                low, high = bounds(cpu_ratio[tool])
                if low is not None and c["median"]:
                    mine = cpus[base["variant"]]["median"]
                    line += f"  {mine / c['median']:6.2f} " \
                            f"[{low:.2f}, {high:.2f}]"
        print(line, flush=True)
    peers = [v for v in main["variants"]
             if v["n"] and not v["variant"].startswith("kdelta")]
    if not peers:
        return
    best = (min if better == "lower" else max)(peers, key=lambda v: v["mean"])
    low, high = bounds(ratio[best["variant"]]) \
        if best["variant"] in ratio else (None, None)
    if low is None:
        return
    held = high <= 1.03 if better == "lower" else low >= 0.97
    print(f"{name:10} {where:4} {'at least' if held else 'NOT at least'} the "
          f"best peer ({best['variant']})", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=20)
    parser.add_argument("--seconds", type=int, default=1)
    parser.add_argument("--on", default="lo,veth", help="lo, veth or both")
    parser.add_argument("--build", default=str(ROOT / "build"))
    parser.add_argument("cases", nargs="*", default=[])
    args = parser.parse_args()
    unknown = set(args.cases) - set(CASES)
    if unknown:
        parser.error(f"no case {', '.join(sorted(unknown))}; there are "
                     f"{', '.join(CASES)}")
    print("medians; ratios kdelta/peer of the means with one-sided 95 % "
          f"bounds\n{'case':10} {'path':4} {'tool':15} {'n':>3} "
          f"{'figure':>12} {'unit':6} {'ns/B':>8}   ratio [bounds]"
          "       CPU ratio [bounds]")
    for where in args.on.split(","):
        if where == "veth" and os.geteuid():
            print("# veth needs root: left out")
            continue
        rig = Rig(args, where)
        try:
            start_servers(rig)
            for name in args.cases or CASES:
                figure, tools = CASES[name]
                there = {t: c for t, c in tools(rig).items()
                         if t.startswith("kdelta") or have(t)}
                if name.startswith(("http", "curl")) and not have(
                        "curl" if name == "curl" else "wrk"):
                    print(f"# {name}: no client on PATH")
                    continue
                show(name, where, figure,
                     measure(rig, name, figure, there, args.rounds))
        finally:
            rig.close()


if __name__ == "__main__":
    main()
