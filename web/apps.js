// The showcase's apps, and how each of their riblets is drawn: one view per type, by the names that the server gives them.
//
// A view is a function of the node's state. It keeps nothing: what is typed, opened or chosen is on the server, and
// comes back as a patch. Only what the catalog's rows are filtered by, and which was removed last, is the page's own business.

import "./views-catalog.js";
import "./views-navigation.js";
import "./views-services.js";

export { failures, types } from "./views-parts.js";

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
    more: "Open a second window to see two people. A message that you send while the server is away is sent once. The room itself is in memory: a server that starts again has an empty one.",
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
