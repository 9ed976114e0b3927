// Elements with the prop `transition` say by an attribute that they come or go, for a style sheet to show, and glide to where they are moved.

const calm = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");

/** Marks an element for as long as animations of its own run that end; nothing, and no mark, if there are none. */
function mark(dom, name) {
  dom.setAttribute(name, "");
  const ends = ({ effect }) => effect.getComputedTiming().endTime < Infinity;
  const running = dom.getAnimations().filter(ends);
  const unmark = () => dom.removeAttribute(name);
  if (running.length) return Promise.allSettled(running.map(({ finished }) => finished)).then(unmark);
  unmark();
}

/** Called once the element is in the document. */
export function enter(dom) {
  if (!calm.matches) mark(dom, "data-entering");
}

/** Whether the element stays until it is seen to have gone, of no use any more. */
export function leave(dom) {
  if (calm.matches || !dom.isConnected) return false;
  const left = mark(dom, "data-leaving");
  dom.inert = Boolean(left);
  left?.then(() => dom.remove());
  return left !== undefined;
}

/** How long, in milliseconds, elements glide that do. */
const gliding = new Map();

export function glide(dom, time) {
  if (time > 0) gliding.set(dom, time);
  else gliding.delete(dom);
}

/** Where the elements are that glide, before a change of the page. */
export function places() {
  return calm?.matches ? [] : [...gliding.keys()].map((dom) => [dom, dom.getBoundingClientRect()]);
}

/** Lets those glide that the change has moved. */
export function glideFrom(places) {
  for (const [dom, { left, top, width }] of places) {
    const now = dom.getBoundingClientRect();
    const [x, y] = [left - now.left, top - now.top];
    if (!gliding.has(dom) || !width || !now.width || Math.hypot(x, y) < 1) continue;
    const frames = { translate: [`${x}px ${y}px`, "0 0"] };
    dom.animate(frames, { duration: gliding.get(dom), easing: "ease-out" });
  }
}
