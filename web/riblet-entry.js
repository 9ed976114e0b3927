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
  #ordinal = 1;
  #unlock;
  #isOver = false;

  constructor(storage, key, app) {
    this.#storage = storage;
    this.#key = key;
    this.#app = app;
    try {
      const isLocal = storage !== undefined && storage === globalThis.localStorage;
      this.#isShared = isLocal || storage?.isShared === true;
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
      const name = this.#nameOf(slot);
      if (names.has(name)) continue;
      names.add(name);
      const found = this.#read(name);
      const take = (entry) => {
        this.#name = name;
        this.isDamaged = entry === null;
        if (this.#isShared) this.#ownSlot = slot;
        return entry ?? undefined;
      };
      const lock = this.#isShared ? `riblet:${name}` : found && lockOf(found);
      const isFree = !lock || this.#lock(lock, !this.#isShared || slot === this.#ownSlot);
      if (isFree === true) return take(found);
      return isFree.then((isFree) => {
        // Whoever had it before may have written it since.
        if (isFree) return take(this.#isShared ? this.#read(name) : found);
        this.isTaken ||= Boolean(found);
        if (this.#isShared) {
          names.delete(name);
          return this.find(slots.slice(index + 1));
        }
        // The copy that a duplicated tab has of an entry [newest] gives way to one of its own.
        return take(undefined);
      });
    }
    return undefined;
  }

  /** The one that this tab had before a reload, then those with an entry, and then the others. */
  get #slots() {
    const all = Array.from({ length: 64 }, (_, index) => index + 1);
    if (!this.#isShared) return all;
    this.#ordinal = [...claims.get(this.#storage) ?? []].filter((name) => name.split("#")[0] === this.#key).length + 1;
    // Where there are no locks, nothing else says that a tab is gone: each keeps to a slot of its own.
    if (!globalThis.navigator?.locks) return [this.#ownSlot ?? 65 + Math.floor(Math.random() * 1e9)];
    const isFull = (slot) => this.#read(this.#nameOf(slot)) !== undefined;
    return [this.#ownSlot ?? [], all.filter(isFull), all.filter((slot) => !isFull(slot))].flat();
  }

  #nameOf(slot) {
    return slot === 1 ? this.#key : `${this.#key}#${slot}`;
  }

  /** The entry of a name; undefined for none, null for one that cannot be read. */
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
    return null;
  }

  /** Which of several entries the session of this tab had before it was loaded anew, by its order among those with the key. */
  get #ownSlot() {
    try {
      return Number(sessionStorage.getItem(`${this.#key}#slot${this.#ordinal}`)) || undefined;
    } catch {
      return undefined;
    }
  }

  set #ownSlot(slot) {
    try {
      sessionStorage.setItem(`${this.#key}#slot${this.#ordinal}`, slot);
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

  /**
   * Whether no other tab has the lock. If this tab may have had it before a reload, it waits until the page before has let go; another's it is
   * content to find free.
   */
  #lock(name, isMine) {
    const locks = globalThis.navigator?.locks;
    if (!locks) return true;
    const isReload = performance.getEntriesByType("navigation")[0]?.type === "reload" && performance.now() < 5000;
    if (!isMine) {
      return new Promise((resolve) => {
        const answer = (lock) => {
          resolve(Boolean(lock));
          return lock && !this.#isOver && new Promise((release) => (this.#unlock = release));
        };
        locks.request(name, { ifAvailable: true }, answer).catch(() => resolve(true));
      });
    }
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
        clearTimeout(timer);
        // A page that may have no locks has none to wait for.
        resolve(!waiting.signal.aborted);
      });
    });
  }
}

const lockOf = ({ sid, cid }) => `riblet:${sid}:${cid}`;
