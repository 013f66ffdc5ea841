// Words in the documents of the runs: hits with snippets, and how many there are by host, language and day.

import { $, ask, attempt, element, number, plain, say } from "./dom.js";
import { roving } from "./tabs.js";

const FACETS = { host: "Hosts", language: "Languages", day: "Days" };

export class RunSearch {
  /** `onOpen` is called with a hit whose record can be shown. */
  constructor(onOpen) {
    this.onOpen = onOpen;
    this.chosen = {};
    $("run-words-form").addEventListener("submit", (event) => {
      event.preventDefault();
      this.chosen = {};
      attempt(() => this.search());
    });
    $("run-stop").addEventListener("click", () => this.running?.abort());
    roving($("hits"));
  }

  /** Searches to the end, and shows meanwhile what was found. */
  async search() {
    this.running?.abort();
    const running = new AbortController();
    this.running = running;
    const { signal } = running;
    $("run-stop").hidden = false;
    // Those of another search.
    for (const id of ["found", "hits", "facets"]) $(id).replaceChildren();
    $("narrow").hidden = true;
    try {
      let found = await ask("/inspector/search", { words: $("run-words").value.trim(), ...this.chosen }, { signal });
      for (;;) {
        this.show(found);
        if (found.search == null) break;
        found = await ask("/inspector/search", { search: found.search }, { signal });
      }
    } finally {
      if (this.running === running) $("run-stop").hidden = true;
    }
  }

  show({ found, hits, facets, search, read, shards, all_shards, messages }) {
    const count = `${number(found)} ${found === 1 ? "document" : "documents"}`;
    const listed = found > hits.length ? `; ${number(hits.length)} are listed` : "";
    const state = search == null ? (found === 0 ? (messages.length > 0 ? "Nothing was found in what could be read." : "No document has these words.") : `${count}${listed}.`) : `${count} so far; ${number(read)} read, ${number(shards)} of ${number(all_shards)} shards done…`;
    say(messages[0] ?? state, messages.length > 0);
    $("found").textContent = state;
    $("facets").replaceChildren(...Object.entries(FACETS).flatMap(([name, title]) => this.facet(name, title, facets[name])));
    $("narrow").hidden = $("facets").childElementCount === 0;
    $("hits").replaceChildren(...hits.map((hit, at) => this.row(hit, at)));
  }

  facet(name, title, values) {
    const known = values.filter(([value]) => value !== "");
    const chosen = this.chosen[name];
    if (known.length < 2 && chosen == null) return [];
    const button = ([value, count]) => {
      const pressed = String(value === chosen);
      const choose = () => {
        this.chosen = { ...this.chosen, [name]: value === chosen ? null : value };
        attempt(() => this.search());
      };
      return element("button", { type: "button", "aria-pressed": pressed, onclick: choose }, plain(value), " ", element("small", {}, number(count)));
    };
    return [element("h3", {}, title), element("div", { class: "row" }, ...known.map(button))];
  }

  row(hit, at) {
    const isHere = hit.input != null;
    const facts = [hit.run_name, hit.host, hit.language, hit.day, `${number(hit.words)} words`, isHere ? null : "its archive is not here"];
    const snippet = element("span", { class: "snippet" }, ...hit.snippet.map(([isMatch, text]) => (isMatch ? element("mark", {}, plain(text)) : plain(text))));
    const attributes = { type: "button", tabindex: at === 0 ? 0 : -1, "aria-disabled": isHere ? null : "true", title: plain(`${hit.archive}@${hit.at}`), onclick: () => isHere && this.onOpen(hit) };
    return element("li", {}, element("button", attributes, plain(hit.title || hit.url || hit.archive), element("small", {}, plain(facts.filter(Boolean).join(" · "))), snippet));
  }
}
