"""Computes the figures of a report from the raw rows of a storage file, and compares them with the report's JSON.

report_figures.py DATABASE REPORT UTC_OFFSET [PLAN]: ends with 1 and prints each figure that differs. The plan is that of downloads in Mbit/s,
{"maximum": …, "normal": …, "minimum": …}.
"""
import cmath
import collections
import datetime
import json
import math
import sqlite3
import statistics
import sys

database, file, offset = sys.argv[1], sys.argv[2], int(sys.argv[3])
plan = json.loads(sys.argv[4]) if len(sys.argv) > 4 else {}
report = json.load(open(file))
rows = sqlite3.connect(f"file:{database}?mode=ro", uri=True)
rows.row_factory = sqlite3.Row
failures, compared = [], 0


def seconds(text):
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def compare(name, found, expected):
    global compared
    compared += 1
    same = found == expected
    if isinstance(expected, float) and found is not None:
        same = math.isclose(found, expected, rel_tol=2e-6, abs_tol=2e-6)
    if not same:
        failures.append(f"{name}: the report has {found}, the rows {expected}")


def hour(at):
    return int((at + offset) // 3600 % 24)


def day(at):
    return str(datetime.date(1970, 1, 1) + datetime.timedelta(days=int((at + offset) // 86400)))


def week_hour(at):
    # 1970-01-01 was a Thursday.
    return (int((at + offset) // 86400) + 3) % 7 * 24 + hour(at)


def spread(values):
    """Every measurement once: a value of 59 minutes counts 59 times."""
    return sorted(value for value, count in values for _ in range(count))


def check_sample(name, found, values):
    everything = spread(values)
    if not everything:
        return compare(name, found, None)
    compare(name + " measurements", found["measurements"], len(everything))
    compare(name + " median", found["median"], float(statistics.median(everything)))
    compare(name + " tenth", found["tenth"], float(everything[math.ceil(len(everything) / 10) - 1]))
    compare(name + " lowest", found["lowest"], float(everything[0]))
    compare(name + " highest", found["highest"], float(everything[-1]))


def rank_sum(first, second):
    """The z of Mann and Whitney, by counting pairs."""
    wins = sum((a > b) + (a == b) / 2 for a in first for b in second)
    n, m = len(first), len(second)
    return (wins - n * m / 2) / math.sqrt(n * m * (n + m + 1) / 12)


def check_series(name, found, points):
    check_sample(name, found["all"], [(v, c) for _, v, c in points])
    evening = [p for p in points if 20 <= hour(p[0]) < 23]
    others = [p for p in points if not 20 <= hour(p[0]) < 23]
    check_sample(name + " evening", found["evening"], [(v, c) for _, v, c in evening])
    check_sample(name + " other times", found["otherTimes"], [(v, c) for _, v, c in others])
    if evening and others:
        score = rank_sum([v for _, v, _ in evening], [v for _, v, _ in others])
        compare(name + " score", abs(found["eveningScore"] - score) < 0.002, True)
    for key, part, label in [
        (hour, "byHour", lambda b: b["hour"]),
        (week_hour, "byHourOfWeek", lambda b: ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"].index(b["weekday"]) * 24 + b["hour"]),
        (day, "byDay", lambda b: b["date"]),
    ]:
        groups = collections.defaultdict(list)
        for at, value, count in points:
            groups[key(at)].append((value, count))
        compare(f"{name} {part} keys", [label(b) for b in found[part]], sorted(groups))
        for bin in found[part]:
            check_sample(f"{name} {part} {label(bin)}", bin["value"], groups[label(bin)])


since, until = seconds(report["since"]), seconds(report["until"])
compare("period", report["uptime"]["periodSeconds"], float(until - since))

# Uptime.
sums, days = collections.defaultdict(float), collections.defaultdict(lambda: [0.0, 0.0])
for row in rows.execute("SELECT * FROM uptime WHERE hour * 3600 >= ? AND hour * 3600 < ?", (since, until)):
    sums[row["kind"]] += row["seconds"]
    days[day(row["hour"] * 3600)][row["kind"] != "monitored"] += row["seconds"]
monitored = sums.pop("monitored")
uptime = report["uptime"]
compare("monitored", uptime["monitoredSeconds"], monitored)
compare("unobserved", uptime["unobservedSeconds"], until - since - monitored)
compare("offline", uptime["offlineSeconds"], sum(sums.values()))
compare("online", uptime["onlineRatio"], 1 - sum(sums.values()) / monitored)
compare("causes", sorted(uptime["offlineSecondsByCause"]), sorted(sums))
for cause, value in sums.items():
    compare(cause, uptime["offlineSecondsByCause"][cause], value)
compare("days", [d["date"] for d in uptime["days"]], sorted(days))
for part in uptime["days"]:
    compare(part["date"], part["monitoredSeconds"], days[part["date"]][0])
    compare(part["date"] + " offline", part["offlineSeconds"], days[part["date"]][1])

# Outages.
# An outage that has not ended has no row yet.
ended = [o for o in report["outages"] if o["endedAt"]]
found = [(seconds(o["startedAt"]), seconds(o["endedAt"]), o["seconds"], o["cause"]) for o in ended]
expected = [
    (row["at"] - row["outage_seconds"], row["at"], row["outage_seconds"], row["outage_cause"])
    for row in rows.execute('SELECT * FROM "transition" WHERE outage_seconds IS NOT NULL')
    if row["at"] >= since and row["at"] - row["outage_seconds"] < until
]
expected.sort(key=lambda o: (-o[2], o[0]))
compare("outages", len(found), len(expected))
for ours, theirs in zip(found, expected):
    for name, a, b in zip(["start", "end", "seconds", "cause"], ours, theirs):
        compare(f"outage {name} {a} {b}", a == b if name == "cause" else abs(a - b) < 0.002, True)

# Outages of standbys, which are in no figure above.
ended = [o for o in report["uplinkOutages"] if o["endedAt"]]
found = [(o["uplink"], seconds(o["startedAt"]), seconds(o["endedAt"]), o["seconds"], o["cause"], o["location"]) for o in ended]
expected = [
    (row["uplink"], row["at"] - row["seconds"], row["at"], row["seconds"], row["cause"], row["location"])
    for row in rows.execute("SELECT * FROM uplink_outage WHERE NOT is_ongoing")
    if row["at"] >= since and row["at"] - row["seconds"] < until
]
expected.sort(key=lambda o: (-o[3], o[1]))
compare("outages of uplinks", len(found), len(expected))
for ours, theirs in zip(found, expected):
    for name, a, b in zip(["uplink", "start", "end", "seconds", "cause", "location"], ours, theirs):
        compare(f"outage of an uplink {name} {a} {b}", abs(a - b) < 0.002 if isinstance(b, float) else a == b, True)

# Speed tests.
tests = [
    (row, json.loads(row["document"]))
    for row in rows.execute("SELECT * FROM speedtest WHERE started_at >= ? AND started_at < ? ORDER BY started_at", (since, until))
]
compare("tests", report["speedTests"]["tests"], len(tests))
compare("failed tests", report["speedTests"]["failed"], sum(row["failure"] is not None for row, _ in tests))
for point, (row, test) in zip(report["speedTests"]["points"], tests):
    compare("point at", seconds(point["at"]), row["started_at"])
    for direction in ["download", "upload"]:
        compare("point " + direction, point[direction + "SpeedMbps"], (test[direction] or {}).get("speedMbps"))
lines = collections.defaultdict(list)
excluded = collections.Counter()
for row, test in tests:
    for direction in ["download", "upload"]:
        result = test[direction]
        if not result:
            continue
        key = (row["uplink"].split(" ")[0], direction)
        if {"cpu", "cross_traffic"} & set(result["limitedBy"]) or result["exceedsDevice"]:
            excluded[key] += 1
        else:
            lines[key].append((row["started_at"], result["speedMbps"], 1))
compare("lines", [(l["uplink"], l["direction"]) for l in report["speedTests"]["lines"]], sorted(set(lines) | set(excluded)))
for line in report["speedTests"]["lines"]:
    key = (line["uplink"], line["direction"])
    compare(f"{key} excluded", line["excluded"], excluded[key])
    check_series(str(key), line["series"], lines[key])
    promised = plan if key[1] == "download" else {}
    compare(f"{key} reached", line["reachedPlan"], {level: sum(speed >= rate for _, speed, _ in lines[key]) for level, rate in promised.items()})

# Tests below the plan's minimum. The next test of a round begins within two minutes of the last one's end.
rounds = []
for row, test in tests:
    last = rounds[-1][-1] if rounds else None
    if last and row["started_at"] - seconds(last["startedAt"]) - last["durationSeconds"] <= 120 and sum(t["server"] == test["server"] for t in rounds[-1]) < 2:
        rounds[-1].append(test)
    else:
        rounds.append([test])
expected = []
for part in rounds if plan else []:
    measured = [(test, test["download"]) for test in part if test["download"]]
    met = [(t, d) for t, d in measured if d["speedMbps"] >= plan["minimum"] and not d["exceedsDevice"]]
    excuses = {"cpu", "cross_traffic", "server", "link_speed"}
    short = [(t, d) for t, d in measured if (t, d) not in met and not excuses & set(d["limitedBy"]) and not d["exceedsDevice"]]
    if not short:
        continue
    second = (met + short[1:] + [(None, None)])[0]
    places = {d["queueLocation"] for _, d in short}
    others = {t["server"] for t, _ in short}.isdisjoint(t["server"] for t, _ in met)
    if met:
        place = "destination" if others else "unknown"
    else:
        place = places.pop() if len(short) > 1 and len(places) == 1 else "unknown"
    result = "refuted" if met else "confirmed" if len(short) > 1 else "failed"
    expected.append((seconds(short[0][0]["startedAt"]), short[0][1]["speedMbps"], second[0] and second[1]["speedMbps"], result, place))
found = [(seconds(o["at"]), o["measuredMbps"], o["secondMbps"], o["confirmation"], o["location"]) for o in report["speedTests"]["belowPlan"]]
compare("below the plan", found, expected)

def count(minutes):
    """The minutes: a row of an hour has their number."""
    return sum(row["minutes"] or 1 for row in minutes)


# Latency: the minutes of an hour first become the hour's medians.
hours = collections.defaultdict(list)
for row in rows.execute("SELECT * FROM latency WHERE at >= ? AND at < ?", (since, until)):
    hours[row["at"] // 3600 * 3600].append(row)
for name, column in [("median", "p50"), ("p95", "p95")]:
    points = []
    for at, minutes in sorted(hours.items()):
        values = [row[column] for row in minutes if row[column] is not None]
        if values:
            points.append((at, statistics.median(values), count(minutes)))
    check_series("latency " + name, report["latency"][name], points)
losses = []
for at, minutes in sorted(hours.items()):
    values = [row["loss"] for row in minutes if row["loss"] is not None]
    if values:
        losses.append((at, statistics.fmean(values), count(minutes)))
compare("loss minutes", report["latency"]["lossMinutes"], sum(count for _, _, count in losses))
compare("loss", report["latency"]["lossRatio"], sum(v * c for _, v, c in losses) / sum(c for _, _, c in losses))
for bin in report["latency"]["lossByHour"]:
    part = [(v, c) for at, v, c in losses if hour(at) == bin["hour"]]
    compare(f"loss at {bin['hour']}", bin["minutes"], sum(c for _, c in part))
    compare(f"loss at {bin['hour']}", bin["ratio"], sum(v * c for v, c in part) / sum(c for _, c in part))

# The points on the way; of the medians of half hours each counts the probes that were answered.
points = collections.defaultdict(list)
for row in rows.execute("SELECT * FROM latency_point WHERE at >= ? AND at < ? ORDER BY at", (since, until)):
    points[row["point"]].append(row)
compare("points", [point["name"] for point in report["latency"]["points"]], sorted(points))
for point in report["latency"]["points"]:
    some = points[point["name"]]
    compare(point["name"] + " probes", point["probes"], sum(row["probes"] for row in some))
    compare(point["name"] + " loss", point["lossRatio"], sum(row["lost"] for row in some) / sum(row["probes"] for row in some))
    everything = spread([(row["microseconds"] / 1e6, row["probes"] - row["lost"]) for row in some if row["microseconds"] is not None])
    compare(point["name"] + " median", point["medianSeconds"], float(statistics.median(everything)))
# How the delay to the second router follows the day: the power at each period, of four days at a time from a midnight (UTC) on.
for mile in report["latency"]["lastMile"]:
    near, far = ({row["at"] // 1800: row["microseconds"] / 1e6 for row in points[f"hop {n} {mile['family']}"]} for n in (1, 2))
    delay = {slot: far[slot] - near[slot] for slot in far if slot in near}
    powers, begin = [], -(-min(delay) // 48) * 48
    for start in range(int(begin), int(max(delay)) - 190, 192):
        known = {n: delay[start + n] for n in range(192) if start + n in delay}
        if len(known) >= 144:
            mean = statistics.fmean(known.values())
            powers.append([abs(sum((v - mean) * cmath.exp(-2j * math.pi * k * n / 192) for n, v in known.items()) / 96) ** 2 for k in range(1, 97)])
    means = [statistics.fmean(column) for column in zip(*powers)]
    compare("amplitude of the day", mile["amplitudeSeconds"], 2 * math.sqrt(means[3]))
    height = 2 * math.sqrt(means[3])
    severity = "severe" if height > 0.003 else "mild" if height > 0.001 else "low" if height > 0.0005 else "none"
    compare("severity", mile["severity"], severity if severity == "none" or max(means) == means[3] else None)

for failure in failures[:50]:
    print(failure, file=sys.stderr)
print(f"{compared} figures, {len(failures)} differ")
sys.exit(1 if failures or compared < 1000 else 0)
