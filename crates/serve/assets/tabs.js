// Lists and tabs by keyboard: one stop of the Tab key for each, and the arrow keys inside.

const STEPS = { ArrowDown: 1, ArrowRight: 1, ArrowUp: -1, ArrowLeft: -1 };

/** Lets the arrow keys, Home and End go through the buttons of a list. */
export function roving(list, onMove = () => {}) {
  list.addEventListener("keydown", (event) => {
    const buttons = [...list.querySelectorAll("button")];
    const here = buttons.indexOf(event.target);
    const there = { Home: 0, End: buttons.length - 1 }[event.key] ?? here + (STEPS[event.key] ?? NaN);
    const button = here < 0 ? undefined : buttons[there];
    if (!button) return;
    event.preventDefault();
    stop(list, button);
    button.focus();
    onMove(button);
  });
  list.addEventListener("focusin", (event) => event.target.matches("button") && stop(list, event.target));
}

/** Makes a button the list's stop of the Tab key. */
export function stop(list, button) {
  for (const other of list.querySelectorAll('button[tabindex="0"]')) other.tabIndex = -1;
  if (button) button.tabIndex = 0;
}

/** The tabs of the details. */
export function tabs(list) {
  const choose = (chosen) => {
    for (const tab of list.querySelectorAll("button")) {
      tab.setAttribute("aria-selected", String(tab === chosen));
      tab.tabIndex = tab === chosen ? 0 : -1;
      document.getElementById(tab.getAttribute("aria-controls")).hidden = tab !== chosen;
    }
  };
  roving(list, choose);
  list.addEventListener("click", (event) => event.target.matches("button") && choose(event.target));
  return choose;
}
