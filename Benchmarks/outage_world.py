"""A host, its router and an internet, each in a namespace of its own, and what can fail between them. Addresses are those of the default
configuration; no link leads out."""
import ctypes
import json
import os
import sys
import time

import bench
import lab
from bench import run

LITERAL = "1.1.1.1"
# What fails: the expected cause, the expected states, and how to break and mend it: in the namespace {r} (router) or {i} (internet), by commands of ip(8).
KINDS = {
    "router": ("gateway", {"no_internet"}, ["{r}", "link set bridge down"], ["{r}", "link set bridge up"]),
    "upstream": ("no_internet", {"no_internet"}, ["{i}", "link set bridge down"],
                 ["{i}", "link set bridge up", "route replace default via 198.19.0.1"]),
    "dns": ("dns_broken", {"dns_broken"}, ["{i}", f"address del {lab.NAMES}/32 dev lo", f"route add blackhole {lab.NAMES}/32"],
            ["{i}", f"route del blackhole {lab.NAMES}/32", f"address add {lab.NAMES}/32 dev lo"]),
    "portal": ("captive_portal", {"captive_portal"}, ["{r}", f"address add {lab.WEB}/32 dev lo", f"route add blackhole {LITERAL}/32"],
               # The literal last: where it answers while the portal still does, the exporter rightly finds the portal once more.
               ["{r}", f"address del {lab.WEB}/32 dev lo", f"route del blackhole {LITERAL}/32"]),
}
# The only cable is a veth: without this the exporter takes the namespace for a container, and does not watch the router.
BASE = "path: { viewpoint: host }\n"


def enter(namespace):
    """Puts this thread into a network namespace (setns(2))."""
    with open(f"/run/netns/{namespace}") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0x40000000) != 0:
            sys.exit(f"setns {namespace}: {os.strerror(ctypes.get_errno())}")


class World:
    def __init__(self, number, kind, configuration=""):
        self.kind = kind
        self.host, self.router, self.internet = (f"{name}{number}" for name in ("host", "router", "internet"))
        for name in self.host, self.router, self.internet:
            run(f"ip netns add {name}")
            run(f"ip -n {name} link set lo up")
        # A bridge that is set down is silent, and takes no carrier away.
        for near, far, address, peer in (self.host, self.router, "198.18.0.2", "198.18.0.1"), (self.router, self.internet, "198.19.0.1", "198.19.0.2"):
            device = "eth0" if near == self.host else "eth1"
            run(f"ip -n {near} link add {device} type veth peer name port netns {far}")
            run(f"ip -n {far} link add bridge type bridge")
            run(f"ip -n {far} link set port master bridge up")
            run(f"ip -n {far} address add {peer}/24 dev bridge")
            run(f"ip -n {far} link set bridge up")
            run(f"ip -n {near} address add {address}/24 dev {device}")
            run(f"ip -n {near} link set {device} up")
        run(f"ip -n {self.host} route add default via 198.18.0.1")
        run(f"ip -n {self.router} route add default via 198.19.0.2")
        run(f"ip -n {self.internet} route add default via 198.19.0.1")
        run(f"ip netns exec {self.router} sysctl -qw net.ipv4.ip_forward=1")
        for address in lab.WEB, lab.NAMES, LITERAL:
            run(f"ip -n {self.internet} address add {address}/32 dev lo")
        lab.names(self.internet)
        lab.web(f"web{number}", self.internet)
        lab.portal(f"portal{number}", self.router)
        self.configuration = configuration
        self.start()

    def start(self):
        self.exporter = bench.exporter(BASE + self.configuration, namespace=self.host, port=10319)

    def fail(self):
        """Returns from when on everything that this breaks is broken."""
        return self.change(KINDS[self.kind][2])

    def mend(self):
        """Returns from when on everything passes."""
        return self.change(KINDS[self.kind][3])

    def change(self, commands):
        place = {"{r}": self.router, "{i}": self.internet}[commands[0]]
        run(f"ip -n {place} -batch -", "\n".join(commands[1:]))
        return time.time()

    def bytes(self):
        """What the cable of the host has carried, headers of Ethernet included."""
        link = json.loads(run(f"ip -n {self.host} -s -j link show dev eth0"))[0]["stats64"]
        return link["rx"]["bytes"] + link["tx"]["bytes"]
