"""The small internet of the soak: namespaces, a name server, a receiver over HTTP and HTTPS, and the files of the exporters."""
import contextlib
import crypt
import ctypes
import http.server
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time

APP, WORLD = f"nhe-soak-{os.getpid()}-app", f"nhe-soak-{os.getpid()}-world"
UPLINKS = {"eth0": ("198.18.0", 100), "eth1": ("198.18.1", 200)}
USER, PASSWORD = "scraper", "right"

# `{extra}` is a further target, which each second reload removes. What fails does so in each way: refused, unreachable, silent, no such name, status.
CONFIGURATION = """
path: {{ expensive: false }}
internet:
  interval: 5s
  expensive_interval: 5s
  tls_config: {{ ca_file: server.crt }}
  probes: [{{ name: world, url: "http://198.18.9.1/generate_204", expect: {{ status: 204 }} }}]
  https: ["https://world.test/"]
  literals: ["198.18.9.1:80"]
gateway: {{ enabled: true, interval: 2s }}
targets:
  - {{ name: ping, module: icmp, address: 198.18.9.1, interval: 1s }}
  - {{ name: ping-name, module: icmp, address: world.test, interval: 5s }}
  - {{ name: ping-unreachable, module: icmp, address: 198.18.9.99, interval: 5s }}
  - {{ name: tcp, module: tcp, address: "world.test:80", interval: 1s }}
  - {{ name: tcp-tls, module: tcp, address: "world.test:443", tls: true, ca_file: server.crt, interval: 5s }}
  - {{ name: tcp-refused, module: tcp, address: "198.18.9.1:81", interval: 2s }}
  - {{ name: tcp-no-name, module: tcp, address: "gone.test:80", interval: 5s }}
  - {{ name: tcp-silent-server, module: tcp, address: "silent.test:80", interval: 20s }}
  - {{ name: dns, module: dns, address: 198.18.9.1, query: world.test, interval: 1s }}
  - {{ name: dns-no-name, module: dns, address: 198.18.9.1, query: gone.test, interval: 5s }}
  - {{ name: dns-silent, module: dns, address: 198.18.9.1, query: silent.test, interval: 5s }}
  - {{ name: http, module: http, address: "http://world.test/ok", expect: {{ status: 200, body_regex: "o+k" }}, interval: 2s }}
  - {{ name: https, module: http, address: "https://world.test/ok", ca_file: server.crt, interval: 5s }}
  - {{ name: http-status, module: http, address: "http://198.18.9.1/later", interval: 5s }}
  - {{ name: http-silent, module: http, address: "http://198.18.9.1/silent", timeout: 2s, interval: 10s }}
  - {{ name: graphql, module: graphql, address: "http://world.test/graphql", query: "{{ a }}", interval: 10s }}
{extra}
speedtest:
  servers: [{{ name: world, protocol: speedlab, url: "http://198.18.9.1:10319/speedtest" }}]
  schedule: {{ interval: 2m }}
  jitter: 0s
  min_gap: 10s
  when_busy: run
  initial_delay: 20s
  duration: {{ min: 1s, max: 1s }}
  budget: {{ per_run: 200MB, per_day: 300GB, per_month: 9TB }}
speedtest_server: {{ enabled: true, max_bytes_per_day: 1TB }}
requirements:
  soak: {{ max_latency: 200ms, max_loss: 20%, targets: [ping, tcp], hold: 2s }}
  never: {{ min_download: 900Gbps }}
offline_queue:
  enabled: true
  max_requests: 500
  max_age: 10m
  allowed_hosts:
    - {{ host: world.test, schemes: [http], ports: [80], allow_private: true, headers: {{ Authorization: "Bearer token" }} }}
    - {{ host: 198.18.9.1, schemes: [http], ports: [80], methods: [POST, PUT], paths: [/v1/] }}
    - {{ host: gone.test }}
webhooks:
  - {{ url: "http://198.18.9.1/hook", events: [lost, restored, quality], min_outage: 5s, secret: key }}
  - {{ url: "http://world.test/later", events: [restored], when: online, min_outage: 5s }}
"""
EXTRA = '  - {{ name: extra{}, module: tcp, address: "198.18.9.1:443", interval: 1s, labels: {{ reload: "{}" }} }}'
SERVER = 'internet: { enabled: false }\nspeedtest_server: { enabled: true, allow: ["198.18.0.0/15"], max_bytes_per_day: 1TB }\n'
WEB = 'tls_server_config: {{ cert_file: server.crt, key_file: server.key }}\nbasic_auth_users: {{ {}: "{}" }}\n'


def run(command):
    subprocess.run(command.split(), check=True)


def enter(namespace):
    """The calling thread's sockets are in the namespace from now on."""
    with open(f"/run/netns/{namespace}") as file:
        if ctypes.CDLL(None, use_errno=True).setns(file.fileno(), 0):
            raise OSError(ctypes.get_errno(), "setns")


def begin(namespace, work, *arguments):
    """Runs a function in a thread whose sockets are in the namespace."""
    def body():
        enter(namespace)
        work(*arguments)
    threading.Thread(target=body, daemon=True).start()


def lay_cables():
    for name in APP, WORLD:
        run(f"ip netns add {name}")
        run(f"ip -n {name} link set lo up")
    # A route without a cable is no route.
    run(f"ip netns exec {APP} sysctl -q net.ipv4.conf.all.ignore_routes_with_linkdown=1")
    run(f"ip -n {WORLD} address add 198.18.9.1/32 dev lo")
    for device, (net, metric) in UPLINKS.items():
        run(f"ip -n {APP} link add {device} type veth peer name {device} netns {WORLD}")
        run(f"ip -n {APP} address add {net}.2/24 dev {device}")
        run(f"ip -n {WORLD} address add {net}.1/24 dev {device}")
        run(f"ip -n {WORLD} link set {device} up")
        run(f"ip -n {APP} link set {device} up")
        run(f"ip -n {APP} route add default via {net}.1 dev {device} metric {metric}")
    os.makedirs(f"/etc/netns/{APP}")  # which `ip netns exec` mounts over /etc
    with open(f"/etc/netns/{APP}/resolv.conf", "w") as file:
        file.write("nameserver 198.18.9.1\n")


def remove_cables():
    for name in APP, WORLD:
        subprocess.run(["ip", "netns", "del", name])
    shutil.rmtree(f"/etc/netns/{APP}", ignore_errors=True)


def write_files(folder):
    run("openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 9 -subj /CN=soak -addext subjectAltName=DNS:world.test,IP:127.0.0.1"
        f" -keyout {folder}/server.key -out {folder}/server.crt")
    hashed = crypt.crypt(PASSWORD, crypt.mksalt(crypt.METHOD_BLOWFISH, rounds=1 << 6))
    for name, text in ("world.yml", SERVER), ("web.yml", WEB.format(USER, hashed)):
        with open(f"{folder}/{name}", "w") as file:
            file.write(text)
    write_configuration(folder, 0)


def write_configuration(folder, number):
    with open(f"{folder}/new.yml", "w") as file:
        file.write(CONFIGURATION.format(extra=EXTRA.format(number, number) if number % 2 else ""))
    os.rename(f"{folder}/new.yml", f"{folder}/app.yml")


class Receiver(http.server.BaseHTTPRequestHandler):
    """Answers probes, requests of the queue and webhooks; `counts` are those of the paths."""
    protocol_version = "HTTP/1.1"
    timeout = 30  # seconds, of a connection without a request
    counts = {}

    def answer(self):
        self.rfile.read(int(self.headers.get("Content-Length", 0)))
        path = self.path.split("?")[0]
        Receiver.counts[path] = Receiver.counts.get(path, 0) + 1
        if path == "/silent":
            time.sleep(4)
        # A request that is delivered at its third try on average, as a busy server would answer.
        status = {"/generate_204": 204, "/v1/refused": 422}.get(path, 503 if path.endswith("/later") and Receiver.counts[path] % 3 else 200)
        body = b"" if status == 204 else b'{"data": "ok"}'
        self.send_response(status)
        if body:
            self.send_header("Content-Length", str(len(body)))
            self.send_header("Content-Type", "application/json")
        self.end_headers()
        if self.command != "HEAD":
            self.wfile.write(body)

    do_GET = do_HEAD = do_POST = do_PUT = answer

    def log_message(self, *_):
        pass


class QuietServer(http.server.ThreadingHTTPServer):
    daemon_threads = True

    def handle_error(self, *_):
        pass


def answer_http(port, folder=None):
    server = QuietServer(("198.18.9.1", port), Receiver)
    if folder:
        context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
        context.load_cert_chain(f"{folder}/server.crt", f"{folder}/server.key")
        server.socket = context.wrap_socket(server.socket, server_side=True, do_handshake_on_connect=False)
    server.serve_forever()


def answer_names():
    """world.test has one address, silent.test gets no answer, every other name does not exist."""
    server = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    server.bind(("198.18.9.1", 53))
    while True:
        query, client = server.recvfrom(512)
        name, end = [], 12
        while end < len(query) and query[end]:
            name.append(query[end + 1:end + 1 + query[end]].decode(errors="replace"))
            end += 1 + query[end]
        question, kind = query[12:end + 5], query[end + 1:end + 3]
        if name == ["silent", "test"]:
            continue
        is_known = name == ["world", "test"]
        record = b"\xc0\x0c\x00\x01\x00\x01\x00\x00\x00\x05\x00\x04" + socket.inet_aton("198.18.9.1") if is_known and kind == b"\x00\x01" else b""
        flags = b"\x81\x80" if is_known else b"\x81\x83"
        with contextlib.suppress(OSError):  # the cable has been pulled since
            server.sendto(query[:2] + flags + b"\x00\x01" + (b"\x00\x01" if record else b"\x00\x00") + b"\x00" * 4 + question + record, client)


def start_servers(folder):
    begin(WORLD, answer_names)
    begin(WORLD, answer_http, 80)
    begin(WORLD, answer_http, 443, folder)
