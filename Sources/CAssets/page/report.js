// The report for the provider: what the last 30 days were like, on paper.

async function printReport() {
  setText("print-note", "");
  try {
    const [outages, tests] = await Promise.all(["outages", "speedtests"].map((kind) => history(kind, "30d")));
    $("report").replaceChildren(...report(outages, tests));
  } catch (error) {
    return setText("print-note", `The history cannot be read: ${error.message}`);
  }
  show("report", true);
  document.body.dataset.report = "";
  window.print();
}

function report(outages, tests) {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone;
  const month = current?.uptime?.month;
  const length = (outage) => outage.seconds ?? age(outage.startedAt);
  const total = outages.reduce((sum, outage) => sum + length(outage), 0);
  const outside = outages.filter((outage) => ["provider", "internet"].includes(outage.location));
  const rows = outages.map((outage) => el("tr", {}, el("td", { text: longFormat.format(new Date(outage.startedAt)) }),
    el("td", { text: outage.endedAt ? longFormat.format(new Date(outage.endedAt)) : "not over yet" }),
    el("td", { text: duration(length(outage)) }), el("td", { text: causeText(outage.cause) }), el("td", { text: placeText(outage) })));
  // A test against this host measures no line.
  const ofLines = tests.filter((test) => test.uplink !== "local");
  const uplinks = [...new Set(ofLines.map((test) => test.uplink))];
  const speeds = (uplinks.length ? uplinks : [null]).flatMap((uplink) => ["download", "upload"].map((direction) => {
    const name = uplinks.length > 1 ? `${direction} over ${uplink ?? "an unknown uplink"}` : direction;
    const measured = ofLines.filter((test) => test.uplink === uplink).map((test) => test[direction]).filter(Boolean);
    const values = measured.filter(isOfLine).map((value) => value.speedMbps);
    const excluded = measured.length - values.length;
    const rest = excluded ? `; ${excluded} not counted, which this host or other traffic limited` : "";
    return values.length ? `${name}: median ${digits(median([...values]))}, lowest ${digits(Math.min(...values))}, highest ${digits(Math.max(...values))} Mbit/s (${values.length} ${values.length === 1 ? "test" : "tests"}${rest})` : `${name}: not measured${rest}`;
  }));
  const list = el("table");
  list.append(el("thead", {}, el("tr", {}, ...["From", "To", "Duration", "Cause", "Where"].map((text) => el("th", { scope: "col", text })))), el("tbody", {}, ...rows));
  return [
    el("h1", { text: "Internet outages of the last 30 days" }),
    el("p", { text: `Made ${longFormat.format(now())}, times in ${zone}, by Network Health Exporter ${current?.version ?? ""} at ${location.host}.` }),
    el("h2", { text: "Summary" }),
    el("p", { text: `${outages.length} ${outages.length === 1 ? "outage" : "outages"}, ${duration(total)} in all. ${outside.length} of them behind the first router of the provider, by what was measured: ${duration(outside.reduce((sum, outage) => sum + length(outage), 0))}.` }),
    el("p", { text: month && month.ratio !== null ? `Uptime ${percent(month.ratio, 3)} of ${duration(month.monitoredSeconds)} observed.` : "Uptime: unknown." }),
    el("h2", { text: "Speed" }), ...speeds.map((text) => el("p", { text: capitalised(text) })),
    el("h2", { text: "Outages" }), outages.length ? list : el("p", { text: "None." }),
    el("p", { class: "note", text: "A cause is found from this host: whether its link has a carrier, whether the router answers, whether addresses on the internet answer, and whether names resolve. A place is named where the answers of the routers on the way show it." }),
  ];
}

$("print").addEventListener("click", printReport);
window.addEventListener("afterprint", () => {
  delete document.body.dataset.report;
  show("report", false);
});
