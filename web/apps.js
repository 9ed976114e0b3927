// How each of the showcase's riblets is drawn: one view per type, by the names that the server gives them.
//
// A view is a function of the node's state. It keeps nothing: what is typed, opened or chosen is on the server, and
// comes back as a patch. The one exception is the catalog's filter, which is nobody's business but the page's.

import { define, detail, each, h, list, modal, stack, tabs } from "./render.js";

/**
 * What the page says about an app before it is opened, and whether the app requires its user to sign in.
 * @type {Record<string, {title: string, about: string, more: string, wantsPerson?: boolean}>}
 */
export const apps = {
  "counter": {
    title: "Counter",
    about: "A number, up and down",
    more: "One riblet, three actions. With prediction on, the number changes before the server has answered.",
  },
  "counter-riv": {
    title: "Counter, as RIV",
    about: "The same, in another style",
    more: "An interactor class and a reducer instead of one struct. The page cannot tell the two apart.",
  },
  "home-detail": {
    title: "Home and detail",
    about: "Riblets that open riblets",
    more: "The root opens a home, and the home a detail of its count. Each is closed by whoever opened it.",
  },
  "tabs": {
    title: "Tabs",
    about: "Three tabs with stacks",
    more: "Which tab is in front, and how deep it is, is on the server: reload the page, and you are where you were.",
  },
  "search": {
    title: "Search",
    about: "A request that takes a while",
    more: "The text you type is the server’s. A new search cancels the one before, and “fail” makes it fail.",
  },
  "profile": {
    title: "Profile",
    about: "One router for all pages",
    more: "The pages know nothing of each other. They tell their router where to go, and it puts a page on the stack.",
  },
  "login": {
    title: "Login",
    about: "Busy, refused, logged in",
    more: "The service takes half a second and is not there the first time. The parent learns only that it worked.",
  },
  "boundaries": {
    title: "Boundaries",
    about: "A parent and its children",
    more: "The parent’s state holds its children’s: always one, one or none, and any number.",
  },
  "screens": {
    title: "Screens",
    about: "Views that come and go",
    more: "Two views that can be there or not, a count of this session, and one that all sessions share.",
  },
  "catalog": {
    title: "Catalog",
    about: "Ten thousand rows",
    more: "The list is long, and the patches are short: a changed row is one operation, and one row is drawn again.",
  },
  "room": {
    title: "Room",
    about: "A chat, and who is there",
    more: "Open it in a second window: whoever closes the last one is gone. What was being sent when the server was killed is sent once.",
  },
  "members": {
    title: "Members",
    about: "Who is signed in may do what",
    more: "Everybody reads the notices, writers and bosses post, bosses erase. The server decides; the page only leaves out buttons.",
    wantsPerson: true,
  },
  "ledger": {
    title: "Ledger",
    about: "Payments, once each",
    more: "Each payment has a number and is written once. “Run away” never ends: the server undoes and refuses it.",
  },
};

/**
 * What the counter will show once the server has done what was asked of it.
 * @type {import("./riblet.js").Options["optimistic"]}
 */
export const predictions = {
  Counter(state, action) {
    const name = typeof action === "string" ? action : Object.keys(action)[0];
    const next = { increment: state.count + 1, decrement: state.count - 1, reset: 0 }[name];
    return next === undefined ? state : { ...state, count: next, isNegative: next < 0 };
  },
};

/** Tells of actions that could not be sent: events "unsent" whose `detail` is `{session, message}`. */
export const failures = new EventTarget();

/** What becomes of an action that was sent is the session's to tell, in one place for all views. */
function sent(session, answer) {
  answer.catch(({ message }) => {
    failures.dispatchEvent(Object.assign(new Event("unsent"), { detail: { session, message } }));
  });
}

/** The types that there are views for. */
export const types = [];

/** Defines a type's view, whose `act` has nothing to wait for. `act.root` is for the root instead. */
function screen(type, view) {
  types.push(type);
  define(type, (state, act, children, context) => {
    const { session } = context;
    const send = (action, options) => sent(session, act(action, options));
    send.root = (action) => sent(session, session.act("", action));
    return view(state, send, children, context);
  });
}

// Parts

const button = (text, onclick, props) => h("button", { type: "button", class: "button", onclick, ...props }, text);
const primary = (text, onclick, props) => button(text, onclick, { class: "button button-primary", ...props });
const heading = (text) => h("h3", { class: "screen-title", tabindex: "-1" }, text);
const note = (text) => h("p", { class: "note" }, text);
const isOpen = (route) => route?.ids.some((id) => id !== null) ?? false;

/** A number with a button at either side. */
function stepper(label, value, { minus, plus, add = "Increment", subtract = "Decrement" }) {
  return h("div", { class: "stepper", role: "group", "aria-label": label },
    h("span", { class: "stepper-label" }, label),
    minus && button("−", minus, { class: "button button-round", "aria-label": subtract }),
    h("output", { class: "stepper-value", "aria-label": label }, String(value)),
    plus && button("+", plus, { class: "button button-round", "aria-label": add }));
}

/** A line that leads somewhere. */
function link(text, onclick, hint) {
  return h("li", null,
    h("button", { type: "button", class: "line", onclick },
      h("span", null, text), hint && " ", hint && h("small", null, hint),
      h("span", { class: "line-arrow", "aria-hidden": "true" }, "›")));
}

// counter, counter-riv

screen("Counter", (state, act) =>
  h("div", { class: "counter" },
    h("output", {
      class: state.isNegative ? "figure is-negative" : "figure",
      "aria-label": "Count",
      "data-digits": Math.min(String(state.count).length, 9),
    }, String(state.count).replace("-", "−")),
    h("div", { class: "counter-buttons" },
      button("−", () => act("decrement"), { class: "button button-large", "aria-label": "Decrement" }),
      button("+", () => act("increment"), { class: "button button-large button-primary", "aria-label": "Increment" })),
    button("Reset", () => act("reset"), { class: "button button-quiet" })));

// home-detail

screen("Root", (state, act, children) =>
  h("div", { class: "column" },
    heading("Root"),
    isOpen(children.home)
      ? null
      : h("div", { class: "empty" },
        note("Nothing is open."),
        primary("Open home", () => act("homeTapped"))),
    detail(children.home)));

screen("Home", (state, act, children) =>
  h("div", { class: "card column" },
    h("div", { class: "card-head" },
      h("h4", { tabindex: "-1" }, "Home"),
      button("Close home", () => act("closeTapped"), { class: "button button-quiet" })),
    stepper("Count", state.count, { minus: () => act("minusTapped"), plus: () => act("plusTapped") }),
    primary("Show detail", () => act("detailTapped")),
    modal(children.detail, { label: "Detail" })));

screen("Detail", (state, act) =>
  h("div", { class: "column" },
    h("h3", { class: "screen-title", tabindex: "-1" }, "Detail"),
    note("The count, as it was when this was opened:"),
    h("p", { class: "figure figure-small" }, String(state.count)),
    button("Close", () => act("closeTapped"))));

// tabs

const tabTitles = { appHome: "Home", financeHome: "Finance", profileHome: "Profile" };

screen("AppRoot", (state, act, children) =>
  tabs(children.tabs, {
    titles: state.titles.map((title) => tabTitles[title] ?? title),
    select: (index) => act({ select: index }),
    label: "Tabs of the app",
  }));

screen("NavigationContainer", (state, act, children) =>
  stack(children.pages, { title: (node) => node.state.title }));

screen("AppHome", (state, act) =>
  h("div", { class: "column" },
    heading(state.title),
    note("The lowest page of this tab’s stack."),
    h("ul", { class: "lines" }, link("Transport", () => act("transportHomeTapped"), "a page on top of this one"))));

screen("TransportHome", (state, act) =>
  h("div", { class: "column" },
    heading(state.title),
    note("Go to another tab and come back: this page is still here."),
    button("Close", () => act("closeTapped"))));

screen("FinanceHome", (state) => h("div", { class: "column" },
  heading(state.title), note("A tab with a stack that has one page.")));

screen("ProfileHome", (state) => h("div", { class: "column" },
  heading(state.title), note("A tab without a stack.")));

// search

/** Typing is sent once it pauses, and before anything else is done with the text. */
const typing = new WeakMap();

function typed(session, action, act) {
  clearTimeout(typing.get(session)?.timer);
  const flush = () => {
    typing.delete(session);
    act(action);
  };
  typing.set(session, { flush, timer: setTimeout(flush, 150) });
}

function flushTyped(session) {
  const waiting = typing.get(session);
  clearTimeout(waiting?.timer);
  waiting?.flush();
}

screen("Search", (state, act, children, { session }) => {
  const after = (action) => () => {
    flushTyped(session);
    act(action);
  };
  const submit = (event) => {
    event.preventDefault();
    after("submitSearch")();
  };
  return h("div", { class: "column" },
    h("form", { class: "search", role: "search", "aria-label": "The catalogue", onsubmit: submit },
      h("label", { class: "field" },
        h("span", null, "Search the catalogue"),
        h("input", {
          type: "search", name: "text", value: state.text, autocomplete: "off", spellcheck: "false",
          placeholder: "a fruit, or “fail”", oninput: (event) => typed(session, { updateSearchText: event.target.value }, act),
        })),
      h("div", { class: "button-row" },
        h("button", { type: "submit", class: "button button-primary" }, "Search"),
        button("Show all", () => act("load")),
        button("Clear", after("clearSearch")))),
    h("div", { class: "results" }, ...found(state.results, act)),
    button("What was searched for?", after({ toggleAlert: true }), { class: "button button-quiet" }),
    state.alert ? alert(state.alert, () => act({ toggleAlert: false })) : null,
    modal(children.detail, { label: "Item" }));
});

function found(results, act) {
  if (results.loading) {
    return [
      h("p", { class: "results-count", role: "status", key: "count" }, "Searching…"),
      h("div", { class: "skeleton", "aria-hidden": "true", key: "skeleton" }, h("i"), h("i"), h("i")),
    ];
  }
  if (results.failed) {
    return [
      h("p", { class: "results-count", role: "status", key: "count" }, "Not found out."),
      h("div", { class: "failure", role: "alert", key: "failure" },
        h("p", null, results.failed._0), button("Try again", () => act("submitSearch"))),
    ];
  }
  const items = results.loaded?._0;
  const count = items ? `${items.length} found` : "Nothing searched for yet.";
  return [
    h("p", { class: "results-count", role: "status", key: "count" }, count),
    items?.length
      ? h("ul", { class: "lines", key: "items" },
        each(items, (item) => item, (item) => link(item, () => act({ open: item }))))
      : null,
  ];
}

/** A dialog that is open as long as the state says so: closing it is asked for, and done when the server has. */
function alert({ title, message }, close) {
  return h("dialog", {
    key: "alert", class: "sheet alert", role: "alertdialog", "aria-label": title, ref: show,
    oncancel(event) {
      event.preventDefault();
      close();
    },
    // At the second Esc in a row a browser does not ask.
    onclose() {
      if (this.isConnected) this.showModal();
    },
  },
    h("h3", null, title),
    h("p", null, message),
    primary("OK", close));
}

/** Closed before it is taken out, so that the browser gives the focus back to where it was. */
const show = (dialog, gone) => (dialog ? dialog.showModal() : gone.close());

screen("SearchDetail", (state, act) =>
  h("div", { class: "column" },
    heading(state.item),
    note("One item of those that were found."),
    button("Close", () => act("closeTapped"))));

// profile

screen("ProfileNavigationRouter", (state, act, children) =>
  stack(children.pages, { title: (node) => node.state.title ?? `User ${node.state.userId}` }));

const userLinks = (act) => ["42", "7"].map((userId) =>
  link(`User ${userId}`, () => act.root({ showDetails: { userId } }), "show details"));

screen("Profile", (state, act) =>
  h("div", { class: "column" },
    heading(state.title),
    h("ul", { class: "lines" }, link("Settings", () => act.root("showSettings")), ...userLinks(act))));

screen("Settings", (state, act) =>
  h("div", { class: "column" },
    heading(state.title),
    note("The settings know nothing of the profile; the router does."),
    h("ul", { class: "lines" }, ...userLinks(act)),
    button("Dismiss", () => act.root("dismiss"))));

screen("UserDetails", (state, act) =>
  h("div", { class: "column" },
    h("span", { class: "monogram", "aria-hidden": "true" }, state.userId.slice(0, 3)),
    heading(`User ${state.userId}`),
    h("ul", { class: "lines" }, link("Settings", () => act.root("showSettings"))),
    button("Dismiss", () => act.root("dismiss"))));

// login

screen("LoginRoot", (state, act, children) =>
  h("div", { class: "column column-centre" },
    state.user === undefined
      ? null
      : h("div", { class: "column column-centre", key: "user" },
        h("span", { class: "monogram", "aria-hidden": "true" }, state.user[0]),
        h("div", { role: "status" }, heading(`Hello, ${state.user}`)),
        button("Log out", () => act("logOut"))),
    detail(children.login)));

screen("Login", (state, act) =>
  h("div", { class: "column column-centre" },
    heading("Log in"),
    note("There is nothing to fill in. The first attempt fails."),
    h("button", {
      type: "button", class: "button button-primary button-busy", onclick: () => act("onTapLoginButton"),
      "aria-busy": String(state.isLoading), "aria-disabled": String(state.isLoading),
    }, state.isLoading ? "Logging in…" : "Log in"),
    signIn(act),
    h("p", { class: "field-error", role: "alert" }, state.error ?? "")));

/** The form for a name and a password. Its action is sent as a secret, and so is not in the storage of the browser. */
function signIn(act) {
  const submit = (event) => {
    event.preventDefault();
    const { name, password } = event.currentTarget.elements;
    act({ signInTapped: { name: name.value, password: password.value } }, { secret: true });
    password.value = "";
  };
  return h("form", { class: "column", "aria-label": "Account", onsubmit: submit },
    note("Or with a name of your own, and the password “swordfish”."),
    h("label", { class: "field" }, h("span", null, "Name"),
      h("input", { name: "name", required: true, autocomplete: "off" })),
    h("label", { class: "field" }, h("span", null, "Password"),
      h("input", { name: "password", type: "password", required: true, autocomplete: "off" })),
    h("div", { class: "button-row" }, h("button", { type: "submit", class: "button" }, "Sign in")));
}

// boundaries

screen("Parent", (state, act, children) =>
  h("div", { class: "column" },
    h("div", { class: "card-head" },
      heading("Parent"),
      h("p", { class: "badge" }, "Total ", h("output", { "aria-label": "Total" }, String(state.total)))),
    h("h4", { class: "label" }, "Always one"),
    detail(children.child),
    h("h4", { class: "label" }, "Any number"),
    list(children.rows),
    h("div", { class: "button-row" },
      button("Add row", () => act("addRow")),
      button("Show sheet", () => act("showSheet"))),
    h("h4", { class: "label" }, "Finished"),
    h("p", { class: "note finished", role: "status" }, state.finished.join(", ") || "None yet."),
    modal(children.sheet, { label: "Sheet" })));

screen("Child", (state, act, children, { id }) =>
  h("div", { class: "child", role: "group", "aria-label": `Child ${id}` },
    h("span", { class: "child-name" }, `Child ${id}`),
    h("output", { class: "stepper-value", "aria-label": "Count" }, String(state.count)),
    button("Increment", () => act("increment")),
    button("Finish", () => act("finish"))));

// screens

screen("Main", (state, act, children) => stack(children.screens, { title: (node) => node.state.title ?? "Screen 1" }));

function subViewSwitch(number, route, act) {
  const isOn = isOpen(route);
  const change = () => act(isOn ? `didSelectToRemoveSubView${number}` : `didSelectToAddSubView${number}`);
  return h("button", { type: "button", class: "toggle", role: "switch", "aria-checked": String(isOn), onclick: change },
    `Sub-view ${number}`);
}

screen("Screen1", (state, act, children) =>
  h("div", { class: "column" },
    heading("Screen 1"),
    h("div", { class: "toggles" },
      subViewSwitch(1, children.subView1, act), subViewSwitch(2, children.subView2, act)),
    h("div", { class: "slots" },
      h("div", { class: "place" }, detail(children.subView1)),
      h("div", { class: "place" }, detail(children.subView2))),
    stepper("All sessions", state.globalCount, {
      minus: () => act({ didSetGlobalCount: state.globalCount - 1 }),
      plus: () => act({ didSetGlobalCount: state.globalCount + 1 }),
    }),
    stepper("This session", state.localCount, {
      minus: () => act({ didSetLocalCount: state.localCount - 1 }),
      plus: () => act({ didSetLocalCount: state.localCount + 1 }),
    }),
    primary("Next screen", () => act("didSelectToGoToNextScreen"))));

for (const type of ["Screen1SubView1", "Screen1SubView2"]) {
  screen(type, (state) => h("p", { class: "slot" }, state.title));
}

screen("Screen2", (state, act, children) =>
  h("div", { class: "column" },
    heading(state.title),
    h("ul", { class: "lines" },
      link("Sub-route 1", () => act("didSelectSubRoute1")),
      link("Sub-route 2", () => act("didSelectSubRoute2"))),
    button("Close", () => act("didClose")),
    modal(children.subRoute1, { label: "Sub-route 1" }),
    modal(children.subRoute2, { label: "Sub-route 2" })));

for (const type of ["NavigationSubRoute1", "NavigationSubRoute2"]) {
  screen(type, (state, act) =>
    h("div", { class: "column" },
      heading(state.title),
      note("It covers the screen until it says that it is done."),
      button("Done", () => act("didClose"))));
}

// catalog

/** A number as it is read, in groups of three digits. */
const grouped = (number) => String(number).replace(/\B(?=(\d{3})+$)/g, ",");

/** What the rows are filtered by. */
let filter = "";

screen("Catalog", (state, act, children, { redraw }) => {
  const { rows } = state;
  const found = filter ? rows.filter((row) => row.title.toLowerCase().includes(filter)) : rows;
  // One listener for all rows, and for those that come as the list is scrolled.
  const onclick = (event) => {
    const name = event.target.dataset.act;
    const id = Number(event.target.closest(".catalog-row")?.dataset.id);
    if (name === "top") act({ move: { id, to: 0 } });
    if (name === "up") act({ move: { id, to: Math.max(0, rows.findIndex((row) => row.id === id) - 1) } });
    if (name === "remove") act({ remove: { id } });
  };
  const onchange = (event) => act({ toggle: { id: Number(event.target.closest(".catalog-row").dataset.id) } });
  const oninput = (event) => {
    filter = event.target.value.trim().toLowerCase();
    redraw();
  };
  const all = `${grouped(rows.length)} rows`;
  return h("div", { class: "catalog", onkeydown: findInList },
    h("div", { class: "catalog-head" },
      h("label", { class: "field" },
        h("span", null, "Find rows"),
        h("input", {
          type: "search", autocomplete: "off", "aria-keyshortcuts": "Control+F", oninput, value: filter, local: true,
        })),
      h("div", { class: "button-row" },
        primary("Insert at the top", () => act({ insert: { at: 0 } })),
        button("Sort", () => act("sort")),
        h("p", { class: "badge", role: "status" }, filter ? `${grouped(found.length)} of ${all}` : all))),
    h("a", { class: "skip skip-list", href: "#inspector", onclick: leaveList }, "Skip the rows"),
    h("ul", { class: "catalog-rows", "aria-label": "Rows", onclick, onchange, onkeydown: moveAmongRows },
      each(found, (row) => row.id, catalogRow, { window: true })));
});

const rowButton = (name, sign, label) =>
  h("button", { type: "button", class: "row-button", "data-act": name, "aria-label": label }, sign);

function catalogRow(row) {
  return h("li", { class: row.isDone ? "catalog-row is-done" : "catalog-row", "data-id": row.id },
    h("label", null, h("input", { type: "checkbox", checked: row.isDone }), row.title),
    rowButton("up", "↑", `Move ${row.title} up`),
    rowButton("top", "⤒", `Move ${row.title} to the top`),
    rowButton("remove", "×", `Remove ${row.title}`));
}

/** The browser's own search finds only the rows that are on the page; whoever wants it asks once more. */
function findInList(event) {
  const field = event.currentTarget.querySelector("input[type=search]");
  if (event.key.toLowerCase() !== "f" || !(event.ctrlKey || event.metaKey) || event.target === field) return;
  event.preventDefault();
  field.select();
}

/** The address holds the app's name, so the link moves the focus by itself. */
function leaveList(event) {
  event.preventDefault();
  document.querySelector("#inspector-toggle").focus();
}

/** Up and down go to the same control of the next row: by Tab alone the way would be long. */
function moveAmongRows(event) {
  const step = { ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling" }[event.key];
  const row = event.target.closest(".catalog-row");
  const next = step && row?.[step];
  if (!next?.matches(".catalog-row")) return;
  event.preventDefault();
  const controls = "input, button";
  next.querySelectorAll(controls)[[...row.querySelectorAll(controls)].indexOf(event.target)].focus();
}

// room

screen("Room", (state, act, children, { session }) => {
  const submit = (event) => {
    event.preventDefault();
    flushTyped(session);
    act("sendTapped");
  };
  const remove = (event) => act({ removeTapped: { id: Number(event.target.dataset.id) } });
  return h("div", { class: "column" },
    heading(`In the room as ${state.me}`),
    detail(children.people),
    state.hasOlder
      ? button(state.isLoading ? "Loading…" : "Older messages", () => act("olderTapped"), { disabled: state.isLoading })
      : null,
    h("ul", { class: "lines messages", "aria-label": "Messages" },
      each(state.messages, (message) => message.id, ({ id, author, text }) =>
        h("li", null,
          h("p", null, h("strong", null, author), " ", text),
          author === state.me
            ? h("button", { type: "button", class: "row-button", "data-id": id, "aria-label": `Remove ${text}`, onclick: remove },
              "×")
            : null))),
    state.sending
      ? h("p", { class: "note", role: "status", key: "sending" },
        `${state.outgoing} – ${state.sending === "failed" ? "not sent. " : "being sent…"}`,
        state.sending === "failed" ? button("Try again", () => act("retryTapped")) : null)
      : null,
    h("form", { class: "search", "aria-label": "Say something", onsubmit: submit, key: "form" },
      h("label", { class: "field" },
        h("span", null, "Message"),
        h("input", {
          name: "draft", value: state.draft, autocomplete: "off",
          oninput: (event) => typed(session, { draftChanged: event.target.value }, act),
        })),
      h("p", { class: "field-error", role: "alert" }, state.problem ?? ""),
      h("button", { type: "submit", class: "button button-primary" }, "Send")));
});

screen("People", (state, act) =>
  h("div", { class: "button-row" },
    button(`${state.count} here`, () => act("foldTapped"), {
      class: "button button-quiet", "aria-expanded": String(!state.isFolded),
    }),
    each(state.people, (person) => person.name, personBadge)));

const personBadge = ({ name, isMe }) => h("span", { class: "badge" }, isMe ? `${name} (you)` : name);

// members

screen("Members", (state, act) => {
  const erase = (event) => act({ eraseTapped: { id: Number(event.target.dataset.id) } });
  return h("div", { class: "column" },
    h("div", { class: "card-head" },
      heading(`Signed in as ${state.subject}`),
      h("ul", { class: "button-row roles", "aria-label": "Roles" },
        state.roles.map((role) => h("li", { class: "badge", key: role }, role)))),
    h("ul", { class: "lines messages", "aria-label": "Notices", key: "notices" },
      // A row is drawn again only if its key changes: it tells as well whether there is a button.
      each(state.notices, (notice) => `${state.canErase} ${notice.id}`, ({ id, author, text }) =>
        h("li", null,
          h("p", null, h("strong", null, author), " ", text),
          state.canErase
            ? h("button", { type: "button", class: "row-button", "data-id": id, "aria-label": `Erase ${text}`, onclick: erase },
              "×")
            : null))),
    state.canPost ? post(act) : h("p", { class: "note", key: "reads" }, "You may read, and not post."),
    h("p", { class: "field-error", role: "alert", key: "problem" }, state.problem ?? ""),
    h("div", { class: "button-row" }, button("Sign out everywhere", () => act("signOutEverywhereTapped"))));
});

/** The form for a notice; the text is sent when it is posted, and not before. */
function post(act) {
  const submit = (event) => {
    event.preventDefault();
    const { text } = event.currentTarget.elements;
    act({ postTapped: { text: text.value } });
    text.value = "";
  };
  return h("form", { class: "search", "aria-label": "Post a notice", onsubmit: submit, key: "post" },
    h("label", { class: "field" },
      h("span", null, "Notice"),
      h("input", { name: "text", required: true, maxlength: 200, autocomplete: "off" })),
    h("button", { type: "submit", class: "button button-primary" }, "Post"));
}

// ledger

screen("Ledger", (state, act, children) =>
  h("div", { class: "column" },
    heading("Ledger"),
    h("dl", { class: "figures" },
      h("div", null, h("dt", null, "Actions"), h("dd", null, String(state.count))),
      h("div", null, h("dt", null, "Last payment"), h("dd", null, String(state.lastPayment))),
      h("div", null, h("dt", null, "Paid"), h("dd", null, String(state.paid)))),
    h("div", { class: "button-row" },
      primary(`Pay no. ${state.lastPayment + 1}`, () => act({ pay: state.lastPayment + 1 })),
      button("Count", () => act("count")),
      button("Run away", () => act("runAway"), { class: "button button-danger" })),
    h("div", { class: "button-row" },
      isOpen(children.page)
        ? button("Close the page", () => act("closePage"))
        : button("Open a page", () => act("openPage"))),
    detail(children.page)));

screen("LedgerPage", (state, act, children, { id }) =>
  h("div", { class: "card column" },
    h("h4", { tabindex: "-1" }, `Page ${id}`),
    note("A page that is opened again is another page."),
    stepper("Taps", state.taps, { plus: () => act("tap"), add: "Tap" })));
