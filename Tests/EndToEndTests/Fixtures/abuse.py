"""Holds 600 connections of three abusive shapes open, and scrapes beside them once a second.

Usage: abuse.py TARGET:PORT PEER:PORT ABUSER SCRAPER SECONDS PID
TARGET is the exporter, PID its process, PEER a web server that returns a constant; ABUSER and SCRAPER are the source
addresses. Prints one JSON object.
"""

import json
import socket
import sys
import threading
import time

EACH = 200
GET = b"GET /metrics HTTP/1.1\r\nHost: x\r\n"
SHAPES = {
    # A header field that never ends.
    "header": GET + b"X: ",
    # A body that never ends; it is refused, and read nevertheless.
    "body": b"POST /metrics HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n",
    # Many answers, none of which is read.
    "reader": (GET + b"\r\n") * 100,
}
ESTABLISHED, SYN_SENT = 1, 2


def address(text):
    host, port = text.rsplit(":", 1)
    return host, int(port)


class Connection:
    def __init__(self, target, source, shape):
        self.shape, self.has_begun = shape, False
        self.socket = socket.socket()
        self.socket.setblocking(False)
        self.socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        self.socket.bind((source, 0))
        self.socket.connect_ex(target)

    def step(self):
        """Sends a little; returns whether the connection still exists."""
        state = self.socket.getsockopt(socket.IPPROTO_TCP, socket.TCP_INFO, 1)[0]
        if state == SYN_SENT:
            return True
        try:
            if state == ESTABLISHED and not self.has_begun:
                self.has_begun = True
                self.socket.send(SHAPES[self.shape])
            elif state == ESTABLISHED and self.shape != "reader":
                self.socket.send(b"x")
        except BlockingIOError:
            pass
        except OSError:
            return False
        return state == ESTABLISHED


def abuse(target, source, is_over, counts):
    connections = [Connection(target, source, shape) for shape in SHAPES for _ in range(EACH)]
    ended = []
    while not is_over.wait(0.1):
        now = time.monotonic()
        for connection in [connection for connection in connections if not connection.step()]:
            connection.socket.close()
            connections.remove(connection)
            # Comes again, as a program does that tries until it succeeds.
            ended.append((now + 0.5, connection.shape))
        due = [shape for when, shape in ended if when <= now]
        ended = [entry for entry in ended if entry[0] > now]
        connections += [Connection(target, source, shape) for shape in due]
        counts["connections"] += len(due)
    for connection in connections:
        connection.socket.close()


def ask(target, source):
    """One request on a connection of its own; returns the seconds and the first line of the answer."""
    start = time.monotonic()
    try:
        with socket.create_connection(target, timeout=10, source_address=(source, 0)) as client:
            client.sendall(GET + b"Connection: close\r\n\r\n")
            answer = b""
            while piece := client.recv(65536):
                answer += piece
    except OSError as error:
        return time.monotonic() - start, str(error)
    return time.monotonic() - start, answer.split(b"\r\n")[0].decode()


def ticks():
    """Ticks of the processors in all, and those that the host took."""
    fields = [int(field) for field in open("/proc/stat").readline().split()[1:9]]
    return sum(fields), fields[7]


def anonymous(process):
    """Kilobytes of anonymous memory."""
    with open(f"/proc/{process}/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))


def scrape(target, peer, source, seconds):
    """Asks both each second; leaves out the times, not the failures, of seconds with more than 5 % stolen."""
    own, constant, failures = [], [], []
    total, lost = ticks()
    for _ in range(seconds):
        until = time.monotonic() + 1
        pair = ask(target, source), ask(peer, source)
        failures += [line for _, line in pair if not line.startswith("HTTP/1.1 200")]
        time.sleep(max(0, until - time.monotonic()))
        (total, lost), (total_before, lost_before) = ticks(), (total, lost)
        if lost - lost_before <= 0.05 * (total - total_before):
            own.append(pair[0][0])
            constant.append(pair[1][0])
    return own, constant, failures


def quantile(values, share):
    return sorted(values)[int(share * (len(values) - 1) + 0.5)] if values else None


def main():
    target, peer, abuser, scraper = address(sys.argv[1]), address(sys.argv[2]), sys.argv[3], sys.argv[4]
    seconds, process = int(sys.argv[5]), int(sys.argv[6])
    for _ in range(20):
        ask(target, scraper)
    before = anonymous(process)
    is_over, counts = threading.Event(), {"connections": 3 * EACH}
    thread = threading.Thread(target=abuse, args=(target, abuser, is_over, counts))
    thread.start()
    own, constant, failures = scrape(target, peer, scraper, seconds)
    is_over.set()
    thread.join()
    deadline = time.monotonic() + 30
    after = anonymous(process)
    while after > before + 4096 and time.monotonic() < deadline:
        time.sleep(0.5)
        after = anonymous(process)
    result = {
        "answered": seconds * 2 - len(failures), "failures": failures, "measured": len(own), "p99": quantile(own, 0.99),
        "constantP99": quantile(constant, 0.99), "median": quantile(own, 0.5),
        "constantMedian": quantile(constant, 0.5), "connections": counts["connections"], "before": before, "after": after,
    }
    print(json.dumps(result))


main()
