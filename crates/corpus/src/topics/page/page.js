'use strict';
// The rows of the page are there without this script, all below each other. It shows 50 at a time, and those that fit a filter.
(() => {
  const PAGE = 50;
  const DAY = 86400000;
  const find = (id) => document.getElementById(id);
  const form = find('filter');
  const axis = find('axis');
  const [first, last] = axis ? [Number(axis.dataset.first), Number(axis.dataset.last)] : [0, 0];
  const rows = [...document.querySelectorAll('details.topic')];
  const charts = rows.map((row) => row.querySelector('svg'));
  const texts = new Map();
  let fitting = rows;
  let page = 0;

  const day = (date) => Math.floor(Date.parse(date) / DAY);
  const date = (number) => new Date(number * DAY).toISOString().slice(0, 10);
  const text = (row) => {
    if (!texts.has(row)) texts.set(row, row.textContent.toLowerCase());
    return texts.get(row);
  };

  // Whether a document of a topic came out between two days.
  const falls = (row, from, to) => [...row.querySelectorAll('rect')].some((bar) => {
    const number = first + Number(bar.getAttribute('x'));
    return from <= number && number <= to;
  });

  // Shows the days from one to another on the axis, each topic to the same scale.
  const zoom = (from, to) => {
    if (!axis) return;
    const days = to - from + 1;
    for (const chart of charts) chart.setAttribute('viewBox', `${from - first} 0 ${days} 100`);
    const quarters = days === 1 ? [0] : days < 5 ? [0, 4] : [0, 1, 2, 3, 4];
    axis.replaceChildren(...quarters.map((quarter) => {
      const label = document.createElement('span');
      label.style.left = `${quarter * 25}%`;
      label.textContent = date(Math.min(to, from + Math.floor((days * quarter) / 4)));
      return label;
    }));
  };

  const show = () => {
    const pages = Math.max(1, Math.ceil(fitting.length / PAGE));
    page = Math.min(Math.max(page, 0), pages - 1);
    const start = page * PAGE;
    const shown = new Set(fitting.slice(start, start + PAGE));
    for (const row of rows) row.hidden = !shown.has(row);
    find('place').textContent = fitting.length === 0 ? 'No topic fits.'
      : `${start + 1} to ${start + shown.size} of ${fitting.length} topics`;
    find('back').disabled = page === 0;
    find('next').disabled = page === pages - 1;
  };

  const filter = () => {
    const value = (name) => (form.elements[name] ? form.elements[name].value : '');
    const words = value('search').toLowerCase().split(/\s+/).filter(Boolean);
    const language = value('language');
    const from = value('from') ? day(value('from')) : first;
    const to = value('to') ? day(value('to')) : last;
    const isDated = value('from') || value('to');
    fitting = rows.filter((row) => (!language || row.dataset.language === language)
      && (!isDated || falls(row, from, to))
      && words.every((word) => text(row).includes(word)));
    page = 0;
    const [left, right] = [Math.max(first, from), Math.min(last, to)];
    if (left <= right) zoom(left, right);
    show();
  };

  const clear = () => {
    form.reset();
    filter();
  };

  // Opens the topic that the address names.
  const visit = () => {
    const row = find(location.hash.slice(1));
    if (!rows.includes(row)) return;
    if (!fitting.includes(row)) clear();
    page = Math.floor(fitting.indexOf(row) / PAGE);
    row.open = true;
    show();
    row.scrollIntoView();
  };

  const turn = (by) => {
    page += by;
    show();
    find('topics').scrollIntoView();
  };

  for (const part of document.querySelectorAll('.sheet')) part.hidden = true;
  for (const part of [form, find('pages')]) part.hidden = false;
  form.addEventListener('input', filter);
  find('clear').addEventListener('click', clear);
  form.addEventListener('submit', (event) => event.preventDefault());
  find('back').addEventListener('click', () => turn(-1));
  find('next').addEventListener('click', () => turn(1));
  window.addEventListener('hashchange', visit);
  filter();
  visit();
})();
