// One page: the frame, the text that came out, and why each node was kept or left out.

import { $, ask, element, number, plain, plainLines, say } from "./dom.js";
import { Comparison } from "./comparison.js";
import { curve } from "./curve.js";
import { verdict } from "./records.js";
import { roving, stop } from "./tabs.js";

/** Nodes that are listed at once. */
const LISTED = 400;

/** The columns of a node in an answer. */
const COLUMNS = ["node", "parent", "name", "state", "begins", "hasText", "words", "chars", "tags", "score", "note"];

export class Page {
  constructor() {
    this.nodes = [];
    this.levels = [];
    this.comparison = new Comparison();
    $("which").addEventListener("change", () => this.list());
    $("least").addEventListener("input", () => this.slide());
    roving($("outline"));
  }

  async show(wanted) {
    const { input, at, run, pasted, url, extractor, set } = wanted;
    const pair = wanted.with ? { ...wanted, extractor: extractor ?? $("extractor").value } : null;
    const isRecord = pasted == null;
    const parameters = isRecord ? { input, at, run, extractor, set } : { pasted, url, extractor, set };
    say("Working…");
    this.turn = (this.turn ?? 0) + 1;
    const { turn } = this;
    const [shown, compared] = await Promise.all([
      ask("/inspector/page", parameters),
      // Without a comparison there still is a page to show.
      pair && ask("/inspector/compare", { ...parameters, with: pair.with }).catch((error) => ({ error })),
    ]);
    // Another page was asked for meanwhile.
    if (turn !== this.turn) return;
    $("previous").disabled = $("next").disabled = !isRecord;
    $("shown").hidden = false;
    $("hint").hidden = true;
    if (extractor == null && shown.explanation) this.showExtractor(shown.explanation.extractor);
    this.head(shown, wanted);
    this.record(shown);
    this.fill(shown.explanation, pair != null);
    $("out").textContent = plainLines(shown.text ?? "") || "No text came out.";
    const isPair = compared != null && compared.error == null;
    this.comparison.show(isPair ? compared : null, pair);
    const hasPage = shown.explanation != null;
    $("frame").hidden = $("measures").hidden = !hasPage;
    $("no-page").hidden = hasPage;
    $("raw").textContent = plainLines(shown.raw ?? "") || "The record has no bytes that can be shown.";
    if (isPair) parameters.with = pair.with;
    const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value != null && value !== ""));
    this.address = `/inspector/frame?${query}`;
    this.load(hasPage);
    say(compared?.error?.message ?? "", compared?.error != null);
  }

  /** Shows which extractor the settings chose. A run can have presets of its own. */
  showExtractor(name) {
    const isKnown = [...$("extractor").options].some((option) => option.value === name);
    if (!isKnown) $("extractor").append(element("option", { value: name }, name));
    $("extractor").value = name;
  }

  head(shown, wanted) {
    const url = shown.record?.url ?? wanted.url ?? "";
    const title = shown.title || url || (wanted.pasted ? "Pasted page" : `Record at ${wanted.at}`);
    $("page-title").textContent = plain(title);
    $("page-url").textContent = title === url ? "" : plain(url);
    document.title = `${plain(title)} – dehusk inspector`;
    const words = shown.explanation && ` ${number(shown.explanation.kept_words)} of ${number(shown.explanation.page_words)} words kept by ${shown.explanation.extractor}, score ${shown.explanation.score.toFixed(4)}.`;
    const parts = [verdict(shown), shown.sentence ? ` ${plain(shown.sentence)}` : "", words ?? ""];
    $("verdict").replaceChildren(...parts);
  }

  record({ record, raw }) {
    const facts = [
      ["Place", record?.at],
      ["Type", record?.type],
      ["URL", record?.url],
      ["Id", record?.id],
      ["Date", record?.date],
      ["Status", record?.status],
      ["Media type", record?.mime],
      ["Stored", record && `${number(record.length)} bytes`],
      ...(record?.notes ?? []).map((note) => [note.name.replaceAll("_", " "), note.sentence]),
    ];
    const isThere = ([, value]) => value != null && value !== "";
    $("facts").replaceChildren(...facts.filter(isThere).flatMap(([name, value]) => [element("dt", {}, name), element("dd", {}, plain(value))]));
    $("header-text").textContent = record ? plainLines(record.header) : "A pasted page has none.";
    $("block-text").textContent = plainLines(raw ?? "");
  }

  /** Takes over the nodes of an explanation. */
  fill(explanation, isPair) {
    const object = (list) => Object.fromEntries(COLUMNS.map((key, at) => [key, list[at]]));
    this.nodes = (explanation?.nodes ?? []).map(object);
    this.winner = explanation?.winner;
    // A frame with two extractors has no scores: they would be of two kinds.
    this.levels = isPair ? [] : (explanation?.levels ?? []);
    $("rule").textContent = explanation ? plain(explanation.rule) : "";
    $("least").max = Math.max(this.levels.length - 1, 0);
    $("least").value = -1;
    $("least").disabled = this.levels.length === 0;
    this.value(this.levels.length === 0 ? "no scores" : "any");
    $("note").textContent = "Choose a node to see why it was kept or left out.";
    $("curve").replaceChildren(...curve(this.nodes, (node) => this.choose(node)));
    this.list();
  }

  value(text) {
    $("least-value").textContent = text;
    $("least").setAttribute("aria-valuetext", text);
  }

  /** Lists some of the nodes. */
  list() {
    const choices = {
      blocks: (node) => node.begins && node.state !== "around",
      kept: (node) => node.begins && node.state === "kept",
      left_out: (node) => node.begins && node.state === "left_out",
      scored: (node) => node.score != null,
    };
    const which = $("which").value;
    let listed = this.nodes.filter((node) => choices[which](node) || node.node === this.winner);
    if (which === "scored") listed = listed.sort((one, other) => other.score - one.score);
    const rest = listed.length - LISTED;
    const rows = listed.slice(0, LISTED).map((node, at) => this.row(node, at));
    if (rest > 0) rows.push(element("li", {}, element("small", {}, `and ${number(rest)} more`)));
    $("outline").replaceChildren(...rows);
  }

  row(node, at) {
    const score = node.score == null ? "" : ` · score ${node.score.toPrecision(4)}`;
    const state = node.node === this.winner ? `winner, ${node.state}` : node.state;
    const facts = element("small", {}, `${state.replace("_", " ")} · ${number(node.words)} words${score}`);
    const attributes = { type: "button", class: node.state, "data-node": node.node, tabindex: at === 0 ? 0 : -1, onclick: () => this.choose(node) };
    return element("li", {}, element("button", attributes, plain(`#${node.node} ${node.name}`), facts));
  }

  /** Shows a node in the frame, and says what is known of it. */
  choose(node) {
    $("note").textContent = plainLines(node.note);
    for (const button of $("outline").querySelectorAll("button")) {
      if (button.dataset.node === String(node.node)) {
        button.setAttribute("aria-current", "true");
        stop($("outline"), button);
      } else button.removeAttribute("aria-current");
    }
    $("least").value = -1;
    this.value(this.levels.length === 0 ? "no scores" : "any");
    this.go(`n${node.node}`);
  }

  slide() {
    const level = Number($("least").value);
    this.value(level < 0 ? "any" : this.levels[level].toPrecision(4));
    this.go(level < 0 ? "s" : `s${level}`);
  }

  /** Loads the frame. `replace` leaves no entry in the history, which has the inspector's own. */
  load(hasPage) {
    $("frame").contentWindow.location.replace(hasPage ? this.address : "about:blank");
  }

  /** Another fragment of the same address does not load the frame again. */
  go(fragment) {
    $("frame").contentWindow.location.replace(`${this.address}#${fragment}`);
  }
}
