// The last speed test, and one that is started from here.

const phases = { connecting: "Connecting", latency: "Measuring the latency", download: "Measuring the download", upload: "Measuring the upload" };
let isTesting = false;
let lastProgress = 0;

function renderSpeed(part, snapshot) {
  const last = part?.last ?? null;
  const lower = snapshot?.speedIsLowerBound ? "≥ " : "";
  const rate = (direction, known) => {
    const value = megabits(last?.[direction]?.speedMbps ?? known);
    return value === null ? null : `${lower}${value}`;
  };
  const down = rate("download", snapshot?.downloadSpeedMbps);
  const up = rate("upload", snapshot?.uploadSpeedMbps);
  const loaded = Math.max(last?.download?.loadedLatencySeconds ?? -1, last?.upload?.loadedLatencySeconds ?? -1);
  pairs("speed", [["Download", down, down && "Mbit/s"], ["Upload", up, up && "Mbit/s"],
    ["Under load", loaded < 0 ? null : milliseconds(loaded), loaded < 0 ? null : "latency"]]);
  const next = part?.nextAt ? `next ${new Date(part.nextAt) <= now() ? "is due" : `at ${time(part.nextAt)}`}` : "no next test planned";
  const words = [];
  if (!last) words.push(part?.servers?.length ? "No speed test has run yet" : "No speed-test server is configured");
  else words.push(`${last.error ? `Last test failed (${last.error})` : `Measured with ${last.server}`}, ${duration(Math.max(0, age(last.startedAt) - last.durationSeconds))} ago`);
  if (part?.servers?.length) words.push(next);
  setText("speed-note", `${words.join("; ")}.`);
  $("test").disabled = !part?.canStart || isTesting;
  setText("test-reason", part?.canStart || isTesting ? "" : capitalised(part?.reason ?? ""));
}

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
