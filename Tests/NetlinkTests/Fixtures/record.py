#!/usr/bin/env python3
"""Records the .hex files beside it from this machine's kernel (root, in a network namespace of its own).

One datagram a line, as read from the socket. Names, indexes and hardware addresses are fixed, so that the tests can
expect them; a new recording changes only counters and lifetimes.
"""
import os
import pathlib
import socket
import struct
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).parent
NAME = f"nhe-nl-{os.getpid()}-record"
SETUP = """
link add veth0 index 10 address 02:00:00:00:00:10 type veth peer name veth1 index 11 address 02:00:00:00:00:11
link add veth2 index 12 address 02:00:00:00:00:12 type veth peer name veth3 index 13 netns {name}-peer
link add br0 index 14 address 02:00:00:00:00:14 type bridge
link add vx0 index 15 address 02:00:00:00:00:15 type vxlan id 7 remote 198.18.0.2 dstport 4789 dev veth0
tuntap add tun0 mode tun
link set lo up
link set veth0 up
link set veth1 up
link set br0 up
link set veth1 master br0
link set veth2 up
address add 198.18.0.1/24 dev veth0
address add 198.18.1.1 peer 198.18.1.2/32 dev veth0
address add 2001:db8::1/64 dev veth0 nodad
address add 2001:db8:1::1/64 dev veth0 nodad preferred_lft 0
route add default via 198.18.0.254 dev veth0 metric 100 proto dhcp src 198.18.0.1
route add 0.0.0.0/1 via 198.18.0.253 dev veth0
route add 0.0.0.0/0 via inet6 2001:db8::fe dev veth0 metric 200
route add default metric 300 nexthop via 198.18.0.252 weight 2 nexthop via 198.18.0.251
route add default dev veth0 table 51820
route add blackhole 198.18.9.0/24
route add ::/0 via 2001:db8::fe dev veth0 metric 1024 proto ra
route add ::/0 metric 2048 nexthop via 2001:db8::fd nexthop via 2001:db8::fc
route add unreachable 2001:db8:9::/48
nexthop add id 7 via 198.18.0.250 dev veth0
route add default nhid 7 metric 400
"""
CHANGES = """
link set veth1 nomaster
address del 198.18.1.1 peer 198.18.1.2/32 dev veth0
address add 198.18.2.1/24 dev veth0
route add 198.18.3.0/24 via 198.18.0.254 metric 5
route del 198.18.3.0/24 metric 5
rule add fwmark 51820 table 51820
nexthop del id 7
link set veth0 down
link del vx0
"""


def write(name, datagrams):
    (HERE / f"{name}.hex").write_text("".join(datagram.hex() + "\n" for datagram in datagrams))
    print(name, len(datagrams), "datagrams", sum(map(len, datagrams)), "bytes")


def dump(kind, body, protocol=socket.NETLINK_ROUTE):
    sock = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, protocol)
    sock.setsockopt(270, 11, 1)
    sock.setsockopt(270, 12, 1)
    sock.send(struct.pack("=IHHII", 16 + len(body), kind, 0x301, 1, 0) + body)
    datagrams = []
    while True:
        datagrams.append(sock.recv(65536))
        offset = 0
        while offset < len(datagrams[-1]):
            length, number = struct.unpack_from("=IH", datagrams[-1], offset)
            if number in (2, 3):
                return datagrams
            offset += (length + 3) & ~3


def batch(text):
    subprocess.run(["ip", "-batch", "-"], input=text, text=True, check=True)


def connection(family, listening, destination, port):
    listener = socket.create_server((listening, port), family=family, dualstack_ipv6=listening == "::")
    client = socket.socket(socket.AF_INET6 if ":" in destination else socket.AF_INET)
    client.bind((destination, port + 1))
    client.connect((destination, port))
    server = listener.accept()[0]
    client.sendall(b"question")
    server.recv(8)
    server.sendall(b"answer")
    client.recv(6)
    listener.close()
    return client, server


def flows(family):
    # struct inet_diag_req_v2: TCP, INET_DIAG_INFO, ESTABLISHED
    return dump(20, struct.pack("=BBBxI48x", family, socket.IPPROTO_TCP, 1 << 1, 1 << 1), protocol=4)


def advertise():
    """A router advertisement with a prefix, DNS servers and a portal (RFC 4861, 8106, 8910)."""
    prefix = struct.pack("!BBBBIII16s", 3, 4, 64, 0xC0, 3600, 3600, 0, socket.inet_pton(socket.AF_INET6, "2001:db8::"))
    servers = struct.pack("!BBHI16s", 25, 3, 0, 3600, socket.inet_pton(socket.AF_INET6, "2001:db8::53"))
    uri = b"https://portal.example.org/api"
    portal = struct.pack(f"!BB{(len(uri) + 9) // 8 * 8 - 2}s", 37, (len(uri) + 9) // 8, uri)
    sock = socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6)
    sock.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, 255)
    sock.setsockopt(socket.SOL_SOCKET, socket.SO_BINDTODEVICE, b"veth3")
    header = struct.pack("!BBHBBHII", 134, 0, 0, 64, 0, 1800, 0, 0)
    sock.sendto(header + prefix + servers + portal, ("ff02::1", 0, 0, socket.if_nametoindex("veth3")))


def record():
    batch(SETUP.format(name=NAME))
    write("links", dump(18, bytes(16)))
    write("addresses", dump(22, bytes(8)))
    write("routes4", dump(26, struct.pack("=B11x", socket.AF_INET)))
    write("routes6", dump(26, struct.pack("=B11x", socket.AF_INET6)))
    events = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW | socket.SOCK_NONBLOCK, socket.NETLINK_ROUTE)
    events.bind((0, 0))
    for group in (1, 5, 9, 7, 11, 8, 19, 32, 20):
        events.setsockopt(270, 1, group)
    batch(CHANGES)
    datagrams = []
    try:
        while True:
            datagrams.append(events.recv(65536))
    except BlockingIOError:
        write("events", datagrams)
    connections = [
        connection(socket.AF_INET, "127.0.0.1", "127.0.0.1", 4000),
        connection(socket.AF_INET6, "::1", "::1", 6000),
        connection(socket.AF_INET6, "::", "127.0.0.1", 4600),  # the server's end is an IPv6 socket
    ]
    write("flows4", flows(socket.AF_INET))
    write("flows6", flows(socket.AF_INET6))
    del connections
    # With a link-local source that needs no duplicate detection.
    peer = ["ip", "-n", NAME + "-peer"]
    subprocess.run([*peer, "address", "add", "fe80::3/64", "dev", "veth3", "nodad"], check=True)
    subprocess.run([*peer, "link", "set", "veth3", "up"], check=True)
    options = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, socket.NETLINK_ROUTE)
    options.bind((0, 0))
    options.setsockopt(270, 1, 20)
    options.settimeout(10)
    time.sleep(1)  # for the carrier
    subprocess.run(["ip", "netns", "exec", NAME + "-peer", sys.executable, __file__, "advertise"], check=True)
    write("options", [options.recv(65536) for _ in range(3)])


if sys.argv[1:] == ["inside"]:
    NAME = os.environ["NHE_NAME"]
    record()
elif sys.argv[1:] == ["advertise"]:
    advertise()
else:
    try:
        for suffix in ("", "-peer"):
            subprocess.run(["ip", "netns", "add", NAME + suffix], check=True)
        command = ["ip", "netns", "exec", NAME, sys.executable, __file__, "inside"]
        subprocess.run(command, env={**os.environ, "NHE_NAME": NAME}, check=True)
    finally:
        for suffix in ("", "-peer"):
            subprocess.run(["ip", "netns", "del", NAME + suffix])
