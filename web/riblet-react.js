// Sessions in React: hooks on the session as an external store, which concurrent rendering cannot tear and strict mode may subscribe to twice.
// riblet-react.d.ts documents them.

import { createContext, createElement, useCallback, useContext, useLayoutEffect, useMemo, useRef, useSyncExternalStore } from "react";
import { kinds } from "./field.js";
import { Fields } from "./fields.js";

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

export const usePending = (id) => useEvents("pending", (session) => Fields.isPending(session, id));

export function useNode(id) {
  const { session } = useCurrent();
  const subscribe = useCallback((changed) => session.subscribe(id ?? "", changed), [session, id]);
  const get = () => session.node(id);
  return useSyncExternalStore(subscribe, get, get);
}

export function useAct(id = "") {
  const { session } = useCurrent();
  return useMemo(() =>
    Object.assign((action, options) => Fields.act(session, id, action, options), {
      back: () => Fields.back(session, id),
    }), [session, id]);
}

export function useField(id, name, select, send, options) {
  const { session } = useCurrent(), fields = Fields.of(session, id);
  const it = fields.bind(name, kinds[options?.kind ?? "text"], { ...options, select, send });
  const element = useRef(null), caret = useRef();
  const shown = useSyncExternalStore(useCallback((changed) => {
    const listener = () => {
      const { current } = element, { places } = it.field;
      // React sets the text, and the caret is at its end then.
      if (places && current?.selectionStart != null && current.ownerDocument.activeElement === current) {
        caret.current = [current.selectionStart, current.selectionEnd].map((place) => places[place] ?? place);
      }
      it.field.places = undefined;
      changed();
    };
    it.listeners.add(listener);
    return () => it.listeners.delete(listener);
  }, [it]), () => it.field.shown, () => it.field.shown);
  useLayoutEffect(() => {
    if (caret.current) element.current?.setSelectionRange(...caret.current);
    caret.current = undefined;
  }, [shown]);
  return useMemo(() => {
    const edit = (shown, caret) => fields.edit(it, shown, caret);
    const read = ({ currentTarget: { value, selectionEnd } }) => edit(value, selectionEnd ?? undefined);
    return {
      value: shown,
      edit,
      flush: () => fields.flush(),
      props: {
        value: shown,
        ref: element,
        onChange: read,
        onBlur: () => fields.flush(),
        onCompositionStart: () => fields.compose(it, true),
        onCompositionEnd: (event) => (read(event), fields.compose(it, false)),
      },
    };
  }, [fields, it, shown]);
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
