// Numbers and words as people read them. Unknown is null in and "unknown" out, never a guess.

const connectionTypes = { wifi: "WiFi", cellular: "Cellular", ethernet: "Ethernet", other: "another interface", unknown: "an unknown interface" };

/** What failed, by one name that fits every width, and on which side. */
const causes = {
  link: { text: "No link", side: "own network" },
  route: { text: "No route", side: "own network" },
  gateway: { text: "Router does not answer", side: "own network" },
  no_internet: { text: "No internet", side: null },
  dns_broken: { text: "DNS does not work", side: "DNS servers" },
  captive_portal: { text: "Login required", side: "this network" },
  tls_untrusted: { text: "Certificates not trusted", side: "clock, CA or a proxy" },
};
/** Where a fault is, by its `location`. */
const places = {
  host: "this computer", link: "its cable or Wi-Fi", router: "the router", access: "the line to the provider", provider: "the provider",
  internet: "behind the provider", vpn: "the VPN", destination: "one service", dns: "a name server", policy: "a rule of the network",
};
/** Of an outage; a cause alone does not accuse the provider. */
const placeText = ({ location, cause }) => places[location] ?? causes[cause]?.side ?? "unknown";
const causeText = (cause) => causes[cause]?.text ?? spaced(cause) ?? "Unknown cause";

/** Where a cost is known from. */
const costSources = {
  flag: "set by a flag", rule: "set by a rule of the configuration", config: "set in the configuration", file: "set by a file",
  host: "reported by the host", nm_yes: "set in NetworkManager", nm_no: "set in NetworkManager", nm_guess: "guessed by NetworkManager",
  cellular: "the device is a modem", tether: "a phone shares its connection", gateway_guess: "the router looks like a phone's hotspot",
  assumed: "assumed", unknown: "not visible from here",
};

const reasons = {
  starting: "not evaluated yet", offline: "offline", no_internet: "no internet", dns_broken: "DNS does not work",
  captive_portal: "login required", tls_untrusted: "certificates not trusted", uplink_unknown: "not known whether the uplink works", quality_below: "quality too low",
  throughput_below: "download too slow", upload_below: "upload too slow", latency_above: "latency too high",
  jitter_above: "jitter too high", loss_above: "too many packets lost", expensive: "the connection costs money",
  cost_unknown: "the cost is unknown", constrained: "the data volume is limited", target_down: "a target is down",
  stale_measurement: "the last speed test is too old", unmeasured: "not measured", uncertain: "not measured precisely",
};

/** Reasons for which it is not known whether a requirement is met, unless another one says that it is not. */
const openReasons = ["starting", "uplink_unknown", "unmeasured", "stale_measurement", "uncertain", "cost_unknown"];
/** An estimate, which a speed test that is missing would replace. */
const estimates = ["quality_below"];

/** Whether a requirement is met: true, false, or null where that is not known. */
function passes({ passed, reasons: why }) {
  if (passed !== false) return passed;
  return why.some((reason) => openReasons.includes(reason)) && why.every((reason) => [...openReasons, ...estimates].includes(reason)) ? null : false;
}

/** Why a time of the schedule began no speed test. */
const skips = {
  offline: "the host was not online", expensive: "the connection costs money", cost_unknown: "the cost of the connection is unknown",
  constrained: "data saving is on", budget: "the data budget is used up", storage: "its bytes could not be stored first",
  window: "its window was closed", busy: "the line was busy", running: "another one was running", gap: "it was too soon after the last one",
};

/** What limited a speed test besides the network. */
const limits = { cpu: "the processor of this machine", data_cap: "the data budget", server: "the server", cross_traffic: "other traffic",
  link_speed: "the speed of the cable or the port" };

const capitalised = (text) => (text ? text[0].toUpperCase() + text.slice(1) : text);
const spaced = (word) => (word ? capitalised(word.replace(/_/g, " ").replace(/([a-z])([A-Z])/g, "$1 $2").toLowerCase()) : null);

/** Three digits. */
function digits(number) {
  return number >= 100 ? number.toFixed(0) : number >= 10 ? number.toFixed(1) : number.toFixed(2);
}
const milliseconds = (seconds) => {
  if (seconds === null || seconds === undefined) return null;
  const value = seconds * 1000;
  if (value >= 10) return `${Math.round(value)} ms`;
  return value > 0 && value < 0.05 ? "< 0.1 ms" : `${value.toFixed(1)} ms`;
};
const megabits = (value) => (value === null || value === undefined ? null : digits(value));

/** Whether this machine limited the test: the network carries at least its speed. */
const isBound = (value) => value.isLowerBound || value.limitedBy?.includes("cpu");

/** A speed in Mbit/s, `≥` where this machine limited the test. */
const speedText = (value) => value && `${isBound(value) ? "≥ " : ""}${megabits(value.speedMbps)}`;

/** Whether the speed of one direction of a test is one of the line: neither this machine nor other traffic explains it. */
const isOfLine = (value) => Boolean(value) && !value.exceedsDevice && !isBound(value) && !value.limitedBy?.includes("cross_traffic");

/** The speeds that count beside those of the plan. */
function planWords(counted, plan) {
  return ["download", "upload"].flatMap((name) => {
    const [value, promised] = [counted?.[name], plan?.[`${name}SpeedMbps`]];
    const isComparable = value && !value.exceedsDevice && typeof promised === "number";
    return isComparable ? [`${capitalised(name)}: ${speedText(value)} of ${megabits(promised)} Mbit/s of your plan`] : [];
  });
}

/** Never rounded up: 100 % is said only of a time without an outage. */
function percent(ratio, places = 2) {
  if (ratio === null || ratio === undefined) return null;
  const scale = 10 ** places;
  return ratio >= 1 ? "100 %" : `${(Math.floor(ratio * 100 * scale + 1e-9) / scale).toFixed(places)} %`;
}

function bytes(count) {
  if (count === null || count === undefined) return null;
  let unit = 0;
  while (count >= 1000 && unit < 4) { count /= 1000; unit += 1; }
  return `${unit ? digits(count) : count} ${["B", "kB", "MB", "GB", "TB"][unit]}`;
}

/** The largest units, two of them unless another number is given. */
function duration(seconds, units = 2) {
  if (seconds === null || seconds === undefined) return null;
  if (seconds < 10) return `${Math.max(0, seconds).toFixed(1)} s`;
  let rest = Math.round(seconds);
  const parts = [];
  for (const [name, size] of [["d", 86400], ["h", 3600], ["min", 60], ["s", 1]]) {
    if (parts.length === units) break;
    const count = Math.floor(rest / size);
    rest -= count * size;
    if (count) parts.push(`${count} ${name}`);
    else if (parts.length) break;
  }
  return parts.join(" ");
}

/** A time that runs down, in whole seconds. */
const countdown = (seconds) => (seconds < 10 ? `${Math.max(0, Math.ceil(seconds))} s` : duration(seconds));

/** A speed is far below the usual one from half of it on. */
const isFarBelow = (speed, usual) => typeof usual === "number" && typeof speed === "number" && speed < usual / 2;

const timeFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const minuteFormat = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit" });
const dateFormat = new Intl.DateTimeFormat(undefined, { day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
const longFormat = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "medium" });
const dayFormat = new Intl.DateTimeFormat(undefined, { weekday: "short", day: "numeric" });

/** The time alone within the last 12 hours, else with its date. */
function time(text) {
  const at = new Date(text);
  return (Math.abs(now() - at) < 12 * 3600e3 ? minuteFormat : dateFormat).format(at);
}
const timeElement = (text) => el("time", { datetime: text, title: longFormat.format(new Date(text)), text: time(text) });

/** The exporter's clock, which may differ from the browser's. */
let clockDifference = 0;
const now = () => new Date(Date.now() + clockDifference);
const age = (text) => Math.max(0, (now() - new Date(text)) / 1000);
