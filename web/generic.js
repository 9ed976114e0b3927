/**
 * Draws any riblet from what the server says of it: its view state as it is, its children by the kind of their route,
 * and a form for each of its actions out of the app's schema. For types that nobody has written a view for.
 * @typedef {import("./generic.d.ts")} G
 */

import { each, h } from "./render.js";

/** A type that the schema does not have is asked for again after so many milliseconds. */
const patience = 5000;
/** From this many rows on, a table is made of elements that a browser can leave out while they are not in sight. */
const manyRows = 100;
const mostColumns = 6;

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);

/** @type {G["humanize"]} */
export function humanize(name) {
  const words = String(name).replace(/[_-]+/g, " ").trim()
    .replace(/([a-z\d])([A-Z])/g, "$1 $2").replace(/([A-Z])([A-Z][a-z])/g, "$1 $2").split(" ");
  const lower = words.map((word) => (/^[A-Z]{2,}\d*$/.test(word) ? word : word.toLowerCase())).join(" ");
  return lower.charAt(0).toUpperCase() + lower.slice(1);
}

// The schema, as forms

/** @type {G["actionForms"]} */
export function actionForms(schema) {
  if (schema === false || schema == null) return [];
  // A short form of an action means what one of the others does.
  const cases = (schema.oneOf ?? [schema]).filter(({ title }) => title !== "Short forms");
  const forms = cases.map(caseForms);
  return forms.every(Boolean) ? forms.flat() : [anyForm];
}

/** For actions of which the schema says nothing. */
const anyForm = {
  name: undefined, label: "Action", isBare: false,
  fields: [{ name: undefined, kind: "json", label: "JSON", isRequired: true, schema: {} }],
};

function caseForms(schema) {
  const bare = choices(schema) ?? ("const" in schema ? [schema.const] : undefined);
  if (bare?.every((name) => typeof name === "string")) {
    return bare.map((name) => ({ name, label: humanize(name), isBare: true, fields: [] }));
  }
  const [name, ...others] = Object.keys(schema.properties ?? {});
  if (name === undefined || others.length) return undefined;
  const payload = schema.properties[name];
  const secrecy = holdsSecret(payload) && { isSecret: true };
  return [{ name, label: humanize(name), isBare: false, fields: payloadFields(payload), ...secrecy }];
}

/** The values of an enum. `{"x":{}}` is left out where there is "x", which means the same. */
const choices = ({ enum: values }) =>
  values?.filter((value) => !(isObject(value) && values.includes(Object.keys(value)[0])));

/** Whether the schema or a part of it is `writeOnly`, as that of a password. */
function holdsSecret(schema) {
  if (Array.isArray(schema)) return schema.some(holdsSecret);
  return isObject(schema) && (schema.writeOnly === true || Object.values(schema).some(holdsSecret));
}

function payloadFields(payload) {
  // A payload that is not spelled out is asked for as a whole.
  if (!payload.properties) return [{ ...anyForm.fields[0], label: "Payload", schema: payload }];
  return Object.entries(payload.properties).map(([name, schema]) => ({
    name,
    label: fieldLabel(name),
    isRequired: payload.required?.includes(name) ?? false,
    ...control(withoutNull(schema), payload.required?.includes(name) ?? false),
  }));
}

function fieldLabel(name) {
  const place = /^_(\d+)$/.exec(name);
  return place ? (place[1] === "0" ? "Value" : `Value ${Number(place[1]) + 1}`) : humanize(name);
}

/** What an optional is of: `{"type":["integer","null"]}` and `{"anyOf":[…,{"type":"null"}]}` are integers. */
function withoutNull(schema) {
  const choices = (schema.anyOf ?? []).filter((choice) => choice.type !== "null");
  if (choices.length === 1) return choices[0];
  if (!Array.isArray(schema.type)) return schema;
  const types = schema.type.filter((type) => type !== "null");
  return types.length === 1 ? { ...schema, type: types[0] } : schema;
}

function control(schema, isRequired) {
  if (schema.enum) return { kind: "select", options: choices(schema), schema };
  // A box cannot be left empty.
  if (schema.type === "boolean" && !isRequired) return { kind: "select", options: [true, false], schema };
  if (schema.type === "boolean") return { kind: "boolean", schema };
  if (schema.type === "integer" || schema.type === "number") return { kind: schema.type, schema };
  // A decimal number is a string of its digits, or a number.
  const isText = schema.type === "string" || (schema.pattern !== undefined && schema.type?.includes("string"));
  if (!isText) return { kind: "json", schema };
  if (schema.writeOnly) return { kind: "secret", schema };
  const kinds = { "date-time": "date-time", uri: "uri", "uri-reference": "uri", uuid: "uuid" };
  return { kind: kinds[schema.format] ?? "string", schema };
}

// What was entered, as an action

/** @type {G["toAction"]} */
export function toAction(form, entered) {
  if (form.isBare) return { action: form.name };
  const errors = {}, payload = {};
  let whole;
  form.fields.forEach((field, index) => {
    const { value, error } = read(field, entered[index]);
    if (error) errors[index] = error;
    else if (field.name === undefined) whole = value;
    else if (value !== undefined) payload[field.name] = value;
  });
  if (Object.keys(errors).length) return { errors };
  if (form.name === undefined) return { action: whole };
  return { action: { [form.name]: form.fields.some((field) => field.name === undefined) ? whole : payload } };
}

/** The value of a field, `undefined` for one that was left empty, or what is wrong with it. */
function read({ kind, isRequired, options, schema }, text) {
  if (kind === "boolean") return { value: Boolean(text) };
  if ((kind === "string" || kind === "secret") && (text !== "" || isRequired)) return { value: text };
  if (text.trim() === "") return isRequired ? { error: "Enter a value." } : {};
  switch (kind) {
    case "select": return { value: options[Number(text)] };
    case "integer": return readNumber(text, schema, Number.isSafeInteger, "Enter a whole number.");
    case "number": return readNumber(text, schema, Number.isFinite, "Enter a number.");
    case "date-time": return readDate(text);
    case "uri": return readText(text.trim(), URL.canParse(text.trim()), "Enter a URL, such as https://example.com/.");
    case "uuid": return readText(text.trim(), uuid.test(text.trim()), "Enter a UUID.");
    default: return readJSON(text, schema);
  }
}

function readNumber(text, { minimum, maximum }, isRight, error) {
  const value = Number(text);
  if (!isRight(value)) return { error };
  if (value < minimum) return { error: `Enter ${minimum} or more.` };
  if (value > maximum) return { error: `Enter ${maximum} or less.` };
  return { value };
}

const uuid = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i;

const readText = (value, isRight, error) => (isRight ? { value } : { error });

function readDate(text) {
  const date = new Date(text);
  if (Number.isNaN(date.getTime())) return { error: "Enter a date and a time." };
  // Not all decoders take fractions of a second.
  return { value: date.toISOString().replace(/\.\d+/, "") };
}

function readJSON(text, schema) {
  try {
    const value = JSON.parse(text);
    if (schema.type === "array" && !Array.isArray(value)) return { error: "Enter a JSON array, such as [1, 2]." };
    if (schema.type === "object" && !isObject(value)) return { error: "Enter a JSON object, such as {\"a\": 1}." };
    return { value };
  } catch (error) {
    return { error: `This is not JSON: ${error.message}` };
  }
}

// Where schemas come from

/** @type {G["schemaSource"]} */
export function schemaSource(load, now = Date.now) {
  let types = {}, loading;
  const asked = new Map();
  const find = (type) => (Object.hasOwn(types, type) ? types[type] : undefined);
  return (type) => {
    if (find(type)) return find(type);
    if (loading) return loading.then(() => find(type));
    if (now() - (asked.get(type) ?? -Infinity) < patience) return undefined;
    asked.set(type, now());
    // Without a schema there are no forms, and the rest is drawn all the same.
    loading = Promise.resolve().then(load).then((schema) => { types = schema?.types ?? {}; }, () => {})
      .finally(() => { loading = undefined; });
    return loading.then(() => find(type));
  };
}

// The state

function drawValue(value) {
  if (value == null) return h("span", { class: "rib-null" }, "none");
  if (Array.isArray(value)) return drawArray(value);
  if (isObject(value)) return Object.keys(value).length === 1 ? drawCase(value) : drawObject(value);
  if (value === "") return h("span", { class: "rib-empty" }, "empty");
  return h("span", { class: `rib-${typeof value}` }, String(value));
}

/** A case of an enum and what it carries; an object with one member reads well in the same way. */
function drawCase(value) {
  const [name] = Object.keys(value);
  const payload = value[name];
  const isEmpty = isObject(payload) && Object.keys(payload).length === 0;
  const content = isObject(payload) && Object.keys(payload).join() === "_0" ? payload._0 : payload;
  return h("div", { class: "rib-case" },
    h("span", { class: "rib-tag" }, humanize(name)), !isEmpty && drawValue(content));
}

function drawObject(value) {
  const members = Object.entries(value);
  if (members.length === 0) return h("span", { class: "rib-empty" }, "empty");
  return h("dl", { class: "rib-object" }, members.map(([name, member]) =>
    h("div", { key: name, class: "rib-member" }, h("dt", null, fieldLabel(name)), h("dd", null, drawValue(member)))));
}

/** @type {G["tableColumns"]} */
export function tableColumns(rows) {
  const columns = new Set();
  for (const row of rows) {
    if (!isObject(row)) return undefined;
    for (const name in row) {
      if (typeof row[name] === "object" && row[name] !== null) return undefined;
      columns.add(name);
    }
    if (columns.size > mostColumns) return undefined;
  }
  return columns.size ? [...columns] : undefined;
}

/** Rows by their ids; those that have none, or share one, by their places. */
const drawRows = (rows, row) => each(rows, (item) => item?.id, row);

function drawArray(rows) {
  if (rows.length === 0) return h("span", { class: "rib-empty" }, "none");
  const columns = tableColumns(rows);
  if (columns) return rows.length < manyRows ? drawTable(rows, columns) : drawLongTable(rows, columns);
  const lazy = rows.length < manyRows ? undefined : "rib-lazy";
  return h("ul", { class: "rib-items" }, drawRows(rows, (row) => h("li", { class: lazy }, drawValue(row))));
}

// Rows are not drawn again when a column is added: the columns are the table's key.

function drawTable(rows, columns) {
  return h("table", { class: "rib-table", key: columns.join() },
    h("thead", null, h("tr", null, columns.map((name) => h("th", { scope: "col" }, fieldLabel(name))))),
    h("tbody", null, drawRows(rows, (row) =>
      h("tr", null, columns.map((name) => h("td", null, drawValue(row[name])))))));
}

/** `content-visibility` does nothing for a `tr`, so that a long table is made of other elements. */
function drawLongTable(rows, columns) {
  const cells = (role, content) => columns.map((name) => h("span", { role, class: "rib-cell" }, content(name)));
  return h("div", { role: "table", class: "rib-table rib-long", key: columns.join(), "aria-rowcount": rows.length + 1,
    style: { "--rib-columns": columns.length } },
    h("div", { role: "row", class: "rib-row rib-head" }, cells("columnheader", fieldLabel)),
    drawRows(rows, (row) =>
      h("div", { role: "row", class: "rib-row rib-lazy" }, cells("cell", (name) => drawValue(row[name])))));
}

// The forms

let forms = 0;

/** What came of a node's last actions, by form; the view of a node has nowhere else to keep it. */
const results = new WeakMap();

async function send(form, action, act, redraw) {
  const told = (message) => {
    results.get(act).set(form.label, { message });
    redraw();
  };
  try {
    const outcome = await act(action, { secret: form.isSecret });
    if (outcome.status === "refused") told(outcome.nack.message);
    else if (outcome.status === "unsent") told(outcome.message);
    else told(outcome.status === "unknown" ? "The server may or may not have done this." : undefined);
  } catch (error) {
    told(error.message);
  }
}

const drawMessage = (message) => message && h("p", { role: "alert", class: "rib-message" }, message);

function drawButton(form, act, redraw) {
  const { message } = results.get(act).get(form.label) ?? {};
  const onclick = () => send(form, toAction(form, []).action, act, redraw);
  return h("div", { class: "rib-action" },
    h("button", { type: "button", class: "rib-button", onclick }, form.label), drawMessage(message));
}

function drawForm(form, act, redraw, name) {
  const { message, errors = {} } = results.get(act).get(form.label) ?? {};
  const onsubmit = (event) => {
    event.preventDefault();
    const element = event.currentTarget;
    const inputs = form.fields.map((_, index) => element.elements[`f${index}`]);
    const { action, errors } = toAction(form, inputs.map(entered));
    results.get(act).set(form.label, { errors });
    redraw();
    if (errors) return element.querySelector("[aria-invalid=true]").focus();
    // A secret leaves the form as soon as it is read.
    form.fields.forEach(({ schema }, index) => { if (holdsSecret(schema)) inputs[index].value = ""; });
    send(form, action, act, redraw);
  };
  return h("form", { class: "rib-form", novalidate: true, onsubmit },
    h("fieldset", null, h("legend", null, form.label),
      form.fields.map((field, index) => drawField(field, `${name}-${index}`, `f${index}`, errors[index])),
      h("button", { type: "submit", class: "rib-button" }, "Send")),
    drawMessage(message));
}

/** A number field that holds no number says that it is empty. */
const entered = (input) => (input.type === "checkbox" ? input.checked : input.validity.badInput ? "?" : input.value);

function drawField(field, id, name, error) {
  const shared = { id, name, "aria-invalid": error ? true : null, "aria-describedby": error ? `${id}-error` : null,
    "aria-required": field.isRequired && field.kind !== "boolean" ? true : null };
  return h("div", { class: "rib-field" },
    h("label", { for: id }, field.label, !field.isRequired && h("span", { class: "rib-optional" }, " (optional)")),
    drawInput(field, shared),
    error && h("p", { id: `${id}-error`, class: "rib-error-text" }, error));
}

/** A bound of a number field. One that is no exact number here, such as that of 64 bits, would upset the field's steps. */
const bound = (number) => (Math.abs(number) <= Number.MAX_SAFE_INTEGER ? number : undefined);

function drawInput({ kind, options, isRequired, schema }, shared) {
  const min = bound(schema.minimum), max = bound(schema.maximum);
  switch (kind) {
    case "boolean": return h("input", { type: "checkbox", ...shared });
    case "integer": return h("input", { type: "number", step: 1, min, max, ...shared });
    case "number": return h("input", { type: "number", step: "any", min, max, ...shared });
    case "date-time": return h("input", { type: "datetime-local", step: 1, ...shared });
    case "uri": return h("input", { type: "url", ...shared });
    case "secret": return h("input", { type: "password", autocomplete: "off", ...shared });
    case "json": return h("textarea", { rows: 3, spellcheck: "false", autocomplete: "off", ...shared });
    case "select":
      return h("select", shared, !isRequired && h("option", { value: "" }, "None"), options.map((option, index) =>
        h("option", { value: index }, typeof option === "string" ? humanize(option) : JSON.stringify(option))));
    default: return h("input", { type: "text", autocomplete: "off", ...shared });
  }
}

/** @type {G["generic"]} */
export function generic({ schema, app, url } = {}) {
  const load = schema ?? (app === undefined ? () => undefined : () => fetchSchema(app, url));
  const source = schemaSource(load);
  const names = new WeakMap();
  return (state, act, children, { type, redraw }) => {
    if (!results.has(act)) results.set(act, new Map());
    if (!names.has(act)) names.set(act, `rib-form${++forms}`);
    let known = source(type);
    if (known instanceof Promise) {
      known.then((found) => { if (found) redraw(); });
      known = undefined;
    }
    const all = actionForms(known?.action);
    const buttons = all.filter((form) => form.fields.length === 0), filled = all.filter((form) => form.fields.length);
    const routes = Object.values(children).filter((route) => !route.name.includes("/") && route.nodes().length);
    return h("section", { class: "rib-node", "data-type": type },
      h("h2", { class: "rib-title" }, humanize(type)),
      isObject(state) ? Object.keys(state).length > 0 && drawObject(state) : drawValue(state),
      buttons.length > 0 && h("div", { class: "rib-actions" }, buttons.map((form) => drawButton(form, act, redraw))),
      filled.map((form, index) => drawForm(form, act, redraw, `${names.get(act)}-${index}`)),
      routes.map((route) => h("div", { key: route.name, class: "rib-route" },
        h("p", { class: "rib-route-name" }, humanize(route.name)), route)));
  };
}

async function fetchSchema(app, url = location.origin) {
  const response = await fetch(new URL(`/v1/apps/${encodeURIComponent(app)}/schema`, url));
  if (!response.ok) throw new Error(`The server has no schema for ${app}: ${response.status}`);
  return response.json();
}
