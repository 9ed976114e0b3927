/**
 * Draws a session's view: `h` describes elements, a view function per type of riblet describes its node, `mount` keeps
 * the page as they say. A change costs what it names: a node is drawn again if its own object is another one, a row of
 * `each` if its item is, and what is kept keeps its elements, with their focus, selection and scroll position.
 * @typedef {typeof import("./render.d.ts")} R
 */

import { setControls } from "./render-fields.js";
import { keepHistory } from "./render-history.js";
import { showDialogs } from "./render-routes.js";
import { arrange, create, draw, drawPending, effects, nodeOf, patch, range, remove } from "./render-tree.js";
import { glideFrom, places } from "./render-transitions.js";

export { bind } from "./render-fields.js";
export { levels } from "./render-history.js";
export { detail, list, modal, stack, tabs } from "./render-routes.js";
export { define, each, h, increasing } from "./render-tree.js";

/** How many mounts there were. */
let mounts = 0;

/** @type {R["mount"]} */
export function mount(session, element, options = {}) {
  const it = { session, options, nodes: new Map(), name: `rib${++mounts}`, commit };
  const queue = [];
  let kids = [], isBusy = false;

  /** Changes the page. What comes up while it is changed (a handler of `blur` that acts) has to wait its turn. */
  function commit(change) {
    queue.push(change);
    if (isBusy) return;
    isBusy = true;
    try {
      for (const next of queue) keepingFocus(next);
    } finally {
      queue.length = 0;
      isBusy = false;
    }
  }

  function update(ids) {
    const root = session.view?.root;
    kids = arrange(element, kids, root === undefined ? [] : [root], null, (_, kid, before) =>
      kid ? patch(kid, nodeOf(it, root)) : create(nodeOf(it, root), root, element, before));
    for (const id of ids) for (const node of [...it.nodes.get(id) ?? []]) draw(node);
  }

  const changed = ({ detail: { ids, ops } }) => commit(() => update(ops ? ids : it.nodes.keys()));
  commit(() => update([]));
  const waited = () => commit(() => [...it.nodes.values()].forEach((same) => [...same].forEach(drawPending)));
  session.addEventListener("change", changed);
  session.addEventListener("pending", waited);
  const forget = options.history ? keepHistory(session) : () => {};
  return {
    elementsOf: (id) => [...it.nodes.get(id) ?? []].flatMap(range).filter((node) => node instanceof Element),
    unmount() {
      forget();
      session.removeEventListener("change", changed);
      session.removeEventListener("pending", waited);
      kids.forEach(remove);
      kids = [];
    },
  };
}

/** Changes the page, and gives the focus back to an element that lost it as it was moved. */
function keepingFocus(change) {
  const active = document.activeElement;
  const { selectionStart, selectionEnd, selectionDirection } = active ?? {};
  const before = places();
  change();
  setControls();
  if (active !== document.activeElement && document.activeElement === document.body && active.isConnected) {
    active.focus({ preventScroll: true });
    if (selectionStart != null) active.setSelectionRange(selectionStart, selectionEnd, selectionDirection);
  }
  for (const effect of [...effects.splice(0), showDialogs]) {
    try { effect(); } catch (error) { reportError(error); }
  }
  glideFrom(before);
}
