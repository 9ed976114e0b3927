// The showcase's apps, by the names that the server gives them. How each of their riblets is drawn is in views-*.js.

/**
 * What the page says about an app before it is opened, where its code is, and whether the app requires its user to sign in.
 * @type {Record<string, {title: string, about: string, more: string, wantsPerson?: boolean, code: {swift: string, view: {script: string, type: string}}}>}
 */
export const apps = {
  "counter": {
    title: "Counter",
    about: "A number, up and down",
    more: "One riblet, three actions. With prediction on, the number changes before the server has answered.",
    code: { swift: "Counter/Counter.swift", view: { script: "views-navigation.js", type: "Counter" } },
  },
  "counter-riv": {
    title: "Counter, as RIV",
    about: "The same, in another style",
    more: "An interactor class and a reducer instead of one struct. The page cannot tell the two apart.",
    code: { swift: "CounterRIV/CounterInteractor.swift", view: { script: "views-navigation.js", type: "Counter" } },
  },
  "home-detail": {
    title: "Home and detail",
    about: "Riblets that open riblets",
    more: "The root opens a home, and the home a detail of its count. Each is closed by whoever opened it.",
    code: { swift: "HomeDetail/Home.swift", view: { script: "views-navigation.js", type: "Home" } },
  },
  "tabs": {
    title: "Tabs",
    about: "Three tabs with stacks",
    more: "Which tab is in front, and how deep it is, is on the server: reload the page, and you are where you were.",
    code: { swift: "Tabs/NavigationContainer.swift", view: { script: "views-navigation.js", type: "NavigationContainer" } },
  },
  "search": {
    title: "Search",
    about: "A request that takes a while",
    more: "The text you type is the server’s. A new search cancels the one before, and “fail” makes it fail.",
    code: { swift: "Search/Search.swift", view: { script: "views-services.js", type: "Search" } },
  },
  "profile": {
    title: "Profile",
    about: "One router for all pages",
    more: "The pages know nothing of each other. They tell their router where to go, and it puts a page on the stack.",
    code: { swift: "Profile/ProfileNavigationRouter.swift", view: { script: "views-navigation.js", type: "ProfileNavigationRouter" } },
  },
  "login": {
    title: "Login",
    about: "Busy, refused, logged in",
    more: "The service takes half a second and is not there the first time. The parent learns only that it worked.",
    code: { swift: "Login/Login.swift", view: { script: "views-services.js", type: "Login" } },
  },
  "boundaries": {
    title: "Boundaries",
    about: "A parent and its children",
    more: "The parent’s state holds its children’s: always one, one or none, and any number.",
    code: { swift: "Boundaries/Boundaries.swift", view: { script: "views-navigation.js", type: "Parent" } },
  },
  "screens": {
    title: "Screens",
    about: "Views that come and go",
    more: "Two views that can be there or not, a count of this session, and one that all sessions share.",
    code: { swift: "Screens/Screen1.swift", view: { script: "views-navigation.js", type: "Screen1" } },
  },
  "catalog": {
    title: "Catalog",
    about: "Ten thousand rows",
    more: "The list is long, and the patches are short: a changed row is one operation, and one row is drawn again.",
    code: { swift: "Catalog/Catalog.swift", view: { script: "views-catalog.js", type: "Catalog" } },
  },
  "room": {
    title: "Room",
    about: "A chat, and who is there",
    more: "Open a second window to see two people. A message that you send while the server is away is sent once. The room itself is in memory: a server that starts again has an empty one.",
    code: { swift: "Room/Room.swift", view: { script: "views-services.js", type: "Room" } },
  },
  "members": {
    title: "Members",
    about: "Roles decide what a person may do",
    more: "Everybody reads the notices, writers and bosses post, and bosses erase. The server decides; the page only leaves out the buttons that would be refused.",
    wantsPerson: true,
    code: { swift: "Members/Members.swift", view: { script: "views-services.js", type: "Members" } },
  },
  "ledger": {
    title: "Ledger",
    about: "Payments, once each",
    more: "Each payment has a number and is written once. “Run away” never ends: the server undoes and refuses it.",
    code: { swift: "Ledger/Ledger.swift", view: { script: "views-services.js", type: "Ledger" } },
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
