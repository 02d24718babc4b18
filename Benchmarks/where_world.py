"""A home, its provider and two servers, each in a namespace of its own, and what can break between them.

    host – [inner –] home – access – provider – web, other        guest – home

`inner` is a second router at home. `home` and `inner` translate addresses. A cable is named after its far end. Each world is one host with
everything behind it; no link leads out.
"""
import dataclasses
import json
import random

import bench
import lab
from bench import Program, run
from outage_world import BASE, enter

RATE = 10  # Mbit/s of a cable whose queue is filled
QUEUE = 200  # ms
# With one the exporter finds an outage within 12 s, else within an interval of its checks.
TARGET = "targets:\n  - { name: web, module: tcp, address: '1.1.1.1:443', interval: 2s, timeout: 2s }\n"
TRANSFER = """
import socket, sys
side, role, address = sys.argv[1:]
if side == "serve":
    server = socket.create_server((address, 9000))
    peers = []
    while True:
        peers.append(server.accept()[0])
        role = peers[-1].recv(1)
        import threading
        def move(peer=peers[-1], role=role):
            try:
                while role == b"d" or peer.recv(65536):
                    if role == b"d": peer.sendall(bytes(65536))
            except OSError:
                pass
        threading.Thread(target=move, daemon=True).start()
peer = socket.create_connection((address, 9000))
peer.sendall(role.encode())
while role == "u" or peer.recv(65536):
    if role == "u": peer.sendall(bytes(65536))
"""


@dataclasses.dataclass(frozen=True)
class Fault:
    """What is broken: the place and kind that /metrics must name, how, and what else is odd about the line."""
    location: str
    kind: str
    how: str
    confounders: tuple = ()

    def __str__(self):
        return f"{self.location} {self.kind}: {self.how}{''.join(f', {name}' for name in self.confounders)}"


CONFOUNDERS = ["silent router", "silent access", "slow answers", "second router", "carrier-grade NAT", "10.0.0.0/8", "busy host"]
# Share of lost packets, in the direction of the name.
LOSSES = [f"{share} % {way}" for share in (5, 20) for way in ("up", "down")]
FAULTS = [
    Fault("link", "outage", "no carrier"), Fault("router", "outage", "silent"), Fault("access", "outage", "the router's cable is out"),
    Fault("access", "outage", "the modem is dead"), Fault("provider", "outage", "no route"), Fault("provider", "outage", "silent"),
    Fault("internet", "outage", "silent"), Fault("dns", "outage", "silent"), Fault("policy", "outage", "rejected"),
    *(Fault(place, "loss", how) for place in ("link", "access", "provider", "internet") for how in LOSSES),
    Fault("access", "loss", "the router drops 20 %"), Fault("access", "loss", "the router drops 60 %"),
    *(Fault(place, "latency", f"full {way}") for place in ("access", "provider") for way in ("up", "down")),
]


def draw(count, seed):
    """Faults with at most two confounders that leave their place visible to somebody."""
    source = random.Random(seed)
    for number in range(count):
        fault = FAULTS[number % len(FAULTS)] if count >= len(FAULTS) else source.choice(FAULTS)
        yield dataclasses.replace(fault, confounders=tuple(sorted(source.sample(CONFOUNDERS, source.choice([0, 0, 1, 1, 2])))))


class World:
    def __init__(self, number, fault):
        self.number, self.fault = number, fault
        self.programs = []
        has = fault.confounders.__contains__
        chain = ["host", *(["inner"] if has("second router") else []), "home", "access", "provider"]
        self.spaces = {name: f"{name}{number}" for name in [*chain, "web", "other", "guest"]}
        for space in self.spaces.values():
            run(f"ip netns add {space}")
            run(f"ip -n {space} link set lo up")
        self.router = chain[1]
        access_net = "100.64.7" if has("carrier-grade NAT") else "10.7.0" if has("10.0.0.0/8") else "198.18.7"
        nets = {"inner": "192.168.8", "home": "192.168.1", "access": access_net, "provider": "198.18.8", "web": "198.18.9", "other": "198.18.10"}
        for near, far in [*zip(chain, chain[1:]), ("provider", "web"), ("provider", "other")]:
            self.lay(near, far, nets[far])
            self.run(near, f"ip route replace default via {nets[far]}.1")
        self.run("provider", "ip route del default")
        self.lay("guest", "home", "192.168.2", "guests")
        self.run("guest", "ip route add default via 192.168.2.1")
        for address in lab.WEB, lab.NAMES:
            self.serve("web", address)
        for address in "1.1.1.1", "8.8.8.8", "9.9.9.9", "198.18.99.9":
            self.serve("other", address)
        self.run("web", "ip route add default via 198.18.9.2")
        self.run("other", "ip route add default via 198.18.10.2")
        self.run("provider", f"ip route add {nets['access']}.0/24 via 198.18.8.2")
        for name in chain[1:]:
            self.run(name, "sysctl -qw net.ipv4.ip_forward=1")
            if not has("slow answers"):
                self.run(name, "sysctl -qw net.ipv4.icmp_ratelimit=0")
        for name in {self.router, "home"}:
            self.nft(name, "translate", "type nat hook postrouting priority 100;", f"oifname {chain[chain.index(name) + 1]} masquerade")
        lab.names(self.spaces["web"])
        for name in "web", "other":
            lab.web(f"{name}{number}", self.spaces[name])
        self.start("other", "python3", bench.write("transfer.py", TRANSFER), "serve", "-", "198.18.99.9")
        if has("silent router"):
            self.nft(self.router, "quiet", "type filter hook input priority 0;", "ip protocol icmp drop")
        if has("silent access"):
            self.nft("access", "quiet", "type filter hook output priority 0;", "icmp type time-exceeded drop", "icmp type echo-reply drop")
        if has("busy host"):
            for _ in range(2):
                self.start("host", "nice", "sh", "-c", "while :; do :; done")
        self.exporter = bench.exporter(BASE + TARGET, namespace=self.spaces["host"], port=10319)

    def run(self, name, command):
        run(f"ip netns exec {self.spaces[name]} {command}")

    def start(self, name, *command):
        self.programs.append(Program(*command, namespace=self.spaces[name]))

    def lay(self, near, far, net, device=None):
        """A cable: `far` has .1 and `near` has .2; its device in each namespace is named after the other end."""
        near_device, far_device = "eth0" if near == "host" else device or far, device or near
        run(f"ip -n {self.spaces[near]} link add {near_device} type veth peer name {far_device} netns {self.spaces[far]}")
        for name, end, last in (near, near_device, 2), (far, far_device, 1):
            run(f"ip -n {self.spaces[name]} address add {net}.{last}/24 dev {end}")
            run(f"ip -n {self.spaces[name]} link set {end} up")

    def serve(self, name, address):
        run(f"ip -n {self.spaces[name]} address add {address}/32 dev lo")
        net = "198.18.9" if name == "web" else "198.18.10"
        self.run("provider", f"ip route add {address}/32 via {net}.1")

    def nft(self, name, chain, hook, *rules):
        lines = "\n".join([hook, *rules])
        text = f"table ip t {{\nchain {chain} {{\n{lines}\n}}\n}}\n"
        self.run(name, f"nft -f {bench.write(f'{self.spaces[name]}-{chain}', text)}")

    def ends(self, place):
        """The cable of a place: its near and far namespace and their devices."""
        near = {"link": "host", "access": "home", "provider": "access", "internet": "provider"}[place]
        far = {"link": self.router, "access": "access", "provider": "provider"}.get(place)
        return near, ("eth0" if near == "host" else far), far, near

    def drop(self, name, share, *devices, hook="prerouting"):
        rule = f"iifname {{ {', '.join(devices)} }} numgen random mod 100 < {share} drop"
        self.nft(name, "fault", f"type filter hook {hook} priority {-300 if hook == 'prerouting' else 0};", rule)

    def fail(self):
        place, kind, how = self.fault.location, self.fault.kind, self.fault.how
        if kind == "outage":
            self.end(place, how)
        elif how.startswith("the router drops"):
            self.drop("home", how.split()[-2], "access", "inner" if self.router == "inner" else "host", hook="forward")
        elif kind == "loss":
            share, _, way = how.split()
            if place == "internet":
                for name in ("web", "other") if way == "up" else ("provider",):
                    self.drop(name, share, *(("provider",) if way == "up" else ("web", "other")))
            else:
                near, near_device, far, far_device = self.ends(place)
                self.drop(*((far, share, far_device) if way == "up" else (near, share, near_device)))
        else:
            near, near_device, far, far_device = self.ends(place)
            name, device = (near, near_device) if how == "full up" else (far, far_device)
            self.run(name, f"tc qdisc add dev {device} root tbf rate {RATE}mbit burst 16k latency {QUEUE}ms")
            self.start("guest", "python3", f"{bench.WORK}/transfer.py", "use", "u" if how == "full up" else "d", "198.18.99.9")

    def end(self, place, how):
        silent = "type filter hook prerouting priority -300;"
        match place, how:
            case "link", _:
                self.run(self.router, "ip link set host down")
            case "router", _:
                self.run(self.router, "ip link set host arp off")
                self.nft(self.router, "fault", silent, "iifname host drop")
            case "access", "the router's cable is out":
                self.run("home", "ip link set access down")
            case "access", _:
                self.run("access", "ip link set home arp off")
                self.run("home", "ip neigh flush all")
            case "provider", "no route":
                self.run("access", "ip route del default")
            case "provider", _:
                self.nft("provider", "fault", silent, "drop")
            case "internet", _:
                for name in "web", "other":
                    self.nft(name, "fault", silent, "drop")
            case "dns", _:
                run(f"ip -n {self.spaces['web']} address del {lab.NAMES}/32 dev lo")
                run(f"ip -n {self.spaces['web']} route add blackhole {lab.NAMES}/32")
            case "policy", _:
                self.nft("home", "fault", "type filter hook forward priority 0;", "reject with icmp type admin-prohibited")

    def faults(self):
        """The places and kinds that the exporter names now."""
        text = bench.get(10319)[2].decode()
        return {(labels["location"], labels["kind"]) for labels in named(text)}

    def close(self):
        self.exporter.stop()
        for program in self.programs:
            program.stop()
        for space in self.spaces.values():
            run(f"ip netns del {space}")


def named(text):
    """The labels of the faults whose gauge is 1."""
    for line in text.splitlines():
        if line.startswith("network_health_fault{") and line.endswith(" 1"):
            yield json.loads("{" + line[line.index("{") + 1:line.index("}")].replace("location=", '"location":').replace("kind=", '"kind":') + "}")
