// The charts of the last hour, day or week, from the history.

const ranges = { "1h": 3600e3, "24h": 86400e3, "7d": 7 * 86400e3 };
const rangeWords = { "1h": "the last hour", "24h": "the last day", "7d": "the last week" };
let range = "1h";
let drawn = null;

const history = (kind, since) => getJSON(`api/v1/history?kind=${kind}&since=${since}`);

const median = (values) => values.sort((a, b) => a - b)[Math.floor(values.length / 2)];

/** One point for each of at most 360 equal parts of the time: a week has 10080 minutes. */
function thinned(rows, key, from, span, reduce) {
  const parts = new Map();
  for (const row of rows) {
    if (row[key] === null) continue;
    const part = Math.floor((Date.parse(row.at) - from) / Math.max(60e3, span / 360));
    if (!parts.has(part)) parts.set(part, []);
    parts.get(part).push({ at: Date.parse(row.at), value: row[key] * 1000 });
  }
  return [...parts.values()].map((points) => ({ at: points[Math.floor(points.length / 2)].at, value: reduce(points.map((point) => point.value)) }));
}

/**
 * When the exporter observed the network, as [{start, end}] in order: since it started, and before that in the minutes or hours with a
 * latency and in outages; not while the host was suspended.
 */
function observedParts({ latency, outages, gaps, startedAt, to }) {
  const minute = 60e3;
  const pieces = [...latency.map((row) => ({ start: Date.parse(row.at), end: Date.parse(row.at) + (row.seconds ?? 60) * 1e3 })),
    ...outages.map((row) => ({ start: Date.parse(row.startedAt), end: row.endedAt ? Date.parse(row.endedAt) : to })),
    ...(startedAt ? [{ start: Date.parse(startedAt), end: to }] : [])].sort((a, b) => a.start - b.start);
  const joined = [];
  for (const { start, end } of pieces) {
    const last = joined[joined.length - 1];
    // A minute without an answer is none without the exporter.
    if (last && start - last.end <= 2 * minute) last.end = Math.max(last.end, end);
    else joined.push({ start, end });
  }
  return gaps.map((gap) => [Date.parse(gap.startedAt), Date.parse(gap.endedAt)]).reduce((parts, [start, end]) => parts.flatMap((part) =>
    (end <= part.start || start >= part.end ? [part]
      : [{ start: part.start, end: start }, { start: end, end: part.end }].filter((one) => one.end > one.start))), joined);
}

async function loadCharts() {
  const wanted = range;
  try {
    const [latency, tests, outages, gaps] = await Promise.all(["latency", "speedtests", "outages", "gaps"].map((kind) => history(kind, wanted)));
    if (wanted !== range) return;
    drawn = { latency, tests, outages, gaps, to: now().getTime() };
    drawCharts();
  } catch (error) {
    if (!drawn) $("charts").replaceChildren(el("p", { class: "note", text: `The history cannot be read: ${error.message}` }));
  }
}

function drawCharts() {
  if (!drawn) return;
  chartHeight = matchMedia("(min-width: 600px)").matches ? 150 : 116;
  const span = ranges[range];
  const { to } = drawn;
  const from = to - span;
  if ($("charts").children.length !== 3) $("charts").replaceChildren(el("figure"), el("figure"), el("figure"));
  const [latency, throughput, outages] = $("charts").children;
  const middle = thinned(drawn.latency, "p50", from, span, median);
  const high = thinned(drawn.latency, "p95", from, span, (values) => Math.max(...values));
  const values = middle.map((point) => point.value);
  drawChart(latency, {
    title: "Latency", unit: "ms", from, to, gap: Math.max(150e3, span / 120), format: (value) => `${digits(value)} ms`,
    series: [{ name: "median", points: middle }, { name: "95th percentile", points: high }],
    summary: values.length ? `median ${digits(median([...values]))} ms${high.length ? `, highest ${digits(Math.max(...high.map((point) => point.value)))} ms` : ""} in ${rangeWords[range]}` : `not measured in ${rangeWords[range]}`,
  });
  const points = (direction) => drawn.tests.filter((test) => test[direction]).map((test) => ({ at: Date.parse(test.startedAt), value: test[direction].speedMbps }));
  const down = points("download");
  drawChart(throughput, {
    title: "Throughput", unit: "Mbit/s", from, to, gap: Infinity, format: (value) => `${digits(value)} Mbit/s`,
    series: [{ name: "download", points: down, isDotted: true }, { name: "upload", points: points("upload"), isDotted: true }],
    summary: down.length ? `${drawn.tests.length} ${drawn.tests.length === 1 ? "speed test" : "speed tests"}, median download ${digits(median(down.map((point) => point.value)))} Mbit/s in ${rangeWords[range]}` : `no speed test in ${rangeWords[range]}`,
  });
  const lost = drawn.outages.map((outage) => {
    const start = Date.parse(outage.startedAt);
    const end = outage.endedAt ? Date.parse(outage.endedAt) : to;
    return { start, end, cause: outage.cause, text: `${causeText(outage.cause)}, ${longFormat.format(new Date(start))}, ${duration((end - start) / 1000)}` };
  });
  const total = lost.reduce((sum, outage) => sum + outage.end - Math.max(from, outage.start), 0) / 1000;
  const observed = observedParts({ ...drawn, startedAt: current?.startedAt });
  drawOutages(outages, { outages: lost, observed, from, to, summary: lost.length ? `${lost.length} in ${rangeWords[range]}, ${duration(total)} in all` : `none in ${rangeWords[range]}` });
}

for (const button of $("ranges").children) {
  button.addEventListener("click", () => {
    range = button.dataset.range;
    for (const other of $("ranges").children) other.setAttribute("aria-pressed", other === button);
    loadCharts();
  });
}
new ResizeObserver(() => requestAnimationFrame(drawCharts)).observe($("charts"));
