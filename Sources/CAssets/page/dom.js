"use strict";
// Text from outside goes into the page as textContent only.

const $ = (id) => document.getElementById(id);
const svgNamespace = "http://www.w3.org/2000/svg";

/** A number and its unit stay on one line. */
const unbroken = (text) => `${text ?? ""}`.replace(/(\d) (?=(?:ms|s|min|h|d|%|Mbit\/s|[kMGT]?B|AM|PM)(?!\w))/g, "$1\u00a0");

function filled(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "text") node.textContent = unbroken(value);
    else if (typeof value === "function") node.addEventListener(name, value);
    else if (value !== null && value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  node.append(...children.filter((child) => child !== null && child !== undefined)
    .map((child) => (typeof child === "string" ? unbroken(child) : child)));
  return node;
}

const el = (name, attributes = {}, ...children) => filled(document.createElement(name), attributes, children);
const svg = (name, attributes = {}, ...children) =>
  filled(document.createElementNS(svgNamespace, name), attributes, children);

/** Writes only a change: a live region reports each write. */
function setText(id, text) {
  const shown = unbroken(text);
  if ($(id).textContent !== shown) $(id).textContent = shown;
}

const show = (id, isShown) => { $(id).hidden = !isShown; };

/** Draws only what changed, so that a selected text and an open tooltip stay. */
const drawnValues = new Map();
function ifChanged(name, value, draw) {
  const text = JSON.stringify(value) ?? "";
  if (drawnValues.get(name) === text) return;
  drawnValues.set(name, text);
  draw(value);
}

/** A mark with a shape for each state; the text beside it has the word. */
const mark = (state) => svg("svg", { class: "mark", "aria-hidden": "true" }, svg("use", { href: `#i-${state}` }));

/** The rows of a `dl`: [name, text, small text or null, whether it is old]. A value of null is unknown. */
function pairs(id, rows) {
  const pair = ([name, value, small, isOld]) =>
    el("div", { class: "pair", "data-old": isOld === true }, el("dt", { text: name }),
      el("dd", { class: value === null ? "none" : "value" }, value ?? "unknown",
        ...(small ? [" ", el("small", { text: small })] : [])));
  ifChanged(`rows of ${id}`, rows, () => $(id).replaceChildren(...rows.map(pair)));
}

function table(id, heads, rows) {
  $(id).replaceChildren(
    el("thead", {}, el("tr", {}, ...heads.map((text) => el("th", { scope: "col", text })))),
    el("tbody", {}, ...rows)
  );
}
