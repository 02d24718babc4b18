// The way to the internet, and the targets.

const stationNames = { device: "Device", router: "Router", provider: "Provider", internet: "Internet", dns: "DNS" };
/** What a fault between two stations does there. */
const wayWords = { failed: "broken", impaired: "fault", slow: "delays" };
const stationWords = { ok: "OK", slow: "slow", impaired: "impaired", failed: "failed", unknown: "unknown", off: "not watched" };
/** From this age in seconds on a value is not that of now. */
const oldAge = 60;

/** Jitter and loss of the network, beside its latency. */
function quality(latency) {
  const loss = latency?.lossRatio;
  return [
    latency?.jitterSeconds === null || latency?.jitterSeconds === undefined ? null : `jitter ${milliseconds(latency.jitterSeconds)}`,
    loss === null || loss === undefined ? null : `${loss === 0 ? 0 : digits(loss * 100)} % lost`,
  ].filter(Boolean);
}

function renderStations({ stations, latency, old }) {
  $("stations").replaceChildren(...stations.map((station, index) => {
    const word = stationWords[station.state] ?? station.state;
    // What is wrong, and why something is not watched, says the detail itself.
    const plain = ["off", "impaired"].includes(station.state) && station.detail ? station.detail : word;
    const value = milliseconds(station.latencySeconds);
    const isGood = station.state === "ok" || station.state === "impaired";
    const text = station.state === "failed" || value === null ? plain : isGood ? value : `${value}, ${word}`;
    const label = station.label?.toLowerCase() === station.name ? null : station.label;
    const isNetwork = station.name === "internet";
    const isReached = ["ok", "slow", "impaired"].includes(station.state);
    const details = [label, station.detail === text ? null : station.detail, ...(isNetwork && isReached ? quality(latency) : []),
      isNetwork && isReached && old !== null ? `measured ${old} ago` : null].filter(Boolean);
    const dot = mark(station.state === "impaired" ? "slow" : station.state in stationWords ? station.state : "unknown");
    dot.setAttribute("class", "dot");
    return el("li", { "data-state": station.state, "data-station": station.name, "data-way": station.way, "data-old": isNetwork && isReached && old !== null },
      station.way ? breakMark(station, stations[index - 1]) : null, dot, el("strong", { text: stationNames[station.name] ?? station.name }), el("span", { class: "value", text }),
      el("span", { class: "about", text: details.join(", ") }));
  }));
}

/** The mark of a fault on the stretch from one station to the next. */
function breakMark({ name, way }, before) {
  const between = `Between ${stationNames[before?.name] ?? "this device"} and ${stationNames[name] ?? name}: `;
  return el("span", { class: "break" }, mark(way === "failed" ? "failed" : "slow"), el("span", { class: "hidden", text: between }), wayWords[way] ?? way);
}

/** The faults by place and kind: what is open stays open while the evidence changes. */
const faultViews = new Map();

/** What is wrong, the nearest to this host first: where, since when, whom to call, and how that is known. */
function renderFaults(faults) {
  show("faults", faults.length > 0);
  const key = ({ location, kind }) => `${location} ${kind}`;
  const isLarge = matchMedia("(min-width: 600px)").matches;
  const last = [...faultViews.keys()].join();
  for (const known of faultViews.keys()) if (!faults.some((fault) => key(fault) === known)) faultViews.delete(known);
  // One service alone is not in the band.
  const lead = faults.find((fault) => fault.location !== "destination");
  for (const fault of faults) {
    const view = faultViews.get(key(fault)) ?? el("details", { open: isLarge && fault === faults[0] }, el("summary"), el("ul"));
    faultViews.set(key(fault), view);
    view.toggleAttribute("data-lead", fault === lead);
    view.firstChild.replaceChildren(el("strong", { text: fault.title }), " ", el("span", { class: "when" }, "since ", timeElement(fault.since)),
      el("span", { class: "call", text: `Whom to call: ${fault.call}.` }));
    view.lastChild.replaceChildren(...fault.evidence.map((text) => el("li", { text })));
  }
  if (last !== faults.map(key).join()) $("faults").replaceChildren(...faults.map((fault) => el("li", {}, faultViews.get(key(fault)))));
}

/** One line of a target: what it is, how it is, and since when. */
function targetRow(one) {
  const probed = one.lastProbedAt ? age(one.lastProbedAt) : null;
  const isOld = probed !== null && probed > oldAge;
  const values = one.state === "up"
    ? [milliseconds(one.latencySeconds), one.lossRatio === null ? null : `${one.lossRatio === 0 ? 0 : digits(one.lossRatio * 100)} % lost`]
    : [one.state, one.detail ?? spaced(one.reason)];
  const when = [one.since ? `${one.state} since ${time(one.since)}` : null, one.paused ? `paused: ${reasons[one.paused] ?? one.paused}` : null,
    isOld ? `probed ${duration(probed, 1)} ago` : null];
  return el("li", { "data-pass": { up: "yes", down: "no" }[one.state] ?? "unknown", "data-old": isOld },
    mark({ up: "ok", down: "failed" }[one.state] ?? "unknown"), el("strong", { text: one.name }),
    el("span", { class: "value", text: [one.module, ...values].filter(Boolean).join(", ") }),
    el("span", { class: "when", text: when.filter(Boolean).join(", ") }));
}

/** Targets that are down and listed above the fold. */
const downLimit = 4;

/** Those that are down first; the others open on a click. */
function renderTargets(targets) {
  const { up, down, unknown, list } = targets ?? { up: 0, down: 0, unknown: 0, list: [] };
  show("targets-card", up + down + unknown > 0);
  const first = list.filter((one) => one.state === "down").slice(0, downLimit);
  const others = list.slice(first.length);
  $("targets-down").replaceChildren(...first.map(targetRow));
  const left = up + down + unknown - list.length;
  $("targets-up").replaceChildren(...others.map(targetRow), ...(left ? [el("li", { class: "note", text: `and ${left} more, in the metrics` })] : []));
  const more = down - first.length;
  setText("targets-word", down === 0 && unknown === 0 ? `all ${up} up`
    : [more ? `${more} more down` : null, `${up} up`, unknown ? `${unknown} unknown` : null].filter(Boolean).join(", "));
  show("targets-more", others.length + left > 0);
}
