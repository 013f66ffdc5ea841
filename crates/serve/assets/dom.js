// Small helpers. Text of archives only ever becomes text: nothing here makes markup of it.

export const $ = (id) => document.getElementById(id);

/** An element with attributes, listeners (`onclick`) and children. */
export function element(name, attributes = {}, ...children) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key.startsWith("on")) made.addEventListener(key.slice(2), value);
    else if (value === true) made.setAttribute(key, "");
    else if (value !== false && value != null) made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child != null));
  return made;
}

/** Text without marks that change the direction of what is around it. */
export const plain = (text) => String(text ?? "").replace(/[\u200e\u200f\u202a-\u202e\u2066-\u2069\p{Cc}]/gu, "\ufffd");

export const number = (value) => Number(value).toLocaleString("en");

/** Asks the server. An answer that is an error becomes one here, with the server's sentence. */
export async function ask(path, parameters = {}, options = {}) {
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(parameters)) {
    for (const one of [value].flat()) if (one != null && one !== "") query.append(name, one);
  }
  const text = query.toString();
  let answer;
  try {
    answer = await fetch(text ? `${path}?${text}` : path, options);
  } catch (error) {
    if (error.name === "AbortError") throw error;
    throw new Error("The server does not answer. Is it still running?");
  }
  const json = await answer.json().catch(() => ({ message: `The server refused this, with status ${answer.status}: what was sent may be too long.` }));
  if (!answer.ok) throw new Error(json.message);
  return json;
}

/** Says what happens, to eyes and to screen readers. */
export function say(text, isError = false) {
  const status = $("status");
  status.textContent = plain(text);
  status.classList.toggle("bad", isError);
}

/** Runs what a person asked for, and says what goes wrong. */
export async function attempt(work) {
  try {
    return await work();
  } catch (error) {
    if (error.name !== "AbortError") say(error.message, true);
    return undefined;
  }
}

/** Lines and tabs stay, all else is as in `plain`. */
export const plainLines = (text) => text.split(/([\n\t])/).map((part, at) => (at % 2 === 1 ? part : plain(part))).join("");
