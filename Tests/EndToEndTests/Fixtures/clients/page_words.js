// Checks the words of the status page: node page_words.js FOLDER-OF-THE-PAGE
"use strict";
const assert = require("node:assert");
const { readFileSync } = require("node:fs");

const names = "percent, duration, bytes, milliseconds, megabits, spaced, causeText, age, passes, countdown, isFarBelow, placeText, speedText, planWords, isOfLine";
const words = new Function(`${readFileSync(`${process.argv[2]}/words.js`)}; return { ${names} };`)();
const { percent, duration, bytes, milliseconds, megabits, spaced, causeText, age, passes, countdown, isFarBelow, placeText, speedText, planWords, isOfLine } = words;

// Only a time without an outage is 100 %.
assert.equal(percent(1), "100 %");
assert.equal(percent(0.999999), "99.99 %");
assert.equal(percent(0.9963), "99.63 %");
assert.equal(percent(0), "0.00 %");
// Unknown is not zero.
for (const word of [percent, duration, bytes, milliseconds, megabits]) {
  assert.equal(word(null), null);
  assert.equal(word(undefined), null);
}
assert.equal(duration(0), "0.0 s");
assert.equal(duration(9.94), "9.9 s");
assert.equal(duration(42.4), "42 s");
assert.equal(duration(3600), "1 h");
assert.equal(duration(3661), "1 h 1 min");
assert.equal(duration(86400 + 59), "1 d");
assert.equal(duration(90 * 86400 + 7200), "90 d 2 h");
assert.equal(bytes(0), "0 B");
assert.equal(bytes(999), "999 B");
assert.equal(bytes(4_310_000_000), "4.31 GB");
assert.equal(milliseconds(0.0004), "0.4 ms");
assert.equal(milliseconds(0.00004), "< 0.1 ms");
assert.equal(milliseconds(0.0213), "21 ms");
assert.equal(megabits(0), "0.00");
assert.equal(megabits(941.3), "941");
// What is no speed of the line is in no figure for the provider.
assert.equal(isOfLine({ speedMbps: 48, exceedsDevice: false, limitedBy: ["server", "data_cap"] }), true);
assert.equal(isOfLine({ speedMbps: 9000, exceedsDevice: true, limitedBy: [] }), false);
for (const limit of ["cpu", "cross_traffic"]) assert.equal(isOfLine({ speedMbps: 3, exceedsDevice: false, limitedBy: [limit] }), false);
assert.equal(isOfLine(null), false);
assert.equal(spaced("largeDownload"), "Large download");
assert.equal(spaced("dns_broken"), "Dns broken");
assert.equal(spaced(null), null);
// A cause of a newer exporter.
assert.equal(causeText("new_cause"), "New cause");
assert.equal(causeText(null), "Unknown cause");
// A cause says where only for what it measured.
assert.equal(placeText({ cause: "link" }), "own network");
assert.equal(placeText({ cause: "no_internet" }), "unknown");
assert.equal(placeText({ cause: "no_internet", location: "provider" }), "the provider");
assert.equal(placeText({ cause: "no_internet", location: "unknown" }), "unknown");
// A clock that is ahead makes no negative age.
assert.equal(age(new Date(Date.now() + 60e3).toISOString()), 0);
// What is not known is neither met nor failed: before the first evaluation, and where only an estimate says no.
const verdict = (...reasons) => passes({ passed: !reasons.length, reasons });
assert.equal(verdict(), true);
assert.equal(verdict("starting"), null);
assert.equal(verdict("unmeasured"), null);
assert.equal(verdict("quality_below", "unmeasured"), null);
assert.equal(verdict("quality_below"), false);
assert.equal(verdict("throughput_below", "unmeasured"), false);
assert.equal(verdict("offline"), false);
assert.equal(passes({ passed: null, reasons: [] }), null);
assert.equal(countdown(0.2), "1 s");
assert.equal(countdown(-3), "0 s");
assert.equal(countdown(125.4), "2 min 5 s");
// Half of the usual speed is the limit; without one nothing is far below it.
assert.equal(isFarBelow(23, 47.8), true);
assert.equal(isFarBelow(24, 47.8), false);
assert.equal(isFarBelow(1, null), false);
// Of the plan only a speed that counts and that is one of the line; a lower bound stays one.
const [plan, slow] = [{ downloadSpeedMbps: 100, uploadSpeedMbps: null }, { speedMbps: 48.2, isLowerBound: false, exceedsDevice: false }];
assert.equal(speedText(null), null);
assert.equal(speedText({ speedMbps: 940, limitedBy: ["cpu"] }), "≥ 940");
assert.deepEqual(planWords({ download: slow, upload: slow }, plan), ["Download: 48.2 of 100 Mbit/s of your plan"]);
assert.deepEqual(planWords({ download: { ...slow, isLowerBound: true }, upload: null }, plan), ["Download: ≥ 48.2 of 100 Mbit/s of your plan"]);
assert.deepEqual(planWords({ download: { ...slow, exceedsDevice: true }, upload: null }, plan), []);
for (const none of [null, undefined]) assert.deepEqual([...planWords(none, plan), ...planWords({ download: slow }, none)], []);

/** An element that is the text in it. */
class Shown {
  constructor(parts) { this.text = parts.filter((part) => part !== null && part !== undefined && part !== "").join(" "); }
  append(...parts) { this.text += ` ${parts.join(" ")}`; }
  toString() { return this.text; }
}
const lists = {};
const page = {
  el: (name, attributes = {}, ...children) => new Shown([attributes.text, ...children]),
  $: (id) => ({ children: [], addEventListener() {}, replaceChildren: (...all) => { lists[id] = all.map(String); } }),
  current: { version: "1.0.0", uptime: { month: { ratio: 0.99875, monitoredSeconds: 30 * 86400 } } },
  location: { host: "localhost" },
  window: { addEventListener() {} },
  ResizeObserver: class { observe() {} },
};
const files = ["words", "cards", "history", "report"].map((name) => readFileSync(`${process.argv[2]}/${name}.js`));
const parts = new Function(...Object.keys(page), `${files.join("\n")}; return { renderOutages, observedParts, report };`)(...Object.values(page));

// An outage that is over has its length without suspend; only one that is known to last grows.
const before = (seconds) => new Date(Date.now() - seconds * 1000).toISOString();
const over = { cause: "no_internet", startedAt: before(100000), endedAt: before(1), seconds: 90000 };
const ongoing = { cause: "gateway", startedAt: before(92), endedAt: null, seconds: 5 };
parts.renderOutages([ongoing, over], true);
assert.match(lists.outages[0], /^Router does not answer 1 min 3\d s since /);
assert.match(lists.outages[1], /^No internet 1 d 1 h (?!since)/);
parts.renderOutages([ongoing], false);
assert.match(lists.outages[0], /^Router does not answer 5\.0 s since /);
parts.renderOutages([], false);
assert.deepEqual(lists.outages, ["None since the record began."]);
parts.renderOutages(null, false);
assert.deepEqual(lists.outages, ["Unknown: the history cannot be read."]);

// Two minutes without a latency are observed, a suspend and a longer time are not.
const at = (seconds) => new Date(seconds * 1000).toISOString();
const observed = parts.observedParts({
  latency: [0, 180, 600].map((seconds) => ({ at: at(seconds) })), outages: [], startedAt: null, to: 700e3,
  gaps: [{ startedAt: at(30), endedAt: at(90) }],
});
assert.deepEqual(observed, [{ start: 0, end: 30e3 }, { start: 90e3, end: 240e3 }, { start: 600e3, end: 660e3 }]);

// The figures that the provider gets: of outages behind its first router, and of speeds of the line alone.
const lost = (seconds, location) => ({ cause: "no_internet", location, startedAt: before(9000), endedAt: before(9), seconds });
const rate = (speedMbps, limitedBy = []) => ({ speedMbps, exceedsDevice: false, limitedBy });
const tests = [
  { download: rate(40), upload: rate(9) }, { download: rate(60), upload: rate(3, ["cpu"]) }, { download: rate(50), upload: null },
  { download: null, upload: rate(7) },
];
const lines = parts.report([lost(300, "provider"), lost(3600, "link"), lost(60, "internet")], tests).map(String);
for (const line of [
  "3 outages, 1 h 6 min in all. 2 of them behind the first router of the provider, by what was measured: 6 min.",
  "Uptime 99.875 % of 30 d observed.", "Download: median 50.0, lowest 40.0, highest 60.0 Mbit/s (3 tests)",
  "Upload: median 9.00, lowest 7.00, highest 9.00 Mbit/s (2 tests; 1 not counted, which this host or other traffic limited)",
]) assert.ok(lines.includes(line), `${line} in ${lines}`);
assert.ok(lines.some((line) => line.includes("5 min No internet the provider") && line.includes("1 h No internet its cable or Wi-Fi")));
assert.ok(parts.report([], []).map(String).includes("None."));
console.log("passed");
