// What connects the page with the exporter: the status, the stream of events, and whether there is any answer at all.

const secondsToStale = 15;
let current = null;
let lastContact = 0;
let isStale = false;

class Refusal extends Error {
  constructor(status, message) {
    super(message);
    this.status = status;
  }
}

/** A relative address; a name and password in the page's own, which `fetch` refuses, stay out. */
const address = (path) => new URL(path, location.origin + location.pathname);

async function send(method, path, headers = {}) {
  const response = await fetch(address(path), { method, headers, cache: "no-store", signal: AbortSignal.timeout(10e3) });
  if (response.ok) return response;
  const body = await response.text();
  let message = `status ${response.status}`;
  try { message = JSON.parse(body).error ?? message; } catch { /* An error of a proxy is not JSON. */ }
  throw new Refusal(response.status, message);
}

const getJSON = async (path, headers) => (await send("GET", path, headers)).json();

/** Something answered; only a new status makes the page current again. */
function answered() {
  lastContact = Date.now();
  if (isStale) refresh();
}

function takeStatus(status) {
  if (status.snapshot) clockDifference = new Date(status.snapshot.timestamp) - Date.now();
  const isFirst = current === null;
  current = status;
  lastContact = Date.now();
  // The charts may be there already; since when the exporter runs is known now.
  if (isFirst) drawCharts();
  if (isStale) {
    isStale = false;
    delete document.body.dataset.stale;
    show("stale", false);
    if (stream.readyState === EventSource.OPEN) setLive("yes", "Live");
    loadCharts();
  }
  followTest(status.speedTest?.running ?? null);
  render();
}

/** The old state is not the current one: the page says so. */
function unreachable(reason) {
  if (isStale) return;
  isStale = true;
  document.body.dataset.stale = "";
  paint("unreachable");
  show("banner", false);
  lastVerdict = null;
  $("via").replaceChildren();
  drawnValues.delete("via");
  setText("summary", reason ? `The state cannot be read: ${reason}` : "Whether the network is up is unknown.");
  renderStale();
  show("stale", true);
  setLive("no", "No answer");
  $("test").disabled = true;
}

/** How old the page is, each second. */
function renderStale() {
  const seconds = (Date.now() - lastContact) / 1000;
  setText("stale", current ? `Not current: the last answer came at ${timeFormat.format(new Date(lastContact))}, ${countdown(seconds)} ago.` : "There was no answer yet.");
}

function setLive(value, text) {
  $("live").dataset.live = value;
  setText("live", text);
}

function render() {
  if (isStale) renderStale();
  if (!current || isStale) return;
  renderBand(current);
  renderSpeed(current.speedTest);
  ifChanged("stations", { stations: current.stations ?? [], latency: current.latency, old: latencyAge(current) }, renderStations);
  ifChanged("faults", current.faults ?? [], renderFaults);
  // The times since then grow by the minute.
  ifChanged("uplinks", { uplinks: current.uplinks ?? [], minute: Math.floor(now() / 60e3) }, ({ uplinks }) => renderUplinks(uplinks));
  ifChanged("targets", { targets: current.targets, minute: Math.floor(now() / 60e3) }, ({ targets }) => renderTargets(targets));
  ifChanged("uptime", current.uptime, renderUptime);
  ifChanged("days", current.days ?? null, renderDays);
  ifChanged("requirements", { requirements: current.requirements ?? [], usual: current.speedTest?.usual, latency: current.latency }, renderGood);
  const { snapshot, budget, estimate } = current;
  // The length of an ongoing outage grows while the host is known to be offline.
  const grows = snapshot?.online === false && current.outages?.[0]?.endedAt === null;
  ifChanged("outages", { list: current.outages ?? null, grows, at: grows ? Math.round(now() / 1000) : null }, ({ list }) => renderOutages(list, grows));
  ifChanged("cost", { snapshot: snapshot && { ...snapshot, timestamp: null }, budget, estimate }, renderCost);
  ifChanged("path", { snapshot: snapshot && { ...snapshot, timestamp: null, measurementAgeSeconds: null } }, renderPath);
}

/** How old the latency is, in words; null: of now, or not known. */
function latencyAge({ latency, snapshot }) {
  if (typeof latency?.ageSeconds !== "number" || !snapshot) return null;
  const seconds = latency.ageSeconds + age(snapshot.timestamp);
  return seconds > oldAge ? duration(seconds, 1) : null;
}

let isReading = false;
let isWanted = false;

/** Reads the status at once, but at most twice a second. */
async function refresh() {
  isWanted = true;
  if (isReading) return;
  isReading = true;
  while (isWanted) {
    isWanted = false;
    try {
      takeStatus(await getJSON("api/v1/status"));
      await loadRequests(current.queue);
    } catch (error) {
      // An answer that is an error, of the exporter or of a proxy before it, has no state.
      if (error instanceof Refusal) unreachable(error.message);
      else await checkContact();
    }
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
  isReading = false;
}

/** Whether the exporter answers: the stream alone does not show a connection that was cut silently. */
async function checkContact() {
  try {
    await send("GET", "-/healthy");
    answered();
  } catch (error) {
    if (error.name !== "TimeoutError" || Date.now() - lastContact > secondsToStale * 1000) unreachable(error instanceof Refusal ? error.message : null);
  }
}

let stream = null;

function connect() {
  stream?.close();
  stream = new EventSource(address("api/v1/stream"));
  stream.onopen = () => { setLive("yes", "Live"); lastContact = Date.now(); refresh(); };
  stream.onerror = () => {
    setLive("no", isStale ? "No answer" : "Reconnecting");
    checkContact();
    // After an answer that is not a stream the browser does not try again.
    if (stream.readyState === EventSource.CLOSED) setTimeout(connect, 5000);
  };
  for (const kind of ["snapshot", "transition", "queue", "fault", "fault_ended", "uplink_switched", "uplink_lost"]) {
    stream.addEventListener(kind, (event) => { answered(); takeEvent(kind, JSON.parse(event.data)); });
  }
  stream.addEventListener("speedtest", (event) => {
    answered();
    const test = JSON.parse(event.data);
    takeSpeedTest(test);
    if (!("phase" in test)) { refresh(); loadCharts(); }
  });
}

/** The event is newer than the status: a lost connection is shown before the status is read again. */
function takeEvent(kind, data) {
  if (kind === "snapshot" && current) {
    if (data.online !== current.snapshot?.online) forgetState(current);
    current.snapshot = data;
    render();
  }
  if (kind === "transition") loadCharts();
  refresh();
}

/** What was known of another state is not known of the new one. */
function forgetState(status) {
  Object.assign(status, { summary: null, cause: null, since: null, faults: null });
  status.requirements = status.requirements?.map((one) => ({ ...one, passed: null, reasons: [], notice: null }));
  status.uplinks = status.uplinks?.map((one) => (one.active ? { ...one, online: null, cause: null, since: null, latencySeconds: null, lossRatio: null } : one));
  status.stations = status.stations?.map((one) => ({ ...one, state: "unknown", latencySeconds: null, detail: null, way: null }));
}

// The links are open without a script.
$("links-box").open = false;
connect();
refresh();
loadCharts();
setInterval(() => { if (!document.hidden) checkContact(); }, 5000);
setInterval(render, 1000);
setInterval(() => {
  if (document.hidden) return;
  refresh();
  // A week is a megabyte.
  if (range === "1h" || !drawn || now() - drawn.to > 300e3) loadCharts();
}, 60e3);
// Hidden, the page asks nothing; shown again, it asks before it judges.
let shownAt = Date.now();
setInterval(() => {
  if (!document.hidden && Date.now() - Math.max(lastContact, shownAt) > secondsToStale * 1000) unreachable(null);
}, 1000);
document.addEventListener("visibilitychange", () => {
  if (document.hidden) return;
  shownAt = Date.now();
  checkContact();
  refresh();
});
window.addEventListener("offline", checkContact);
