"""Holds 600 connections of abusive shapes open, and scrapes beside them twice a second.

Usage: abuse.py JSON, with
  target, peer     HOST:PORT of the exporter, and of a web server that returns a constant
  process          of the exporter
  shapes           names from SHAPES
  abusers          their source addresses
  scraper          the scraper's source address
  seconds          how long
  tls              whether the exporter speaks TLS
  authorization    the scraper's header field, or empty
Prints one JSON object.
"""

import base64
import json
import multiprocessing
import os
import socket
import ssl
import sys
import time

COUNT = 600
ESTABLISHED, SYN_SENT = 1, 2
GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n"


def guess():
    """A request with a password that was not tried before."""
    return GET + b"Authorization: Basic " + base64.b64encode(b"alice:" + os.urandom(9).hex().encode()) + b"\r\n\r\n"


# How a connection begins, what it sends every tenth of a second, and whether it asks again after an answer.
SHAPES = {
    # A header field that never ends.
    "header": (lambda: GET + b"X: ", b"x", False),
    # A body that never ends; it is refused, and read nevertheless.
    "body": (lambda: b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n", b"x", False),
    # Many answers, none of which is read.
    "reader": (lambda: (GET + b"\r\n") * 100, b"", False),
    # Waits for what does not happen.
    "waiter": (lambda: b"GET /health?wait=60s HTTP/1.1\r\nHost: x\r\n\r\n", b"", False),
    # A large body without a right to it.
    "post": (
        lambda: b"POST /api/v1/requests HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n"
        b"Content-Length: 16000000\r\n\r\n",
        bytes(65536),
        False,
    ),
    "password": (guess, b"", True),
}


def address(text):
    host, port = text.rsplit(":", 1)
    return host.strip("[]"), int(port)


def family(host):
    return socket.AF_INET6 if ":" in host else socket.AF_INET


class Connection:
    def __init__(self, target, source, shape, context):
        self.source, self.shape, self.has_begun, self.is_secure = source, shape, False, context is None
        self.socket = socket.socket(family(source))
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.bind((source, 0))
        self.socket.connect_ex(target)
        self.context = context

    def step(self):
        """Sends a little; returns whether the connection still exists."""
        state = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        if state == SYN_SENT:
            return True
        if state != ESTABLISHED:
            return False
        begin, more, is_repeated = SHAPES[self.shape]
        try:
            if not self.is_secure:
                if not isinstance(self.socket, ssl.SSLSocket):
                    self.socket = self.context.wrap_socket(self.socket, do_handshake_on_connect=False)
                self.socket.do_handshake()
                self.is_secure = True
            if not self.has_begun:
                self.has_begun = True
                self.socket.send(begin())
            elif more:
                self.socket.send(more)
            elif is_repeated and self.socket.recv(65536):
                self.socket.send(begin())
        except (BlockingIOError, ssl.SSLWantReadError, ssl.SSLWantWriteError):
            pass
        except OSError:
            return False
        return True


def abuse(options, context, is_over, begun):
    target, shapes, sources = address(options["target"]), options["shapes"], options["abusers"]
    connections = [
        Connection(target, sources[index % len(sources)], shapes[index % len(shapes)], context) for index in range(COUNT)
    ]
    ended = []
    while not is_over.wait(0.1):
        now = time.monotonic()
        for connection in [connection for connection in connections if not connection.step()]:
            connection.socket.close()
            connections.remove(connection)
            # Comes again, as a program does that tries until it succeeds.
            ended.append((now + 0.5, connection.source, connection.shape))
        due = [entry for entry in ended if entry[0] <= now]
        ended = [entry for entry in ended if entry[0] > now]
        connections += [Connection(target, source, shape, context) for _, source, shape in due]
        begun.value += len(due)
    for connection in connections:
        connection.socket.close()


def ask(target, source, path="/metrics", context=None, authorization=""):
    """One request on a connection of its own; returns the seconds and the answer, or what failed."""
    start = time.monotonic()
    field = f"Authorization: {authorization}\r\n" if authorization else ""
    try:
        with socket.create_connection(target, timeout=10, source_address=(source, 0)) as plain:
            # As Prometheus does; otherwise the request waits 40 ms for the acknowledgement of the handshake.
            plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            client = context.wrap_socket(plain) if context else plain
            client.sendall(f"GET {path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n{field}\r\n".encode())
            answer = b""
            while piece := client.recv(65536):
                answer += piece
            client.close()
    except OSError as error:
        return time.monotonic() - start, str(error)
    return time.monotonic() - start, answer.decode()


def ticks(processes):
    """Ticks of the processors in all, and those that the host and other programs than these took; interrupts are theirs."""
    user, nice, system, idle, wait, hard, soft, stolen = map(int, open("/proc/stat").readline().split()[1:9])
    own = 0
    for process in processes:
        with open(f"/proc/{process}/stat") as stat:
            own += sum(map(int, stat.read().rpartition(")")[2].split()[11:13]))
    busy = user + nice + system + stolen
    return busy + idle + wait + hard + soft, busy - own


def memory(process):
    """Kilobytes of anonymous memory now, and the most that was resident."""
    with open(f"/proc/{process}/status") as status:
        values = dict(line.split(":", 1) for line in status)
    return int(values["RssAnon"].split()[0]), int(values["VmHWM"].split()[0])


def scrape(options, own_context, seconds, processes):
    """Asks both each half second; leaves out the times, not the failures, of those with more than 5 % taken by others."""
    target, peer, source = address(options["target"]), address(options["peer"]), options["scraper"]
    own, constant, failures = [], [], []
    total, lost = ticks(processes)
    for turn in range(2 * seconds):
        until = time.monotonic() + 0.5
        answers = [
            ask(target, source, context=own_context, authorization=options["authorization"]),
            ask(peer, source),
            ask(target, source, "/-/healthy", own_context, options["authorization"]),
        ]
        failures += [
            f"{turn / 2} s: {answer.splitlines()[:1]} after {seconds:.3f} s"
            for seconds, answer in answers
            if not answer.startswith("HTTP/1.1 200")
        ]
        time.sleep(max(0, until - time.monotonic()))
        (total, lost), (total_before, lost_before) = ticks(processes), (total, lost)
        if lost - lost_before <= 0.05 * (total - total_before):
            own.append(answers[0][0])
            constant.append(answers[1][0])
    return own, constant, failures


def evictions(options, context):
    """The connections that the exporter has closed in favour of others."""
    name = 'network_health_exporter_http_rejected_total{reason="evicted"} '
    _, answer = ask(
        address(options["target"]), options["scraper"], context=context, authorization=options["authorization"]
    )
    return next((float(line.removeprefix(name)) for line in answer.splitlines() if line.startswith(name)), None)


def quantile(values, share):
    return sorted(values)[int(share * (len(values) - 1) + 0.5)] if values else None


def main():
    options = json.loads(sys.argv[1])
    seconds, process, context = options["seconds"], options["process"], None
    if options["tls"]:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    for _ in range(20):
        ask(address(options["target"]), options["scraper"], "/metrics", context, options["authorization"])
    before, _ = memory(process)
    fork = multiprocessing.get_context("fork")
    is_over, begun = fork.Event(), fork.Value("q", COUNT)
    # In an interpreter of their own: else the scraper waits for it, and is the slow client that the exporter may close.
    abusers = fork.Process(target=abuse, args=(options, context, is_over, begun), daemon=True)
    abusers.start()
    own, constant, failures = scrape(options, context, seconds, [process, abusers.pid, os.getpid()])
    evicted = evictions(options, context)
    is_over.set()
    abusers.join()
    deadline = time.monotonic() + 30
    after, highest = memory(process)
    while after > before + 4096 and time.monotonic() < deadline:
        time.sleep(0.5)
        after, _ = memory(process)
    result = {
        "failures": failures, "measured": len(own), "p99": quantile(own, 0.99), "constantP99": quantile(constant, 0.99),
        "median": quantile(own, 0.5), "constantMedian": quantile(constant, 0.5), "connections": begun.value,
        "before": before, "after": after, "highest": highest, "evicted": evicted,
    }
    print(json.dumps(result))


main()
