// What a page leaves to the one after it: the session's credentials and its outstanding actions. Names in brackets are rules of PROTOCOL.md.

/** The names of the entries that sessions of this page have, by storage. */
const claims = new Map();

const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;

/** Whether it is what `Core.stored` says, with the app; an entry without a version is one of the first. */
export function isEntry(value) {
  const { v = 1, sid, cid, token, try: tried, n, outbox } = value ?? {};
  const isAction = ({ to, action, back, secret } = {}) =>
    (typeof to === "string" || isNumber(to)) && (action !== undefined || back === true || secret === true);
  return v === 1 && [sid, token].every((text) => typeof text === "string" && text) && [cid, tried, n].every(isNumber)
    && Array.isArray(outbox) && outbox.every((it) => typeof it === "object" && it && isAction(it));
}

export class Entry {
  /** Whether the next page could go on now. */
  isKept = false;
  /** Whether there was an entry that cannot be read, or that is another tab's. */
  isDamaged = false;
  isTaken = false;
  #storage;
  #key;
  #app;
  /** Whether other tabs have the same storage. */
  #isShared;
  #name;
  #unlock;
  #isOver = false;

  constructor(storage, key, app) {
    this.#storage = storage;
    this.#key = key;
    this.#app = app;
    try {
      this.#isShared = storage?.isShared ?? (storage !== undefined && storage === globalThis.localStorage);
    } catch {
      this.#isShared = false;
    }
  }

  /**
   * Finds the entry to go on with: of several with one key, as tabs and sessions of one page have them, the first that nobody uses.
   * Returns what it has, nothing if there is none, or a promise of that if another tab may have it.
   */
  find(slots = this.#slots) {
    if (!this.#storage) return undefined;
    const names = claims.get(this.#storage) ?? claims.set(this.#storage, new Set()).get(this.#storage);
    for (const [index, slot] of slots.entries()) {
      const name = slot === 1 ? this.#key : `${this.#key}#${slot}`;
      if (names.has(name)) continue;
      names.add(name);
      const entry = this.#read(name);
      const take = () => {
        this.#name = name;
        if (this.#isShared) this.#ownSlot = slot;
        return entry;
      };
      const lock = this.#isShared ? `riblet:${name}` : entry && lockOf(entry);
      const isFree = !lock || this.#lock(lock, slot === this.#ownSlot);
      if (isFree === true) return take();
      return isFree.then((isFree) => {
        if (isFree) return take();
        this.isTaken ||= Boolean(entry);
        if (this.#isShared) {
          names.delete(name);
          return this.find(slots.slice(index + 1));
        }
        // The copy that a duplicated tab has of an entry [newest] gives way to one of its own.
        take();
        return undefined;
      });
    }
    return undefined;
  }

  /** The one that this tab had before a reload, and then all. */
  get #slots() {
    const all = Array.from({ length: 64 }, (_, index) => index + 1);
    return this.#isShared ? [this.#ownSlot, ...all] : all;
  }

  #read(name) {
    let text;
    try {
      text = this.#storage.getItem(name);
      if (text === null || text === undefined) return undefined;
      const entry = JSON.parse(text);
      if (isEntry(entry)) return entry.app === this.#app ? entry : undefined;
    } catch {
      // A storage that may not be used is none.
      if (text === undefined) return undefined;
    }
    this.isDamaged = true;
    return undefined;
  }

  /** Which of several entries this tab had before it was loaded anew. */
  get #ownSlot() {
    try {
      return Number(sessionStorage.getItem(`${this.#key}#`)) || 1;
    } catch {
      return 1;
    }
  }

  set #ownSlot(slot) {
    try {
      if (slot > 1) sessionStorage.setItem(`${this.#key}#`, slot);
      else sessionStorage.removeItem(`${this.#key}#`);
    } catch {
      // Then it looks for one anew.
    }
  }

  /** A new session has its own lock: a duplicated tab has a copy of the entry [newest]. */
  claim(session) {
    if (this.#storage && !this.#isShared) this.#lock(lockOf(session), false);
  }

  /** Writes the entry, or removes it if there is no session. */
  write(stored) {
    if (!this.#name) return;
    const text = stored && JSON.stringify({ v: 1, app: this.#app, ...stored });
    try {
      if (text) this.#storage.setItem(this.#name, text);
      else this.#storage.removeItem(this.#name);
      this.isKept = Boolean(text);
    } catch {
      this.#writeAnew(text);
    }
  }

  /** Without room for the new entry the old one must not stay, as it would use numbers again; and its room may be enough. */
  #writeAnew(text) {
    this.isKept = false;
    try {
      this.#storage.removeItem(this.#name);
      if (text) this.#storage.setItem(this.#name, text);
      this.isKept = Boolean(text);
    } catch {
      // Not kept.
    }
  }

  /** Lets the session's lock go: there is another session now, or none. */
  unlock() {
    if (!this.#isShared) this.#unlock?.();
  }

  /** Lets others have the entry. */
  release() {
    this.#isOver = true;
    this.#unlock?.();
    if (this.#name) claims.get(this.#storage).delete(this.#name);
    this.#name = undefined;
  }

  /** Whether no other tab has the lock; if this tab had it before a reload, it waits until the page before has let go. */
  #lock(name, isMine) {
    const locks = globalThis.navigator?.locks;
    if (!locks) return true;
    const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload" && performance.now() < 5000;
    return new Promise((resolve) => {
      const waiting = new AbortController();
      let timer;
      const look = async () => {
        const { held } = await locks.query().catch(() => ({ held: undefined }));
        // A lock that nobody has comes, however slow the browser is.
        if (!held || held.some((lock) => lock.name === name)) waiting.abort();
        else if (!waiting.signal.aborted) timer = setTimeout(look, 500);
      };
      timer = setTimeout(look, isReload && isMine ? 5000 : 500);
      // A session that is over before the lock is given lets it go at once.
      const over = new Promise((release) => (this.#unlock = release));
      if (this.#isOver) this.#unlock();
      const hold = () => {
        clearTimeout(timer);
        resolve(true);
        return over;
      };
      locks.request(name, { signal: waiting.signal }, hold).catch(() => {
        waiting.abort();
        clearTimeout(timer);
        resolve(false);
      });
    });
  }
}

const lockOf = ({ sid, cid }) => `riblet:${sid}:${cid}`;
