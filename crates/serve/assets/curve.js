// The density of text down the page, as the papers draw it.

const NAMESPACE = "http://www.w3.org/2000/svg";

/** The height of the picture. */
const HEIGHT = 100;

/** Most points that are drawn. Where a page has more, the highest of several is drawn for all of them. */
const POINTS = 600;

function shape(name, attributes) {
  const made = document.createElementNS(NAMESPACE, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  return made;
}

/**
 * The picture and its caption. A point is an element with text of its own: its characters for each of its elements.
 * A click chooses the node there.
 */
export function curve(nodes, onChoose) {
  const measured = nodes.filter((node) => node.hasText).map((node) => ({ node, density: node.chars / Math.max(node.tags, 1) }));
  if (measured.length === 0) return [];
  const group = Math.ceil(measured.length / POINTS);
  const points = [];
  for (let at = 0; at < measured.length; at += group) {
    const some = measured.slice(at, at + group);
    points.push(some.reduce((one, other) => (other.density > one.density ? other : one)));
  }
  const most = points.reduce((max, point) => Math.max(max, point.density), 1);
  // Long texts would hide all others.
  const y = (density) => HEIGHT - (Math.log1p(density) / Math.log1p(most)) * (HEIGHT - 6);
  const picture = shape("svg", { viewBox: `0 0 ${points.length} ${HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true" });
  for (const [x, point] of points.entries()) {
    if (point.node.state !== "kept") continue;
    picture.append(shape("rect", { class: "kept", x, y: y(point.density), width: 1, height: HEIGHT - y(point.density) }));
  }
  const line = points.map((point, x) => `${x === 0 ? "M" : "L"}${x + 0.5} ${y(point.density).toFixed(1)}`).join("");
  const here = shape("rect", { class: "here", x: -1, y: 0, width: 1, height: HEIGHT });
  picture.append(shape("path", { class: "all", d: line }), here);
  picture.addEventListener("click", (event) => {
    const box = picture.getBoundingClientRect();
    const at = Math.floor(((event.clientX - box.left) / box.width) * points.length);
    const chosen = Math.min(Math.max(at, 0), points.length - 1);
    here.setAttribute("x", chosen);
    onChoose(points[chosen].node);
  });
  const caption = document.createElement("figcaption");
  caption.textContent = "Characters for each element, down the page (logarithmic); filled where kept.";
  return [picture, caption];
}
