# SPDX-License-Identifier: GPL-2.0-or-later
# hostile.py ADDRESS COUNT SEED: that many connections to a kdelta peer that no
# honest client makes, some at once; prints how many there were of each kind.
import collections
import random
import socket
import struct
import sys
import threading
import time

ADDRESS, COUNT, SEED = sys.argv[1], int(sys.argv[2]), int(sys.argv[3])
IPERF3, TTCP, HTTP = 5201, 5001, 8080
THREADS = 32


def connect(port):
    s = socket.create_connection((ADDRESS, port), 10)
    s.settimeout(2)
    return s


def reset(s):
    s.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    s.close()


def cookie(r):
    return bytes(r.choice(b"abcdefghijklmnopqrstuvwxyz234567")
                 for _ in range(36)) + b"\0"


def frame(data):
    return struct.pack(">I", len(data)) + data


def greeted(r, data=b""):
    s = connect(IPERF3)
    s.sendall(cookie(r) + data)
    s.recv(1)
    return s


def vanish(r):
    connect(r.choice((IPERF3, TTCP, HTTP))).close()


def vanish_by_reset(r):
    s = connect(r.choice((IPERF3, TTCP, HTTP)))
    s.send(r.randbytes(r.randrange(60)))
    reset(s)


def garbage(r):
    s = connect(r.choice((IPERF3, TTCP, HTTP)))
    s.sendall(r.randbytes(r.randrange(1, 20000)))
    s.close()


def half_cookie(r):
    s = connect(IPERF3)
    s.send(cookie(r)[:r.randrange(37)])
    s.close()


def huge_length(r):
    s = greeted(r, struct.pack(">I", r.choice((2**32 - 1, 2**31, 70000))))
    s.send(b"{" * 1000)
    s.close()


def half_json(r):
    s = greeted(r, struct.pack(">I", 300) + b'{"tcp":true,"time":')
    (reset if r.random() < .5 else socket.socket.close)(s)


def deep_json(r):
    s = greeted(r, frame(r.choice((b"[", b'{"a":')) * 10000))
    s.recv(10)
    s.close()


def odd_json(r):
    s = greeted(r, frame(r.choice((
        b'{"tcp":true,"parallel":1e300}', b'{"udp":true,"len":-1}',
        b'{"tcp":true,"time":-1}', b"[]", b"7", b'{"sctp":true}',
        b'{"tcp":true,"congestion":"' + b"x" * 5000 + b'"}'))))
    s.recv(10)
    s.close()


def slow(r):
    s = connect(r.choice((IPERF3, TTCP, HTTP)))
    for c in b"GET /fixed/1MiB HTTP/1.1"[:r.randrange(1, 8)]:
        s.send(bytes([c]))
        time.sleep(.05)
    s.close()


def no_streams(r):
    s = greeted(r, frame(b'{"%s":true,"time":86400,"parallel":128}' %
                         r.choice((b"tcp", b"udp"))))
    s.recv(1)
    time.sleep(r.random() * .2)
    s.close()


def never_ends(r, last=b""):
    """a test that goes on until its client is gone"""
    c = cookie(r)
    s = connect(IPERF3)
    s.sendall(c + frame(b'{"tcp":true,"time":86400,"parallel":2%s}' %
                        r.choice((b"", b',"reverse":true'))))
    if s.recv(1) != b"\x09" or s.recv(1) != b"\x0a":
        return s.close()
    streams = [connect(IPERF3) for _ in range(2)]
    for t in streams:
        t.sendall(c)
    s.recv(2)
    time.sleep(.05)
    for t in streams:
        (reset if r.random() < .5 else socket.socket.close)(t)
    if last:
        s.sendall(last)
        s.recv(1)
    (reset if r.random() < .5 else socket.socket.close)(s)


def odd_results(r):
    never_ends(r, b"\x04" + r.choice((
        struct.pack(">I", 2**32 - 1), frame(b'{"streams":7}'), frame(b"["),
        struct.pack(">I", 4 << 20) + b"[" * 5000)))


def out_of_turn(r):
    never_ends(r, r.choice((b"\x0c", b"\x07", b"\xff", r.randbytes(30))))


def half_request(r):
    s = connect(HTTP)
    s.sendall(r.choice((b"GET /fixed/1MiB HT", b"GET / HTTP/1.1\r\nA: ",
                        b"GET /fixed/1 HTTP/1.1\r\n" + b"A: b\r\n" * 9000)))
    (reset if r.random() < .5 else socket.socket.close)(s)


def never_reads(r):
    s = connect(HTTP)
    s.sendall(b"GET /fixed/1TiB HTTP/1.1\r\nHost: a\r\n\r\n")
    s.recv(1000)
    time.sleep(r.random() * .1)
    (reset if r.random() < .5 else socket.socket.close)(s)


def datagrams(r):
    s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    port = r.choice((IPERF3, TTCP))
    for _ in range(r.randrange(1, 10)):
        head = r.choice((b"", b"9876", b"\0\0\0\1", b"\xff\xff\xff\xff"))
        s.sendto(head + r.randbytes(r.choice((0, 0, 12, 1400))),
                 (ADDRESS, port))
    s.close()


KINDS = [vanish, vanish_by_reset, garbage, half_cookie, huge_length, half_json,
         deep_json, odd_json, slow, no_streams, never_ends, odd_results,
         out_of_turn, half_request, never_reads, datagrams]
done = collections.Counter()
lock = threading.Lock()


def work(index):
    r = random.Random(SEED * 1000 + index)
    for i in range(index, COUNT, THREADS):
        kind = KINDS[i % len(KINDS)] if i < COUNT // 2 else r.choice(KINDS)
        try:
            kind(r)
        except OSError:
            pass    # the peer may end it first
        with lock:
            done[kind.__name__] += 1


threads = [threading.Thread(target=work, args=(i,)) for i in range(THREADS)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sum(done.values()), "connections:",
      ", ".join(f"{n} {k}" for k, n in sorted(done.items())))
