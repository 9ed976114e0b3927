// What a page is shown of a session: the view, with what is predicted of it; and who is told of what has changed.

import { has, parse } from "./riblet-core.js";

/** Runs the page's code, whose errors are not the connection's. */
function call(fn, ...values) {
  try {
    return fn(...values);
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** What has to change for a subscription: the node with this id, a node of this type, or "" for anything. */
function placeOf(target) {
  if (typeof target === "number") return target;
  const [, id] = /^\/nodes\/(0|[1-9]\d*)(?:\/|$)/.exec(target) ?? [];
  return id === undefined ? (/^(\/|$)/.test(target) ? "" : target) : Number(id);
}

export class Shown {
  pending;
  view;
  /** The view with predicted nodes. */
  drawn;
  #rules;
  /** The node that is predicted by an action, and the one that it is predicted from. */
  #predicted = new WeakMap();
  /** Sets of subscriptions, by what has to change for them: a node, a node of a type, or anything. */
  #subscriptions = new Map();

  /** `rules` has what predicts a node's state, by type. */
  constructor(pending, rules) {
    this.pending = pending;
    this.#rules = rules ?? {};
  }

  node(id = this.view?.root) {
    return this.drawn?.nodes[id];
  }

  subscribe(target, fn) {
    const subscription = { target, fn, value: this.#read(target) };
    const place = placeOf(target);
    const others = this.#subscriptions.get(place) ?? new Set();
    this.#subscriptions.set(place, others.add(subscription));
    return () => {
      subscription.isOver = true;
      if (others.delete(subscription) && !others.size) this.#subscriptions.delete(place);
    };
  }

  /** Calls those that are subscribed at a place. */
  #callAt(place, call) {
    for (const subscription of [...(this.#subscriptions.get(place) ?? [])]) {
      if (!subscription.isOver) call(subscription);
    }
  }

  /** What is at a place; types have none. */
  #read(target) {
    if (typeof target === "number") return this.node(target);
    if (!/^(\/|$)/.test(target)) return undefined;
    const step = (parent, key) => (has(parent, key) ? parent[key] : undefined);
    return parse(target).reduce(step, { "": this.drawn });
  }

  /** Shows this instead, and returns what has changed in what is drawn, or nothing. */
  show(view, pending, isPredicted) {
    const before = { view: this.view, nodes: this.drawn?.nodes };
    this.pending = pending;
    this.view = view;
    this.drawn = isPredicted ? this.#predict(view, pending) : view;
    const nodes = this.drawn?.nodes;
    const ids = new Set();
    if (nodes !== before.nodes) {
      for (const id in before.nodes) if (nodes[id] !== before.nodes[id]) ids.add(Number(id));
      for (const id in nodes) if (!before.nodes || !has(before.nodes, id)) ids.add(Number(id));
    }
    return ids.size || view !== before.view ? { ids, before: before.nodes } : undefined;
  }

  /** Tells those that are subscribed to any of it. */
  tell(change, before) {
    const compare = (subscription) => {
      const { target, fn, value } = subscription;
      subscription.value = this.#read(target);
      if (subscription.value !== value) call(fn, subscription.value, change);
    };
    for (const id of change.ids) {
      const node = this.node(id);
      this.#callAt(id, compare);
      this.#callAt((node ?? before[id])?.type, ({ fn }) => call(fn, node, { ...change, id }));
    }
    this.#callAt("", compare);
  }

  #predict(view, pending) {
    let drawn = view;
    for (const action of pending) {
      const id = action.to === "" ? view?.root : action.to;
      const node = drawn?.nodes[id];
      const rule = this.#rules[node?.type];
      if (!rule || action.back || action.secret) continue;
      let predicted = this.#predicted.get(action);
      // Made once: nodes keep their identity while nothing changes them.
      if (predicted?.from !== node) {
        predicted = { from: node, node: { ...node, state: call(rule, node.state, action.action) ?? node.state } };
        this.#predicted.set(action, predicted);
      }
      drawn = { ...drawn, nodes: { ...drawn.nodes, [id]: predicted.node } };
    }
    return drawn;
  }
}
