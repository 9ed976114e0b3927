// Riblets that open, close and cover one another: counter, home-detail, tabs, profile, boundaries, screens.

import { detail, h, list, modal, stack, tabs } from "./render.js";
import { button, heading, isOpen, link, note, primary, screen, stepper } from "./views-parts.js";

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
    note("The count when you opened this detail:"),
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
    note("This is the lowest page of this tab’s stack."),
    h("ul", { class: "lines" }, link("Transport", () => act("transportHomeTapped"), "a page on top of this one"))));

screen("TransportHome", (state, act) =>
  h("div", { class: "column" },
    heading(state.title),
    note("Go to another tab and come back: this page is still here."),
    button("Close", () => act("closeTapped"))));

screen("FinanceHome", (state) => h("div", { class: "column" },
  heading(state.title), note("This tab has a stack with one page.")));

screen("ProfileHome", (state) => h("div", { class: "column" },
  heading(state.title), note("This tab has no stack.")));

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
    note("The settings do not know the profile. The router knows both."),
    h("ul", { class: "lines" }, ...userLinks(act)),
    button("Dismiss", () => act.root("dismiss"))));

screen("UserDetails", (state, act) =>
  h("div", { class: "column" },
    h("span", { class: "monogram", "aria-hidden": "true" }, state.userId.slice(0, 3)),
    heading(`User ${state.userId}`),
    h("ul", { class: "lines" }, link("Settings", () => act.root("showSettings"))),
    button("Dismiss", () => act.root("dismiss"))));

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

/** Where a view goes, with a word for it as long as it is not there. */
const place = (name, route) =>
  h("div", { class: "place" }, isOpen(route) ? detail(route) : h("p", { class: "place-name" }, `${name} is not attached`));

screen("Screen1", (state, act, children) =>
  h("div", { class: "column" },
    heading("Screen 1"),
    h("div", { class: "toggles" },
      subViewSwitch(1, children.subView1, act), subViewSwitch(2, children.subView2, act)),
    h("div", { class: "slots" },
      place("Sub-view 1", children.subView1), place("Sub-view 2", children.subView2)),
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
      note("This view covers the screen until you press “Done”."),
      button("Done", () => act("didClose"))));
}
