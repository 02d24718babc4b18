"""What is broken in a world of where_world.py, and what else is odd about it."""
import dataclasses
import random

from where_world import LITERAL, NAMES, SERVERS

RATE, QUEUE = 10, 200  # Mbit/s and ms of a cable whose queue is filled
INPUT, OUTPUT, FORWARD = (f"type filter hook {hook} priority 0;" for hook in ("input", "output", "forward"))
ARRIVAL = "type filter hook prerouting priority -300;"
PROBES = "udp dport 33434-33450"

# What makes a place harder to see, and leaves it visible.
ODD = ["silent router", "silent access", "half of the answers", "slow answers", "shared answers", "second router", "carrier-grade NAT", "10.0.0.0/8",
       "busy host", "probes are rejected", "a passing error", "equal ways"]


@dataclasses.dataclass(frozen=True)
class Fault:
    """What is broken: the place and kind that /metrics must name, and how."""
    location: str
    kind: str
    how: str
    odd: tuple = ()
    families: tuple = (4,)

    def __str__(self):
        return f"{self.location} {self.kind}: {self.how}, IPv{'+'.join(map(str, self.families))}{''.join(f', {name}' for name in self.odd)}"

    @property
    def limit(self):
        """Seconds until it has to be placed."""
        return 15 if self.kind == "outage" else 720 if self.how.startswith("5 %") else 120


LOSSES = [f"{share} % {way}" for share in (5, 20) for way in ("up", "down")]
FAULTS = [
    Fault("link", "outage", "no carrier"), Fault("router", "outage", "silent"), Fault("access", "outage", "the router's cable is out"),
    Fault("access", "outage", "the modem is dead"), Fault("provider", "outage", "no route"), Fault("provider", "outage", "silent"),
    Fault("internet", "outage", "silent"), Fault("dns", "outage", "silent"), Fault("policy", "outage", "rejected"),
    *(Fault(place, "loss", how) for place in ("link", "access", "provider", "internet") for how in LOSSES),
    Fault("access", "loss", "the router drops 20 %"), Fault("access", "loss", "the router drops 60 %"),
    *(Fault(place, "latency", f"full {way}") for place in ("link", "access", "provider", "internet") for way in ("up", "down")),
    Fault("host", "latency", "own traffic up"), Fault("host", "latency", "own traffic down"),
]


def draw(count, seed):
    """Each fault in turn, with none to two odd things; every fifth over IPv6 alone, and as many over both families."""
    source = random.Random(seed)
    faults = []
    while len(faults) < count:
        faults += source.sample(FAULTS, len(FAULTS))
    for fault in faults[:count]:
        odd = source.sample(ODD, source.choice([0, 0, 1, 1, 2]))
        families = source.choice([(4,), (4,), (4,), (6,), (4, 6)])
        yield dataclasses.replace(fault, odd=tuple(sorted(odd)), families=families)


def prepare(world):
    """What is odd from the start."""
    answers = "icmp type { time-exceeded, echo-reply }", "icmpv6 type { time-exceeded, echo-reply }"
    for odd in world.odd:
        match odd:
            case "silent router":
                world.nft(world.router, "quiet", OUTPUT, *(f"{kind} drop" for kind in answers))
            case "silent access":
                world.nft("access", "quiet", OUTPUT, *(f"{kind} drop" for kind in answers))
            case "half of the answers":
                world.nft("access", "quiet", OUTPUT, *(f"{kind} numgen random mod 2 < 1 drop" for kind in answers))
            case "shared answers":
                world.start("guest", "python3", "-c", PROBING, *(LITERAL[family] for family in world.families))
            case "busy host":
                for _ in range(2):
                    world.start("host", "nice", "sh", "-c", "while :; do :; done")
            case "probes are rejected":
                world.nft("home", "rejecting", FORWARD, f"{PROBES} reject with icmpx type admin-prohibited")


def pass_error(world):
    """The router refuses one packet."""
    world.nft("home", "passing", FORWARD, "limit rate 1/day burst 1 packets meta l4proto tcp reject with icmpx type no-route")


# Another device at home that asks the same routers, twice a second.
PROBING = """
import socket, sys, time
sockets = [(socket.socket(socket.AF_INET6 if ":" in address else socket.AF_INET, socket.SOCK_DGRAM), address) for address in sys.argv[1:]]
while True:
    for sender, address in sockets:
        for hops in range(1, 5):
            if ":" in address:
                sender.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_UNICAST_HOPS, hops)
            else:
                sender.setsockopt(socket.IPPROTO_IP, socket.IP_TTL, hops)
            try:
                sender.sendto(b"other", (address, 33500 + hops))
            except OSError:
                pass
    time.sleep(0.5)
"""


def fail(world, fault):
    if "a passing error" in world.odd:
        pass_error(world)
    if fault.kind == "outage":
        end(world, fault.location, fault.how)
    elif fault.kind == "loss":
        lose(world, fault.location, fault.how)
    else:
        fill(world, fault.location, fault.how)


def ends(world, place):
    """The cables of a place: each with its near and far namespace, and the device of each."""
    match place:
        case "link":
            return [("host", "eth0", world.router, "host")]
        case "access":
            return [("home", "access", "access", "home")]
        case "provider":
            second = [("access", "provider2", "provider", "access2")] if "equal ways" in world.odd else []
            return [("access", "provider", "provider", "access"), *second]
        case "internet":
            return [("provider", name, name, "provider") for name in ("web", "other")]


def drop(world, name, share, devices, hook=ARRIVAL):
    world.nft(name, "fault", hook, f"iifname {{ {', '.join(sorted(devices))} }} numgen random mod 100 < {share} drop")


def lose(world, place, how):
    if how.startswith("the router"):
        return drop(world, "home", how.split()[-2], {"access", "inner" if world.router == "inner" else "host"}, FORWARD)
    share, _, way = how.split()
    receivers = {}
    for near, near_device, far, far_device in ends(world, place):
        name, device = (far, far_device) if way == "up" else (near, near_device)
        receivers.setdefault(name, set()).add(device)
    for name, devices in receivers.items():
        drop(world, name, share, devices)


def fill(world, place, how):
    """Another device fills the cables of a place: one beside the host, one at home, or a neighbour behind the same provider."""
    way = how.split()[-1]
    for near, near_device, far, far_device in ends(world, "access" if place == "host" else place):
        name, device = (near, near_device) if way == "up" else (far, far_device)
        # The host's own end of its cable is its own queue: that of the switch is its radio.
        world.shape(*(("switch", "router") if name == "host" else (name, device)), RATE, QUEUE)
    sender = {"host": "host", "link": "tv", "access": "guest"}.get(place, "access")
    for server in SERVERS if place == "internet" else ["other"]:
        # Several, so that each of equal ways has some.
        for _ in range(8 if "equal ways" in world.odd else 1):
            world.transfer(sender, way[0], server=server)


def silence(world, name, device):
    """Nothing that arrives there is heard, no question for an address either."""
    world.nft(name, "dead", f"type filter hook ingress device {device} priority 0;", "drop", kind="netdev")


def end(world, place, how):
    match place, how:
        case "link", _:
            world.run("switch", "ip link set host down")
        case "router", _:
            silence(world, world.router, "host")
        case "access", "the router's cable is out":
            world.run("home", "ip link set access down")
        case "access", _:
            silence(world, "access", "home")
            world.run("home", "ip neigh flush all")
        case "provider", "no route":
            for family in world.families:
                world.run("access", f"ip -{family} route del default")
        case "provider", _:
            for _, _, _, device in ends(world, "provider"):
                silence(world, "provider", device)
            world.run("access", "ip neigh flush all")
        case "internet", _:
            # Their neighbours still find them: else the provider's router would say that it has no way on.
            for name in "web", "other":
                world.nft(name, "fault", ARRIVAL, "icmpv6 type { nd-neighbor-solicit, nd-neighbor-advert } accept", "drop")
        case "dns", _:
            for family in world.families:
                world.run("web", f"ip -{family} address del {NAMES[family]} dev lo")
                world.run("web", f"ip -{family} route add blackhole {NAMES[family]}")
        case "policy", _:
            world.nft("home", "fault", FORWARD, "reject with icmpx type admin-prohibited")


def is_hidden(fault):
    """Whether nothing that this host can measure decides between two places: then `unknown` is the right answer."""
    is_line = fault.location in ("access", "provider")
    # A router that leaves out half of its answers shows no loss, neither before nor behind it.
    is_leaving_out = "half of the answers" in fault.odd and is_line or "shared answers" in fault.odd and fault.location != "link"
    odd = set(fault.odd)
    return any([
        fault.kind == "loss" and is_leaving_out,
        is_line and bool({"silent access", "probes are rejected"} & odd),
        fault.location == "internet" and bool({"silent access", "probes are rejected"} & odd),
        fault.location in ("link", "access") and fault.kind != "outage" and "silent router" in odd,
        fault.location == "provider" and "10.0.0.0/8" in odd and 4 in fault.families,
        # Its speed was not measured.
        fault.location == "host",
    ])
