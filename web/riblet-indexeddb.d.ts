import type { EntryStorage } from "./riblet.js";

/**
 * A storage for {@link Options.storage} in IndexedDB: it outlives the tab, has more room than `localStorage`, and can be used in workers.
 *
 * An action is sent once the browser has it in the database, which takes it some milliseconds.
 *
 * @param name the database's, `riblet` by default; it has one store, `entries`, with the texts by their keys.
 * @returns the same object for each call with one name.
 */
export function indexedDBStorage(name?: string): EntryStorage & { isShared: true };
