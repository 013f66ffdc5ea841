// The page of a record, to mark its blocks: nothing but `div` and `span` elements that are made here, classes of the
// two lists below, and text. No markup of a page is read, so a page can neither run anything nor look like a control.

import { element, plainLines } from "./dom.js";

/** Looks of what is around blocks, and of what is inside of one. */
const AROUND = new Set(["blockquote", "caption", "dd", "dt", "h1", "h2", "h3", "li", "ol", "pre", "table", "td", "th", "tr", "ul"]);
const INSIDE = new Set(["a", "b", "code", "del", "i", "sub", "sup"]);

/**
 * The content of a page, and the element of each block. A look is `[number of the look around it, name]`, a text
 * `[number of its block, number of its look, text]`; both are in order.
 */
export function layout(looks, texts) {
  const page = document.createDocumentFragment();
  const blocks = [];
  /** The elements of looks around blocks, and those of looks inside of the last block. */
  const around = new Map();
  let inside = new Map();

  const name = (look) => looks[look][1];
  const is = (names, look) => look !== 0 && names.has(name(look));

  /** The element around blocks that is nearest to a look. */
  const outer = (look) => {
    if (look === 0) return page;
    if (!is(AROUND, look)) return outer(looks[look][0]);
    if (!around.has(look)) {
      const made = element("div", { class: `as-${name(look)}` });
      outer(looks[look][0]).append(made);
      around.set(look, made);
    }
    return around.get(look);
  };

  /** The element for the texts of a look in the last block. */
  const inner = (look) => {
    if (look === 0) return blocks.at(-1);
    if (!is(INSIDE, look)) return inner(looks[look][0]);
    if (!inside.has(look)) {
      const made = element("span", { class: `as-${name(look)}` });
      inner(looks[look][0]).append(made);
      inside.set(look, made);
    }
    return inside.get(look);
  };

  for (const [block, look, text] of texts) {
    if (block === blocks.length) {
      const made = element("div", { role: "option", tabindex: block === 0 ? 0 : -1, dir: "auto" });
      outer(look).append(made);
      blocks.push(made);
      inside = new Map();
    }
    inner(look).append(plainLines(text));
  }
  return { page, blocks };
}
