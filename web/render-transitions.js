// Elements with the prop `transition` say by an attribute that they come or go, for a style sheet to show, and glide to where they are moved.

const calm = globalThis.matchMedia?.("(prefers-reduced-motion: reduce)");

/** How long, in milliseconds, elements glide that do; and how they glide at present. */
const gliding = new Map(), glides = new WeakMap();

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
  if (!calm?.matches) mark(dom, "data-entering");
}

/** Whether the element stays until it is seen to have gone, of no use any more. */
export function leave(dom) {
  if (calm?.matches || !dom.isConnected) return false;
  glides.get(dom)?.cancel();
  const left = mark(dom, "data-leaving");
  dom.inert = Boolean(left);
  left?.then(() => dom.remove());
  return left !== undefined;
}

export function glide(dom, time) {
  if (time > 0) gliding.set(dom, time);
  else gliding.delete(dom);
}

/** Where the elements are that glide, before a change of the page. */
export function places() {
  return calm?.matches ? [] : [...gliding.keys()].map((dom) => [dom, dom.getBoundingClientRect()]);
}

/** Lets those glide that the change has moved, from where they were seen. */
export function glideFrom(places) {
  const moved = places.filter(([dom, { width }]) => gliding.has(dom) && width);
  // Where they are to be, and not where they are on their way.
  for (const [dom] of moved) glides.get(dom)?.cancel();
  const now = moved.map(([dom]) => dom.getBoundingClientRect());
  const shifts = new Map();
  moved.forEach(([dom, before], index) => {
    const { left, top, width } = now[index];
    shifts.set(dom, width ? [before.left - left, before.top - top] : [0, 0]);
  });
  for (const [dom, shift] of shifts) {
    // What it is in takes it along.
    let around = dom.parentElement;
    while (around && !shifts.has(around)) around = around.parentElement;
    const [x, y] = shift.map((length, axis) => length - (shifts.get(around)?.[axis] ?? 0));
    if (Math.hypot(x, y) < 1) continue;
    const frames = { translate: [`${x}px ${y}px`, "0 0"] };
    glides.set(dom, dom.animate(frames, { duration: gliding.get(dom), easing: "ease-out" }));
  }
}
