// The browser's back button.

/** @typedef {typeof import("./render.d.ts")} R */

import { below } from "./render-routes.js";

/** How many times the user can go back in a view: the open slots and the pages above the first, of what is in front. */
export function levels({ root, nodes }) {
  let count = 0;
  const visit = (children, names) => {
    for (const name of names) {
      const { kind, ids, selected } = children[name];
      let shown = [...ids.keys()].filter((index) => ids[index] != null || below(children, name, index).length);
      count += kind === "slot" ? shown.length : kind === "stack" ? Math.max(0, shown.length - 1) : 0;
      if (kind === "stack") shown = shown.slice(-1);
      if (kind === "tabs") shown = shown.filter((index) => index === selected);
      for (const index of shown) {
        if (ids[index] == null) visit(children, below(children, name, index));
        else visitNode(ids[index]);
      }
    }
  };
  const visitNode = (id) => {
    const children = nodes[id]?.children;
    if (children) visit(children, Object.keys(children).filter((name) => !name.includes("/")));
  };
  visitNode(root);
  return count;
}

/** Browsers keep 50 entries or so; deeper levels share the last of ours. */
const mostEntries = 40;
/** Milliseconds after which a user does not wait any more for what a step back does. */
const patience = 3000;

/**
 * Keeps one history entry a level, numbered from 0; `position` is the number of the one that the browser shows.
 *
 * Two things move it. The user: each step back is one `back` to the server. And we, once every `back` is answered and
 * no step of ours is under way: we push entries until `position` is as high as the view has levels, or step back if the
 * server, or a button on the page, has closed some. A popstate does not say whose step it was, so steps are counted: of
 * those that it tells, the first `ours` are ours. It does not matter which of them really were, only how many.
 * - A `back` that changed nothing (a child that is always there) leaves the levels without an entry (`stuck`). If the answer
 *   comes soon, the user's step goes on to the page before.
 * - A step back for which there is nothing to leave, as each level is being left already, says nothing.
 * - A step forward opens nothing again. It goes on to the page that comes after our entries; if there is none, it is stepped back.
 * - A new entry removes those that the user could go forward to. So levels that are open when the user comes back to
 *   an entry with others after it get none.
 * - Entries without our `key` are the page's own; nothing is moved while one of them is shown.
 * - A reload finds the number in `history.state`, and goes on when the view is there.
 */
export function keepHistory(session) {
  const entry = () => history.state?.riblet;
  const key = entry()?.key ?? `${Date.now()} ${Math.random()}`;
  // The newest entry is the last one. `index` tells later whether there are entries after it.
  const state = (level, index) => ({ ...history.state, riblet: { key, level, index } });
  const isLast = () => history.length <= (entry().index ?? history.length) + 1;
  let position = entry()?.level ?? 0;
  let ours = 0, unanswered = 0, stuck = 0, seen = [], isBegun = false, isMoved = false, isLeaving = false;
  if (!entry()) history.replaceState(state(0, history.length - 1), "");

  // Who may only look leaves nothing by the back button but the page.
  const depth = () => (session.scope === "view" ? 0 : levels(session.view));
  const goal = () => Math.min(depth() - stuck, mostEntries);

  function settle() {
    if (!session.view || ours || unanswered || entry()?.key !== key) return;
    if (!isBegun && !isLast()) stuck = depth() - position;
    isBegun = true;
    stuck = Math.max(0, Math.min(stuck, depth()));
    while (position < goal()) history.pushState(state(++position, (entry().index ?? history.length - 1) + 1), "");
    ours = position - goal();
    if (ours) history.go(-ours);
  }

  async function leave() {
    // For all that the user sees in front there is a `back` under way.
    if (session.view && (session.pending ?? []).filter(({ back }) => back).length >= levels(session.view)) return;
    if (!unanswered++) {
      seen = Object.keys(session.view?.nodes ?? {});
      isMoved = false;
    }
    const asked = performance.now();
    // An answer that never comes (the session is over) has taken nothing away.
    const outcome = await session.back(session.view?.root).catch(() => undefined);
    unanswered--;
    const { nodes } = session.view ?? { nodes: {} };
    if (session.view && seen.every((id) => id in nodes)) stuck = Math.max(0, levels(session.view) - position);
    seen = Object.keys(nodes);
    settle();
    if (outcome?.status !== "applied" || isMoved || ours || entry()?.key !== key || performance.now() - asked > patience) return;
    isLeaving = true;
    history.go(-position - 1);
  }

  function moved() {
    const isOurs = entry()?.key === key;
    // Our step has reached an entry of the page's own, before our entries. The way back from there is no step among ours.
    if (isLeaving && !isOurs) position = 0;
    // The browser takes no step if there is no page before, or if the user stays. The next step is then the user's.
    isLeaving = false;
    if (!isOurs) return;
    const steps = position - entry().level;
    position = entry().level;
    if (steps < 0 && session.view && !ours && !unanswered && position > goal() && !isLast()) return history.forward();
    const mine = Math.max(0, Math.min(steps, ours));
    ours -= mine;
    for (let left = steps - mine; left > 0; left--) leave();
    settle();
  }

  // What changes a state only cannot change the levels.
  const isState = ({ path, from = path }) => [path, from].every((it) => /^\/nodes\/[^/]*\/state/.test(it));
  const changed = ({ detail: { ops } }) => {
    if (ops?.every(isState)) return;
    isMoved = true;
    settle();
  };
  // A step that was under way as the browser put the page away never comes.
  const shown = ({ persisted }) => {
    isLeaving = false;
    if (!persisted || entry()?.key !== key) return;
    ours = 0;
    position = entry().level;
    settle();
  };
  addEventListener("popstate", moved);
  addEventListener("pageshow", shown);
  session.addEventListener("change", changed);
  settle();
  return () => {
    removeEventListener("popstate", moved);
    removeEventListener("pageshow", shown);
    session.removeEventListener("change", changed);
  };
}
