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
console.log("passed");
