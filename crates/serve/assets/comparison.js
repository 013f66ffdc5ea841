// Two extractors on one page: the difference of their texts, and how well each does where the truth is known.

import { $, element, number, plainLines } from "./dom.js";

/** The elements of the pieces of a difference: in both texts, in the first only, in the second only. */
const PIECES = ["span", "del", "ins"];

const percent = (share) => `${(100 * share).toFixed(1)} %`;

export class Comparison {
  constructor() {
    $("pair").addEventListener("change", () => this.draw());
  }

  /** Shows a comparison, or hides it if there is none. */
  show(compared, pair) {
    this.compared = compared;
    $("comparison").hidden = $("legend-pair").hidden = compared == null;
    $("legend").hidden = compared != null;
    if (compared == null) return;
    const names = { left: pair.extractor, right: pair.with, truth: "the truth" };
    for (const span of document.querySelectorAll("[data-side]")) span.textContent = names[span.dataset.side];
    const { words, agreement } = compared;
    $("agreement").textContent = `${percent(agreement)} of the words agree: ${number(words.common)} in both, ${number(words.left - words.common)} only by ${names.left}, ${number(words.right - words.common)} only by ${names.right}.`;
    const chosen = $("pair").value;
    const option = ({ of }, at) => element("option", { value: at }, of.map((side) => names[side]).join(" and "));
    $("pair").replaceChildren(...compared.differences.map(option));
    $("pair").value = compared.differences[chosen] ? chosen : "0";
    this.measure(compared.measures);
    this.draw();
  }

  measure(measures) {
    $("measured").hidden = measures == null;
    const row = (of) => {
      const cells = [number(of.words), ...["precision", "recall", "f1", "score"].map((key) => of[key].toFixed(3))];
      return element("tr", {}, element("th", { scope: "row" }, of.extractor), ...cells.map((cell) => element("td", {}, cell)));
    };
    $("measured").querySelector("tbody").replaceChildren(...(measures ?? []).map(row));
  }

  draw() {
    const { pieces } = this.compared.differences[$("pair").value];
    $("out").replaceChildren(...pieces.map(([side, text]) => element(PIECES[side], {}, plainLines(text))));
  }
}
