// The list of records, and the search in an archive.

import { $, ask, attempt, element, number, plain, say } from "./dom.js";
import { roving, stop } from "./tabs.js";

/** Records that are listed at a time. */
const ROWS = 50;

export class Records {
  constructor(onChoose) {
    this.onChoose = onChoose;
    this.rows = [];
    $("search").addEventListener("submit", (event) => {
      event.preventDefault();
      attempt(() => this.start(this.input, this.run));
    });
    $("outcome").addEventListener("change", () => attempt(() => this.start(this.input, this.run)));
    $("more").addEventListener("click", () => attempt(() => this.more()));
    $("rank").addEventListener("click", () => attempt(() => this.rank()));
    $("stop").addEventListener("click", () => this.running?.abort());
    roving($("list"));
  }

  /** The choices of outcomes, with all reasons. */
  fill({ filtered, failed }) {
    const option = (value, text, title) => element("option", { value, title }, text);
    const group = (name, reasons) =>
      element("optgroup", { label: name }, option(name, `all ${name}`), ...reasons.map((reason) => option(`${name}:${reason.name}`, `${name}: ${reason.name.replaceAll("_", " ")}`, reason.sentence)));
    $("outcome").append(option("pages", "pages"), option("", "all records"), option("emitted", "emitted"), group("filtered", filtered), group("failed", failed), option("skipped", "skipped bytes"));
  }

  /** The two extractors that pages can be ranked by. */
  compare(pair) {
    this.pair = pair;
    $("rank").hidden = pair == null;
  }

  /** Lists the pages on which two extractors differ most, worst first, while it reads through the archive. */
  async rank() {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    const ranked = [];
    let read = 0;
    this.next = null;
    $("stop").hidden = false;
    $("more").hidden = true;
    try {
      for (let from = "0"; from != null; ) {
        const found = await ask("/inspector/records", { ...this.wanted(), ...this.pair, from, limit: 200 }, { signal: running.signal });
        read += found.read;
        ranked.push(...found.records.filter((row) => row.agreement != null));
        ranked.sort((one, other) => one.agreement - other.agreement);
        ranked.length = Math.min(ranked.length, ROWS);
        from = found.error == null ? found.next : null;
        this.replace(ranked);
        say(found.error ?? `${number(read)} records compared${from == null ? ", which are all" : ""}; the worst ${ranked.length} are listed`, found.error != null);
      }
    } finally {
      if (this.running === running) $("stop").hidden = true;
    }
  }

  replace(rows) {
    this.rows = [];
    $("list").replaceChildren();
    for (const row of rows) this.add(row);
  }

  /** Takes over the filters of an address, once: after that, a person changes them. */
  filter({ outcome, find }) {
    const filter = JSON.stringify([outcome, find]);
    if (filter === this.filtered || (outcome == null && find == null)) return;
    this.filtered = filter;
    $("outcome").value = outcome ?? "pages";
    $("url").value = find ?? "";
    this.input = undefined;
  }

  /** The parameters of the search form. */
  wanted() {
    return { input: this.input, run: this.run, url: $("url").value.trim(), words: $("words").value.trim(), outcome: $("outcome").value };
  }

  /** Lists an archive from its start, by the settings of a run or of the server. */
  async start(input, run) {
    this.input = input;
    this.run = run;
    this.rows = [];
    this.next = "0";
    $("list").replaceChildren();
    await this.more();
  }

  /** Adds rows until there are enough, nothing is left, or it is stopped. */
  async more() {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    const enough = this.rows.length + ROWS;
    let read = 0;
    let error = null;
    $("stop").hidden = false;
    $("more").hidden = true;
    try {
      while (this.next != null && error == null && this.rows.length < enough) {
        const limit = enough - this.rows.length;
        const found = await ask("/inspector/records", { ...this.wanted(), from: this.next, limit }, { signal: running.signal });
        read += found.read;
        error = found.error;
        this.next = found.next;
        for (const row of found.records) this.add(row);
        say(error ?? found.note ?? this.progress(read), error != null);
      }
    } finally {
      if (this.running === running) {
        $("stop").hidden = true;
        $("more").hidden = this.next == null;
      }
    }
  }

  progress(read) {
    const rows = this.rows.length;
    if (rows === 0 && this.next == null) return "No record is like that.";
    const listed = `${number(rows)} ${rows === 1 ? "record" : "records"}`;
    if (this.next == null) return `${listed}: these are all.`;
    return rows === 0 ? `Searching… ${number(read)} records read, up to offset ${this.next}` : `${listed} up to offset ${this.next}`;
  }

  add(row) {
    this.rows.push(row);
    const agreement = row.agreement == null ? "" : `, ${(100 * row.agreement).toFixed(1)} % of the words agree`;
    const words = row.words == null ? "" : `, ${number(row.words)} words`;
    const facts = [row.at, row.type === "response" ? null : row.type, row.status, row.mime].filter((part) => part != null && part !== "").join(" · ");
    const button = element(
      "button",
      { type: "button", "data-at": row.at, tabindex: this.rows.length === 1 ? 0 : -1, onclick: () => this.onChoose(row), title: row.sentence && plain(row.sentence) },
      plain(row.title || row.url || row.type),
      element("small", {}, verdict(row), words, agreement),
      row.title && row.url ? element("small", {}, plain(row.url)) : null,
      element("small", {}, plain(facts)),
    );
    // Skipped bytes are no record that could be shown.
    button.disabled = row.outcome === "skipped";
    if (row.at === this.marked) button.setAttribute("aria-current", "true");
    $("list").append(element("li", {}, button));
  }

  mark(at) {
    this.marked = at;
    for (const button of $("list").querySelectorAll("button")) {
      if (button.dataset.at === at) {
        button.setAttribute("aria-current", "true");
        stop($("list"), button);
        button.scrollIntoView({ block: "nearest" });
      } else button.removeAttribute("aria-current");
    }
  }

  /** The row before or after that of a place, by the same filters. */
  async beside(at, step) {
    const here = this.rows.findIndex((row) => row.at === at);
    if (here < 0 && at == null) return undefined;
    if (here >= 0 && this.rows[here + step]) return this.rows[here + step];
    const wanted = { ...this.wanted(), limit: step > 0 ? 2 : 1 };
    for (let place = at; place != null; ) {
      const found = await ask("/inspector/records", { ...wanted, [step > 0 ? "from" : "before"]: place });
      const rows = found.records.filter((row) => row.at !== at && row.outcome !== "skipped");
      if (rows.length > 0) return step > 0 ? rows[0] : rows.at(-1);
      place = found.next;
    }
    return undefined;
  }

  /** The record with an id. */
  async find(id) {
    for (let from = "0"; from != null; ) {
      const found = await ask("/inspector/records", { input: this.input, run: this.run, id, from, limit: 1 });
      if (found.records.length > 0) return found.records[0];
      from = found.next;
      if (from != null) say(`Searching for the id… up to offset ${from}`);
    }
    return undefined;
  }
}

const SIGNS = { emitted: "✓", filtered: "○", failed: "✕", skipped: "…", text: "✓" };

/** What became of a record: a sign, and words. */
export function verdict({ outcome, reason }) {
  const words = [outcome, reason?.replaceAll("_", " ")].filter(Boolean).join(": ");
  return element("span", { class: `mark ${outcome}` }, `${SIGNS[outcome] ?? ""} ${words}`);
}
