// The showcase's apps, by the names that the server gives them. How each of their riblets is drawn is in views-*.js.

/**
 * What the page says about an app before it is opened, where its code is, and whether the app requires its user to sign in.
 * @type {Record<string, {title: string, about: string, more: string, wantsPerson?: boolean, code: {swift: string, next?: string, view: {script: string, type: string}}}>}
 */
export const apps = {
  "counter": {
    title: "Counter",
    about: "A number, up and down",
    more: "One riblet, three actions. While “Predict the counter” is on, the number changes before the server has answered.",
    code: { swift: "Counter/Counter.swift", next: "Counter/CounterVersion2.swift", view: { script: "views-navigation.js", type: "Counter" } },
  },
  "counter-riv": {
    title: "Counter, as RIV",
    about: "The same counter in another style",
    more: "An interactor class and a reducer instead of one struct. The page cannot tell the two counters apart.",
    code: { swift: "CounterRIV/CounterInteractor.swift", view: { script: "views-navigation.js", type: "Counter" } },
  },
  "home-detail": {
    title: "Home and detail",
    about: "Riblets that open riblets",
    more: "The root opens a home. The home opens a detail of its count. Each parent closes its child.",
    code: { swift: "HomeDetail/Home.swift", view: { script: "views-navigation.js", type: "Home" } },
  },
  "tabs": {
    title: "Tabs",
    about: "Three tabs with stacks",
    more: "The server keeps the tab in front and the depth of its stack. Reload the page: you are in the same place.",
    code: { swift: "Tabs/NavigationContainer.swift", view: { script: "views-navigation.js", type: "NavigationContainer" } },
  },
  "search": {
    title: "Search",
    about: "A request that takes a while",
    more: "The server keeps the text that you type. A new search cancels the one before. A search for “fail” fails.",
    code: { swift: "Search/Search.swift", view: { script: "views-services.js", type: "Search" } },
  },
  "profile": {
    title: "Profile",
    about: "One router for all pages",
    more: "The pages know nothing of each other. They tell their router where to go, and the router puts a page on the stack.",
    code: { swift: "Profile/ProfileNavigationRouter.swift", view: { script: "views-navigation.js", type: "ProfileNavigationRouter" } },
  },
  "login": {
    title: "Login",
    about: "Busy, refused, logged in",
    more: "The service takes half a second and fails the first time. The parent learns only that the login worked.",
    code: { swift: "Login/Login.swift", view: { script: "views-services.js", type: "Login" } },
  },
  "boundaries": {
    title: "Boundaries",
    about: "A parent and its children",
    more: "The parent’s state holds the states of its children: always one child, one or none, and any number.",
    code: { swift: "Boundaries/Boundaries.swift", view: { script: "views-navigation.js", type: "Parent" } },
  },
  "screens": {
    title: "Screens",
    about: "Views that come and go",
    more: "You add and remove two views. One count belongs to this session. All sessions share the other count.",
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
    about: "A chat with a list of people",
    more: "Open this page in a second tab to see two people. A message that you send while the server is away is sent once. The room itself is in memory: a server that starts again has an empty one.",
    code: { swift: "Room/Room.swift", view: { script: "views-services.js", type: "Room" } },
  },
  "members": {
    title: "Members",
    about: "Roles decide what a person may do",
    more: "All members read the notices. Writers and bosses post notices, and bosses erase them. The server decides. The page only hides the buttons that the server would refuse.",
    wantsPerson: true,
    code: { swift: "Members/Members.swift", view: { script: "views-services.js", type: "Members" } },
  },
  "ledger": {
    title: "Ledger",
    about: "Each payment is done once",
    more: "Each payment has a number, and the server writes it once. “Run away” never ends: the server undoes and refuses it.",
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
