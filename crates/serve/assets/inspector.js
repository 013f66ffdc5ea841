// The inspector: its state is in the address, so that a view can be linked to and gone back to.

import { $, ask, attempt, element, number, plain, say } from "./dom.js";
import { Records } from "./records.js";
import { Page } from "./page.js";
import { Marking } from "./marking.js";
import { Marks } from "./marks.js";
import { RunSearch } from "./search.js";
import { tabs } from "./tabs.js";

const records = new Records((row) => show({ at: row.at }, "page"));
const page = new Page();
/** Only where the server has a file for marks. */
let marks, marking;
/** As the server lists them. */
let archives = [];
let runNames = [];

/** What the address says: input, outcome, find, at, run, pasted, url, extractor, with, set, mark. */
const state = () => Object.fromEntries(new URLSearchParams(location.hash.slice(1)));

/** On a narrow screen one panel is shown at a time. */
function panel(name) {
  document.body.dataset.panel = name;
  for (const button of document.querySelectorAll("nav button")) {
    if (button.dataset.to === name) button.setAttribute("aria-current", "true");
    else button.removeAttribute("aria-current");
  }
}

function show(changes, to) {
  const { pasted, at, url, ...others } = state();
  const kept = "at" in changes || "pasted" in changes ? others : { ...others, pasted, at, url };
  const entries = Object.entries({ ...kept, ...changes }).filter(([, value]) => value != null && value !== "");
  const hash = `#${new URLSearchParams(entries)}`;
  if (to) panel(to);
  if (hash === location.hash) render();
  else location.hash = hash;
}

/** To the record before or after the one that is shown. */
async function move(step) {
  say("Reading…");
  const row = await records.beside(state().at, step);
  if (row) show({ at: row.at });
  else say(step > 0 ? "This is the last record." : "This is the first record.");
}

/** To the next page without marks that has a document, or of which the extractor took nothing. */
async function moveOn() {
  say("Reading…");
  const { input = "0", at } = state();
  for (let row = { at }; row; ) {
    row = await records.beside(row.at, 1);
    const isPage = row?.outcome === "emitted" || (row?.outcome === "filtered" && row.reason === "empty");
    if (isPage && !marks.has(input, row.at)) return show({ at: row.at });
  }
  return say("No page without marks comes after this one.");
}

/** Shows the blocks of a record to mark them, or the page. */
async function renderMarks(wanted) {
  if (!marking) return;
  const isMarked = wanted.mark != null && wanted.at != null;
  $("mark").setAttribute("aria-pressed", String(isMarked));
  $("mark").disabled = wanted.at == null;
  $("shown").classList.toggle("marks", isMarked);
  $("marking").hidden = !isMarked;
  if (isMarked) await marking.show(wanted);
}

function startMarks(isOffered) {
  if (!isOffered) return ["mark", "marking", "tab-marks", "panel-marks"].forEach((id) => $(id).remove());
  marks = new Marks(({ input, at }) => show({ input: String(input), at, mark: "1" }, "page"), () => attempt(() => renderMarks({ input: "0", ...state() })));
  marking = new Marking((listed) => marks.fill(listed), () => attempt(moveOn));
  $("mark").addEventListener("click", () => show({ mark: state().mark == null ? "1" : null }));
  return marks.start();
}

/** The runs whose settings can be chosen for an archive, beside those of the server. The first is the default. */
function fillSettings({ input, run }) {
  const runs = archives[input]?.runs ?? [];
  $("settings-label").hidden = runs.length === 0;
  const options = runs.map((number) => element("option", { value: number }, plain(runNames[number])));
  $("settings").replaceChildren(...options, element("option", { value: "server" }, "the server"));
  $("settings").value = run ?? String(runs[0] ?? "server");
}

async function render() {
  const wanted = { input: "0", ...state() };
  const { input, at, pasted, extractor, set } = wanted;
  $("input").value = input;
  fillSettings(wanted);
  if (extractor) $("extractor").value = extractor;
  $("with").value = wanted.with ?? "";
  $("set").value = set ?? "";
  records.compare(wanted.with ? { extractor: $("extractor").value, with: wanted.with, set } : null);
  records.filter(wanted);
  const isListed = $("input").disabled || (records.input === input && records.run === wanted.run) ? null : attempt(() => records.start(input, wanted.run));
  if (at != null || pasted != null) {
    records.mark(at);
    await Promise.all([attempt(() => page.show(wanted)), attempt(() => renderMarks(wanted))]);
    marking?.reveal();
  }
  await isListed;
}

function listen() {
  tabs(document.querySelector("[role=tablist]"));
  for (const button of document.querySelectorAll("nav button")) button.addEventListener("click", () => panel(button.dataset.to));
  $("previous").addEventListener("click", () => attempt(() => move(-1)));
  $("next").addEventListener("click", () => attempt(() => move(1)));
  $("input").addEventListener("change", () => show({ input: $("input").value, at: null, run: null, extractor: null }, "records"));
  $("settings").addEventListener("change", () => show({ run: $("settings").value, extractor: null }));
  $("extractor").addEventListener("change", () => show({ extractor: $("extractor").value }));
  $("with").addEventListener("change", () => show({ with: $("with").value }));
  $("set").addEventListener("change", () => show({ set: $("set").value.trim() }));
  $("open").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(open);
  });
  $("paste").addEventListener("submit", (event) => {
    event.preventDefault();
    attempt(paste);
  });
  addEventListener("hashchange", render);
}

async function open() {
  const wanted = $("place").value.trim();
  if (/^\d+(\+\d+)?$/.test(wanted)) return show({ at: wanted }, "page");
  const row = await records.find(wanted);
  return row ? show({ at: row.at }, "page") : say("No record has this id.", true);
}

async function paste() {
  const headers = { "Content-Type": "text/html; charset=utf-8" };
  const { pasted } = await ask("/inspector/paste", {}, { method: "POST", headers, body: $("html").value });
  show({ pasted, url: $("html-url").value }, "page");
}

async function start() {
  const known = await ask("/inspector/inputs");
  archives = known.archives;
  runNames = known.runs;
  for (const [at, { name, bytes }] of known.archives.entries()) {
    const size = bytes == null ? "" : ` (${number(bytes)} bytes)`;
    $("input").append(element("option", { value: at }, plain(name), size));
  }
  for (const list of ["extractor", "with"]) $(list).append(...known.extractors.map((name) => element("option", { value: name }, name)));
  $("extractor").value = known.extractor;
  records.fill(known);
  if (known.runs.length === 0) $("run-search").remove();
  else new RunSearch(({ input, run, at }) => show({ input: String(input), run: String(run), at }, "page"));
  $("reports").hidden = known.runs.length === 0;
  $("reports").append(...known.runs.map((name, at) => element("a", { href: `/report?run=${at}` }, `Report of ${plain(name)}`)));
  if (known.archives.length === 0) {
    $("input").append(element("option", { value: "0" }, "none"));
    $("input").disabled = true;
    say("The server has no archive. Paste a page, or start it with one: dehusk serve ARCHIVE");
  }
  const isStarted = startMarks(known.marks);
  listen();
  await isStarted;
  await render();
}

attempt(start);
