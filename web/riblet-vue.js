// Sessions in Vue 3: nodes as shallow references, which are replaced as wholes and never looked into.
// riblet-vue.d.ts documents them.

import { computed, defineComponent, h, inject, onScopeDispose, shallowRef, toValue, watch } from "vue";

const current = Symbol("riblet");

function useCurrent() {
  const found = inject(current, undefined);
  if (!found) throw new Error("The plugin of riblet-vue.js is not installed: app.use(riblets, { session, views }).");
  return found;
}

function useEvents(name, read) {
  const { session } = useCurrent();
  const value = shallowRef(read(session));
  const changed = () => (value.value = read(session));
  session.addEventListener(name, changed);
  onScopeDispose(() => session.removeEventListener(name, changed));
  return value;
}

export const riblets = { install: (app, options) => void app.provide(current, options) };

export const useSession = () => useCurrent().session;

export const useStatus = () => useEvents("status", ({ status }) => status);

export function usePending(id) {
  const pending = useEvents("pending", (session) => session.pending), session = useSession();
  const isFor = (to) => toValue(id) === undefined || to === toValue(id) || (to === "" && session.view?.root === toValue(id));
  return computed(() => pending.value.some(({ to }) => isFor(to)));
}

export function useNode(id) {
  const session = useSession(), node = shallowRef();
  watch(() => toValue(id), (id, before, onCleanup) => {
    const read = () => (node.value = session.node(id));
    onCleanup(session.subscribe(id ?? "", read));
    read();
  }, { immediate: true, flush: "sync" });
  return node;
}

export const Riblet = defineComponent({ props: { id: Number }, setup(props) {
  const { session, views, fallback } = useCurrent(), node = useNode(() => props.id);
  const act = (action, options) => session.act(props.id ?? "", action, options);
  act.back = () => session.back(props.id);
  return () => {
    const shown = node.value, View = shown && (Object.hasOwn(views, shown.type) ? views[shown.type] : fallback);
    return View ? h(View, { id: props.id ?? session.view.root, node: shown, state: shown.state, act }) : null;
  };
} });

export const Children = ({ of: { children }, name }) => {
  const { kind, ids, selected } = children?.[name] ?? { ids: [] };
  const shown = kind === "stack" ? ids.slice(-1) : kind === "tabs" ? ids.slice(selected, selected + 1) : ids;
  return shown.filter((id) => id !== null).map((id) => h(Riblet, { key: id, id }));
};
Children.props = ["of", "name"];
