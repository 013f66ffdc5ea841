// The pages that were marked, how each extractor does on them, and how to train a model on them.

import { $, ask, attempt, element, number, plain, say } from "./dom.js";
import { roving } from "./tabs.js";

const FIGURES = ["precision", "recall", "f1", "score"];

const POST = { method: "POST", headers: { "Content-Type": "application/json" } };

export class Marks {
  /** `onOpen` is called with the place of a page, `onChange` after a page was taken out or back. */
  constructor(onOpen, onChange) {
    this.onOpen = onOpen;
    this.pages = [];
    const change = async (path, parameters) => {
      this.fill(await ask(path, parameters, POST));
      onChange();
    };
    this.remove = (id) => attempt(() => change("/inspector/unmark", { id }));
    $("undo").addEventListener("click", () => attempt(() => change("/inspector/undo")));
    $("measure").addEventListener("click", () => attempt(() => this.measure()));
    roving($("marked"));
  }

  async start() {
    this.fill(await ask("/inspector/marks"));
  }

  has(input, at) {
    return this.pages.some((page) => String(page.input) === input && page.at === at);
  }

  fill({ file, pages, undo, measure_from, commands }) {
    this.pages = pages;
    const count = pages.length;
    $("marked-count").textContent = `${number(count)} ${count === 1 ? "page" : "pages"} in ${plain(file)}`;
    $("undo").disabled = !undo;
    const missing = measure_from - count;
    $("measure").disabled = missing > 0;
    $("measure-hint").textContent = missing > 0 ? `Mark ${number(missing)} more to see how each extractor does on them.` : "";
    $("marked").replaceChildren(...pages.map((page, at) => this.row(page, at)));
    $("train").hidden = missing > 0;
    $("commands").textContent = commands.map(plain).join("\n");
  }

  row(page, at) {
    const name = plain(page.title || page.url || page.id);
    const facts = page.blocks == null ? "not marked here" : `${number(page.kept)} of ${number(page.blocks)} blocks`;
    const isHere = page.input != null && page.at != null;
    const open = element(
      "button",
      { type: "button", tabindex: at === 0 ? 0 : -1, "aria-disabled": isHere ? null : "true", onclick: () => isHere && this.onOpen(page) },
      name,
      element("small", {}, facts, page.url ? ` · ${plain(page.url)}` : ""),
    );
    const remove = element("button", { type: "button", class: "remove", tabindex: -1, "aria-label": `Remove ${name}`, onclick: () => this.remove(page.id) }, "✕");
    return element("li", {}, open, remove);
  }

  /** Measures each extractor on each page, and shows the means so far. */
  async measure() {
    const turn = (this.turn = (this.turn ?? 0) + 1);
    const sums = new Map();
    const missing = [];
    let done = 0;
    for (const page of this.pages) {
      try {
        const { measures } = await ask("/inspector/measure", { id: page.id });
        if (turn !== this.turn) return;
        for (const of of measures) {
          const sum = sums.get(of.extractor) ?? FIGURES.map(() => 0);
          sums.set(of.extractor, sum.map((value, at) => value + of[FIGURES[at]]));
        }
        done += 1;
      } catch (error) {
        missing.push(error.message);
      }
      this.table(sums, done);
      say(`${number(done)} of ${number(this.pages.length)} pages measured`);
    }
    if (missing.length > 0) say(`${number(done)} pages measured; ${number(missing.length)} could not be: ${missing[0]}`, true);
  }

  table(sums, pages) {
    const means = [...sums].map(([extractor, sum]) => [extractor, ...sum.map((value) => value / pages)]);
    means.sort((one, other) => other[3] - one[3]);
    const row = ([extractor, ...figures]) => element("tr", {}, element("th", { scope: "row" }, extractor), ...figures.map((figure) => element("td", {}, figure.toFixed(3))));
    $("measures-of-all").hidden = pages === 0;
    $("measures-of-all").querySelector("tbody").replaceChildren(...means.map(row));
  }
}
