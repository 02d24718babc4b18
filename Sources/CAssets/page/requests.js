// The requests of applications that wait for the network.

const requestsPath = "api/v1/requests";
const shown = new Map();
let token = null;
let isQueueOn = false;

const bearer = () => (token === null ? {} : { Authorization: `Bearer ${token}` });

async function loadRequests(queue) {
  isQueueOn = queue?.enabled === true;
  if (!isQueueOn) {
    renderRequests([]);
    return setText("requests-note", queue ? "The queue is off. Set offline_queue.enabled to let applications hand requests over." : "Unknown.");
  }
  try {
    const list = await getJSON(requestsPath, bearer());
    show("token-form", false);
    renderRequests(list);
    setText("requests-note", list.length ? `${list.length} ${list.length === 1 ? "request waits" : "requests wait"} for delivery.` : "No request waits.");
  } catch (error) {
    renderRequests([]);
    const needsToken = error.status === 401;
    show("token-form", needsToken);
    setText("requests-note", needsToken
      ? `The queue asks for its bearer token${token === null ? "" : ": this one is wrong"}.${queue.pending === null ? "" : ` It holds ${queue.pending}.`}`
      : `The queue cannot be read: ${error.message}`);
  }
}

/** Rows are kept by their id, so that the focus stays where it is. */
function renderRequests(list) {
  const ids = new Set(list.map((request) => request.id));
  for (const [id, row] of shown) {
    if (ids.has(id)) continue;
    if (row.contains(document.activeElement)) $("requests-title").focus();
    row.remove();
    shown.delete(id);
  }
  for (const request of list) {
    if (!shown.has(request.id)) {
      shown.set(request.id, requestRow(request));
      $("requests").append(shown.get(request.id));
    }
    const [what, details] = shown.get(request.id).firstChild.children;
    what.textContent = `${request.method} ${request.url}`;
    details.textContent = [request.state, request.requestType, `accepted ${time(request.acceptedAt)}`,
      request.attempts ? `${request.attempts} failed ${request.attempts === 1 ? "try" : "tries"}` : null,
      request.lastStatus ? `last answer ${request.lastStatus}` : null, request.lastError, request.requirement ? `needs ${request.requirement}` : null]
      .filter(Boolean).join(" · ");
  }
  for (const id of ["retry-all", "cancel-all"]) show(id, list.length > 0);
}

function requestRow({ id, method, url }) {
  const name = `${method} ${url}`;
  const path = `${requestsPath}/${encodeURIComponent(id)}`;
  return el("li", { "data-id": id },
    el("div", {}, el("div", { class: "what" }), el("div", { class: "note" })),
    el("div", { class: "actions" },
      el("button", { type: "button", text: "Retry", "aria-label": `Retry ${name}`, click: () => change("POST", `${path}/retry`) }),
      el("button", { type: "button", text: "Cancel", "aria-label": `Cancel ${name}`, click: () => change("DELETE", path) })));
}

async function change(method, path) {
  try {
    await send(method, path, bearer());
  } catch (error) {
    // It was delivered or discarded meanwhile.
    if (error.status !== 404) return setText("requests-note", `Refused: ${error.message}`);
  }
  refresh();
}

$("retry-all").addEventListener("click", () => change("POST", `${requestsPath}/retry`));
$("cancel-all").addEventListener("click", () => $("confirm").showModal());
$("confirm").addEventListener("close", () => {
  if ($("confirm").returnValue === "yes") change("DELETE", requestsPath);
  $("confirm").returnValue = "";
});
$("token-form").addEventListener("submit", (event) => {
  event.preventDefault();
  token = $("token").value;
  $("token").value = "";
  loadRequests({ enabled: true, pending: null });
});
