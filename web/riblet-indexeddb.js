// Storage for sessions in IndexedDB: it outlives the tab, has more room than localStorage, and workers have it too.

/** How long the browser may take for one thing, in milliseconds: less than a session waits for its storage. */
const patience = 3000;

/** The storage of each database, by its name. */
const storages = new Map();

/** The storage for the option `storage`; the same for all sessions of a page. */
export function indexedDBStorage(name = "riblet") {
  return storages.get(name) ?? storages.set(name, new IndexedDBStorage(name)).get(name);
}

class IndexedDBStorage {
  /** All tabs of an origin have it. */
  isShared = true;
  #name;
  #database;

  constructor(name) {
    this.#name = name;
  }

  getItem(key) {
    return this.#run("readonly", (entries) => entries.get(key));
  }

  setItem(key, text) {
    return this.#run("readwrite", (entries) => entries.put(text, key));
  }

  removeItem(key) {
    return this.#run("readwrite", (entries) => entries.delete(key));
  }

  /** Does one thing, in the order of the calls, and returns a promise of its result. */
  async #run(mode, work) {
    this.#database ??= this.#open();
    const opening = this.#database;
    let transaction, timer, isLate = false;
    // One that hangs would hold up all that come after it.
    const late = new Promise((_, reject) => {
      timer = setTimeout(() => {
        isLate = true;
        reject(new Error("The database does not answer."));
      }, patience);
    });
    const doing = opening.then((database) => new Promise((resolve, reject) => {
      if (isLate) return;
      // What the browser has taken is kept if it crashes; only if the machine does, something older may be found.
      transaction = database.transaction("entries", mode, { durability: "relaxed" });
      const request = work(transaction.objectStore("entries"));
      transaction.oncomplete = () => resolve(request.result);
      transaction.onabort = () => reject(transaction.error);
      // A page that is left may have no time to hear of the request first.
      transaction.commit?.();
    }));
    try {
      return await Promise.race([doing, late]);
    } catch (error) {
      if (isLate) abort(transaction);
      // It may be one that is not there any more.
      this.#close(opening);
      throw error;
    } finally {
      clearTimeout(timer);
    }
  }

  #open() {
    const opening = new Promise((resolve, reject) => {
      const request = indexedDB.open(this.#name, 1);
      request.onupgradeneeded = () => request.result.createObjectStore("entries");
      request.onsuccess = () => {
        // Whoever deletes it, or knows a later version, would have to wait.
        request.result.onversionchange = () => this.#close(opening);
        resolve(request.result);
      };
      request.onerror = () => reject(request.error);
    });
    return opening;
  }

  /** The next one is opened anew. */
  #close(opening) {
    if (this.#database === opening) this.#database = undefined;
    opening.then((database) => database.close(), () => {});
  }
}

function abort(transaction) {
  try {
    transaction?.abort();
  } catch {
    // It has ended meanwhile.
  }
}
