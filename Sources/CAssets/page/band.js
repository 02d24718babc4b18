// The first thing that is seen: online or offline, since when, why, and where on the way.

const words = { online: "Online", offline: "Offline", unknown: "Unknown", unreachable: "No answer from the exporter" };
const icons = { online: "ok", offline: "failed", unknown: "unknown", unreachable: "unknown" };
const colours = { online: "157347", offline: "b3282d", unknown: "59636f", unreachable: "59636f", doubt: "8a5200" };
let lastVerdict = null;
let lastConnection = null;

const verdict = (snapshot) => (snapshot?.online === true ? "online" : snapshot?.online === false ? "offline" : "unknown");

function via(snapshot) {
  if (!snapshot?.interfaceName) return "";
  return `via ${connectionTypes[snapshot.connectionType] ?? snapshot.connectionType} (${snapshot.interfaceName})`;
}

/** The colour of "good" is on the page while the network is known to be online, and never else. */
function paint(state, isDoubtful = false) {
  $("band").dataset.state = state;
  $("band").toggleAttribute("data-doubt", isDoubtful);
  setText("word", words[state]);
  $("icon").setAttribute("href", `#i-${isDoubtful ? "slow" : icons[state]}`);
  document.title = `${words[state]} · Network Health Exporter`;
  const icon = document.querySelector("link[rel=icon]");
  icon.href = icon.href.replace(/%23[0-9a-f]{6}/, `%23${colours[isDoubtful ? "doubt" : state]}`);
}

/** What is wrong with the speed of a line that is online, in a sentence; null: nothing that is known. */
function slowness(part) {
  const low = ["download", "upload"].flatMap((name) => {
    const [speed, usual] = [part?.counted?.[name], part?.usual?.[`${name}SpeedMbps`]];
    return speed && !speed.isLowerBound && isFarBelow(speed.speedMbps, usual) ? [{ name, speed, usual }] : [];
  });
  if (!low.length) return null;
  const words = low.map(({ name, speed, usual }) => `${name} ${megabits(speed.speedMbps)}, usually ${megabits(usual)} Mbit/s`);
  return `Far slower than usual ${ago(low[0].speed.measuredAt)}: ${words.join("; ")}.`;
}

function renderBand(status) {
  const { snapshot } = status;
  const state = verdict(snapshot);
  const slow = state === "online" ? slowness(status.speedTest) : null;
  const isImpaired = status.stations?.some((station) => station.state === "slow" || station.state === "impaired")
    // One service alone is not the connection.
    || status.faults?.some((fault) => fault.location !== "destination");
  paint(state, state === "online" && (slow !== null || isImpaired === true));
  const { since } = status;
  const parts = [via(snapshot), since ? `since ${time(since)} (${duration(age(since))})` : ""].filter(Boolean);
  ifChanged("via", parts, () => $("via").replaceChildren(...parts.map((text) => el("span", { text }))));
  const plain = status.summary ?? (status.cause ? `${causeText(status.cause)}.` : state === "unknown" ? "The internet is being checked." : "");
  // Online, the line above says the beginning.
  const prefix = `Online ${via(snapshot)}`;
  const rest = plain.startsWith(prefix) ? capitalised(plain.slice(prefix.length).replace(/^[,:.] ?/, "")) : plain;
  setText("summary", [rest, slow].filter(Boolean).join(" "));
  setText("announcement", [words[state], plain].join(". "));
  renderBanner(state, status);
  if (status.debug) renderToast(snapshot, state);
  lastVerdict = state;
}

/** Slides in when connectivity is lost, and goes when it is restored. */
function renderBanner(state, status) {
  if (state === "online") show("banner", false);
  if (state !== "offline") return;
  setText("banner", `Connectivity lost${status.cause ? `: ${causeText(status.cause)}` : ""}`);
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
