"""What the soak asks of the exporter: scrapes, pages, waiters, readers of events, requests for the queue, wrong passwords and transfers."""
import base64
import http.client
import json
import random
import re
import socket
import ssl
import threading
import time

from soak_world import APP, PASSWORD, USER, begin, enter

RIGHT = "Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()).decode()
PAGES = ["/", "/api/v1/status", "/api/v1/openapi.json", "/config", "/api/v1/snapshot", "/api/v1/sd", "/api/v1/speedtest", "/api/v1/requests", "/probe?target=http",
         "/api/v1/history?kind=transitions&since=1h", "/api/v1/history?kind=outages&since=24h&format=csv", "/api/v1/history?kind=latency&since=1h",
         "/api/v1/history?kind=speedtests&since=24h&format=openmetrics", "/metrics?name[]=network_health_online", "/no-such-page", "/health?requirement=soak&format=json"]
FAILURES = OSError, http.client.HTTPException
counts = {}  # the answers by kind and status
context = ssl.create_default_context()


def connect(timeout=10):
    return http.client.HTTPSConnection("127.0.0.1", 10319, timeout=timeout, context=context)


def ask(kind, path, method="GET", body=None, authorization=RIGHT, connection=None, **headers):
    """One request, over a new connection unless there is one; None where it failed."""
    own = connection or connect()
    try:
        own.request(method, path, body, {"Authorization": authorization, **headers})
        answer = own.getresponse()
        text = answer.read()
        count(kind, answer.status)
        return answer, text
    except FAILURES as error:
        count(kind, type(error).__name__)
        return None
    finally:
        if not connection:
            own.close()


def count(kind, result):
    key = f"{kind} {result}"
    counts[key] = counts.get(key, 0) + 1


class Scraper(threading.Thread):
    """Scrapes each 0.5 s, by a new connection in every tenth case, and keeps the last answer."""

    def __init__(self):
        super().__init__(daemon=True)
        self.text, self.count, self.failures, self.slowest = "", 0, 0, 0.0

    def run(self):
        enter(APP)
        connection, due = None, time.monotonic()
        while True:
            due += 0.5
            time.sleep(max(0, due - time.monotonic()))
            if self.count % 10 == 0:
                connection = connect(5)
            start = time.monotonic()
            self.count += 1
            encoding = "gzip" if self.count % 3 == 0 else "identity"
            answer = ask("scrape", "/metrics", connection=connection, **{"Accept-Encoding": encoding})
            if not answer or answer[0].status != 200:
                self.failures += 1
                connection = connect(5)
            elif encoding == "identity":
                self.text = answer[1].decode()
            self.slowest = max(self.slowest, time.monotonic() - start)

    def value(self, name):
        found = re.search(r"^network_health_" + re.escape(name) + r" (\S+)$", self.text, re.M)
        return float(found.group(1)) if found else None

    def total(self, name):
        return sum(float(value) for value in re.findall(r"^network_health_" + name + r"(?:\{.*\})? (\S+)$", self.text, re.M))


def follow_events(seconds):
    """Reads the event stream; a reader with a limit of seconds comes again after as long a pause."""
    while True:
        connection, end = connect(30), time.monotonic() + seconds
        try:
            connection.request("GET", "/api/v1/stream", headers={"Authorization": RIGHT})
            answer = connection.getresponse()
            while time.monotonic() < end and answer.read1(4096):
                pass
        except FAILURES:
            pass
        connection.close()
        time.sleep(min(seconds, 20))


def wait_for_health(number):
    """Waits until a requirement is satisfied; each third leaves before the answer."""
    while True:
        requirement = ("never", "soak", "online")[number % 3]
        if random.random() < 1 / 3:
            connection = connect(random.uniform(0.5, 5))
            ask("left waiter", f"/health?requirement={requirement}&wait=20s", connection=connection)
            connection.close()
        else:
            ask("waiter", f"/health?requirement={requirement}&wait={random.randint(1, 8)}s")
        time.sleep(random.uniform(0.5, 3))


def hand_over():
    """Requests for the queue: delivered, delivered at a later try, refused by the receiver, of a name without an address, and some that the exporter refuses."""
    number = 0
    while True:
        number += 1
        host, path = random.choice(["world.test", "198.18.9.1"]), random.choice(["/v1/ok", "/v1/ok", "/v1/later", "/v1/refused"])
        request = {"url": f"http://{host}{path}?n={number}", "body": "x" * random.randint(0, 8000), "idempotencyKey": f"key {number - number % 2}"}
        if number % 5 == 0:
            request["orderingKey"] = f"order {number % 3}"
        if number % 20 == 0:
            request["url"] = "https://gone.test/v1/ok"
        if number % 21 == 0:
            request["url"] = "http://example.invalid/"
        if number % 22 == 0:
            request["requirement"] = "never"
        ask("request", "/api/v1/requests", "POST", json.dumps(request), **{"Content-Type": "application/json"})
        time.sleep(1)


def ask_pages():
    while True:
        for page in PAGES:
            ask("page", page)
            time.sleep(1)


def ask_health_listener():
    while True:
        connection = http.client.HTTPConnection("127.0.0.1", 10320, timeout=5)
        try:
            connection.request("GET", random.choice(["/-/healthy", "/-/ready", "/health"]))
            count("health listener", connection.getresponse().status)
        except FAILURES as error:
            count("health listener", type(error).__name__)
        connection.close()
        time.sleep(2)


def guess_passwords():
    """Wrong ones, each another; and clients that end during the handshake or the head."""
    number = 0
    while True:
        number += 1
        name = random.choice([USER, f"stranger{number}"])
        ask("wrong password", "/metrics", authorization="Basic " + base64.b64encode(f"{name}:wrong{number}".encode()).decode())
        with socket.create_connection(("127.0.0.1", 10319), timeout=5) as plain:
            plain.sendall(b"GET / HTTP/1.1\r\n" if number % 2 else b"\x16\x03\x01")
        time.sleep(10)


def transfer():
    """The embedded speed-test server: 10 MB in each direction, and one download that is left early."""
    while True:
        ask("download", "/speedtest/__down?bytes=10000000")
        ask("upload", "/speedtest/__up", "POST", bytes(5_000_000))
        connection = connect()
        try:
            connection.request("GET", "/speedtest/__down?bytes=10000000", headers={"Authorization": RIGHT})
            connection.getresponse().read(100_000)
        except FAILURES:
            pass
        connection.close()
        time.sleep(60)


def start(folder):
    context.load_verify_locations(f"{folder}/server.crt")
    for seconds in 1e9, 1e9, 20:
        begin(APP, follow_events, seconds)
    for number in range(6):
        begin(APP, wait_for_health, number)
    for work in hand_over, ask_pages, ask_health_listener, guess_passwords, transfer:
        begin(APP, work)
