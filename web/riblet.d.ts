/**
 * The web client of RibServer: one session of a riblet app, over any number of connections.
 *
 * ```js
 * import { connect } from "/riblet.js";
 *
 * const session = connect(location.origin, { app: "counter", storage: sessionStorage });
 * session.subscribe("Counter", (node) => console.log(node?.state.count));
 * const outcome = await session.act("", "increment");
 * if (outcome.status === "refused") console.log(outcome.nack.message);
 * ```
 *
 * An action is done exactly once or refused with a reason, through cuts, reloads (with {@link Options.storage}) and
 * restarts of the server. PROTOCOL.md has the rules, and why.
 */

/** What JSON can say. */
export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };

/**
 * Begins a session, joins one, or goes on with the stored one. Returns at once, and connects in the background.
 *
 * @param url the server's address, such as `location.origin`. The client appends `/v1/socket` or `/v1/sessions`,
 *   and `?sid=` with the session's id when it resumes or joins a session, so that a load balancer can choose the server by it.
 */
export function connect(url: string | URL, options: Options): Session;

export interface Options {
  /** The app to begin a session with. */
  app?: string;
  /** What the app's root is built with. */
  params?: Json;
  /** A token of {@link Session.share}, to join a session with instead. If it is refused, the session ends. */
  share?: string;
  /** The program that draws, and where its user is; `locale` is a BCP 47 tag, `timeZone` a name of the IANA database. */
  client?: { name?: string; version?: string; locale?: string; timeZone?: string };
  /** What to be told besides what every client is: `"clients"`, who is connected ({@link Session.clients}). */
  features?: "clients"[];
  /**
   * Gets the credential that says who the user is: called before each connection, and after four fifths of the time for which the
   * identity is valid. Null for an anonymous user: the session then begins without a credential, or is `signedOut` if the server requires one.
   * An error counts as one of the network: the client tries again later. The credential is kept in memory alone, and is in no event.
   */
  auth?: () => Promise<string | null> | string | null;
  /**
   * Where the session's credentials and its outstanding actions are kept, so that a reload goes on with it;
   * `sessionStorage` as a rule, for a session belongs to one tab. Without it they are kept in memory.
   *
   * A duplicated tab begins a session of its own: the Web Lock `riblet:<sid>:<cid>` tells. In pages that are not secure
   * there are no locks, and the later tab takes the session over.
   *
   * If the storage is full the session goes on, and a reload begins anew: {@link Session.stored} and the event `stored` say so, also if
   * there was an entry that cannot be read.
   *
   * With `localStorage`, or `indexedDBStorage()` of `riblet-indexeddb.js`, a session survives its tab: the next one goes on with the first entry
   * that no open tab uses, of up to 64 for one key.
   *
   * An entry that belongs to another person than {@link Options.auth} says is left as it is: the session goes on with the next entry, or begins anew.
   */
  storage?: EntryStorage;
  /**
   * The entry's name in the storage; `riblet:<url>:<app>` by default, with the share token if there is no app. The second session of a page,
   * or of another tab with the same storage, has it with `#2` at its end, and so on.
   */
  key?: string;
  /**
   * Tried in order until one works: each for four seconds, or twice if it fails at once. The one that has worked is tried sixteen times, or
   * four times for four seconds, before it is given up; with storage, the page after a reload begins with it. The first one is tried again when five
   * minutes have passed, and the connection is made anew. `[webSocket, eventStream]` by default.
   */
  transports?: Transport[];
  /**
   * For types of nodes: the state that a node is shown with while an action for it has no answer. Called with the state
   * (predicted by earlier actions, if there are some) and the action; it returns the new state, and changes nothing. It
   * is called again whenever the state that it was based on has changed. Only actions for a node's id, or for the root
   * as `""`, are predicted.
   */
  optimistic?: { [type: string]: (state: any, action: Json) => any };
}

/**
 * What entries are kept in: a `Storage`, or one that does the same later. What is sent then waits until it is kept, for which the methods return
 * promises, and do what they are called for in the order of the calls. A rejection says that it could not be done, as does a promise that does not
 * settle within four seconds: then the page is told that it is not kept, and nothing waits until it is.
 */
export interface EntryStorage {
  getItem(key: string): string | null | undefined | Promise<string | null | undefined>;
  setItem(key: string, value: string): unknown;
  removeItem(key: string): unknown;
  /** Whether other tabs have the same storage. Of the browser's own the client knows, and of one that returns promises it is taken for granted. */
  isShared?: boolean;
}

/**
 * - `connecting`: there was no connection yet.
 * - `live`: the first connection of a new session.
 * - `reconnecting`: the connection ended, `reason` says why; the client comes back by itself.
 * - `resumed`: back in the same session, also after a reload.
 * - `reset`: the session was gone, and this is a new one. What was outstanding has the outcome `unknown`.
 * - `signedOut`: the server requires a credential, and {@link Options.auth} has none, or three connections in a row have ended for want of a valid
 *   one: with storage, another {@link connect} goes on with the session once the user has signed in. Or the client was signed out
 *   (`reason.code` is `revoked`): it cannot come back to the session.
 * - `ended`: the session is over, or was left; `reason` says why. The client does not come back. After `bad_message`, and the numbers `1002`, `1003`,
 *   `1007` and `1009`, a session that had begun is kept with what is outstanding: {@link Session.reconnect} goes on with it, and so does a reload or another
 *   {@link connect} with storage. An action over which two connections have ended is then `refused`.
 */
export type Status = "connecting" | "live" | "reconnecting" | "resumed" | "reset" | "signedOut" | "ended";

/**
 * Why a connection or a session ended. `code` is the word of the server's `bye` (`ended`, `shutdown`, `taken`,
 * `denied`, …), the number of a close frame that came without a word (`1006` for a cut), or one of the client's own:
 * `silent` (nothing was heard for too long), `bad_server` (the server broke the protocol, or its patches did not fit
 * seven times in a minute), `reconnect` ({@link Session.reconnect}), `offline` (the browser has no network) and `closed`
 * ({@link Session.close}).
 */
export interface Reason {
  code: string;
  message: string;
}

export type Durability = "disk" | "process" | "none";

/** The server's `welcome`. */
export interface Welcome {
  t: "welcome";
  sid: string;
  cid: number;
  /** A secret: whoever has it is this client. */
  token: string;
  epoch: string;
  rev: number;
  n: number;
  nacks: Nack[];
  /** How many refusals before the first of `nacks` the server no longer has. */
  nacksOmitted?: number;
  resumed: boolean;
  durability: Durability;
  build: string;
  /** Milliseconds that the session waits for its clients. */
  ttl: number;
  /** Milliseconds of silence after which the client pings. */
  heartbeat: number;
  /** 0 is no limit. */
  limits: { messageBytes: number; actionsPerSecond: number; actionBurst: number };
  /** That this client may only look; absent if it may act. */
  scope?: "view";
}

/** A client of the session that is connected. */
export interface ConnectedClient {
  /** Its number within the session; this client's own is `welcome.cid`. */
  cid: number;
  scope: "view" | "act";
}

/** The view document. Never changed in place: `===` tells what a patch has left as it was. */
export interface View {
  readonly root: number;
  readonly nodes: { readonly [id: string]: Node };
}

export interface Node {
  readonly type: string;
  readonly state: any;
  readonly children?: { readonly [route: string]: Children };
}

export interface Children {
  readonly kind: "slot" | "stack" | "tabs" | "list" | (string & {});
  /** Null for a child that is not attached yet, or has no view of its own. */
  readonly ids: readonly (number | null)[];
  readonly selected?: number;
}

/** An operation of a patch, RFC 6902. */
export type Op =
  | { op: "add" | "replace"; path: string; value: Json }
  | { op: "remove"; path: string }
  | { op: "move"; from: string; path: string };

export interface Change {
  /** The nodes that are added, gone, or other ones than before, predictions included. */
  readonly ids: Set<number>;
  /** The patch; null if the view came as a whole, or only a prediction has changed. */
  readonly ops: readonly Op[] | null;
  readonly view: View;
  /** In subscriptions by type: the node that this call is about. */
  readonly id?: number;
}

/**
 * A refusal. `code` is a word of PROTOCOL.md's table, or of a later version; `message` is for developers. `lost_body` comes from this client,
 * not from the server: a secret action had not reached the server before a reload, and has to be entered again.
 */
export interface Nack {
  n: number;
  code:
    | "gone" | "inactive" | "bad_action" | "forbidden" | "refused" | "poisoned" | "failed" | "lost_body" | (string & {});
  message: string;
}

/** An action without an answer. */
export type Outstanding =
  | { readonly n: number; readonly to: number | string; readonly action: Json }
  /** A secret action, without its content. */
  | { readonly n: number; readonly to: number | string; readonly secret: true }
  | { readonly n: number; readonly to: number | string; readonly back: true };

/**
 * What became of an action: it was done; it was refused and has changed nothing; or it may have been done or not, for
 * the session is gone or over, or a crash has lost what the action was for; or it was not sent, for the session had ended before, or the node
 * belongs to one that is gone.
 */
export type Outcome =
  | { status: "applied"; n: number }
  | { status: "refused"; n: number; nack: Nack }
  | { status: "unknown"; n: number }
  | { status: "unsent"; message: string };

export interface SessionEvents {
  /** {@link Session.status} has changed. */
  status: { status: Status; reason?: Reason };
  /** What {@link Session.node} returns has changed, after the subscriptions were called. */
  change: Change;
  /** {@link Session.pending} has changed. */
  pending: { pending: readonly Outstanding[] };
  /**
   * An action has its outcome. Also for actions of the page before a reload, whose promises are gone, and for each that
   * {@link Session.act} returned a promise for; not for those that are rejected.
   */
  outcome:
    | (Outstanding & Exclude<Outcome, { status: "unsent" }>)
    | (Omit<Outstanding, "n"> & Extract<Outcome, { status: "unsent" }>);
  /**
   * {@link Session.stored} has become false, as there is no room (`full`), or true again; or there was an entry that cannot be read
   * (`damaged`), so that the session begins anew, and what the page before had not sent is lost.
   */
  stored: { stored: true } | { stored: false; reason: "full" | "damaged" };
  /**
   * {@link Session.nextAttempt} has changed: the next attempt is due after so many milliseconds; or undefined, as one begins or none is made any more.
   */
  attempt: { wait: number | undefined };
  /** What answered actions survive has changed: {@link Session.durability}. */
  notice: { durability: Durability };
  /** Who is connected has changed; with `features: ["clients"]`. */
  clients: { clients: ConnectedClient[] };
  /**
   * The server has lost so many actions in a crash that was worse than its durability covers: answered ones, and
   * outstanding ones for nodes that may be gone. The user should be told. The other outstanding actions are numbered
   * anew and sent.
   */
  lost: { count: number };
  /**
   * Ids name other nodes from now on: the session is gone, and another one begins. It is told again right before the first view of that session,
   * as its user may have typed into the old view. A page does not send by itself what its user has made before.
   */
  anew: undefined;
  /**
   * A message was received or sent, for inspectors, with "…" for tokens, credentials and secrets. Over HTTP: the message that a request or an
   * answer stands for.
   */
  message: { direction: "in" | "out"; text: string };
}

export type SessionEvent<T extends keyof SessionEvents> = Event & { readonly detail: SessionEvents[T] };

export interface ActOptions {
  /**
   * Whether the action holds a secret, such as a password. Its content is then kept in memory alone: it is not in
   * {@link Options.storage}, in {@link Session.pending} or in an event, and is not predicted.
   *
   * After a reload such an action cannot be sent again. If the server had taken it before, the outcome is that of the action; if not, the
   * action is `refused` with the code `lost_body`, and the user has to be asked again.
   */
  secret?: boolean;
}

/** One session; made by {@link connect}. Its events are plain ones with a `detail`. */
export class Session extends EventTarget {
  constructor(url: string | URL, options: Options);

  readonly status: Status;
  /** While `reconnecting`, `signedOut` or `ended`. */
  readonly reason?: Reason;
  /** The last one. */
  readonly welcome?: Welcome;
  /** What answered actions survive: a power cut, the end of the server's process, nothing. */
  readonly durability?: Durability;
  /** What this client may do: one who has joined may be here to look only, and the server refuses what it sends. */
  readonly scope: "view" | "act";
  /** Who is connected, this client included; empty without `features: ["clients"]`, and until somebody has joined. */
  readonly clients: readonly ConnectedClient[];
  /** Whether a reload would go on with the session, and send what is outstanding; false without {@link Options.storage}. */
  readonly stored: boolean;
  /** The view as the server sent it, without predictions. After a reset the old one, until the new one has come. */
  readonly view?: View;
  /** The view's revision; 0 if it is out of step with the server's. */
  readonly revision: number;
  /** Actions without an answer, in order; another array after each change. */
  readonly pending: readonly Outstanding[];

  /**
   * A node as it is to be drawn: with predicted state if there is one. The same object as long as nothing changes it.
   */
  node(id?: number): Node | undefined;

  /** What the user has made of the fields of a node and was not sent, as it was given to {@link keepDraft}, also by the page before a reload. */
  draft(id: number): Json | undefined;
  /** Keeps with the session, in its `storage`, what the user has made of the fields of a node; nothing is kept for undefined, or for more than 524,288 characters of JSON. */
  keepDraft(id: number, draft?: Json): void;
  /** Outcomes of actions that a page before a reload has sent, by their numbers. */
  readonly earlier: ReadonlyMap<number, Outcome["status"]>;

  /**
   * Calls `fn` after each patch, view or prediction that changes something, once it was applied whole: by the ids of the nodes, for one node
   * in the order of the subscriptions. What a change costs does not depend on how many subscriptions there are that it does not concern.
   *
   * @param target a node's id: `fn` gets the node, or undefined when it is gone. A JSON Pointer into the view, such as
   * `/nodes/2/state/count`: `fn` gets the value there, or undefined, when it is another one (by `===`). A type, such as
   * `Home`: `fn` is called for each node of the type that is added, changed or gone, which `change.id` names.
   * @returns ends the subscription.
   */
  subscribe(target: number, fn: (node: Node | undefined, change: Change) => void): () => void;
  subscribe(target: string, fn: (value: any, change: Change) => void): () => void;

  /**
   * Sends an action; before the first connection, and while there is none, it is kept and sent later, in order.
   *
   * @param to a node's id, or a path such as `tabs[0]/detail`; `""` is the root.
   * @param action as JSON, `"reset"` or `{"select":{"_0":1}}`. It is copied.
   * @returns what becomes of it; in an event handler it may be ignored. Rejects only for a mistake of the caller: with a RangeError if its
   * message is longer than {@link Welcome.limits} allow (before the first welcome that shows later), or its path longer than 256 bytes; with
   * a TypeError or SyntaxError if `to` or `action` are none. After
   * {@link close} of a session with storage, what is outstanding is not settled here: whoever goes on with the session
   * hears of it.
   */
  act(to: number | string, action: Json, options?: ActOptions): Promise<Outcome>;

  /**
   * Leaves what is in front, from `to` downwards, as the back button of a phone does; from the root if there is no
   * `to`. As {@link act}.
   *
   * A page should name what its user sees in front: without `to` it is what is in front by then, which may be something else. A node that is
   * named twice is left once; one that is gone by then counts as left (`applied`).
   */
  back(to?: number): Promise<Outcome>;

  /**
   * Asks for a token that one other can join with, to look on or to act as well, and for how many milliseconds it is
   * valid.
   */
  share(scope: "view" | "act"): Promise<{ token: string; expires: number }>;

  /**
   * Compares the view with the server's by hash; if they differ, the whole view is asked for. Rejects without
   * `crypto.subtle`, which needs a secure page, without a connection, or over HTTP; so does {@link share} but for the
   * first.
   */
  check(): Promise<boolean>;

  /**
   * Gets a credential from {@link Options.auth} now, and shows it in the open connection: this signs a user in to an anonymous session.
   * Resolves when the server has answered; rejects without a credential, without a connection, or if the server does not authenticate
   * clients.
   */
  authenticate(): Promise<void>;

  /**
   * Ends this client's part in the session, and with the last client's the session; resolves when it has ended. A session that an end like
   * `bad_message` has kept is gone on with first. After `close`, nothing of it is kept, also if the server could not be told.
   */
  end(): Promise<void>;

  /**
   * Leaves without a word: with storage another {@link connect} goes on, without it what is outstanding is `unknown`. Also after an end that has
   * kept the session.
   */
  close(): void;

  /**
   * Connects now: drops the connection, as a cut would, or waits no longer for the next attempt. Also comes back to a session that an end like
   * `bad_message` has kept, until `close`.
   */
  reconnect(): void;
  /** Milliseconds until the next attempt to connect; undefined if the session does not wait for one. */
  readonly nextAttempt: number | undefined;

  addEventListener<T extends keyof SessionEvents>(
    type: T,
    listener: ((event: SessionEvent<T>) => void) | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | AddEventListenerOptions,
  ): void;
  removeEventListener<T extends keyof SessionEvents>(
    type: T,
    listener: ((event: SessionEvent<T>) => void) | null,
    options?: boolean | EventListenerOptions,
  ): void;
  removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject | null,
    options?: boolean | EventListenerOptions,
  ): void;
}

/** The client's first message, of a kind that the server knows. */
export interface Hello {
  t: "hello";
  app?: string;
  params?: Json;
  client: { name?: string; version?: string; locale?: string; timeZone?: string };
  auth?: string;
  share?: string;
  resume?: { sid: string; cid: number; token: string; try: number; epoch: string; rev: number };
}

/**
 * How messages get to the server and back. A transport opens a connection, says hello on it, and tells what happens:
 * `open` when the hello is said, `message` for each text (a message or an array of them), and `close` once, unless it
 * was closed by its `close`. A code of 1006 is a cut; the others are those of PROTOCOL.md. `send` throws if a message
 * cannot be carried.
 */
export type Transport = (
  url: string,
  hello: Hello,
  on: { open(): void; message(text: string): void; close(code: number, reason: string): void },
) => { send(text: string): void; close(): void };

/** A WebSocket with the subprotocol `riblet.v1.json`. */
export const webSocket: Transport;

/**
 * The HTTP twin, where WebSockets do not get through: a stream of server-sent events, and requests with actions, one at
 * a time and up to 15 actions in each. There is no `check` and no `share`; a view that does not fit is sent again by
 * connecting again.
 *
 * A browser has six connections to a server over HTTP/1.1, for all its tabs. Three sessions have a stream each; further ones share one, by a
 * shared worker where there is one: up to 32, with the same credential. A page without locks and workers has one stream. A session for which no connection is left asks for its view from time to time: its own actions are seen at
 * once, and what others do within five seconds.
 */
export const eventStream: Transport;

/**
 * Applies a patch to a document, whole or not at all.
 *
 * @returns the new document; what no operation names is shared with the old one, which stays as it was.
 * @throws an Error if an operation has no place in the document, or is none.
 */
export function applyPatch(document: Json, ops: readonly Op[]): Json;

/** What happened, by name, and what belongs to it. */
export type CoreEvent =
  | ["live", Welcome]
  | ["send", object]
  | ["settled", Outstanding, Outcome]
  | ["tooLong", Outstanding]
  | ["lost", number, Outstanding[]]
  | ["hash", string, View | false]
  | ["share", { token: string; expires: number }]
  | ["auth", { t: "auth"; expires?: number; token?: string }]
  | ["notice", { durability: Durability }]
  | ["clients", { clients: ConnectedClient[] }]
  | ["drain", { within: number }]
  | ["bye", { code: string; message: string }];

/**
 * The client's half of the protocol without connection, clock and timers: messages and times in, events and messages
 * out. {@link Session} drives it; it is exported for tests.
 */
export class Core {
  readonly state: "new" | "greeting" | "live" | "away" | "ended";
  readonly session?: { sid: string; cid: number; token: string };
  readonly pending: readonly Outstanding[];
  readonly view?: View;
  readonly epoch: string;
  readonly revision: number;
  /** The highest action that is done or refused. */
  readonly covered: number;

  /** The first message of a connection: of a new session, or with `resume` once there is one. */
  hello(options: Pick<Options, "app" | "params" | "client" | "share">, auth?: string): Hello;
  /** What another Core goes on with after {@link restore}. */
  stored(): object;
  restore(entry: object): void;
  /**
   * Numbers an action and keeps it. The message is there only if it may be sent now. Throws a RangeError if it is too
   * long.
   */
  take(target: { to: number | string; action: Json } | { to: number | string; back: true }): [Outstanding, object?];
  /** The error for an action that is too long. */
  tooLong(): RangeError;
  ack(): object;
  /** A ping, after an ack in an array if there is something new to acknowledge. */
  ping(): object;
  /**
   * Takes one message.
   *
   * @param time milliseconds of a clock that does not go back.
   * @throws an Error if the server has broken the protocol, or its patches did not fit seven times in a minute.
   */
  receive(message: object, time: number): CoreEvent[];
  /** Takes note that the view's hash is not the server's. */
  diverged(time: number): CoreEvent[];
  /** Takes note that the connection has ended. */
  disconnected(code?: number, hasSaidBye?: boolean): CoreEvent[];
  /** Ends the session on the client's side. */
  abandon(): CoreEvent[];
}
