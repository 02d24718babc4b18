// The ways to the internet beside each other: which is in use, and whether the others would work.

/** What is known about one, in words. */
function uplinkWords(one) {
  const latency = milliseconds(one.latencySeconds);
  const works = one.active ? "works" : "would work";
  if (one.online === true) return [works, latency];
  const cause = causeText(one.cause).replace(/^[A-Z](?![A-Z])/, (letter) => letter.toLowerCase());
  if (one.online === false) return [`${one.active ? "does not work" : "would not work"}: ${cause}`];
  return one.testable ? ["not known yet"] : ["not tested"];
}

function uplinkRow(one) {
  const device = one.device === one.name ? null : one.device;
  const loss = one.online && one.lossRatio > 0 ? `${digits(one.lossRatio * 100)} % lost` : null;
  const values = [...uplinkWords(one), loss, one.expensive ? "costs money" : null, one.provider, device];
  const asked = one.answeredAt ? age(one.answeredAt) : null;
  const isOld = one.online === true && asked !== null && asked > 2 * oldAge;
  const when = [one.since ? `down since ${time(one.since)}` : null, isOld ? `asked ${duration(asked, 1)} ago` : null].filter(Boolean).join(", ");
  return el("li", { "data-pass": { true: "yes", false: "no" }[one.online] ?? "unknown", "data-old": isOld },
    mark({ true: "ok", false: "failed" }[one.online] ?? "unknown"),
    el("strong", {}, one.name, ...(one.active ? [" ", el("span", { class: "tag", text: "in use" })] : [])),
    el("span", { class: "value", text: values.filter(Boolean).join(", ") }), el("span", { class: "when", text: when }),
    one.online === null && one.explanation ? el("span", { class: "why", text: one.explanation }) : null);
}

/** Only beside another one; the one in use first. */
function renderUplinks(uplinks) {
  show("uplinks-card", uplinks.length > 1);
  const ordered = [...uplinks].sort((one, other) => Number(other.active) - Number(one.active));
  $("uplinks").replaceChildren(...(uplinks.length > 1 ? ordered.map(uplinkRow) : []));
}
