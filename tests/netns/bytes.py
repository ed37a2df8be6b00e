#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""bytes.py REPORT DIR DIRECTION STREAMS: what a report says was received, against the
counters of the device's network namespace.

DIR has one file a snapshot, named by when it was taken: /proc/net/dev,
/proc/net/snmp and /proc/net/netstat before each run and after the last one.
The connections begin and end between two snapshots, so that the counters hold
them whole: what is no payload is headers, and segments that were sent again.
"""
import json
import os
import re
import sys

LINK = 14  # Ethernet
HEADERS = 52  # IPv4, TCP, and the time stamps that each segment carries
SYN = 8  # more options than that in the first segment each way
HELLO = 20  # what a connection of a workload begins with, to the peer
GO = 1  # what asks the peer to send, on each connection that it sends on
SACK = 28  # options of a segment at the most, where some came out of order
SEGMENT = 1500 + LINK  # at the most, of one that was sent again


def snapshot(path):
    """Counters of one file: dev.rx-bytes, IpExt.InOctets, Tcp.RetransSegs."""
    found, heads = {}, {}
    for line in open(path):
        name, _, rest = line.strip().partition(':')
        words = rest.split()
        if re.fullmatch(r'[a-z]+\d', name) and len(words) == 16:
            keys = {0: 'rx-bytes', 1: 'rx-packets', 8: 'tx-bytes',
                    9: 'tx-packets'}
            for i, key in keys.items():
                found['dev.' + key] = int(words[i])
        elif name in heads:
            for key, value in zip(heads[name], words):
                found[f'{name}.{key}'] = int(value)
        elif words and not words[0].lstrip('-').isdigit():
            heads[name] = words
    return found


def told(report, metric):
    """The samples of a metric, in the order of time."""
    for m in report['measures']:
        if m['metric'] == metric:
            samples = [s for v in m['variants'] for s in v['samples']]
            return [s['value'] for s in sorted(samples,
                                               key=lambda s: s['seq'])]
    raise SystemExit(f'the report has no {metric}')


def check(name, low, value, high):
    print(f'{name}: {low:.0f} <= {value:.0f} <= {high:.0f}')
    if not low <= value <= high:
        raise SystemExit(f'{name} is out of its bounds')


def compare(run, diff, way, payload, told_again, opened):
    """One run's bytes, received by the device ("rx") or by its peer ("tx").

    told_again: segments that the report says were sent again this way; the
    device's kernel knows its own, and sees the peer's in part; opened: what
    the connections themselves need, in bytes.
    """
    ip = {'rx': ['In', 'Ip.InReceives'], 'tx': ['Out', 'Ip.OutRequests']}[way]
    octets, packets = diff[f'IpExt.{ip[0]}Octets'], diff[ip[1]]
    sent = diff['Tcp.RetransSegs']
    got = (diff['TcpExt.TCPDSACKOldSent'] + diff['TcpExt.TCPDSACKOfoSent'] +
           (told_again if way == 'rx' else 0))
    again = got if way == 'rx' else sent
    least = payload + packets * HEADERS + opened
    more = again * SEGMENT + packets * SACK
    check(f'run {run} {way}, IP', least, octets, least + more)
    # the interface also carries ARP and IPv6's announcements
    frames = diff[f'dev.{way}-packets']
    least += packets * LINK
    check(f'run {run} {way}, interface', least, diff[f'dev.{way}-bytes'],
          least + more + (frames - packets) * 128)


def main():
    report = json.load(open(sys.argv[1]))
    folder, streams = sys.argv[2], int(sys.argv[4])
    ways = {'bidir': ['tx', 'rx']}.get(sys.argv[3], [sys.argv[3]])
    opened = {'rx': len(ways) * streams * SYN,
              'tx': len(ways) * streams * (SYN + HELLO) +
              (streams * GO if 'rx' in ways else 0)}
    shots = [snapshot(os.path.join(folder, f))
             for f in sorted(os.listdir(folder))]
    for way in ways:
        runs = told(report, f'tcp.{way}-bytes')
        if len(runs) + 1 != len(shots) or len(runs) < 2:
            raise SystemExit(f'{len(runs)} runs, {len(shots)} snapshots')
        again = told(report, f'tcp.{way}-retransmits')
        for i, payload in enumerate(runs):
            diff = {k: shots[i + 1][k] - shots[i][k] for k in shots[i]}
            compare(i, diff, way, payload, again[i], opened[way])


main()
