// Sessions in React: hooks on the session as an external store, which concurrent rendering cannot tear and strict mode may subscribe to twice.
// riblet-react.d.ts documents them.

import { createContext, createElement, useCallback, useContext, useMemo, useSyncExternalStore } from "react";

const Current = createContext(undefined);

function useCurrent() {
  const current = useContext(Current);
  if (!current) throw new Error("There is no SessionProvider around this component.");
  return current;
}

function useEvents(name, read) {
  const { session } = useCurrent();
  const subscribe = useCallback((changed) => {
    session.addEventListener(name, changed);
    return () => session.removeEventListener(name, changed);
  }, [session, name]);
  const get = () => read(session);
  return useSyncExternalStore(subscribe, get, get);
}

export function SessionProvider({ session, views, fallback, children }) {
  const value = useMemo(() => ({ session, views, fallback }), [session, views, fallback]);
  return createElement(Current.Provider, { value }, children);
}

export const useSession = () => useCurrent().session;

export const useStatus = () => useEvents("status", ({ status }) => status);

export const usePending = (id) => useEvents("pending", ({ pending, view }) =>
  pending.some(({ to }) => id === undefined || to === id || (to === "" && view?.root === id)));

export function useNode(id) {
  const { session } = useCurrent();
  const subscribe = useCallback((changed) => session.subscribe(id ?? "", changed), [session, id]);
  const get = () => session.node(id);
  return useSyncExternalStore(subscribe, get, get);
}

export function useAct(id = "") {
  const { session } = useCurrent();
  return useMemo(() =>
    Object.assign((action, options) => session.act(id, action, options), { back: () => session.back(id) }), [session, id]);
}

export function Riblet({ id }) {
  const { session, views, fallback } = useCurrent(), node = useNode(id), act = useAct(id);
  const View = node && (Object.hasOwn(views, node.type) ? views[node.type] : fallback);
  return View ? createElement(View, { id: id ?? session.view.root, node, state: node.state, act }) : null;
}

export function Children({ of: { children }, name }) {
  const { kind, ids, selected } = children?.[name] ?? { ids: [] };
  const shown = kind === "stack" ? ids.slice(-1) : kind === "tabs" ? ids.slice(selected, selected + 1) : ids;
  return shown.filter((id) => id !== null).map((id) => createElement(Riblet, { key: id, id }));
}
