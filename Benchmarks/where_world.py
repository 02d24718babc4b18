"""A home, its provider and two servers, each in a namespace of its own.

    host – switch – [inner –] home – access – provider – web, other        tv – switch, guest – home

`inner` is a second router at home. `home` and `inner` translate IPv4 addresses. A cable is named after its far end. Each world is one host
with everything behind it; no link leads out. The exporter runs as user 65534 without capabilities.
"""
import collections
import re

import bench
import lab
from bench import Program, run
from outage_world import enter

SERVERS = {"other": {4: "198.18.99.9", 6: "2001:db8:ff:99::9"}, "web": {4: "198.18.98.9", 6: "2001:db8:ff:98::9"}}  # of the transfers
LITERAL = {4: "1.1.1.1", 6: "2606:4700:4700::1111"}  # where the exporter's probes of routers lead
WEB = {4: lab.WEB, 6: "2001:db8:ff:200::1"}
NAMES = {4: lab.NAMES, 6: "2001:db8:ff:200::53"}
# Of the cable to each namespace. A home has one prefix of IPv6, 2001:db8:aa00::/56.
NETS = {
    4: {"inner": "192.168.8.", "home": "192.168.1.", "access": "198.18.7.", "provider": "198.18.8.", "web": "198.18.9.", "other": "198.18.10.",
        "guest": "192.168.2.", "second": "198.18.11."},
    6: {"inner": "2001:db8:aa00:8::", "home": "2001:db8:aa00:1::", "access": "2001:db8:ff:7::", "provider": "2001:db8:ff:8::",
        "web": "2001:db8:ff:9::", "other": "2001:db8:ff:10::",
        "guest": "2001:db8:aa00:2::", "second": "2001:db8:ff:11::"},
}
LENGTH = {4: 24, 6: 64}
FORWARDING = {4: "net.ipv4.ip_forward=1", 6: "net.ipv6.conf.all.forwarding=1"}
ERRORS = {4: "net.ipv4.icmp_ratelimit", 6: "net.ipv6.icmp.ratelimit"}  # ms between two errors to one host
# With them the exporter finds an outage within 12 s, else within an interval of its checks.
TARGETS = """
targets:
  - {{ name: literal, module: tcp, address: '{}:443', interval: 2s, timeout: 2s }}
  - {{ name: named, module: tcp, address: 'www.gstatic.com:443', interval: 3s, timeout: 2s }}
"""
# Sends and receives as fast as the line lets it, or so many Mbit/s: transfer.py serve ADDRESS, transfer.py u|d ADDRESS [MBIT].
TRANSFER = """
import socket, sys, threading, time
role, address, *rate = sys.argv[1:]
rate = float(rate[0]) * 125000 if rate else 0
family = socket.AF_INET6 if ":" in address else socket.AF_INET
block = bytes(16384)
def send(peer, rate):
    # It fills the queue; BBR does not.
    peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_CONGESTION, b"reno")
    began, sent = time.monotonic(), 0
    while True:
        peer.sendall(block)
        sent += len(block)
        if rate:
            time.sleep(max(0, began + sent / rate - time.monotonic()))
def answer(peer):
    try:
        words = peer.recv(64).decode().split()
        if words[0] == "d":
            send(peer, float(words[1]))
        while peer.recv(65536):
            pass
    except OSError:
        pass
if role == "serve":
    server = socket.create_server((address, 9000), family=family)
    while True:
        threading.Thread(target=answer, args=server.accept()[:1], daemon=True).start()
peer = socket.create_connection((address, 9000))
peer.sendall(f"{role} {rate}".encode())
while role == "d" and peer.recv(65536):
    pass
send(peer, rate)
"""


class World:
    """`odd` are the names of what is odd about the line, see `where_faults.ODD`."""

    def __init__(self, number, families=(4,), odd=(), configuration="", target=True, expensive="auto"):
        self.number, self.families, self.odd = number, families, odd
        self.programs = []
        self.chain = ["host", *(["inner"] if "second router" in odd else []), "home", "access", "provider"]
        self.router = self.chain[1]
        self.spaces = {name: f"{name}{number}" for name in [*self.chain, "switch", "tv", "web", "other", "guest"]}
        self.lines = collections.defaultdict(list)
        for space in self.spaces.values():
            run(f"ip netns add {space}")
        self.nets = {family: dict(NETS[family]) for family in families}
        if 4 in families:
            self.nets[4]["access"] = "100.64.7." if "carrier-grade NAT" in odd else "10.7.0." if "10.0.0.0/8" in odd else NETS[4]["access"]
        self.lay_cables()
        self.lay_routes()
        self.serve()
        targets = TARGETS.format(at(LITERAL[families[0]])) if target else ""
        # The only cable is a veth: without a viewpoint the exporter takes the namespace for a container, and does not watch the router.
        path = f"path: {{ viewpoint: host, expensive: {expensive} }}\n"
        self.start_exporter(path + configuration + targets)

    # Laying it

    def ip(self, name, line):
        """A command of ip in a namespace, when `apply` is called."""
        self.lines[name].append(line)

    def apply(self):
        for name, lines in self.lines.items():
            batch = bench.write(f"{self.spaces[name]}.batch", "\n".join(lines) + "\n")
            run(f"ip -n {self.spaces[name]} -batch {batch}")
        self.lines.clear()

    def lay_cables(self):
        chain = self.chain
        self.ip("switch", "link add bridge type bridge")
        ends = []
        for name, device, last in ("host", "eth0", 2), ("tv", "eth0", 3), (self.router, "host", 1):
            port = "router" if name == self.router else name
            self.ip("switch", f"link add {port} type veth peer name {device} netns {self.spaces[name]}")
            self.ip("switch", f"link set {port} master bridge up")
            ends.append((name, device, self.router, last))
        self.ip("switch", "link set bridge up")
        cables = [*((near, far, far) for near, far in zip(chain[1:], chain[2:])), ("provider", "web", "web"), ("provider", "other", "other"),
                  ("guest", "home", "guest"), *([("access", "provider", "second")] if "equal ways" in self.odd else [])]
        for near, far, net in cables:
            # The nearer end has 2 and the farther one 1; the device in each namespace is named after the other end.
            devices = (f"{far}2", f"{near}2") if net == "second" else (far, near)
            self.ip(near, f"link add {devices[0]} type veth peer name {devices[1]} netns {self.spaces[far]}")
            ends += [(near, devices[0], net, 2), (far, devices[1], net, 1)]
        self.apply()
        for name in self.spaces:
            self.ip(name, "link set lo up")
        for name, device, net, last in ends:
            for family in self.families:
                prefix = f"{self.nets[family][net]}{last}/{LENGTH[family]}"
                self.ip(name, f"address add {prefix} dev {device}{' nodad' if family == 6 else ''}")
            self.ip(name, f"link set {device} up")
        # No link-local address has to wait for its duplicates.
        settings = ["net.ipv6.conf.all.accept_dad=0", "net.ipv6.conf.default.accept_dad=0"]
        for name in self.spaces:
            self.set(name, *settings, *(f"net.ipv6.conf.{end[1]}.accept_dad=0" for end in ends if end[0] == name))
        self.apply()

    def lay_routes(self):
        for family in self.families:
            nets = self.nets[family]
            for near, far in zip(self.chain, self.chain[1:]):
                self.route(near, family, "default", f"via {nets[far]}1")
            self.route("guest", family, "default", f"via {nets['guest']}1")
            self.route("tv", family, "default", f"via {nets[self.router]}1")
            for name in "web", "other":
                self.route(name, family, "default", f"via {nets[name]}2")
            homes = f"{nets['access']}0/24" if family == 4 else "2001:db8:aa00::/56"
            self.route("provider", family, homes, f"via {nets['provider']}2")
            if family == 6:
                self.route("access", 6, homes, f"via {nets['access']}2")
                if self.router == "inner":
                    self.route("home", 6, f"{nets['inner']}/64", f"via {nets['home']}2")
            if "equal ways" in self.odd:
                # Connections take one of them by their ports.
                for name, prefix, last in ("access", "default", 1), ("provider", homes, 2):
                    self.route(name, family, prefix, " ".join(f"nexthop via {nets[net]}{last}" for net in ("provider", "second")))
                    self.set(name, f"net.ipv{family}.fib_multipath_hash_policy=1")
        has_limit = {"slow answers", "shared answers"} & set(self.odd)
        for name in self.chain[1:]:
            self.set(name, *(setting for family in self.families for setting in [FORWARDING[family], *([] if has_limit else [f"{ERRORS[family]}=0"])]))
        for name in {self.router, "home"} if 4 in self.families else ():
            far = self.chain[self.chain.index(name) + 1]
            self.nft(name, "translate", "type nat hook postrouting priority 100;", f"oifname {far} meta nfproto ipv4 masquerade")
        self.apply()

    def route(self, name, family, prefix, way):
        prefix = {4: "0.0.0.0/0", 6: "::/0"}[family] if prefix == "default" else prefix
        self.ip(name, f"route replace {prefix} {way}")

    def serve(self):
        """The web and the names behind one cable, the literals and the transfers behind the other."""
        for family in self.families:
            addresses = [("web", WEB[family]), ("web", NAMES[family]), ("other", LITERAL[family]), *((name, SERVERS[name][family]) for name in SERVERS)]
            for name, address in addresses + ([("other", "8.8.8.8"), ("other", "9.9.9.9")] if family == 4 else []):
                self.ip(name, f"address add {address}/{32 if family == 4 else 128} dev lo{' nodad' if family == 6 else ''}")
                self.route("provider", family, f"{address}/{32 if family == 4 else 128}", f"via {self.nets[family][name]}1")
        self.apply()
        lab.names(self.spaces["web"], [NAMES[family] for family in self.families], [WEB[family] for family in self.families])
        for name in "web", "other":
            lab.web(f"{name}{self.number}", self.spaces[name])
        bench.write("transfer.py", TRANSFER)
        for name in SERVERS:
            self.start(name, "python3", f"{bench.WORK}/transfer.py", "serve", SERVERS[name][self.families[0]])

    def start_exporter(self, configuration):
        self.set("host", "net.ipv4.ping_group_range=0\t2147483647")
        names = bench.write(f"names{self.number}", f"nameserver {NAMES[self.families[0]]}\n")
        # `ip netns exec` has a mount namespace of its own.
        shell = f"mount --bind {names} /etc/resolv.conf && exec setpriv --reuid=65534 --regid=65534 --clear-groups --bounding-set=-all"
        through = ["sh", "-c", f'{shell} --inh-caps=-all "$@"', "sh"]
        run(f"chmod 755 {bench.WORK}")
        self.exporter = bench.exporter(configuration, namespace=self.spaces["host"], port=10319, through=through)

    # Using it

    def set(self, name, *settings):
        run_words(["ip", "netns", "exec", self.spaces[name], "sysctl", "-qw", *settings])

    def run(self, name, command):
        run_words(["ip", "netns", "exec", self.spaces[name], *command.split(" ")])

    def start(self, name, *command):
        self.programs.append(Program(*command, namespace=self.spaces[name]))

    def transfer(self, name, role, *rate, server="other"):
        """An endless transfer from or to a server: `d` or `u`, with so many Mbit/s."""
        self.start(name, "python3", f"{bench.WORK}/transfer.py", role, SERVERS[server][self.families[0]], *map(str, rate))

    def shape(self, name, device, rate, queue):
        """A cable that sends so many Mbit/s, with a queue of so many ms."""
        self.run(name, f"tc qdisc replace dev {device} root tbf rate {rate}mbit burst 16k latency {queue}ms")

    def nft(self, name, chain, hook, *rules, kind="inet"):
        lines = "\n".join([hook, *rules])
        text = f"table {kind} {chain} {{\nchain {chain} {{\n{lines}\n}}\n}}\n"
        self.run(name, f"nft -f {bench.write(f'{self.spaces[name]}-{chain}', text)}")

    def faults(self):
        """The places and kinds that the exporter names now."""
        return {(labels["location"], labels["kind"]) for labels, value in samples(self.metrics(), "network_health_fault") if value == 1}

    def metrics(self):
        return bench.get(10319)[2].decode()

    def enter(self):
        """Puts this thread into the host."""
        enter(self.spaces["host"])

    def close(self):
        self.exporter.stop()
        for program in self.programs:
            program.stop()
        for space in self.spaces.values():
            run(f"ip netns del {space}")


def at(address):
    return f"[{address}]" if ":" in address else address


def run_words(command):
    return bench.subprocess.run(command, check=True, capture_output=True, text=True).stdout


def samples(text, name):
    """The labels and values of a metric."""
    for labels, value in re.findall(r"^" + name + r"\{(.*)\} (\S+)$", text, re.M):
        yield dict(re.findall(r'(\w+)="([^"]*)"', labels)), float(value)
