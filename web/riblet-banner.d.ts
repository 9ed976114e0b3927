import type { Session } from "./riblet.js";

/** What the banner says. A text or function that is left out is in English. */
export interface Words {
  /** There was no connection yet. */
  none: string;
  /** The connection is lost. */
  lost: string;
  /** The device has no network. */
  offline: string;
  /** How many actions wait for the connection, and whether a reload would keep them ({@link Session.stored}). */
  waiting(count: number, isStored: boolean): string;
  /** An attempt to connect is under way. */
  connecting: string;
  /** When the next attempt is. */
  next(seconds: number): string;
  /** What the button says that connects at once. */
  tryNow: string;
  /** The connection is there again. */
  back: string;
  /** All actions that waited are done. */
  done(count: number): string;
  /** Some actions that waited are done, some are refused, and of some it is not known. */
  mixed(done: number, refused: number, unknown: number): string;
  signedOut: string;
  ended: string;
}

/**
 * Shows a banner at the top of an element while the session has no connection: how many actions wait, when the next attempt is, and a button that
 * connects at once. When the connection is back, it says what has become of what waited, and goes.
 *
 * The banner waits 0.8 s before it shows. It is in the flow, and stays at the top as the user scrolls. Its colours are the
 * custom properties `--riblet-banner-background`, `--riblet-banner-color`, `--riblet-banner-back-background` and `--riblet-banner-back-color`.
 *
 * @param parent - the body, unless told.
 * @param words - what it says, in another language.
 * @returns what removes it.
 */
export function banner(session: Session, parent?: Element, words?: Partial<Words>): () => void;
