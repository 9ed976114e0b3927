// What a page leaves to the one after it: the session's credentials and its outstanding actions. Names in brackets are rules of PROTOCOL.md.

/** The names that sessions of this page use, by storage. */
const claims = new Map();

/** How many sessions with one key a storage has room for. */
const slots = Array.from({ length: 64 }, (_, index) => index + 1);

const isNumber = (value) => Number.isSafeInteger(value) && value >= 0;

/** Whether it is what `Core.stored` says, with the app; an entry without a version is one of the first. */
export function isEntry(value) {
  const { v = 1, sid, cid, token, try: tried, n, outbox } = value ?? {};
  const isAction = ({ to, action, back, secret } = {}) =>
    (typeof to === "string" || isNumber(to)) && (action !== undefined || back === true || secret === true);
  return v === 1 && [sid, token].every((text) => typeof text === "string" && text) && [cid, tried, n].every(isNumber)
    && Array.isArray(outbox) && outbox.every((it) => typeof it === "object" && it && isAction(it));
}

/** `setItem` and its like may be done later, as those of IndexedDB are: then what has to be kept before it is sent waits for it. */
const isLater = (result) => typeof result?.then === "function";

/** How long it may take then, in milliseconds: some databases never answer. */
const patience = 4000;

/** After how many milliseconds what such a storage has not kept is written again. */
const pause = 10_000;

class LateError extends Error {}

const inTime = (promise) => new Promise((resolve, reject) => {
  const timer = setTimeout(() => reject(new LateError("The storage does not answer.")), patience);
  promise.then(resolve, reject).then(() => clearTimeout(timer));
});

/** Stands for an entry of which it is not known whether there is one: it is left alone. */
const unreadable = Symbol("unreadable");

export class Entry {
  /** Whether the next page could go on now. */
  isKept = false;
  /** Whether there was an entry that cannot be read, or that is another tab's. */
  isDamaged = false;
  isTaken = false;
  #storage;
  #key;
  #app;
  #told;
  /** Whether other tabs have the same storage. */
  #isShared;
  #name;
  /** Where this tab has which of several entries its session had before it was loaded anew, by its order among those with the key. */
  #slotName;
  #unlock;
  #isOver = false;
  /** The names of entries that were found, and belong to other persons. */
  #passed = new Set();
  /** How many writes that are done later were begun, up to which one they are over, and what waits for that. */
  #begun = 0;
  #done = 0;
  #waiting = [];
  /** Whether it was told that the last one has failed: then nothing waits for the next. */
  #isFailing = false;
  /** All of them are over. */
  #ended;

  /** `told` is called whenever it is known whether the entry is kept. */
  constructor(storage, key, app, told) {
    this.#storage = storage;
    this.#key = key;
    this.#app = app;
    this.#told = told;
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
  find() {
    if (!this.#storage) return undefined;
    const names = claims.get(this.#storage) ?? claims.set(this.#storage, new Set()).get(this.#storage);
    return this.#isShared ? this.#findShared(names) : this.#findOwn(names);
  }

  #findOwn(names) {
    const name = slots.map((slot) => this.#nameOf(slot)).find((name) => !names.has(name) && !this.#passed.has(name));
    if (!name) return undefined;
    const found = this.#parse(() => this.#storage.getItem(name));
    if (isLater(found)) {
      this.#isShared = true;
      return this.#findShared(names);
    }
    names.add(name);
    const isFree = !found || this.#lock(lockOf(found));
    if (isFree === true) return this.#take(name, found);
    // The copy that a duplicated tab has of an entry [newest] gives way to one of its own.
    return isFree.then((isFree) => {
      this.isTaken = !isFree;
      return this.#take(name, isFree ? found : undefined);
    });
  }

  async #findShared(names) {
    this.#slotName = slots.map((ordinal) => `${this.#key}#slot${ordinal}`).find((name) => !names.has(name));
    names.add(this.#slotName);
    for (const slot of await this.#sharedSlots()) {
      const name = this.#nameOf(slot);
      if (this.#isOver) return undefined;
      if (names.has(name) || this.#passed.has(name)) continue;
      names.add(name);
      const isFree = await (slot === this.#ownSlot ? this.#lock(`riblet:${name}`) : this.#lockIfFree(`riblet:${name}`));
      const entry = await this.#read(name);
      if (isFree && entry !== unreadable && !this.#isOver) {
        this.#ownSlot = slot;
        return this.#take(name, entry);
      }
      names.delete(name);
      if (entry === unreadable) {
        this.#unlock?.();
        return undefined;
      }
      this.isTaken ||= Boolean(entry);
    }
    return undefined;
  }

  #take(name, entry) {
    this.#name = name;
    this.isDamaged = entry === null;
    return entry ?? undefined;
  }

  /** The one that this tab had before a reload, then those with an entry, and then the others. */
  async #sharedSlots() {
    // Where there are no locks, nothing else says that a tab is gone: each keeps to a slot of its own.
    if (!globalThis.navigator?.locks) return [this.#ownSlot ?? 65 + Math.floor(Math.random() * 1e9)];
    const entries = await Promise.all(slots.map((slot) => this.#read(this.#nameOf(slot))));
    const isFull = (slot) => entries[slot - 1] !== undefined;
    return [this.#ownSlot ?? [], slots.filter(isFull), slots.filter((slot) => !isFull(slot))].flat();
  }

  #nameOf(slot) {
    return slot === 1 ? this.#key : `${this.#key}#${slot}`;
  }

  /** The entry of a name; undefined for none, null for one that is damaged. */
  async #read(name) {
    try {
      const result = this.#storage.getItem(name);
      const text = isLater(result) ? await inTime(result) : result;
      return this.#parse(() => text);
    } catch {
      return unreadable;
    }
  }

  #parse(read) {
    let text;
    try {
      text = read();
      if (text === null || text === undefined) return undefined;
      if (isLater(text)) return text;
      const entry = JSON.parse(text);
      if (isEntry(entry)) return entry.app === this.#app ? entry : undefined;
    } catch {
      // A storage that may not be used is none.
      if (text === undefined) return undefined;
    }
    return null;
  }

  get #ownSlot() {
    try {
      return Number(sessionStorage.getItem(this.#slotName)) || undefined;
    } catch {
      return undefined;
    }
  }

  set #ownSlot(slot) {
    try {
      sessionStorage.setItem(this.#slotName, slot);
    } catch {
      // Then it looks for one anew.
    }
  }

  /** Writes the entry, or removes it if there is no session. Drafts are left out if there is no room for them. */
  write(stored, drafts) {
    if (!this.#name) {
      if (this.#storage && !this.#isOver) this.#tell(false);
      return;
    }
    const entry = stored && { v: 1, app: this.#app, ...stored };
    const text = entry && JSON.stringify(entry);
    this.#writeText(drafts && entry ? JSON.stringify({ ...entry, drafts }) : text, text);
  }

  /** `least` is the text to write if there is no room. */
  #writeText(text, least = text) {
    let result;
    try {
      result = this.#put(text);
    } catch {
      return this.#tell(this.#putAnew(least));
    }
    if (isLater(result)) this.#finishLater(least, result);
    else this.#tell(Boolean(text));
  }

  #put(text) {
    return text ? this.#storage.setItem(this.#name, text) : this.#storage.removeItem(this.#name);
  }

  /** Without room for the new entry the old one must not stay, as it would use numbers again; and its room may be enough. */
  #putAnew(text) {
    try {
      this.#storage.removeItem(this.#name);
      if (text) this.#put(text);
      return Boolean(text);
    } catch {
      return false;
    }
  }

  #finishLater(text, result) {
    const number = ++this.#begun, name = this.#name;
    const isLast = () => number === this.#begun;
    const finish = async () => {
      let isDone = true;
      try {
        await inTime(result);
      } catch (error) {
        isDone = !(error instanceof LateError) && isLast() && (await this.#putAnewLater(name, text, isLast));
        // What was begun since decides.
        if (!isLast()) return;
      }
      this.#done = number;
      this.#isFailing = !isDone;
      if (isLast() && !this.#passed.has(name)) this.#tell(isDone && Boolean(text));
      // The page may have nothing more to write for as long as it lives.
      if (!isDone) setTimeout(() => isLast() && name === this.#name && this.#writeText(text), pause);
      while (this.#waiting.length && (this.#isFailing || this.#waiting[0].number <= number)) this.#waiting.shift().then();
    };
    this.#ended = Promise.allSettled([this.#ended, finish()]);
  }

  async #putAnewLater(name, text, isLast) {
    try {
      await inTime(this.#storage.removeItem(name));
      if (text && isLast()) await inTime(this.#storage.setItem(name, text));
      return true;
    } catch {
      return false;
    }
  }

  #tell(isKept) {
    this.isKept = isKept;
    this.#told();
  }

  /** Whether something has to wait until what was written is kept. */
  get isWriting() {
    return this.#waiting.length > 0 || (this.#begun !== this.#done && !this.#isFailing);
  }

  /** Calls `then` once all that was written is kept, or told not to be: at once, if nothing is on its way. In order. */
  afterWriting(then) {
    if (this.isWriting) this.#waiting.push({ number: this.#begun, then });
    else then();
  }

  /** A new session has its own lock: a duplicated tab has a copy of the entry [newest]. */
  claim(session) {
    if (this.#storage && !this.#isShared) this.#lockIfFree(lockOf(session));
  }

  /** Lets the session's lock go: there is another session now, or none. */
  unlock() {
    if (!this.#isShared) this.#unlock?.();
  }

  /** Leaves the entry to the person whose it is: `find` then finds another one. */
  pass() {
    this.#passed.add(this.#name);
    this.#letGo();
    this.isKept = false;
  }

  /** Lets others have the entry, once nothing is written to it any more. */
  release() {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#letGo();
  }

  #letGo() {
    const unlock = this.#unlock;
    if (this.#ended) this.#ended.then(unlock);
    else unlock?.();
    for (const name of [this.#name, this.#slotName]) claims.get(this.#storage)?.delete(name);
    this.#name = this.#unlock = undefined;
  }

  /** Whether no other tab has the lock, which then is this one's. */
  #lockIfFree(name) {
    const locks = globalThis.navigator?.locks;
    if (!locks) return true;
    return new Promise((resolve) => {
      const answer = (lock) => {
        resolve(Boolean(lock));
        return lock && !this.#isOver && new Promise((release) => (this.#unlock = release));
      };
      locks.request(name, { ifAvailable: true }, answer).catch(() => resolve(true));
    });
  }

  /** The same for one that this tab may have had before a reload: it waits until the page before has let go. */
  #lock(name) {
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
      timer = setTimeout(look, isReload ? 5000 : 500);
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
