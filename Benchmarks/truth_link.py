"""One link of Benchmarks/truth: two namespaces, between them a link of known rate, delay and buffer, a server at its end, and a test over it."""
import json
import os
import subprocess
import time

import bench
from bench import Program, run
from truth_log import Sampled
from truth_server import nginx_root

NEAR, FAR, PORT = "198.18.2.1", "198.18.2.2", 10319
BASE = f"http://{FAR}:{PORT}"
# Above it the default of the lab's relay holds too few packets for the longest delay and buffer.
RELAY_SLOTS = 1 << 15
FIRST = ["nice", "-n", "-10"]


class Link:
    """A link as a cell describes it, for as long as it is not closed."""

    def __init__(self, cell):
        self.cell = cell
        self.here, self.there = f"here{cell.number}", f"there{cell.number}"
        self.folder = f"{bench.WORK}/{cell.number}"
        self.log, self.samples = None, []
        self.programs = []
        os.makedirs(self.folder)
        for name in self.here, self.there:
            run(f"ip netns add {name}")
            run(f"ip -n {name} link set lo up")
        if cell.is_relayed:
            self.connect_by_relay()
        else:
            self.connect_by_tbf()

    def connect_by_relay(self):
        cell = self.cell
        for name in self.here, self.there:
            run(f"ip -n {name} tuntap add mode tun name lab0")
        self.address()
        self.log = f"{self.folder}/packets"
        rates = [rate * 1_000_000 for rate in (cell.up, cell.down)]
        buffers = [max(3000, rate // 8 * cell.buffer // 1000) for rate in rates]
        relay = self.start(os.environ["NHE_LAB_RELAY"], f"/run/netns/{self.here}", "lab0", f"/run/netns/{self.there}", "lab0",
                           f"delay={cell.rtt * 500}", f"rate={rates[0]},{rates[1]}", f"buffer={buffers[0]},{buffers[1]}",
                           f"loss={cell.loss}", f"seed={cell.seed}", f"slots={RELAY_SLOTS if cell.down > 100 else 1 << 13}",
                           f"log={self.log}")
        wait(lambda: "ready" in read(relay.log), "the relay")

    def connect_by_tbf(self):
        """A rate of Ethernet frames, on either end of a pair of veth."""
        run(f"ip link add lab0 netns {self.here} type veth peer name lab0 netns {self.there}")
        self.address()
        for name, rate in (self.here, self.cell.up), (self.there, self.cell.down):
            run(f"ip netns exec {name} tc qdisc add dev lab0 root tbf rate {rate}mbit burst 256kb latency {self.cell.buffer}ms")

    def address(self):
        for name, own, other in (self.here, NEAR, FAR), (self.there, FAR, NEAR):
            run(f"ip -n {name} address add {own} peer {other} dev lab0")
            run(f"ip -n {name} link set lab0 up")
            # The sysctl of a namespace takes only what the machine allows its users.
            run(f"ip -n {name} route replace {other} dev lab0 src {own} congctl {self.cell.sender}")

    def start(self, *command, namespace=None):
        program = Program(*command, namespace=namespace)
        self.programs.append(program)
        return program

    def serve(self):
        """The server, which has the processor before what is measured: it stands for a machine of its own."""
        here = os.path.dirname(os.path.abspath(__file__))
        if self.cell.server == "ours":
            configuration = self.write("server.yml", "internet: { enabled: false }\nspeedtest_server: "
                                       '{ enabled: true, allow: ["198.18.0.0/15"], max_bytes: 10GB, max_bytes_per_day: 10TB }\n')
            command = [os.environ["NHE_EXECUTABLE"], f"--config.file={configuration}", f"--web.listen-address={FAR}:{PORT}"]
        elif self.cell.server == "nginx":
            command = ["nginx", "-p", self.folder, "-e", f"{self.folder}/errors", "-c", nginx_root(self.folder, BASE)]
        else:
            # python3-websockets is Debian's.
            command = ["/usr/bin/python3", "-B", f"{here}/truth_server.py", self.cell.protocol, FAR, str(PORT)]
        program = self.server = self.start(*FIRST, *command, namespace=self.there)
        ask = ["ip", "netns", "exec", self.here, "curl", "-s", "-o", "/dev/null", f"{BASE}/nothing"]
        wait(lambda: subprocess.run(ask).returncode == 0, f"the server ({program.log})")

    def test(self):
        """The result of `speedtest`, and the bytes that the device carried meanwhile, down and up."""
        protocol = self.cell.protocol
        if not self.log:
            other = self.start("sleep", "infinity", namespace=self.here)
            self.samples = [Sampled(program.pid, "lab0") for program in (other, self.server)]
        url = BASE + ("/speedtest" if self.cell.server == "ours" and protocol in ("speedlab", "librespeed") else "")
        file = self.write("client.yml", "internet: { enabled: false }\nspeedtest:\n"
                          f'  servers: [{{ name: lab, protocol: {protocol}, url: "{url}" }}]\n'
                          f"  budget: {{ per_run: {'500MB' if self.cell.down <= 100 else '8GB'}, per_day: 100GB, per_month: 1TB }}\n")
        before = self.carried()
        command = ["ip", "netns", "exec", self.here, os.environ["NHE_EXECUTABLE"], "speedtest", f"--config.file={file}", "--json"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=200, env={"PATH": os.environ["PATH"]})
        moved = [now - then for now, then in zip(self.carried(), before)]
        for sampled in self.samples:
            sampled.stop()
        try:
            return json.loads(done.stdout), moved
        except ValueError:
            return {"error": f"exit status {done.returncode}: {done.stderr.strip()}", "durationSeconds": 0}, moved

    def carried(self):
        counters = json.loads(run(f"ip -n {self.here} -s -j link show dev lab0"))[0]["stats64"]
        return [counters[way]["bytes"] for way in ("rx", "tx")]

    def close(self):
        """Ends what runs; the relay writes its log, in which a packet is once it has left."""
        time.sleep((self.cell.rtt + self.cell.buffer) / 1000)
        for program in reversed(self.programs):
            program.stop()
        for name in self.here, self.there:
            subprocess.run(["ip", "netns", "del", name])

    def write(self, name, text):
        path = f"{self.folder}/{name}"
        with open(path, "w") as file:
            file.write(text)
        return path


def read(path):
    with open(path) as file:
        return file.read()


def wait(until, what, seconds=30):
    end = time.monotonic() + seconds
    while not until():
        if time.monotonic() > end:
            raise RuntimeError(f"no answer of {what}")
        time.sleep(0.05)
