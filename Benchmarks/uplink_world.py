"""A host with several uplinks, each with a router and a provider of its own, and one internet behind them all; what can break, and the truth.

    host ethK 198.18.1K.2 — 198.18.1K.1 router K 198.18.3K.2 — 198.18.3K.1 internet (the addresses of the default configuration)
"""
import fcntl
import os
import re
import select
import socket
import struct
import subprocess
import threading

import bench
import lab
from bench import run
from outage_world import enter

LITERAL, VPN = "1.1.1.1", "198.18.200.60"
BASE = "path: { viewpoint: host }\n"
FIRST = "route add default via 198.18.10.1 dev eth0 metric 100"
TABLE = "route add default via 198.18.11.1 dev eth1 table 102"
# How the second uplink is set up: commands of ip on the host.
SETUPS = {
    "metric": [FIRST, "route add default via 198.18.11.1 dev eth1 metric 200"],
    "source rule": [FIRST, TABLE, "rule add from 198.18.11.2 lookup 102"],
    "oif rule": [FIRST, TABLE, "rule add oif eth1 lookup 102"],
    "fwmark rule": [FIRST, TABLE, "rule add fwmark 102 lookup 102"],
    "multipath": ["route add default nexthop via 198.18.10.1 dev eth0 nexthop via 198.18.11.1 dev eth1"],
    # The tunnel is in use, and the first uplink carries it.
    "tunnel": [FIRST, "route add default via 198.18.11.1 dev eth1 metric 200", f"route add {VPN} via 198.18.10.1",
               "route add default dev tunnel metric 10"],
    "halves": [FIRST, *(f"route add {half} via 198.18.11.1 dev eth1 metric 200" for half in ("0.0.0.0/1", "128.0.0.0/1"))],
}
# Where it can break, and the commands that break and mend it, of router K.
PLACES = {
    "cable": ("link set near down", "link set near up"),
    "router": ("link set bridge down", "link set bridge up"),
    "provider": ("route replace blackhole default", "route replace default via 198.18.3{k}.1"),
}


class World:
    def __init__(self, name, count, setup):
        self.host, self.internet, self.count, self.setup = f"{name}-host", f"{name}-internet", count, setup
        self.routers = [f"{name}-router{k}" for k in range(count)]
        for namespace in self.host, self.internet, *self.routers:
            run(f"ip netns add {namespace}")
            run(f"ip -n {namespace} link set lo up")
            self.set(namespace, "net.ipv6.conf.all.disable_ipv6", "1")
            self.set(namespace, "net.ipv6.conf.default.disable_ipv6", "1")
            for scope in "all", "default":
                self.set(namespace, f"net.ipv4.conf.{scope}.rp_filter", "0")
        self.set(self.host, "net.ipv4.ping_group_range", "0 2147483647")
        for k, router in enumerate(self.routers):
            run(f"ip -n {self.host} link add eth{k} type veth peer name near netns {router}")
            run(f"ip -n {router} link add far type veth peer name far{k} netns {self.internet}")
            run(f"ip -n {router} link add bridge type bridge")
            run(f"ip -n {router} link set near master bridge up")
            for side, device, address in ((self.host, f"eth{k}", f"1{k}.2"), (router, "bridge", f"1{k}.1"), (router, "far", f"3{k}.2"),
                                          (self.internet, f"far{k}", f"3{k}.1")):
                run(f"ip -n {side} address add 198.18.{address}/24 dev {device}")
                run(f"ip -n {side} link set {device} up")
            self.set(router, "net.ipv4.ip_forward", "1")
            run(f"ip -n {router} route add default via 198.18.3{k}.1")
            run(f"ip -n {self.internet} route add 198.18.1{k}.0/24 via 198.18.3{k}.2")
        for address in lab.WEB, lab.NAMES, LITERAL, VPN:
            run(f"ip -n {self.internet} address add {address}/32 dev lo")
        if setup is SETUPS["tunnel"]:
            self.tunnel = Tunnel(self.host, self.internet)
        for command in setup:
            run(f"ip -n {self.host} {command}")
        lab.names(self.internet)
        lab.web(f"{name}-web", self.internet)
        self.broken, self.is_switched, self.exporter = set(), False, None

    @staticmethod
    def set(namespace, key, value):
        subprocess.run(["ip", "netns", "exec", namespace, "sysctl", "-qw", f"{key}={value}"], check=True)

    def start(self, configuration):
        self.exporter = bench.exporter(BASE + configuration, namespace=self.host)

    def toggle(self, k, place):
        """Breaks what works, or mends what is broken."""
        is_broken = (k, place) in self.broken
        self.broken ^= {(k, place)}
        run(f"ip -n {self.routers[k]} {PLACES[place][is_broken].format(k=k)}")
        # Taking a link down takes its routes.
        if is_broken and (k, "provider") not in self.broken:
            run(f"ip -n {self.routers[k]} route replace default via 198.18.3{k}.1")

    def switch(self):
        """The default route leads over the other uplink."""
        run(f"ip -n {self.host} route {'del' if self.is_switched else 'add'} default via 198.18.11.1 dev eth1 metric 50")
        self.is_switched = not self.is_switched

    def mend(self):
        for k, place in list(self.broken):
            self.toggle(k, place)
        if self.is_switched:
            self.switch()

    def truth(self, k):
        """Whether the internet is reached over the uplink; None: no bound socket can find out."""
        if (k, "cable") in self.broken:
            return False
        if k == 1 and self.setup is SETUPS["fwmark rule"] and not self.is_switched:
            return None
        return not any((k, place) in self.broken for place in PLACES)

    def carried(self, k):
        """Bytes of IP packets that the device has carried: what its counters have without the headers of Ethernet, ARP included."""
        total = 0
        for direction in "rx", "tx":
            counters = [run(f"ip netns exec {self.host} cat /sys/class/net/eth{k}/statistics/{direction}_{kind}") for kind in ("bytes", "packets")]
            total += int(counters[0]) - 14 * int(counters[1])
        return total


class Tunnel:
    """A device `tunnel` in each of two namespaces; UDP carries its packets, from the first to `VPN` in the second."""
    CREATE, TUN_WITHOUT_HEADER = 0x400454CA, 0x1001  # TUNSETIFF, IFF_TUN | IFF_NO_PI
    PORT = 5000

    def __init__(self, near, far):
        self.ends = {}
        for namespace, own, other in (near, "198.18.50.2", "198.18.50.1"), (far, "198.18.50.1", "198.18.50.2"):
            thread = threading.Thread(target=self.open, args=(namespace,))
            thread.start()
            thread.join()
            run(f"ip -n {namespace} address add {own} peer {other} dev tunnel")
            run(f"ip -n {namespace} link set tunnel mtu 1400 up")
        (near_device, near_socket), (far_device, far_socket) = self.ends[near], self.ends[far]
        far_socket.bind((VPN, self.PORT))
        threading.Thread(target=self.carry, args=(near_device, near_socket, (VPN, self.PORT)), daemon=True).start()
        threading.Thread(target=self.carry, args=(far_device, far_socket, None), daemon=True).start()

    def open(self, namespace):
        enter(namespace)
        device = os.open("/dev/net/tun", os.O_RDWR)
        fcntl.ioctl(device, self.CREATE, struct.pack("16sH22x", b"tunnel", self.TUN_WITHOUT_HEADER))
        self.ends[namespace] = device, socket.socket(socket.AF_INET, socket.SOCK_DGRAM)

    @staticmethod
    def carry(device, udp, peer):
        """Without `peer` it is the sender of the last datagram."""
        while True:
            for source in select.select([device, udp], [], [])[0]:
                try:
                    if source is udp:
                        packet, sender = udp.recvfrom(2048)
                        peer = peer or sender
                        os.write(device, packet)
                    else:
                        packet = os.read(device, 2048)
                        if peer:
                            udp.sendto(packet, peer)
                except OSError:
                    pass  # The way is broken, as it should be.


def stun(namespace):
    """A STUN server (RFC 8489) at `LITERAL`: the answer to a Binding request is the sender's address and port, with the magic cookie as a mask."""
    def serve():
        enter(namespace)
        server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        server.bind((LITERAL, 3478))
        while True:
            request, (address, port) = server.recvfrom(2048)
            if len(request) >= 20 and request[:2] == b"\x00\x01":
                masked = struct.pack("!HI", port ^ 0x2112, struct.unpack("!I", socket.inet_aton(address))[0] ^ 0x2112A442)
                server.sendto(b"\x01\x01\x00\x0c" + request[4:20] + b"\x00\x20\x00\x08\x00\x01" + masked, (address, port))

    threading.Thread(target=serve, daemon=True).start()


def online(text, name):
    """The verdict about an uplink; None where it is absent."""
    found = re.search(r'^network_health_uplink_online\{uplink="' + name + r'"\} ([01])$', text, re.M)
    return None if found is None else found.group(1) == "1"
