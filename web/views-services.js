// Riblets that ask somebody else: search, login, room, members, ledger.

import { bind, detail, each, h, modal } from "./render.js";
import { button, heading, isOpen, link, note, primary, screen, stepper } from "./views-parts.js";

// search

screen("Search", (state, act, children, { mayAct }) => {
  const submit = (event) => {
    event.preventDefault();
    act("submitSearch");
  };
  return h("div", { class: "column" },
    h("form", { class: "search", role: "search", "aria-label": "The catalogue", onsubmit: submit },
      h("label", { class: "field" },
        h("span", null, "Search the catalogue"),
        h("input", {
          type: "search", name: "text", autocomplete: "off", spellcheck: "false", placeholder: "a fruit, or “fail”",
          value: bind(state.text, (text) => act({ updateSearchText: text }), { clearedBy: ["clearSearch"] }),
        })),
      h("div", { class: "button-row" },
        h("button", { type: "submit", class: "button button-primary" }, "Search"),
        button("Show all", () => act("load")),
        button("Clear", () => act("clearSearch")))),
    h("div", { class: "results" }, ...found(state.results, act)),
    button("Show the search text", () => act({ toggleAlert: true }), { class: "button button-quiet" }),
    state.alert ? alert(state.alert, () => mayAct && act({ toggleAlert: false }), mayAct) : null,
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
      h("p", { class: "results-count", role: "status", key: "count" }, "The search has failed."),
      h("div", { class: "failure", role: "alert", key: "failure" },
        h("p", null, results.failed._0), button("Try again", () => act("submitSearch"))),
    ];
  }
  const items = results.loaded?._0;
  const count = items ? `${items.length} found` : "No search yet.";
  return [
    h("p", { class: "results-count", role: "status", key: "count" }, count),
    items?.length
      ? h("ul", { class: "lines", key: "items" },
        each(items, (item) => item, (item) => link(item, () => act({ open: item }))))
      : null,
  ];
}

/** A dialog that is open as long as the state says so: closing it is asked for, and done when the server has. */
function alert({ title, message }, close, mayAct) {
  return h("dialog", {
    key: "alert", class: "sheet alert", role: "alertdialog", "aria-label": title,
    ref: mayAct ? show : (dialog) => dialog?.setAttribute("open", ""),
    oncancel(event) {
      event.preventDefault();
      close();
    },
    // At the second Esc in a row a browser does not ask.
    onclose() {
      if (mayAct) show(this);
    },
  },
    h("h3", null, title),
    h("p", null, message),
    primary("OK", close));
}

/** Closed before it is taken out, so that the browser gives the focus back to where it was. */
function show(dialog, gone) {
  if (gone) return gone.close();
  // Of a session that is over nothing is to be in the way.
  if (dialog.isConnected && !dialog.open && !dialog.closest("[inert]")) dialog.showModal();
}

screen("SearchDetail", (state, act) =>
  h("div", { class: "column" },
    heading(state.item),
    note("This is one of the items that were found."),
    button("Close", () => act("closeTapped"))));

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
    note("“Log in” needs no input. The first attempt fails."),
    h("button", {
      type: "button", class: "button button-primary button-busy", onclick: () => act("onTapLoginButton"),
      "aria-busy": String(state.isLoading), "aria-disabled": String(state.isLoading),
    }, state.isLoading ? "Logging in…" : "Log in"),
    h("p", { class: "field-error", role: "alert" }, state.error ?? ""),
    signIn(act)));

/** The form for a name and a password. Its action is sent as a secret, and so is not in the storage of the browser. */
function signIn(act) {
  const submit = (event) => {
    event.preventDefault();
    const { name, password } = event.currentTarget.elements;
    act({ signInTapped: { name: name.value, password: password.value } }, { secret: true });
    password.value = "";
  };
  return h("form", { class: "column", "aria-label": "Account", onsubmit: submit },
    note("Or sign in with a name of your own and the password “swordfish”."),
    h("label", { class: "field" }, h("span", null, "Name"),
      h("input", { name: "name", required: true, autocomplete: "off" })),
    h("label", { class: "field" }, h("span", null, "Password"),
      h("input", { name: "password", type: "password", required: true, autocomplete: "off" })),
    h("div", { class: "button-row" }, h("button", { type: "submit", class: "button" }, "Sign in")));
}

// room

screen("Room", (state, act, children) => {
  const submit = (event) => {
    event.preventDefault();
    act("sendTapped");
  };
  const remove = (event) => act({ removeTapped: { id: Number(event.target.dataset.id) } });
  return h("div", { class: "column" },
    heading(`In the room as ${state.me}`),
    detail(children.people),
    state.hasOlder
      ? button(state.isLoading ? "Loading…" : "Older messages", () => act("olderTapped"), { disabled: state.isLoading })
      : null,
    h("div", { class: "messages-room", tabindex: "0", role: "region", "aria-label": "Messages" },
      h("ul", { class: "lines messages", "aria-label": "Messages" },
        each(state.messages, (message) => message.id, ({ id, author, text }) =>
          h("li", null,
            h("p", null, h("strong", null, author), " ", text),
            author === state.me
              ? h("button", { type: "button", class: "row-button", "data-id": id, "aria-label": `Remove ${text}`, onclick: remove },
                "×")
              : null)))),
    state.sending
      ? h("p", { class: "note", role: "status", key: "sending" },
        `${state.outgoing} – ${state.sending === "failed" ? "not sent. " : "being sent… "}`,
        state.waiting.length > 0 && `${state.waiting.length} more ${state.waiting.length === 1 ? "waits" : "wait"}. `,
        state.sending === "failed" ? button("Try again", () => act("retryTapped")) : null)
      : null,
    h("form", { class: "search", "aria-label": "Say something", onsubmit: submit, key: "form" },
      h("label", { class: "field" },
        h("span", null, "Message"),
        h("input", {
          name: "draft", autocomplete: "off",
          value: bind(state.draft, (text) => act({ draftChanged: text }), { clearedBy: ["sendTapped"] }),
        })),
      h("p", { class: "field-error", role: "alert" }, state.problem ?? ""),
      h("button", { type: "submit", class: "button button-primary" }, "Send")));
});

screen("People", (state, act) =>
  h("div", { class: "button-row" },
    button(state.count === 0 ? "Who is here" : `${state.count} here`, () => act("foldTapped"), {
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
    state.canPost ? post(act) : h("p", { class: "note", key: "reads" }, "You may only read."),
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
    note("Each time that you open a page, you get a new page."),
    stepper("Taps", state.taps, { plus: () => act("tap"), add: "Tap" })));
