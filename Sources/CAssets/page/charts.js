// Small charts: points over time, lines broken where nothing was measured, and a readout under the pointer.

let chartHeight = 150;
const margin = { left: 40, right: 8, top: 8, bottom: 20 };

/** At most four round values from 0 on. */
function ticks(max) {
  const raw = max / 3 || 1;
  const power = 10 ** Math.floor(Math.log10(raw));
  const step = [1, 2, 5, 10].map((factor) => factor * power).find((value) => value >= raw);
  const values = [];
  for (let value = 0; value < max + step * 0.999; value += step) values.push(value);
  return values;
}

/** Round times, as many as fit: a label needs 76 pixels. */
function timeTicks(from, to, width) {
  const span = to - from;
  const count = Math.min(7, Math.max(2, Math.floor(width / 76)));
  const step = [5, 10, 15, 30, 60, 180, 240, 360, 720, 1440].map((minutes) => minutes * 60e3).find((value) => span / value <= count) ?? 1440 * 60e3;
  // Aligned to the browser's hours.
  const zone = new Date(from).getTimezoneOffset() * 60e3;
  const first = Math.ceil((from - zone) / step) * step + zone;
  const values = [];
  for (let value = first; value < to; value += step) values.push(value);
  return { values, format: step >= 1440 * 60e3 ? dayFormat : minuteFormat };
}

/**
 * Draws into `figure`. series: [{name, points: [{at, value}], isDotted}], at most two; marks: [{from, to, cause}];
 * gap: the milliseconds after which a line is broken.
 */
function drawChart(figure, { title, unit, series, from, to, gap, format, summary }) {
  const width = Math.max(240, figure.clientWidth);
  const root = svg("svg", { viewBox: `0 0 ${width} ${chartHeight}`, height: chartHeight, role: "img", "aria-label": `${title}: ${summary}` });
  const all = series.flatMap((one) => one.points.map((point) => point.value));
  const levels = ticks(Math.max(0, ...all) || 1);
  const top = levels[levels.length - 1];
  const x = (at) => margin.left + (width - margin.left - margin.right) * (at - from) / (to - from);
  const y = (value) => chartHeight - margin.bottom - (chartHeight - margin.top - margin.bottom) * value / top;
  for (const level of levels) {
    root.append(svg("line", { x1: margin.left, x2: width - margin.right, y1: y(level), y2: y(level) }));
    if (all.length) root.append(svg("text", { x: margin.left - 6, y: y(level) + 4, "text-anchor": "end", text: +level.toPrecision(6) }));
  }
  appendTimes(root, x, from, to);
  series.forEach((one, index) => {
    let data = "";
    one.points.forEach((point, number) => {
      const previous = one.points[number - 1];
      data += `${previous && point.at - previous.at <= gap ? "L" : "M"}${x(point.at).toFixed(1)} ${y(point.value).toFixed(1)}`;
    });
    if (one.points.length) root.append(svg("path", { class: `s${index}`, d: data }));
    // A point without neighbours has no line.
    one.points.forEach((point, number) => {
      const isAlone = [one.points[number - 1], one.points[number + 1]].every((other) => !other || Math.abs(other.at - point.at) > gap);
      if (one.isDotted || isAlone) root.append(svg("circle", { class: `s${index}`, cx: x(point.at), cy: y(point.value), r: 2.6 }));
    });
  });
  if (!all.length) root.append(svg("text", { x: width / 2, y: chartHeight / 2, "text-anchor": "middle", text: "nothing was measured in this time" }));
  const readout = el("span", { class: "readout", text: all.length ? summary : "" });
  const legend = series.length > 1 ? series.map((one, index) => el("span", { class: `key s${index}`, text: one.name })) : [];
  figure.replaceChildren(el("figcaption", {}, el("strong", { text: `${title}, ${unit}` }), ...legend, readout), root);
  addReadout(root, readout, { series, x, format, summary, width });
}

function appendTimes(root, x, from, to) {
  const { values, format } = timeTicks(from, to, x(to) - x(from));
  for (const value of values) {
    root.append(svg("line", { x1: x(value), x2: x(value), y1: chartHeight - margin.bottom, y2: chartHeight - margin.bottom + 4 }));
    if (x(value) > margin.left + 12 && x(to) - x(value) > 20) {
      root.append(svg("text", { x: x(value), y: chartHeight - 5, "text-anchor": "middle", text: format.format(new Date(value)) }));
    }
  }
}

function addReadout(root, readout, { series, x, format, summary, width }) {
  const cursor = svg("line", { class: "cursor", y1: margin.top, y2: chartHeight - margin.bottom, visibility: "hidden" });
  root.append(cursor);
  root.addEventListener("pointermove", (event) => {
    const box = root.getBoundingClientRect();
    const place = (event.clientX - box.left) * width / box.width;
    const nearest = series.map((one) => one.points.reduce((best, point) =>
      best === null || Math.abs(x(point.at) - place) < Math.abs(x(best.at) - place) ? point : best, null));
    const found = nearest.find((point) => point !== null);
    if (!found) return;
    cursor.setAttribute("visibility", "visible");
    for (const end of ["x1", "x2"]) cursor.setAttribute(end, x(found.at));
    readout.textContent = `${dateFormat.format(new Date(found.at))}: ${nearest.map((point, index) => point && `${series[index].name} ${format(point.value)}`).filter(Boolean).join(", ")}`;
  });
  root.addEventListener("pointerleave", () => {
    cursor.setAttribute("visibility", "hidden");
    readout.textContent = summary;
  });
}

/** Outages as bars on the same axis of time, over the time that was observed. */
function drawOutages(figure, { outages, observed, from, to, summary }) {
  const width = Math.max(240, figure.clientWidth);
  const height = 54;
  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", "aria-label": `Outages: ${summary}` });
  const x = (at) => margin.left + (width - margin.left - margin.right) * (Math.min(to, Math.max(from, at)) - from) / (to - from);
  root.append(svg("rect", { x: margin.left, y: 8, width: width - margin.left - margin.right, height: 22, "data-cause": "none" }));
  for (const { start, end } of observed.filter((part) => part.end > from)) {
    root.append(svg("rect", { x: x(start), y: 8, width: Math.max(0.5, x(end) - x(start)), height: 22, "data-cause": "ok" }));
  }
  for (const { start, end, cause, text } of outages) {
    root.append(svg("g", {}, svg("title", { text }), svg("rect", { x: x(start), y: 8, width: Math.max(2, x(end) - x(start)), height: 22, "data-cause": cause })));
  }
  const times = svg("g", { transform: `translate(0 ${height - chartHeight})` });
  appendTimes(times, x, from, to);
  root.append(times);
  const found = [...new Set(outages.map((outage) => outage.cause))];
  figure.replaceChildren(el("figcaption", {}, el("strong", { text: "Outages" }),
    el("span", { class: "key", "data-cause": "ok", text: "no outage" }), el("span", { class: "key", "data-cause": "none", text: "not observed" }),
    ...found.map((cause) => el("span", { class: "key", "data-cause": cause, text: causeText(cause) })),
    el("span", { class: "readout", text: summary })), root);
}
