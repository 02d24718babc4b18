// The last speed test, and one that is started from here.

const phases = { connecting: "Connecting", latency: "Measuring the latency", download: "Measuring the download", upload: "Measuring the upload" };
let isTesting = false;
let lastProgress = 0;

/** The speeds that the verdict uses, else those of the last test. The last test may be another one: then its result is named, too. */
function renderSpeed(part) {
  const last = part?.last ?? null;
  const counted = part?.counted ?? null;
  const shown = (direction) => (counted ? counted[direction] : last?.[direction]) ?? null;
  const unit = (direction) => (isUnstable(shown(direction)) ? `Mbit/s ± ${Math.ceil(shown(direction).uncertaintyRatio * 100)} %` : "Mbit/s");
  const [down, up] = ["download", "upload"].map((direction) => speedText(shown(direction)));
  const loaded = Math.max(last?.download?.loadedLatencySeconds ?? -1, last?.upload?.loadedLatencySeconds ?? -1);
  // Of a time when the network was up, they are not those of now.
  const isOld = verdict(current?.snapshot) !== "online";
  pairs("speed", [["Download", down, down && unit("download"), isOld], ["Upload", up, up && unit("upload"), isOld],
    ["Loaded latency", loaded < 0 ? null : milliseconds(loaded), null, isOld]]);
  const words = [...planWords(counted, part?.plan), ...speedWords(part, last, counted), ...doubts(shown, last), ...(part?.servers?.length ? nextWords(part) : [])];
  setText("speed-note", words.map((text) => `${text}.`).join(" "));
  $("test").disabled = !part?.canStart || isTesting;
  setText("test-reason", part?.canStart || isTesting ? "" : refusalText(part));
}

/** When the next test comes, and why the last time of the schedule began none. */
function nextWords(part) {
  const next = part.nextAt ? `Next ${new Date(part.nextAt) <= now() ? "is due" : `at ${time(part.nextAt)}`}` : "No next test planned";
  const { skipped } = part;
  return skipped ? [`The test at ${time(skipped.at)} was skipped: ${skips[skipped.reason] ?? spaced(skipped.reason)}`, next] : [next];
}

/** Why no test can be started, with the time that is left. */
function refusalText(part) {
  const left = part?.canStartAt ? (new Date(part.canStartAt) - now()) / 1000 : null;
  if (left !== null && left <= 0) refreshOnce(part.canStartAt);
  return `${capitalised(part?.reason ?? "")}${left === null ? "" : `: another can start in ${countdown(left)}`}`;
}

/** The end of the wait is a new status: it is read once for each wait, and not each second. */
let refreshedFor = null;
function refreshOnce(end) {
  if (refreshedFor === end) return;
  refreshedFor = end;
  refresh();
}

const isUnstable = (value) => typeof value?.uncertaintyRatio === "number" && value.uncertaintyRatio > 0.02;

/** What makes a shown speed doubtful. */
function doubts(shown, last) {
  const names = (isSo) => ["download", "upload"].filter((name) => shown(name) && isSo(shown(name), name)).join(" and ");
  const exceeding = names((value) => value.exceedsDevice);
  // A rate whose interval is not known is not stable either.
  const unstable = names((value, name) => !value.exceedsDevice && (isUnstable(value) || last?.[name]?.speedMbps === value.speedMbps && last[name].stable === false));
  return [exceeding && `Not the speed of the line: the ${exceeding} is more than the device carried`, unstable && `Unstable: ${unstable}`].filter(Boolean);
}

/** Which test the figures are from, and the last test where that is another one. */
function speedWords(part, last, counted) {
  const directions = ["download", "upload"];
  if (!last && !counted) return [part?.servers?.length ? "No test has run yet" : "Not measured"];
  if (!last) return [`Measured ${ago((counted.download ?? counted.upload).measuredAt)}`];
  const end = Date.parse(last.startedAt) + last.durationSeconds * 1000;
  const replaced = counted ? directions.filter((name) => last[name] && counted[name] && Math.abs(Date.parse(counted[name].measuredAt) - end) > 2500) : [];
  if (replaced.length) {
    const values = replaced.map((name) => `${name} ${megabits(last[name].speedMbps)}`).join(", ");
    const limited = replaced.every((name) => last[name].limitedBy?.includes("cpu"));
    return [`Measured ${ago(counted[replaced[0]].measuredAt)}`,
      `The test ${ago(end)} (${values} Mbit/s) does not count${limited ? `: limited by ${limitText(last, replaced)}` : " for this connection"}`];
  }
  const words = [`${last.error ? `Last test failed (${last.error})` : last.server}, ${ago(end)}`];
  const kept = directions.filter((name) => counted?.[name] && !last[name]);
  words.push(...kept.map((name) => `${capitalised(name)} measured ${ago(counted[name].measuredAt)}`));
  if (!counted && directions.some((name) => last[name])) words.push("Does not count: too old, or not measured over this connection");
  else if (limitText(last, directions)) words.push(`Limited by ${limitText(last, directions)}`);
  return words;
}

const ago = (at) => `${duration(age(at))} ago`;

/** What limited these directions of a test, in words. */
const limitText = (test, directions) =>
  [...new Set(directions.flatMap((name) => test[name]?.limitedBy ?? []))].map((name) => limits[name] ?? spaced(name)).join(", ");

function renderProgress(progress) {
  isTesting = progress !== null;
  lastProgress = Date.now();
  show("progress", isTesting);
  $("test").disabled = isTesting || !current?.speedTest?.canStart;
  if (!isTesting) return;
  $("progress-bar").value = progress.fraction;
  const speed = progress.speedMbps === null ? "" : `, ${megabits(progress.speedMbps)} Mbit/s`;
  setText("progress-text", `${phases[progress.phase] ?? spaced(progress.phase)}: ${Math.round(progress.fraction * 100)} %${speed}`);
}

/** What a new status says of a running test: its end may have been missed while the stream was interrupted. */
function followTest(running) {
  if (running) renderProgress(running);
  else if (isTesting && Date.now() - lastProgress > 5000) renderProgress(null);
}

/** An event of the stream: progress, or at the end the result. */
function takeSpeedTest(event) {
  if ("phase" in event) {
    if (!isTesting) setText("test-result", "");
    return renderProgress(event);
  }
  renderProgress(null);
  const directions = ["download", "upload"].filter((name) => event[name]).map((name) => `${name} ${megabits(event[name].speedMbps)} Mbit/s`);
  setText("test-result", event.error ? `The speed test failed: ${event.error}` : `Result: ${directions.join(", ") || "no direction was measured"}.`);
}

$("test").addEventListener("click", async () => {
  setText("test-result", "");
  renderProgress({ phase: "connecting", fraction: 0, speedMbps: null });
  try {
    await send("POST", "api/v1/speedtest");
  } catch (error) {
    renderProgress(null);
    setText("test-result", `The speed test did not start: ${error.message}`);
    refresh();
  }
});
