// Marks the blocks of a page as content or not: by click, by drag over a run of them, by keyboard.

import { $, ask, attempt, number, plain, say } from "./dom.js";
import { layout } from "./layout.js";

/** Of pages with more blocks, those out of sight are not laid out. */
const LARGE = 1000;

/** Whether two lists of marks are the same; null if a page has none. */
const isSame = (one, other) => one === other || (one != null && one.length === other?.length && one.every((kept, at) => kept === other[at]));

const KEYS = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -Infinity, End: Infinity };

export class Marking {
  /** `onSaved` gets the list of what is marked, `onNext` is called for the next page. */
  constructor(onSaved, onNext) {
    this.onSaved = onSaved;
    this.blocks = [];
    /** Marks that are not saved, by page, with the steps to them and the saved marks that they began from. */
    this.drafts = new Map();
    const list = $("blocks");
    list.addEventListener("keydown", (event) => this.key(event));
    list.addEventListener("focusin", (event) => this.stop(this.at(event.target)));
    list.addEventListener("pointerdown", (event) => this.press(event));
    list.addEventListener("pointerover", (event) => this.drag(event));
    list.addEventListener("click", (event) => this.tap(event));
    addEventListener("pointerup", () => this.release());
    $("mark-save").addEventListener("click", () => attempt(() => this.save(() => {})));
    $("mark-next").addEventListener("click", () => attempt(() => this.save(onNext)));
    $("mark-undo").addEventListener("click", () => this.undo());
    $("mark-reset").addEventListener("click", () => this.change(() => this.blocks.map((block) => block.proposed)));
    $("mark-none").addEventListener("click", () => this.change(() => this.blocks.map(() => false)));
    addEventListener("beforeunload", (event) => this.drafts.size > 0 && event.preventDefault());
  }

  /** Shows the blocks of a page, with the marks that it has, or else with what the extractor keeps. */
  async show({ input, at, run, extractor, set }) {
    const parameters = { input, at, run, extractor, set };
    const page = JSON.stringify([input, at]);
    this.turn = (this.turn ?? 0) + 1;
    const { turn } = this;
    this.isLoading = true;
    this.enable();
    const found = await ask("/inspector/blocks", parameters).catch((error) => ({ error }));
    if (turn !== this.turn) return;
    this.isLoading = false;
    // A drag that was begun on the page before ends with that page.
    this.run = undefined;
    this.page = page;
    this.parameters = parameters;
    this.blocks = (found.blocks ?? []).map(([words, proposed]) => ({ words, proposed: proposed === 1 }));
    const numbers = found.marked && new Set(found.marked);
    const marked = numbers && this.blocks.map((_, at) => numbers.has(at));
    this.saved = marked ?? null;
    const draft = this.drafts.get(page);
    const fits = draft?.kept.length === this.blocks.length;
    const isCurrent = fits && isSame(draft.saved, this.saved);
    this.kept = isCurrent ? draft.kept : (marked ?? this.blocks.map((block) => block.proposed));
    this.steps = isCurrent ? draft.steps : fits ? [...draft.steps, draft.kept] : [];
    const { page: content, blocks: rows } = layout(found.looks ?? [], found.texts ?? []);
    this.rows = rows;
    this.numbers = new Map(rows.map((row, at) => [row, at]));
    this.drawn = [];
    this.draw();
    $("blocks").classList.toggle("large", rows.length > LARGE);
    $("blocks").replaceChildren(content);
    this.isNew = true;
    this.isUnmarkable = found.error != null;
    this.enable();
    if (found.error) $("mark-state").textContent = plain(found.error.message);
    else if (fits && !isCurrent) $("mark-state").append(". They were changed elsewhere meanwhile: Undo brings back yours.");
  }

  /** Enables the buttons as far as they can do something now. */
  enable() {
    for (const id of ["mark-reset", "mark-none"]) $(id).disabled = this.isUnmarkable;
    const isBusy = this.isSaving || this.isLoading;
    for (const id of ["mark-save", "mark-next"]) $(id).disabled = this.isUnmarkable || isBusy;
  }

  /** Scrolls a page that is new to its content, which is what people look for. */
  reveal() {
    const list = $("blocks");
    if (!this.isNew || list.clientHeight === 0) return;
    this.isNew = false;
    list.scrollTop = 0;
    const first = this.rows[this.kept.indexOf(true)];
    if (first) list.scrollTop = first.getBoundingClientRect().top - list.getBoundingClientRect().top - 60;
  }

  draw() {
    let words = 0;
    for (const [at, row] of this.rows.entries()) {
      if (this.kept[at]) words += this.blocks[at].words;
      // A page can have thousands of blocks, and a drag changes a few.
      if (this.drawn[at] === this.kept[at]) continue;
      row.setAttribute("aria-selected", String(this.kept[at]));
      row.classList.toggle("changed", this.kept[at] !== this.blocks[at].proposed);
    }
    this.drawn = this.kept;
    const count = this.kept.filter(Boolean).length;
    const isSaved = this.saved != null && isSame(this.saved, this.kept);
    const state = isSaved ? "saved" : this.saved ? "changed since it was saved" : "not saved";
    $("mark-state").textContent = `${number(count)} of ${number(this.blocks.length)} blocks, ${number(words)} words: ${state}`;
    $("mark-undo").disabled = this.steps.length === 0;
    if (this.steps.length === 0 || isSaved) this.drafts.delete(this.page);
    else this.drafts.set(this.page, { kept: this.kept, steps: this.steps, saved: this.saved });
  }

  /** Makes a change that can be undone. */
  change(make) {
    const before = this.kept;
    this.kept = make(before);
    if (this.kept.some((kept, at) => kept !== before[at])) this.steps = [...this.steps, before];
    this.draw();
  }

  set(from, to, kept) {
    const [first, last] = [Math.min(from, to), Math.max(from, to)];
    this.change((before) => before.map((was, at) => (at >= first && at <= last ? kept : was)));
  }

  undo() {
    if (this.steps.length === 0) return;
    this.kept = this.steps.at(-1);
    this.steps = this.steps.slice(0, -1);
    this.draw();
  }

  /** Saves the marks, then does what comes next. Meanwhile nothing else is saved. */
  async save(then) {
    const focused = document.activeElement;
    this.isSaving = true;
    this.enable();
    try {
      await this.send();
      await then();
    } finally {
      this.isSaving = false;
      this.enable();
      // A button that is disabled loses the focus.
      if (document.activeElement === document.body) focused?.focus({ preventScroll: true });
    }
  }

  async send() {
    const { page, parameters } = this;
    const { kept } = this;
    const numbers = (marks) => marks && [...marks.keys()].filter((at) => marks[at]);
    // From what they were changed: another tab may have saved others.
    const body = JSON.stringify({ blocks: kept.length, kept: numbers(kept), was: numbers(this.saved) });
    const headers = { "Content-Type": "application/json" };
    const listed = await ask("/inspector/mark", parameters, { method: "POST", headers, body });
    this.onSaved(listed);
    const draft = this.drafts.get(page);
    if (draft) draft.saved = kept;
    if (page === this.page) {
      this.saved = kept;
      this.draw();
    } else if (isSame(draft?.kept, kept)) this.drafts.delete(page);
    say(`Saved: ${number(listed.pages.length)} ${listed.pages.length === 1 ? "page" : "pages"} in ${listed.file}`);
  }

  /** The number of the block that an element is in; -1 if it is in none. */
  at(target) {
    return this.numbers?.get(target.closest("[role=option]")) ?? -1;
  }

  /** Makes a block the stop of the Tab key. */
  stop(at) {
    if (!this.rows[at]) return;
    for (const row of $("blocks").querySelectorAll('[tabindex="0"]')) row.tabIndex = -1;
    this.rows[at].tabIndex = 0;
  }

  /** The mouse or a pen marks all blocks from where it was pressed to where it is. A finger scrolls, and taps. */
  press(event) {
    const at = this.at(event.target);
    if (at < 0 || event.pointerType === "touch" || event.button !== 0) return;
    this.run = { from: at, kept: !this.kept[at], before: this.kept };
    this.rows[at].focus();
    this.extend(at);
    // No text is selected.
    event.preventDefault();
  }

  drag(event) {
    if (this.run) this.extend(this.at(event.target));
  }

  extend(at) {
    if (at < 0) return;
    const { from, kept, before } = this.run;
    const [first, last] = [Math.min(from, at), Math.max(from, at)];
    this.kept = before.map((was, block) => (block >= first && block <= last ? kept : was));
    this.draw();
  }

  release() {
    if (!this.run) return;
    const { kept } = this;
    this.kept = this.run.before;
    this.run = undefined;
    this.change(() => kept);
  }

  tap(event) {
    const at = this.at(event.target);
    // A press of the mouse has done it already.
    if (at >= 0 && event.pointerType === "touch") this.set(at, at, !this.kept[at]);
  }

  key(event) {
    const here = this.at(event.target);
    const isCommand = event.ctrlKey || event.metaKey;
    if (here < 0 || event.altKey) return;
    if (event.key === " ") this.set(here, here, !this.kept[here]);
    else if (event.key in KEYS && !isCommand) {
      const there = Math.max(0, Math.min(this.rows.length - 1, here + KEYS[event.key]));
      // With Shift, what is passed becomes like where it began.
      if (event.shiftKey) this.set(here, there, this.kept[here]);
      this.stop(there);
      this.rows[there].focus();
    } else if (isCommand && event.key === "a") this.set(0, this.rows.length - 1, true);
    else if (isCommand && event.key === "z") this.undo();
    else if (event.key === "Enter") event.repeat || $("mark-next").click();
    else return;
    event.preventDefault();
  }
}
