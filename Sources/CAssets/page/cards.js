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
  const parts = Object.entries(day.offlineSeconds).map(([cause, seconds]) => `${causeText(cause)} ${duration(seconds)}`);
  const part = observedShare({ date, day }) < 1 ? ` in the ${duration(day.monitoredSeconds)} that were observed` : "";
  return `${date}: ${parts.length ? `offline, ${parts.join(", ")}` : "no outage"}${part}`;
}

/** The share of a day in which the exporter ran, of today that of the time so far; 1 from 99 % on. */
function observedShare({ date, day }) {
  const local = now();
  const isToday = date === `${local.getFullYear()}-${String(local.getMonth() + 1).padStart(2, "0")}-${String(local.getDate()).padStart(2, "0")}`;
  const whole = isToday ? local.getHours() * 3600 + local.getMinutes() * 60 + local.getSeconds() : 86400;
  const share = day.monitoredSeconds / Math.max(1, whole);
  return share >= 0.99 ? 1 : share;
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
    // The part of the day that was observed, from the bottom up; above it the rest.
    const full = Math.max(3, 34 * observedShare(entry));
    const causesOfDay = Object.entries(entry.day.offlineSeconds).filter(([, seconds]) => seconds > 0).sort((a, b) => b[1] - a[1]);
    const whole = svg("g", {}, svg("title", { text: dayText(entry) }), full < 34 ? bar("none", 0, 34 - full) : null, bar("ok", 34 - full, full));
    if (!causesOfDay.length) return [whole];
    // The height of an outage grows with the root of its share: a minute is visible, half a day is most of the bar. On a short day, too,
    // what was online stays visible.
    const share = Math.min(1, offline(entry.day) / Math.max(1, entry.day.monitoredSeconds));
    const height = Math.max(Math.min(9, full / 2), full * Math.sqrt(share));
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
  $("legend").replaceChildren(...[["ok", "no outage"], ...found.map((cause) => [cause, causeText(cause)]), ["none", "not observed"]]
    .map(([cause, text]) => el("li", { class: "key", "data-cause": cause, text })));
  table("days-table", ["Day", "Observed", "Offline"], all.filter((entry) => entry.day).reverse().map(({ date, day }) =>
    el("tr", {}, el("th", { scope: "row", text: date }), el("td", { text: duration(day.monitoredSeconds) }),
      el("td", { text: offline(day) ? dayText({ date, day }).slice(date.length + 11) : "none" }))));
}

function renderOutages(outages, grows) {
  if (!outages) return $("outages").replaceChildren(el("li", { class: "note", text: "Unknown: the history cannot be read." }));
  const rows = outages.map((outage) => {
    const isOver = outage.endedAt !== null;
    // `seconds` of an ongoing one are those when the status was read.
    const seconds = grows && !isOver ? age(outage.startedAt) : outage.seconds;
    const key = el("span", { class: "key", "data-cause": outage.cause }, causeText(outage.cause));
    return el("li", {}, key,
      el("span", { class: "length value", text: duration(seconds) }),
      el("span", { class: "when" }, isOver ? "" : "since ", timeElement(outage.startedAt)));
  });
  $("outages").replaceChildren(...(rows.length ? rows : [el("li", { class: "note", text: "None since the record began." })]));
}

const passWord = (health) => ({ true: "yes", false: "no", null: "unknown" })[passes(health)];
const passIcon = (health) => mark({ yes: "ok", no: "failed", unknown: "unknown" }[passWord(health)]);

/** A reason with its numbers: measured, needed, usual. */
function reasonText(reason, { limits, ...health }) {
  const speed = (value, needed, usual) => (typeof value !== "number" || !needed ? null
    : `${megabits(value)} of ${plain(needed)} Mbit/s${typeof usual === "number" ? `; usually ${megabits(usual)}` : ""}`);
  const { usual, counted } = current?.speedTest ?? {};
  const loss = current?.latency?.lossRatio;
  const numbers = {
    quality_below: () => `${health.currentQuality}${health.quality?.source === "estimated" ? " by an estimate" : ""}, ${health.requiredQuality} needed`,
    // A lower bound decides nothing.
    unmeasured: () => counted?.download?.isLowerBound && speed(counted.download.speedMbps, limits?.minDownloadMbps, null)?.replace(/^/, "download at least "),
    throughput_below: () => speed(health.downloadSpeedMbps, limits?.minDownloadMbps, usual?.downloadSpeedMbps),
    upload_below: () => speed(health.uploadSpeedMbps, limits?.minUploadMbps, usual?.uploadSpeedMbps),
    latency_above: () => limits?.maxLatencySeconds && health.latencySeconds !== null ? `${milliseconds(health.latencySeconds)}, at most ${milliseconds(limits.maxLatencySeconds)}` : milliseconds(health.latencySeconds),
    jitter_above: () => limits?.maxJitterSeconds && `${milliseconds(current?.latency?.jitterSeconds)}, at most ${milliseconds(limits.maxJitterSeconds)}`,
    loss_above: () => typeof loss === "number" ? `${digits(loss * 100)} %${limits?.maxLossRatio ? `, at most ${plain(limits.maxLossRatio * 100)} %` : ""}` : null,
  }[reason]?.();
  return `${reasons[reason] ?? spaced(reason)}${numbers ? `, ${numbers}` : ""}`;
}

const plain = (number) => `${+number.toPrecision(3)}`;

/** What a requirement needs, and what there is. */
function needs({ requiredQuality, currentQuality, quality, limits, ...health }) {
  const needed = [requiredQuality ? `${requiredQuality} quality` : null, limits?.minDownloadMbps ? `${plain(limits.minDownloadMbps)} Mbit/s down` : null,
    limits?.minUploadMbps ? `${plain(limits.minUploadMbps)} Mbit/s up` : null, limits?.maxLatencySeconds ? `${milliseconds(limits.maxLatencySeconds)} at most` : null,
    limits?.maxJitterSeconds ? `jitter ${milliseconds(limits.maxJitterSeconds)} at most` : null, limits?.maxLossRatio ? `${plain(limits.maxLossRatio * 100)} % loss at most` : null].filter(Boolean);
  const now = currentQuality ? `${currentQuality}${quality?.source ? ` (${quality.source})` : ""}` : "unknown";
  return needed.length ? `needs ${needed.join(", ")}; now ${now}` : health.requirement === "unmetered" ? "needs a connection without cost or data saving" : "needs the internet alone";
}

function renderGood({ requirements }) {
  $("good").replaceChildren(...requirements.map((health) =>
    el("span", { class: "chip", "data-pass": passWord(health) }, passIcon(health), spaced(health.requirement),
      el("span", { class: "hidden", text: `: ${passWord(health)}. ` }))));
  const word = { yes: "satisfied", no: "not satisfied", unknown: "not known" };
  $("requirements").replaceChildren(...requirements.map((health) =>
    el("li", { "data-pass": passWord(health) }, passIcon(health), el("strong", { text: `${spaced(health.requirement)}: ${word[passWord(health)]}` }),
      el("span", { class: "value", text: needs(health) }))));
  renderAdvice(requirements);
}

/** One advice for all that it concerns, with the reasons of each; on a small screen it opens on a tap, and stays open. */
function renderAdvice(requirements) {
  const groups = new Map();
  const add = (advice, name, reason) => groups.set(advice, [...(groups.get(advice) ?? []), { name, reason }]);
  for (const health of requirements) {
    // What is only estimated is no reason where a measurement is missing: the details have it.
    const isOpen = passes(health) === null;
    const said = health.reasons.filter((reason) => !(isOpen && estimates.includes(reason)));
    if (health.passed === false) for (const reason of said) add(health.recommendation, spaced(health.requirement), reasonText(reason, health));
  }
  const isLarge = matchMedia("(min-width: 600px)").matches;
  const wasOpen = new Map([...$("advice").children].map((one) => [one.lastChild.textContent, one.open]));
  $("advice").replaceChildren(...[...groups].map(([advice, members]) => {
    const byReason = new Map();
    for (const one of members) byReason.set(one.reason, [...(byReason.get(one.reason) ?? []), one]);
    const list = (ones) => (ones.length === requirements.length && ones.length > 1 ? "All" : capitalised(ones.map((one) => one.name).join(", ").toLowerCase()));
    const lines = [...byReason].map(([reason, ones]) => `${list(ones)}: ${reason}`);
    return el("details", { open: wasOpen.get(unbroken(advice)) ?? isLarge }, el("summary", {}, ...lines.map((text) => el("span", { text }))), el("p", { text: advice }));
  }));
}

const yesNo = (value) => (value === true ? "yes" : value === false ? "no" : null);

function renderCost(status) {
  const { snapshot, budget, estimate } = status;
  const facts = [["Costs money", yesNo(snapshot?.isExpensive), costSources[snapshot?.expensiveSource]],
    ["Data saving", yesNo(snapshot?.isConstrained), costSources[snapshot?.constrainedSource]]];
  // Both are mostly known from the same source, and the same.
  const isSame = snapshot && facts[0][1] === facts[1][1] && facts[0][2] === facts[1][2];
  const rows = isSame ? [["Costs money", facts[0][1] && `${facts[0][1]}; data saving ${facts[0][1]}`, facts[0][2]]] : facts;
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

/** What no other part of the page says. */
function renderPath({ snapshot }) {
  if (!snapshot) return pairs("path", [["Status", null]]);
  pairs("path", [["Status", spaced(snapshot.unsatisfiedReason) ?? spaced(snapshot.status)], ["Device", snapshot.interfaceName, snapshot.underlay ? `over ${snapshot.underlay}` : null],
    ["Quality", snapshot.quality, snapshot.qualitySource], ["Seen from", snapshot.viewpoint === "container" ? "a container" : "this host"]]);
}
