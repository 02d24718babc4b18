// The cards below the band.

function renderUptime(uptime) {
  const periods = [["24 hours", "day", 86400], ["7 days", "week", 7 * 86400], ["30 days", "month", 30 * 86400]];
  pairs("uptime", periods.map(([name, key, seconds]) => {
    const part = uptime?.[key];
    const isPart = part && part.ratio !== null && part.monitoredSeconds < seconds * 0.95;
    return [name, percent(part?.ratio), isPart ? `of ${duration(part.monitoredSeconds, 1)}` : null];
  }));
}

const offline = (day) => Object.values(day.offlineSeconds).reduce((sum, seconds) => sum + seconds, 0);

/** The last 90 days, ending with the newest; a day without the exporter is null. */
function calendar(days) {
  if (!days.length) return [];
  const known = new Map(days.map((day) => [day.date, day]));
  const end = Date.parse(`${days[days.length - 1].date}T00:00:00Z`);
  return Array.from({ length: 90 }, (_, index) => {
    const date = new Date(end - (89 - index) * 86400e3).toISOString().slice(0, 10);
    return { date, day: known.get(date) ?? null };
  });
}

function dayText({ date, day }) {
  if (!day) return `${date}: not observed`;
  const parts = Object.entries(day.offlineSeconds).map(([cause, seconds]) => `${causeShort(cause)} ${duration(seconds)}`);
  return `${date}: ${parts.length ? `offline, ${parts.join(", ")}` : "no outage"}`;
}

function renderDays(days) {
  show("days-box", days !== null && days.length > 0);
  if (!days) return;
  const all = calendar(days);
  $("days").setAttribute("viewBox", "0 0 360 34");
  $("days").setAttribute("preserveAspectRatio", "none");
  $("days").replaceChildren(...all.flatMap((entry, index) => {
    const bar = (cause, y, height) => svg("rect", { x: index * 4 + 0.4, y, width: 3.2, height, "data-cause": cause });
    if (!entry.day) return [bar("none", 27, 7)];
    const causesOfDay = Object.entries(entry.day.offlineSeconds).filter(([, seconds]) => seconds > 0).sort((a, b) => b[1] - a[1]);
    const whole = svg("g", {}, svg("title", { text: dayText(entry) }), bar("ok", 0, 34));
    if (!causesOfDay.length) return [whole];
    // The height of an outage grows with the root of its share: a minute is visible, half a day is most of the bar.
    const share = Math.min(1, offline(entry.day) / Math.max(1, entry.day.monitoredSeconds));
    const height = Math.max(9, 34 * Math.sqrt(share));
    let top = 34 - height;
    for (const [cause, seconds] of causesOfDay) {
      const part = height * seconds / offline(entry.day);
      whole.append(bar(cause, top, part));
      top += part;
    }
    return [whole];
  }));
  const withOutage = all.filter((entry) => entry.day && offline(entry.day) > 0);
  const observed = all.filter((entry) => entry.day).length;
  $("days").setAttribute("aria-label", observed
    ? `The last 90 days: ${observed} observed, ${withOutage.length} with an outage. The table below has each day.`
    : "Uptime of the last 90 days: unknown");
  const found = [...new Set(withOutage.flatMap((entry) => Object.keys(entry.day.offlineSeconds)))];
  $("legend").replaceChildren(...[["ok", "no outage"], ...found.map((cause) => [cause, causeShort(cause)]), ["none", "not observed"]]
    .map(([cause, text]) => el("li", { class: "key", "data-cause": cause, text })));
  table("days-table", ["Day", "Observed", "Offline"], all.filter((entry) => entry.day).reverse().map(({ date, day }) =>
    el("tr", {}, el("th", { scope: "row", text: date }), el("td", { text: duration(day.monitoredSeconds) }),
      el("td", { text: offline(day) ? dayText({ date, day }).slice(date.length + 11) : "none" }))));
}

function renderOutages(outages) {
  if (!outages) return $("outages").replaceChildren(el("li", { class: "note", text: "Unknown: the history cannot be read." }));
  const rows = outages.map((outage) => {
    const isOver = outage.endedAt !== null;
    // `seconds` of an ongoing one are those when the status was read.
    const seconds = isOver ? outage.seconds : age(outage.startedAt);
    const key = el("span", { class: "key", "data-cause": outage.cause }, ...wideAndNarrow(causeText(outage.cause), causeShort(outage.cause)));
    return el("li", {}, key,
      el("span", { class: "length value" }, duration(seconds), isOver ? "" : el("span", { class: "wide-only", text: " so far" })),
      el("span", { class: "when" }, isOver ? "" : "since ", timeElement(outage.startedAt)));
  });
  $("outages").replaceChildren(...(rows.length ? rows : [el("li", { class: "note", text: "None since the record began." })]));
}

const passed = (health) => (health.passed === true ? "yes" : health.passed === false ? "no" : "unknown");
const passIcon = (health) => mark(health.passed === true ? "ok" : health.passed === false ? "failed" : "unknown");
const why = (health) => health.reasons.map((reason) => reasons[reason] ?? spaced(reason)).join(", ");

function renderGood(requirements) {
  $("good").replaceChildren(...requirements.map((health) =>
    el("li", { "data-pass": passed(health) }, passIcon(health),
      ...wideAndNarrow(spaced(health.requirement), shortNames[health.requirement] ?? spaced(health.requirement)),
      el("span", { class: "hidden", text: health.passed ? ": yes" : ": no" }))));
  renderAdvice(requirements);
  table("requirements", ["Requirement", "Needs", "Now", "Reason", "Advice"], requirements.map((health) => {
    const cell = (name, text) => el("td", { "data-name": name, "data-empty": !text, text: text || "–" });
    const source = health.quality?.source;
    const now = health.currentQuality ? `${health.currentQuality}${source ? ` (${source})` : ""}` : "unknown";
    return el("tr", { "data-pass": passed(health) },
      el("th", { scope: "row" }, passIcon(health), `${spaced(health.requirement)}: ${health.passed ? "passes" : "fails"}`),
      cell("Needs", health.requiredQuality), cell("Now", now), cell("Reason", capitalised(why(health))),
      cell("Advice", health.passed ? health.notice : [health.recommendation, health.notice].filter(Boolean).join(". ")));
  }));
}

/** The same reason and advice once; on a small screen the advice opens on a tap. */
function renderAdvice(requirements) {
  const failing = new Map();
  for (const health of requirements.filter((one) => !one.passed)) {
    const key = JSON.stringify([why(health), health.recommendation]);
    failing.set(key, [...(failing.get(key) ?? []), spaced(health.requirement)]);
  }
  const isLarge = matchMedia("(min-width: 600px)").matches;
  $("advice").replaceChildren(...[...failing].map(([key, names]) => {
    const [reason, advice] = JSON.parse(key);
    const which = names.length > 1 && names.length === requirements.length ? "All" : capitalised(names.join(", ").toLowerCase());
    return el("details", { open: isLarge }, el("summary", {}, el("strong", { text: which }), `: ${reason}`), el("p", { text: advice }));
  }));
}

const yesNo = (value) => (value === true ? "yes" : value === false ? "no" : null);

function renderCost(status) {
  const { snapshot, budget, estimate } = status;
  const rows = [["Costs money", yesNo(snapshot?.isExpensive), costWord(snapshot?.expensiveSource)],
    ["Data saving", yesNo(snapshot?.isConstrained), costWord(snapshot?.constrainedSource)]];
  const used = (count, limit) => `${bytes(count)} of ${bytes(limit)}`;
  if (budget) {
    rows.push(["Tests today", used(budget.dayUsedBytes, budget.dayLimitBytes)],
      ["This month", used(budget.monthUsedBytes, budget.monthLimitBytes), budget.resetsAt ? `until ${time(budget.resetsAt)}` : null]);
    $("budget").value = budget.monthLimitBytes > 0 ? Math.min(1, budget.monthUsedBytes / budget.monthLimitBytes) : 1;
  } else rows.push(["Speed tests", "not configured", "no data is used"]);
  if (estimate) rows.push(["Estimate", estimate]);
  pairs("cost", rows);
  show("budget", Boolean(budget));
}

function renderPath(status) {
  const { snapshot, latency } = status;
  pairs("now", [["Latency", milliseconds(latency?.seconds)], ["Jitter", milliseconds(latency?.jitterSeconds)],
    ["Packets lost", latency?.lossRatio === null || latency?.lossRatio === undefined ? null : latency.lossRatio === 0 ? "0 %" : `${digits(latency.lossRatio * 100)} %`]]);
  const station = (name) => status.stations?.find((one) => one.name === name)?.label ?? null;
  if (!snapshot) return pairs("path", [["Status", null]]);
  pairs("path", [["Status", spaced(snapshot.unsatisfiedReason) ?? spaced(snapshot.status)], ["Device", snapshot.interfaceName, snapshot.underlay ? `over ${snapshot.underlay}` : null],
    ["Type", connectionTypes[snapshot.connectionType] ?? snapshot.connectionType], ["Router", station("router")],
    ["Costs money", yesNo(snapshot.isExpensive), costSources[snapshot.expensiveSource]], ["Data saving", yesNo(snapshot.isConstrained), costSources[snapshot.constrainedSource]],
    ["Quality", snapshot.quality, snapshot.qualitySource], ["Seen from", snapshot.viewpoint === "container" ? "a container" : "this host"]]);
}
