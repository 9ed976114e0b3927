import type { Session, Transport } from "./riblet.js";

/**
 * Adds an inspector to an element: a panel that shows what goes over the wire, the tree of riblets, the view as a document, and facts about the
 * session, and that has ways to make the link worse. `inspector.css` is its style sheet. A page may have several inspectors.
 *
 * ```js
 * import { connect, webSocket } from "/riblet.js";
 * import { LinkControls, mountInspector, throttled } from "/inspector.js";
 *
 * const links = new LinkControls();
 * const session = connect(location.origin, { app: "counter", transports: [throttled("WebSocket", webSocket, links)] });
 * mountInspector(document.body, { links }).show(session);
 * ```
 *
 * The inspector is for developers: it shows all that the session has, except tokens, credentials and secrets.
 */
export function mountInspector(parent: Element, options?: InspectorOptions): Inspector;

/** What the page does for its inspector. An option that is left out has no control, unless it says otherwise. */
export interface InspectorOptions {
  /** What the session's transports go through ({@link throttled}): "Go offline", and the latency. */
  links?: LinkControls;
  /** Whether the inspector is unfolded at first; by default where the window is at least 68 rem wide. */
  isOpen?: boolean;
  /** "Drop the link"; by default {@link Session.reconnect}. */
  drop?(): void;
  /** "Verify"; by default {@link Session.check}, and the inspector says its result. */
  verify?(): void;
  /** "New session": ends the session that is shown, and shows another one. */
  beginAnew?(): void;
  /** "Transport": connects by the transport with this name of `riblet.js` from now on. WebSocket is chosen at first. */
  setTransport?(name: "webSocket" | "eventStream"): void;
  /** "Predict …": turns predictions ({@link Options.optimistic}) on or off. They are on at first. */
  setOptimistic?(isOn: boolean): void;
  /** What the session predicts, in a few words for "Predict …"; by default "states". */
  predicted?: string;
  /** The elements that a node is drawn as, such as `mounted.elementsOf(id)` of `render.js`. The page frames them for the node that is pointed at. */
  elementsOf?(id: number): Iterable<Element>;
}

export interface Inspector {
  /** Shows a session from now on, instead of the one before. */
  show(session: Session, options?: ShowOptions): void;
  /** Removes the inspector, and all its listeners. It cannot be used any more. */
  unmount(): void;
}

export interface ShowOptions {
  /** The key of the session's entry in `sessionStorage` ({@link Options.key}), where the inspector reads how often the page tried to resume. */
  key?: string;
  /** The messages that the session has exchanged before, oldest first: what its events `message` had as `detail`. */
  earlier?: Iterable<{ direction: "in" | "out"; text: string }>;
}

/**
 * Makes the links of sessions worse. Events: `change` of the delay or of whether there is a link, `cut` when all connections end, and `travel` when a
 * message sets out, with `{direction, duration}` as `detail`.
 */
export class LinkControls extends EventTarget {
  /** How long a message takes each way, in milliseconds, in addition to the time on the network. 0 at first. */
  delay: number;
  /** Whether there is no link: all attempts to connect fail. */
  readonly isOffline: boolean;
  /** The name of the transport that has connected last; empty before. */
  readonly transport: string;
  /** Ends all connections, and refuses others until {@link goOnline}. */
  goOffline(): void;
  /** Allows connections. Sessions connect at once. */
  goOnline(): void;
}

/**
 * Makes a transport that goes through the controls.
 *
 * @param name - what the inspector calls the transport: `"WebSocket"` for `webSocket`, `"SSE"` for `eventStream`.
 */
export function throttled(name: "WebSocket" | "SSE" | (string & {}), transport: Transport, links: LinkControls): Transport;
