"""What a link really carried while a speed test measured, by the log of the lab's relay, or by the counters of its devices."""
import threading
import time
from bisect import bisect_left
from collections import defaultdict
from itertools import accumulate
from statistics import median

FIN_OR_RST, STEP = 0b101, 0.025
# Bytes of a client's Close with a code (RFC 6455).
CLOSE = 8
# A connection that carried less is one of small requests.
LOAD = 100_000


class Carried:
    """What came out of a link so far, at many times: `times` in seconds, and `sums` of bytes, of which the first is nothing."""

    times, sums, end = [], [0], None
    segments = dropped = repeated = 0

    def rate(self, start, end):
        """Mbit/s that came out of the link between two times."""
        carried = self.sums[bisect_left(self.times, end)] - self.sums[bisect_left(self.times, start)]
        return carried * 8e-6 / (end - start)

    def rates(self, length, late):
        """The rates of windows of a length that ended up to `late` seconds before the end of the load, the latest first."""
        if self.end is None or length <= 0:
            return []
        count = 1 + round(late / STEP)
        return [self.rate(self.end - index * STEP - length, self.end - index * STEP) for index in range(count)]


class Sampled(Carried):
    """The payload that a device has received, by its counters, which are read in a namespace's process until `stop`.

    A packet, or several that are joined, has 66 bytes of headers on Ethernet.
    """

    def __init__(self, pid, device):
        self.counters = f"/proc/{pid}/net/dev"
        self.device = f"{device}:"
        self.times, self.sums = [], [0]
        self.stopped = threading.Event()
        self.thread = threading.Thread(target=self.sample, daemon=True)
        self.thread.start()

    def sample(self):
        while not self.stopped.wait(STEP):
            with open(self.counters) as file:
                fields = next(line.split() for line in file if line.split()[0] == self.device)
            self.times.append(time.monotonic())
            self.sums.append(int(fields[1]) - 66 * int(fields[2]))

    def stop(self):
        """The load has ended with the last reading that had much of it."""
        self.stopped.set()
        self.thread.join()
        moved = [after - before for before, after in zip(self.sums, self.sums[1:])]
        busy = [index for index, size in enumerate(moved) if size > max(moved) / 10]
        self.end = self.times[busy[-1]] if busy else None

    def rate(self, start, end):
        return (self.at(end) - self.at(start)) * 8e-6 / (end - start)

    def at(self, moment):
        """The bytes between two readings, by linear interpolation."""
        index = min(max(1, bisect_left(self.times, moment)), len(self.times) - 1)
        before, after = self.times[index - 1], self.times[index]
        share = min(1, max(0, (moment - before) / (after - before)))
        return self.sums[index] + share * (self.sums[index + 1] - self.sums[index])


class Direction(Carried):
    """The payload of the load's connections that came out of the link in one direction, each byte once."""

    def __init__(self):
        self.connections = defaultdict(list)  # by port: (time in seconds, bytes)
        self.ends = {}                        # by port: when the client closed or reset it
        self.expected = {}                    # by port: the sequence number after the highest so far
        self.missing = defaultdict(list)      # by port: [first, end] of the bytes below it that have not come

    def add(self, at, hold, port, sequence, payload):
        """A segment that entered the link; `hold` is None where it was dropped."""
        self.segments += 1
        if hold is None:
            self.dropped += 1
            return
        highest = self.expected.setdefault(port, sequence)
        # Sequence numbers wrap at 2^32.
        first = highest + ((sequence - highest + (1 << 31)) % (1 << 32)) - (1 << 31)
        end = first + payload
        news = max(0, end - max(first, highest))
        if first > highest:
            # Dropped here, or by the queue of the device before.
            self.missing[port].append([highest, first])
        elif first < highest:
            news += self.fill(self.missing[port], first, min(end, highest))
        self.expected[port] = max(highest, end)
        if news:
            self.connections[port].append((at + hold, news))
        else:
            self.repeated += 1

    @staticmethod
    def fill(missing, first, end):
        """Takes bytes out of the ranges that are missing; returns how many."""
        found, rest = 0, []
        for low, high in missing:
            inside = max(0, min(high, end) - max(low, first))
            found += inside
            if not inside:
                rest.append([low, high])
                continue
            rest += [part for part in ([low, first], [end, high]) if part[0] < part[1]]
        missing[:] = rest
        return found

    def finish(self):
        """Sorts and sums what the connections of the load carried."""
        loads = {port: packets for port, packets in self.connections.items() if sum(size for _, size in packets) >= LOAD}
        packets = sorted(packet for connection in loads.values() for packet in connection)
        self.times = [time for time, _ in packets]
        self.sums = [0, *accumulate(size for _, size in packets)]
        ends = sorted(self.ends[port] for port in loads if port in self.ends)
        # Some connections may have ended before; the end of the load ends the others at once.
        self.end = ends[len(ends) // 2] if ends else self.times[-1] if self.times else None
        self.connections = self.missing = self.expected = None
        self.count = len(loads)


def read(path, is_websocket):
    """Download and upload of a log, and how long the link held a small request and its answer before the load, in seconds."""
    found = {"b": Direction(), "a": Direction()}
    segments, held = {"b": [], "a": []}, {"b": [], "a": []}
    is_loaded = False
    with open(path) as file:
        for line in file:
            fields = line.split(" ")
            if len(fields) < 9:
                continue
            at, port, payload = int(fields[0]) * 1e-9, int(fields[5]), int(fields[7])
            if fields[1] == "a" and is_websocket and payload:
                # A Close ends a download (its last one: a message may end with as many bytes), and is the end of an upload's bytes.
                found["a"].ends[port] = at
                if payload == CLOSE:
                    found["b"].ends[port] = at
            if fields[1] == "a" and not is_websocket and int(fields[8]) & FIN_OR_RST:
                for direction in found.values():
                    direction.ends.setdefault(port, at)
            if payload:
                hold = None if fields[4] == "drop" else int(fields[4]) * 1e-9
                segments[fields[1]].append((at, hold, port, int(fields[6]), payload))
                if payload > 1300:
                    is_loaded = True
                elif hold and not is_loaded:
                    held[fields[1]].append(hold)
    for way, direction in found.items():
        # The log has a packet when it leaves, and one that was dropped before those that entered earlier.
        for segment in sorted(segments[way], key=lambda segment: segment[0]):
            direction.add(*segment)
        direction.finish()
    return found["b"], found["a"], sum(map(median, held.values())) if all(held.values()) else None
