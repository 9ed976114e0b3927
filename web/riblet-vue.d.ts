import type { Act, BindOptions, ViewProps } from "./render.js";
import type { Node, Session, Status } from "./riblet.js";

export type { Act, ViewProps };

/** A reference, as Vue knows them: the types of Vue itself are the program's own. */
interface Reference<T> {
  readonly value: T;
}
type Reactive<T> = T | Reference<T> | (() => T);

/** The plugin that gives an app a session and the views by type: `app.use(riblets, { session, views })`. */
export const riblets: {
  install(app: any, options: {
    session: Session;
    /** Components by type. */
    views: { [type: string]: any };
    /** Draws the types that have no view; by default nothing does. */
    fallback?: any;
  }): void;
};

/** The app's session. */
export function useSession(): Session;

/** The session's status. */
export function useStatus(): Reference<Status>;

/** Whether an action for a node, or any at all, has no answer yet. */
export function usePending(id?: Reactive<number | undefined>): Reference<boolean>;

/** A node, or the root; undefined when it is gone. It is replaced as a whole, and never looked into. */
export function useNode(id?: Reactive<number | undefined>): Reference<Node | undefined>;

/** A control that is bound to the state; see `bind` in render.js for when it sends. */
export interface FieldHandle<T> {
  /** What the control shows. */
  readonly value: Reference<T>;
  /** Takes what the user has made of it; a text has changed before the caret. */
  edit(value: T, caret?: number): void;
  /** Sends what is not sent yet. */
  flush(): void;
  /** For an `input` or a `textarea`: value, listeners and `ref`. */
  readonly props: Reference<any>;
}

/**
 * Binds a control of a node to the state.
 *
 * @param id - the node.
 * @param name - what the control is called among those of its node.
 * @param select - finds the server's value in the node's state.
 * @param send - sends another value as an action of the node.
 */
export function useField<T>(id: number, name: string, select: (state: any) => T, send: (value: T) => void, options?: BindOptions): FieldHandle<T>;

/** Draws a node, or the root, by its type; its prop is `id`. */
export const Riblet: any;

/** Draws what is in front of a node's route: a slot's child, a stack's top, the tab that is selected, all of a list; nothing for a child without a view. Its props are `of` and `name`. */
export const Children: any;
