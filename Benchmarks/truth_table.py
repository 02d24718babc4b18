#!/usr/bin/env python3
"""The summary of the rows that Benchmarks/truth has written: Benchmarks/truth_table.py FILE"""
import csv
import sys
from statistics import median

# Of the line's rate: from here on the sender fills it.
FULL = 0.98


def rows(path):
    with open(path, newline="") as file:
        return list(csv.DictReader(file))


def is_marked(row):
    """The result itself says that its rate is in doubt."""
    return str(row["stable"]) != "True" or bool(row["limits"])


def error(row, truth="truth"):
    return float(row["measured"]) / float(row[truth]) - 1


def is_covered(row):
    """Whether the truth is inside the published interval."""
    return abs(float(row["measured"]) - float(row["truth"])) <= float(row["uncertainty"]) * float(row["measured"])


def percent(part, whole):
    return f"{100 * part / whole:.1f} % of {whole}" if whole else "–"


def name(row):
    rate = row["down"] if row["down"] == row["up"] else f"{row['down']}/{row['up']}"
    loss = f", loss {float(row['loss']) * 100:g} %" if float(row["loss"]) else ""
    beside = ", beside load" if str(row["load"]) == "True" else ""
    return (f"{row['number']}: {rate} Mbit/s, {row['rtt']} ms, buffer {row['buffer']} ms, {row['sender']}, {row['protocol']} by "
            f"{row['server']}{loss}{beside}, {row['direction']}")


def line(row):
    """A row in words."""
    if not row.get("measured"):
        return f"{name(row)}: no value: {row['error']}"
    mark = " ".join([] if str(row["stable"]) == "True" else ["unstable"]) + (" " + row["limits"] if row["limits"] else "")
    uncertainty = f"{100 * float(row['uncertainty']):.2f} %" if row["uncertainty"] not in ("", None) else "–"
    return (f"{name(row)}: {float(row['measured']):.3f} of {float(row['truth']):.3f} ({100 * error(row):+.2f} %; of the line "
            f"{100 * error(row, 'line'):+.2f} %) ± {uncertainty}{', ' + mark.strip() if mark.strip() else ''}")


def accuracy(chosen, truth):
    errors = [abs(error(row, truth)) for row in chosen]
    return [percent(sum(value <= limit for value in errors), len(errors)) for limit in (0.02, 0.01)] + [
        f"{100 * max(errors):.2f} %" if errors else "–"]


def summary(all_rows):
    """Markdown."""
    values = [row for row in all_rows if row["measured"]]
    unmarked = [row for row in values if not is_marked(row)]
    lossless = [row for row in values if not float(row["loss"])]
    calm = [row for row in lossless if row["sender"] != "bbr"]
    known = [row for row in values if row["uncertainty"]]
    text = ["| values without a mark | within 2 % | within 1 % | worst |", "|---|---|---|---|"]
    kinds = [("beside what the link carried", unmarked, "truth"),
             ("beside rate × payload share, without loss", [row for row in lossless if not is_marked(row)], "line")]
    text += [f"| {label} | {' | '.join(accuracy(chosen, truth))} |" for label, chosen, truth in kinds]
    text += ["", "| | |", "|---|---|"]
    text.append(f"| marked | {percent(sum(map(is_marked, values)), len(values))} |")
    text.append(f"| marked, CUBIC or Reno without loss | {percent(sum(map(is_marked, calm)), len(calm))} |")
    # A loss-based sender does not fill a line with a short buffer and a long delay: there the rate itself swings.
    full = [row for row in calm if float(row["truth"]) >= FULL * float(row["line"])]
    for label, some in ("where the line was full", full), ("where it was full, alone", [row for row in full if row["load"] == "False"]):
        text.append(f"| the same, {label} | {percent(sum(map(is_marked, some)), len(some))} |")
    text.append(f"| truth inside the interval | {percent(sum(map(is_covered, known)), len(known))} |")
    text.append(f"| values without an interval | {len(values) - len(known)} |")
    text.append(f"| directions without a value | {len(all_rows) - len(values)} of {len(all_rows)} |")
    # The handshakes of ndt7 have no request.
    idle = [(float(row["idle"]) - float(row["held"])) * 1000 for row in values if row["held"] and row["protocol"] != "ndt7"]
    if idle:
        text.append(f"| idle latency beside how long the link held a request and its answer | median {median(idle):+.2f} ms, "
                    f"{min(idle):+.2f} to {max(idle):+.2f} ms |")
    text += ["", "| | values | marked | unmarked within 1 % | worst unmarked | inside the interval | data, MB | test, s |",
             "|---|---|---|---|---|---|---|---|"]
    text += [group(all_rows, label, key) for key in (rate, "sender", "protocol", "server", "direction", "load", "loss")
             for label in labels(all_rows, key)]
    wrong = sorted((row for row in unmarked if abs(error(row)) > 0.01), key=lambda row: -abs(error(row)))
    for title, some in (("Without a mark and off by more than 1 %", wrong),
                        ("Marked, CUBIC or Reno without loss", [row for row in calm if is_marked(row)]),
                        ("Without a value", [row for row in all_rows if not row["measured"]])):
        if some:
            text += ["", f"{title}:", "", *(f"- {line(row)}" for row in some)]
    return "\n".join(text)


def rate(row):
    return f"{row['down']}/{row['up']} Mbit/s"


def value_of(row, key):
    return key(row) if callable(key) else {"load": {"True": "beside load", "False": "alone"}, "loss": {
        "0.0": "no loss", "0.01": "1 % loss"}}.get(key, {}).get(row[key], row[key])


def labels(all_rows, key):
    found = {value_of(row, key) for row in all_rows}
    return sorted(found, key=lambda label: (len(label), label))


def group(all_rows, label, key):
    """A line of the table: the rows with one value of a factor."""
    chosen = [row for row in all_rows if value_of(row, key) == label]
    values = [row for row in chosen if row["measured"]]
    unmarked = [row for row in values if not is_marked(row)]
    known = [row for row in values if row["uncertainty"]]
    _, within, worst = accuracy(unmarked, "truth")
    data = median((int(row["moved_down"]) + int(row["moved_up"])) / 1e6 for row in chosen)
    took = median(float(row["duration"]) for row in chosen)
    return (f"| {label} | {len(values)} | {percent(len(values) - len(unmarked), len(values))} | {within} | {worst} | "
            f"{percent(sum(map(is_covered, known)), len(known))} | {data:.1f} | {took:.1f} |")


if __name__ == "__main__":
    print(summary(rows(sys.argv[1])))
