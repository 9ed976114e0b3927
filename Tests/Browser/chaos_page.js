// A page of the chaos: pays in a ledger, a number for each click, and tells the test all that it learns of them.
import { connect } from "./riblet.js";
import { indexedDBStorage } from "./riblet-indexeddb.js";

/** The number of this page, among those that were loaded one after the other. */
const page = (window.number = Number(localStorage.getItem("pages")) + 1);
localStorage.setItem("pages", page);

/**
 * Tells the test, which hears of it in this order. What a page says while it is left may be lost on the way: it is kept too, where
 * nothing is damaged, for the page that comes next.
 */
const say = (event) => {
  const told = JSON.parse(localStorage.getItem("told") ?? "[]");
  const numbered = { number: (told.at(-1)?.number ?? 0) + 1, page, ...event };
  localStorage.setItem("told", JSON.stringify([...told.slice(-200), numbered]));
  window.tell(JSON.stringify(numbered));
};

const isInDatabase = location.search === "?database";

window.begin = () => {
  const storage = isInDatabase ? indexedDBStorage() : sessionStorage;
  const session = (window.session = connect(location.origin, { app: "ledger", storage, key: "chaos" }));
  const told = (name, pick) => session.addEventListener(name, ({ detail }) =>
    // What a welcome says of actions comes before the session knows that it is welcome.
    queueMicrotask(() => say({ name, sid: session.welcome?.sid, ...pick(detail) })));
  told("outcome", ({ action, status }) => ({ id: action.pay, status }));
  told("stored", ({ stored, reason }) => ({ stored, reason }));
  session.addEventListener("message", ({ detail: { text } }) => text.startsWith('{"t":"hello"') && say({ name: "hello" }));
  told("lost", ({ count }) => ({ count }));
  told("status", ({ status, reason }) => ({ status, code: reason?.code, token: session.welcome?.token }));
};

window.click = (id) => {
  say({ name: "click", id });
  session.act("", { pay: id }).catch((error) => say({ name: "error", text: String(error) }));
};

const { put } = IDBObjectStore.prototype;

/** Takes all the room that there is in the storage. */
window.fill = () => {
  IDBObjectStore.prototype.put = () => {
    throw new DOMException("", "QuotaExceededError");
  };
  for (let size = 1 << 22, number = 0; size >= 1; ) {
    try {
      sessionStorage.setItem(`fill${number++}`, "x".repeat(size));
    } catch {
      size >>= 1;
    }
  }
};

window.empty = () => {
  IDBObjectStore.prototype.put = put;
  for (const key of Object.keys(sessionStorage)) if (key.startsWith("fill")) sessionStorage.removeItem(key);
};

const damages = [(it) => delete it.outbox, (it) => (it.v = 9), (it) => (it.outbox = [null]), (it) => (it.token = 7)];

function damaged(text, choice) {
  const entry = JSON.parse(text);
  damages[choice % damages.length](entry);
  return choice % 5 === 4 ? text.slice(0, -3) : JSON.stringify(entry);
}

/** Damages what the next page would go on with, once this one writes no more. */
window.damageAtEnd = (choice) => addEventListener("pagehide", () => {
  if (isInDatabase) {
    IDBObjectStore.prototype.put = function (text, key) {
      return put.call(this, damaged(text, choice), key);
    };
    // Writes once more.
    session.close();
    return;
  }
  const text = sessionStorage.getItem("chaos");
  if (text) sessionStorage.setItem("chaos", damaged(text, choice));
});

begin();
