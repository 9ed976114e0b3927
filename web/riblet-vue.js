// Sessions in Vue 3: nodes as shallow references, which are replaced as wholes and never looked into.
// riblet-vue.d.ts documents them.

import { computed, defineComponent, h, inject, onScopeDispose, shallowRef, toValue, watch } from "vue";
import { kinds } from "./field.js";
import { Fields } from "./fields.js";

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
  const session = useSession(), pending = shallowRef();
  const read = () => (pending.value = Fields.isPending(session, toValue(id)));
  session.addEventListener("pending", read);
  onScopeDispose(() => session.removeEventListener("pending", read));
  watch(() => toValue(id), read, { immediate: true, flush: "sync" });
  return pending;
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

export function useField(id, name, select, send, options) {
  const fields = Fields.of(useSession(), id), it = fields.bind(name, kinds[options?.kind ?? "text"], { ...options, select, send });
  const shown = shallowRef(it.field.shown);
  let element;
  const show = () => {
    const { places } = it.field, { selectionStart: start, selectionEnd: end } = element ?? {};
    it.field.places = undefined;
    if (shown.value === it.field.shown) return;
    shown.value = it.field.shown;
    if (start == null || element.ownerDocument.activeElement !== element) return;
    // Set at once, and not when Vue draws: then the caret would be at the end.
    element.value = shown.value;
    element.setSelectionRange(places?.[start] ?? start, places?.[end] ?? end);
  };
  it.listeners.add(show);
  onScopeDispose(() => it.listeners.delete(show));
  const edit = (value, caret) => {
    fields.edit(it, value, caret);
    show();
  };
  const read = ({ target: { value, selectionEnd } }) => edit(value, selectionEnd ?? undefined);
  const events = {
    ref: (it) => (element = it),
    onInput: read,
    onBlur: () => fields.flush(),
    onCompositionstart: () => fields.compose(it, true),
    onCompositionend: (event) => (read(event), fields.compose(it, false), show()),
  };
  return { value: shown, edit, flush: () => fields.flush(), props: computed(() => ({ ...events, value: shown.value })) };
}

export const Riblet = defineComponent({ props: { id: Number }, setup(props) {
  const { session, views, fallback } = useCurrent(), node = useNode(() => props.id);
  const act = (action, options) => Fields.act(session, props.id ?? "", action, options);
  act.back = () => Fields.back(session, props.id ?? "");
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
