"""What the benchmarks share: a network of their own, programs with their CPU time and memory, wrk, and rows of the table."""
import atexit
import http.client
import os
import re
import shutil
import signal
import statistics
import subprocess
import sys
import tempfile
import time

TICKS = os.sysconf("SC_CLK_TCK")
WORK, BUSY = None, "–"


def isolate():
    """Runs this script again in namespaces of its own: a network without a cable, and processes that end with it."""
    global WORK, BUSY
    if os.getpid() != 1:  # of the namespace
        command = ["unshare", "--net", "--mount", "--pid", "--fork", "--kill-child", "--mount-proc"]
        os.execvp(command[0], [*command, sys.executable, *sys.argv])
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # the first process of a namespace ignores it otherwise
    os.makedirs("/run/netns", exist_ok=True)
    for kind, folder in ("tmpfs", "/run/netns"), ("sysfs", "/sys"):
        run(f"mount -t {kind} none {folder}")
    run("ip link set lo up")
    WORK, BUSY = tempfile.mkdtemp(), busy()
    atexit.register(shutil.rmtree, WORK, ignore_errors=True)


def busy():
    """What other programs use of the processors: measured over two seconds, in %, with the steal."""
    def read():
        with open("/proc/stat") as file:
            return [int(field) for field in file.readline().split()[1:9]]
    before = read()
    time.sleep(2)
    user, nice, system, idle, wait, interrupts, soft, steal = [now - then for now, then in zip(read(), before)]
    total = user + nice + system + idle + wait + interrupts + soft + steal
    return f"{100 * (user + nice + system + interrupts + soft) / total:.0f} %, {100 * steal / total:.0f} %"


def run(command, given=None):
    """The output of a command, which reads `given`; an error where it fails."""
    return subprocess.run(command.split(), check=True, capture_output=True, text=True, input=given).stdout


def write(name, text):
    path = f"{WORK}/{name}"
    with open(path, "w") as file:
        file.write(text)
    return path


class Program:
    """A running program; its log is a file below `WORK`."""

    def __init__(self, *command, namespace=None, name=None):
        if namespace:
            command = ["ip", "netns", "exec", namespace, *command]
        self.log = f"{WORK}/{name or os.path.basename(command[0])}-{time.monotonic_ns()}.log"
        with open(self.log, "w") as log:
            environment = {"PATH": os.environ["PATH"]}
            self.process = subprocess.Popen(command, stdout=log, stderr=log, env=environment)
        self.pid = self.process.pid
        atexit.register(self.stop)

    def stop(self):
        if self.process.poll() is None:
            self.process.terminate()
            self.process.wait(30)

    def cpu(self):
        """Seconds of CPU so far, of all threads."""
        with open(f"/proc/{self.pid}/stat") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / TICKS

    def memory(self):
        """MB: resident, and the anonymous part of it."""
        with open(f"/proc/{self.pid}/status") as file:
            kilobytes = dict(re.findall(r"^(VmRSS|RssAnon):\s+(\d+)", file.read(), re.M))
        return tuple(int(kilobytes[key]) * 1024 / 1e6 for key in ("VmRSS", "RssAnon"))

    def wakeups(self):
        """How often its threads have waited so far: each wait ends with a wake-up."""
        total = 0
        for task in os.listdir(f"/proc/{self.pid}/task"):
            with open(f"/proc/{self.pid}/task/{task}/status") as file:
                total += int(re.search(r"^voluntary_ctxt_switches:\s+(\d+)", file.read(), re.M).group(1))
        return total


def exporter(configuration="internet: { enabled: false }\n", port=10319, host="127.0.0.1", namespace=None, flags=(), through=()):
    """A running exporter of this repository, which the command `through` starts."""
    file = write(f"exporter-{port}-{time.monotonic_ns()}.yml", configuration)
    executable = os.environ.get("NHE_EXECUTABLE") or sys.exit("run scripts/bench")
    return Program(*through, executable, f"--config.file={file}", f"--web.listen-address={host}:{port}", *flags, namespace=namespace)


def blackbox_exporter(port=9115):
    configuration = write("blackbox.yml", "modules: {}\n")
    return Program("prometheus-blackbox-exporter", f"--config.file={configuration}", f"--web.listen-address=127.0.0.1:{port}")


def prometheus(namespace, address="127.0.0.1"):
    """A Prometheus of this namespace with the shipped sample and rules, which scrapes the exporter at the address."""
    repository = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
    with open(f"{repository}/deploy/prometheus.yml") as file:
        sample = file.read().replace("localhost:10319", f"{address}:10319").replace("global:", "global:\n  evaluation_interval: 15s")
    rules = f"rule_files: [{repository}/grafana/alerts/network-health.rules.yml]\n"
    configuration = write(f"prometheus-{namespace}.yml", sample + rules)
    data = f"--storage.tsdb.path={WORK}/prometheus-{namespace}"
    return Program("prometheus", f"--config.file={configuration}", data, "--web.listen-address=127.0.0.1:9090", namespace=namespace)


def constant(port, body):
    """The C program that answers everything with the same bytes through libmicrohttpd: the limit."""
    program = f"{WORK}/constant"
    source = os.path.join(os.path.dirname(os.path.abspath(__file__)), "constant.c")
    run(f"clang -O2 -o {program} {source} -lmicrohttpd")
    return Program(program, str(port), body)


def get(port, path="/metrics", host="127.0.0.1", headers={}):
    """Status, headers and body."""
    connection = http.client.HTTPConnection(host, port, timeout=10)
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    body = answer.read()
    connection.close()
    return answer.status, answer.headers, body


def post(port, path, host="127.0.0.1"):
    connection = http.client.HTTPConnection(host, port, timeout=10)
    connection.request("POST", path)
    answer = connection.getresponse()
    answer.read()
    if answer.status >= 300:
        sys.exit(f"POST {path}: {answer.status}")


def sample(text, name):
    """The sum of the samples of a name."""
    return sum(float(value) for value in re.findall(r"^" + name + r"(?:\{.*\})? (\S+)$", text, re.M))


def wait_for(port, path="/metrics", host="127.0.0.1", until=lambda body: True, seconds=30):
    """Waits until the path answers with 200 and a body that satisfies `until`."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        try:
            status, _, body = get(port, path, host)
            if status == 200 and until(body.decode()):
                return body.decode()
        except (OSError, http.client.HTTPException):
            pass
        time.sleep(0.1)
    sys.exit(f"no answer at http://{host}:{port}{path}")


def wrk(url, seconds=5, connections=8, headers=()):
    """Requests a second, the p99 in ms, and the number of requests."""
    options = [option for header in headers for option in ("-H", header)]
    command = ["wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency", *options, url]
    text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    number, unit = re.search(r"^\s+99%\s+([\d.]+)(\w+)", text, re.M).groups()
    failed = re.search(r"(Non-2xx|Socket errors).*", text)
    if failed:
        sys.exit(f"{url}: {failed.group()}")
    rate = float(re.search(r"^Requests/sec:\s+([\d.]+)", text, re.M).group(1))
    return rate, float(number) * {"us": 0.001, "ms": 1, "s": 1000}[unit], int(re.search(r"(\d+) requests in", text).group(1))


class Pairs:
    """wrk's medians of alternating pairs, which are printed as a table: `rate` and `cpu` are this exporter's share of the peer's."""

    def __init__(self, ours, peer, headers=(), count=5):
        rows = [measured for _ in range(count) for measured in [(*load(*ours, headers), *load(*peer, headers))]]
        print(f"| pair | {ours[0]} | CPU | p99 | {peer[0]} | CPU | p99 | ratio | CPU ratio |\n|---|---|---|---|---|---|---|---|---|")
        for number, (rate, cpu, p99, *other) in enumerate(rows, 1):
            print(f"| {number} | {rate:.0f}/s | {cpu:.1f} µs | {p99:.2f} ms | {other[0]:.0f}/s | {other[1]:.1f} µs | {other[2]:.2f} ms "
                  f"| {rate / other[0]:.2f} | {cpu / other[1]:.3f} |")
        self.rate = median(row[0] / row[3] for row in rows)
        self.cpu = median(row[1] / row[4] for row in rows)
        columns = [median(column) for column in zip(*rows)]
        self.texts = [f"{columns[index]:.0f}/s, {columns[index + 1]:.1f} µs of CPU" for index in (0, 3)]
        self.p99, self.peer_p99 = columns[2], columns[5]
        print(f"\nmedian ratio: {self.rate:.2f}, of CPU: {self.cpu:.3f}\n")


def load(name, program, url, headers=()):
    """Requests a second by wrk, µs of CPU for each, and the p99 in ms."""
    before = program.cpu()
    rate, p99, count = wrk(url, headers=headers)
    return rate, (program.cpu() - before) / count * 1e6, p99


def percentile(values, percent):
    """The smallest value that so many percent of them do not exceed."""
    ordered = sorted(values)
    return ordered[min(len(ordered) - 1, -(-len(ordered) * percent // 100) - 1)]


median = statistics.median


def row(key, ours, peer, value):
    """One line for the table (`Benchmarks/table`): the key of the row, both measurements as text, and the number that its bar is for."""
    print(f"row: {key}: {ours}; {peer}: {value:.3f}", file=sys.stderr)
    path = os.environ.get("NHE_ROWS")
    if path:
        with open(path, "a") as file:
            file.write(f"{key}\t{ours}\t{peer}\t{value:.4f}\t{BUSY}\n")
