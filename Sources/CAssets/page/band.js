// The first thing that is seen: online or offline, since when, why, and where on the way.

const words = { online: "Online", offline: "Offline", unknown: "Unknown", unreachable: "No answer from the exporter" };
const icons = { online: "ok", offline: "failed", unknown: "unknown", unreachable: "unknown" };
const colours = { online: "157347", offline: "b3282d", unknown: "59636f", unreachable: "59636f" };
let lastVerdict = null;
let lastConnection = null;

const verdict = (snapshot) => (snapshot?.online === true ? "online" : snapshot?.online === false ? "offline" : "unknown");

function via(snapshot) {
  if (!snapshot?.interfaceName) return "";
  return `via ${connectionTypes[snapshot.connectionType] ?? snapshot.connectionType} (${snapshot.interfaceName})`;
}

function paint(state) {
  $("band").dataset.state = state;
  setText("word", words[state]);
  $("icon").setAttribute("href", `#i-${icons[state]}`);
  document.title = `${words[state]} · Network Health Exporter`;
  const icon = document.querySelector("link[rel=icon]");
  icon.href = icon.href.replace(/%23[0-9a-f]{6}/, `%23${colours[state]}`);
}

function renderBand(status) {
  const { snapshot } = status;
  const state = verdict(snapshot);
  paint(state);
  const { since } = status;
  const parts = [via(snapshot), since ? `since ${time(since)} (${duration(age(since))})` : ""].filter(Boolean);
  ifChanged("via", parts, () => $("via").replaceChildren(...parts.map((text) => el("span", { text }))));
  const plain = status.summary ?? (status.cause ? `${causeText(status.cause)}.` : state === "unknown" ? "The internet is being checked." : "");
  // Online, the line above says the same.
  setText("summary", plain === `Online ${via(snapshot)}.` ? "" : plain);
  setText("announcement", [words[state], plain].join(". "));
  renderBanner(state, status);
  if (status.debug) renderToast(snapshot, state);
  lastVerdict = state;
}

/** Slides in when connectivity is lost, and goes when it is restored. */
function renderBanner(state, status) {
  if (state === "online") show("banner", false);
  if (state !== "offline") return;
  ifChanged("banner", status.cause ?? null, (cause) =>
    $("banner").replaceChildren("Connectivity lost", ...(cause ? [": ", ...wideAndNarrow(causeText(cause), causeShort(cause))] : [])));
  if (lastVerdict !== "offline") show("banner", true);
}

function renderToast(snapshot, state) {
  const text = state === "online" ? `Connected ${via(snapshot)}` : state === "offline" ? "Disconnected" : null;
  if (text === null || text === lastConnection) return;
  lastConnection = text;
  const toast = el("p", { text });
  $("toasts").append(toast);
  setTimeout(() => toast.remove(), 6000);
}

const stationNames = { device: "Device", router: "Router", internet: "Internet", dns: "DNS" };
const stationWords = { ok: "OK", slow: "slow", failed: "failed", unknown: "unknown", off: "not watched" };

function renderStations(stations) {
  $("stations").replaceChildren(
    ...stations.map((station) => {
      const word = stationWords[station.state] ?? station.state;
      const latency = milliseconds(station.latencySeconds);
      // What is not watched says itself why.
      const plain = station.state === "off" && station.detail ? station.detail : word;
      const text = station.state === "failed" || latency === null ? plain : `${latency}${station.state === "ok" ? "" : `, ${word}`}`;
      const label = station.label?.toLowerCase() === station.name ? null : station.label;
      const dot = mark(station.state in stationWords ? station.state : "unknown");
      dot.setAttribute("class", "dot");
      return el("li", { "data-state": station.state, "data-station": station.name },
        dot, el("strong", { text: stationNames[station.name] ?? station.name }),
        el("span", { class: "value", text }),
        el("span", { class: "about" }, label ? el("span", { class: "label", text: label }) : null,
          station.detail && station.detail !== plain ? el("span", { class: "detail", text: station.detail }) : null));
    })
  );
}
