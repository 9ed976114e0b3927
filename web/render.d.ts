import type { ActOptions, Json, Node, Outcome, Session } from "./riblet.js";

declare const description: unique symbol;

/** What `h` and `each` return: a description of elements. Nothing else is one, so that no view state can describe elements. */
export interface VNode { readonly [description]: true; readonly key?: string | number }

/**
 * What can stand among the children: text, nothing, a route in its default presentation, or a list of these. Any other object is a `TypeError`
 * that names the object's members.
 */
export type Child = VNode | Route | string | number | boolean | null | undefined | readonly Child[];

/**
 * Attributes and properties of an element.
 *
 * `on…` are listeners, called with the event; `on:Moved` is one of an event with capitals. `style` is an object of CSS properties, or a text.
 * What is an object or a function is a property of a custom element. A link whose text is a program (`javascript:`) is left out. `true` is an attribute without a
 * value, `false` and null none; `aria-` and `data-` attributes say "true" and "false".
 *
 * `value` and `checked` of a control may be {@link bind | bound}. A control, or a group of radio buttons, shows what its user made of it until the
 * server has answered all that was sent from it; then it shows the server's value. A text that the user has changed since is merged with it.
 * Whether the control has the focus makes no difference. `value` of a `select` with `multiple` is an array. `selected` and `open` stay as the
 * user made them until another value is drawn.
 */
export interface Props {
  /** Who the element is among its siblings. */
  key?: string | number;
  /** Called with the element once it is in the document, and with null, and the element, before it is removed. */
  ref?: (element: any, removed?: any) => void;
  /** Called with the element each time it was drawn, once all of the page is. */
  drawn?: (element: any) => void;
  /**
   * Whether a button or a field works without the server. All others are disabled for a client that may only look
   * ({@link Session.scope}).
   */
  local?: boolean;
  /**
   * Whether a style sheet shows that the element comes and goes: it has the attribute `data-entering` when it comes into a page that is there
   * already, and `data-leaving` (and `inert`) when it goes, as long as its animations run; without one it goes at once. With `move` it glides to
   * where a change of the page puts it, for so many milliseconds. What goes with an element around it goes at once. Nothing of that happens for a user who wants less motion.
   */
  transition?: boolean | { move?: number };
  [name: string]: unknown;
}

/** Sends an action to the node that is drawn. */
export interface Act {
  /**
   * The promise is {@link Session.act}'s. If the action is refused the node is drawn again. As long as what an event handler has sent has no
   * answer, the element that the user has touched has the attribute `data-pending`: a button or a field in the one that has the handler, or
   * the latter.
   */
  (action: Json, options?: ActOptions): Promise<Outcome>;
  /** Leaves the node: {@link Session.back} with its id. */
  back(): Promise<Outcome>;
}

/** What a component of React or Vue is given that draws a node: see riblet-react.js and riblet-vue.js. */
export interface ViewProps {
  id: number;
  node: Node;
  state: any;
  act: Act;
}

export interface Context {
  readonly id: number;
  readonly type: string;
  readonly session: Session;
  readonly node: Node;
  /** Whether the client may do anything, and not only look. */
  readonly mayAct: boolean;
  /** Draws the node again though it has not changed, for a view that shows what is not in the view state. */
  redraw(): void;
  /**
   * Whether an action of the node has no answer, other than an edit of a bound control. The node is drawn again when that changes. It is for signs such
   * as `aria-busy`: a form whose button is disabled meanwhile does not hear Enter.
   */
  readonly pending: boolean;
  /**
   * What only this page knows of the node, as long as the node is drawn: `value` is `initial` at first, and `set` draws the node again. A node has
   * one such value of a name, also in the parts of its view: rows of a list name theirs by their keys. It is an error to ask for a name twice in one drawing,
   * and to set a value while the view is drawn.
   *
   * @param name - empty unless told.
   */
  local<T>(initial: T, name?: string): { readonly value: T; set(value: T): void };
}

/**
 * Describes a node, from its state and its routes. It runs when the node's own object has changed, not when a child's
 * has.
 *
 * In `h(view, props, …children)` it is called with the props and the children instead, as a part of the view around it.
 */
export type ViewFunction = (state: any, act: Act, children: any, context: Context) => Child;

/**
 * A route's children. Placed as a child it draws itself by its kind: `slot` as {@link detail}, `stack` as
 * {@link stack}, `tabs` as {@link tabs}, `list` and unknown ones as {@link list}.
 */
export interface Route {
  readonly name: string;
  readonly kind: "slot" | "stack" | "tabs" | "list" | (string & {});
  /** Null is a child that is not attached, or has no view of its own. */
  readonly ids: readonly (number | null)[];
  readonly selected?: number;
  /** The children, to be placed; those of a child without a view in its place. */
  nodes(): Child[];
}

/**
 * Describes an element, or calls a view function.
 *
 * @param tag - the element's name; `svg` and what is in it are in SVG's namespace.
 */
export function h(tag: string | ViewFunction, props?: Props | null, ...children: Child[]): VNode;

export interface RowOptions {
  /**
   * Whether the page has only those rows that are seen, about as many before and after them, and the one with the focus: for lists of
   * thousands. The list's element has no other children; a row is one element, all are as high as one another, and their style does not go by
   * their place (`:nth-child`). Rows say their place to screen readers, by `aria-posinset` or, in a table or grid, `aria-rowindex`. The browser's
   * own search finds what is on the page: give long lists a field that finds rows.
   */
  window?: boolean;
}

/**
 * Describes rows by their keys. A row is drawn again if its item is another object, and then alone; `row` must depend
 * on nothing but its item. It may return an array, of as many elements as it likes.
 */
export function each<T>(
  items: readonly T[], key: (item: T) => string | number, row: (item: T) => Child, options?: RowOptions): VNode;

export interface BindOptions {
  /**
   * What the control is called; by default its `name` or `id`. By it the control finds after a reload what was not sent. Two controls of a node with
   * one name would show the same.
   */
  name?: string;
  /** `number` sends a number, or null for an empty control, and nothing for what is no number; by default what the element is. */
  kind?: "text" | "number" | "choice";
  /**
   * The names of the node's actions that clear the text. The control is empty at once, and the user can go on; the text comes back if the server
   * does not take the action. Without it the text is there until the answer, and what was typed meanwhile is sent after that.
   */
  clearedBy?: readonly string[];
  /** Whether what was not sent is forgotten at a reload. */
  isSecret?: boolean;
}

declare const bound: unique symbol;

/** What `bind` returns. */
export interface Bound<T> { readonly [bound]: T }

/**
 * Binds a control to the state: `h("input", { value: bind(state.draft, (text) => act({ draftChanged: text })) })`.
 *
 * Edits are sent after a pause of 150 ms, at once for a choice, when the user leaves the control, and before any other action of the node. They
 * wait as long as another action of the node has no answer. What is not sent survives a reload, if the session has `storage`.
 *
 * @param value - the server's value.
 * @param send - sends another value as an action of the node.
 */
export function bind<T>(value: T, send: (value: T) => void, options?: BindOptions): Bound<T>;

/** Says how nodes of a type are drawn, on all pages; the last one wins. */
export function define(type: string, view: ViewFunction): void;

export interface MountOptions {
  /** Views by type; they come before those of {@link define}. */
  views?: { [type: string]: ViewFunction };
  /** Draws the types that have no view; by default the state is listed. */
  fallback?: ViewFunction;
  /** Draws what stands in the place of a node whose view has thrown, until its next change; by default a box with the error. */
  error?: (error: unknown, context: Context) => Child;
  /** Whether the browser's back button leaves what is in front. For one mount of a page. */
  history?: boolean;
}

/** Draws a session at the end of an element, until it is unmounted. */
export function mount(session: Session, element: Element, options?: MountOptions): Mounted;

export interface Mounted {
  /** The outermost elements that a node is drawn as, for tools that point at them; none if it is not drawn. */
  elementsOf(id: number): Element[];
  unmount(): void;
}

/** A slot's child in place, in `section.rib-detail`, which has a `transition`. */
export function detail(route: Route): VNode | null;

/** A slot's child in `dialog.rib-modal`. Esc, and a click beside it, ask the server to take it away. */
export function modal(route: Route, options: { label: string }): VNode | null;

/**
 * The page in front, each in a `div.rib-page` in `div.rib-stack`, and `button.rib-back` if there is one below. The
 * others are kept, hidden. The focus goes to the heading of a page that comes in front.
 *
 * @param options - `title` makes the button's label, of the page below.
 */
export function stack(route: Route, options?: { title?: (node: Node) => string }): VNode;

/**
 * `button.rib-tab` in `div.rib-tablist`, and a `div.rib-panel` each, in `div.rib-tabs`. Those that are not selected are
 * kept, hidden.
 *
 * @param options - `titles`, by default the state's `titles`; `select`, by default the action `{"select": index}`;
 *   `label` of the tab list, by default the route's name.
 */
export function tabs(
  route: Route, options?: { titles?: readonly string[]; select?: (index: number) => void; label?: string }): VNode;

/** The children as `li` of `ul.rib-list`. */
export function list(route: Route): VNode;

/** The places of a longest increasing subsequence of numbers, without those below 0. */
export function increasing(numbers: readonly number[]): Set<number>;

/** How many times the user can go back in a view: the open slots and the pages above the first, of what is in front. */
export function levels(view: { root: number; nodes: { [id: string]: Node } }): number;
