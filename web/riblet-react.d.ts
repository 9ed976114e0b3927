import type { Act, BindOptions, ViewProps } from "./render.js";
import type { Node, Session, Status } from "./riblet.js";

export type { Act, ViewProps };

/** A component, as React knows them: the types of React itself are the program's own. */
type Component<Props> = (props: Props) => any;

/**
 * Gives the components below a session, and the views by type.
 *
 * The session lives outside of React: `connect` it once, in a module or an event handler, and not in a component, which strict mode calls twice.
 */
export const SessionProvider: Component<{
  session: Session;
  views: { [type: string]: Component<ViewProps> };
  /** Draws the types that have no view; by default nothing does. */
  fallback?: Component<ViewProps>;
  children?: any;
}>;

/** The session of the provider around. */
export function useSession(): Session;

/** The session's status. */
export function useStatus(): Status;

/** Whether an action for a node, or any at all, has no answer yet. */
export function usePending(id?: number): boolean;

/** A node, or the root; undefined when it is gone. The same object as long as nothing has changed it. */
export function useNode(id?: number): Node | undefined;

/** What sends actions to a node, or to the root; the same function as long as session and node are. */
export function useAct(id?: number): Act;

/** A control that is bound to the state; see `bind` in render.js for when it sends. */
export interface FieldHandle<T> {
  /** What the control shows. */
  readonly value: T;
  /** Takes what the user has made of it; a text has changed before the caret. */
  edit(value: T, caret?: number): void;
  /** Sends what is not sent yet. */
  flush(): void;
  /** For an `input` or a `textarea`: value, listeners and `ref`. */
  readonly props: any;
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

/** Draws a node, or the root, by its type. */
export const Riblet: Component<{ id?: number }>;

/** Draws what is in front of a node's route: a slot's child, a stack's top, the tab that is selected, all of a list. Nothing for a child without a view. */
export const Children: Component<{ of: Node; name: string }>;
