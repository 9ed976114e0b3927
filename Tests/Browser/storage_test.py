"""What a page leaves to the one after it, where the browser's storage is full, damaged, or another tab's as well."""

import unittest

from support import BrowserTest, expect

KEY = "riblet:showcase:counter"

# Leaves no room for another character, but for what is stored under the key.
FILL = """
  (key) => {
    const kept = sessionStorage.getItem(key);
    sessionStorage.removeItem(key);
    for (let size = 1 << 22, number = 0; size >= 1; ) {
      try { sessionStorage.setItem(`fill${number++}`, "x".repeat(size)); } catch { size >>= 1; }
    }
    // Room for as much as there was, and no more.
    for (let number = 0; ; number++) {
      try { sessionStorage.setItem(key, kept); return; } catch { }
      const name = Object.keys(sessionStorage).filter((it) => it.startsWith("fill")).sort((a, b) => sessionStorage[a].length - sessionStorage[b].length)[0];
      sessionStorage.removeItem(name);
    }
  }
"""

# A session of the counter's with a storage that all tabs have.
CONNECT = """
  async (kind) => {
    const { connect } = await import("/riblet.js");
    const { indexedDBStorage } = await import("/riblet-indexeddb.js");
    const storage = kind === "IndexedDB" ? indexedDBStorage() : localStorage;
    window.session = connect(location.origin, { app: "counter", storage, key: "shared" });
    await new Promise((resolve) => session.addEventListener("change", resolve, { once: true }));
    return session.welcome.sid;
  }
"""
COUNT = "() => session.node().state.count"

# What the database has of that session.
STORED = """
  () => new Promise((done, fail) => {
    const opening = indexedDB.open("riblet");
    opening.onerror = fail;
    opening.onsuccess = () => {
      const request = opening.result.transaction("entries").objectStore("entries").get("shared");
      request.onsuccess = () => {
        opening.result.close();
        done(request.result && JSON.parse(request.result));
      };
    };
  })
"""


class StorageTest(BrowserTest):
    @property
    def status(self):
        return self.page.get_by_role("status", name="Connection")

    @property
    def messages(self):
        return self.page.get_by_role("status", name="Messages")

    def show(self):
        self.count = self.open("counter").get_by_label("Count")

    def click(self, times):
        for _ in range(times):
            self.page.locator("#screen").get_by_role("button", name="Increment").click()

    def damage(self, change):
        # The page's own writes end in the same step: its next answer, or leaving it, would replace the damaged entry by a sound one.
        self.page.evaluate(
            f"() => {{ Storage.prototype.setItem = () => {{}}; const it = JSON.parse(sessionStorage['{KEY}']); {change};"
            f" sessionStorage['{KEY}'] = JSON.stringify(it); }}")

    def test_entry_that_is_damaged_does_no_harm(self):
        for change in ["delete it.outbox", "it.v = 9", "it.outbox = [null]", "it.token = 7"]:
            with self.subTest(change):
                self.show()
                self.click(1)
                expect(self.count).to_have_text("1")
                self.damage(change)
                self.page.reload()
                expect(self.count).to_have_text("0")
                expect(self.messages).to_contain_text("cannot read")
                self.page.reload()
                expect(self.status).to_contain_text("resumed")
                expect(self.messages).not_to_contain_text("cannot read")

    def test_page_without_room_says_that_it_is_not_kept(self):
        self.show()
        self.page.evaluate(FILL, KEY)
        self.page.get_by_role("button", name="Go offline").click()
        expect(self.status).to_contain_text("Reconnecting")
        self.click(10)
        expect(self.count).to_have_text("10")
        expect(self.messages).to_contain_text("storage is full")
        self.assertFalse(self.page.evaluate(f"sessionStorage.getItem('{KEY}') !== null"))
        # With the answers there is room again.
        self.page.get_by_role("button", name="Go online").click()
        expect(self.page.locator("#status-pending")).to_have_text("0 waiting")
        expect(self.status).not_to_contain_text("lost if you reload")
        self.page.reload()
        expect(self.status).to_contain_text("resumed")
        expect(self.count).to_have_text("10")

    def test_tabs_with_one_storage_have_a_session_each(self):
        for kind in ["localStorage", "IndexedDB"]:
            with self.subTest(kind):
                self.page.goto(self.daemon.url)
                other = self.new_page()
                other.goto(self.daemon.url)
                first, second = self.page.evaluate(CONNECT, kind), other.evaluate(CONNECT, kind)
                self.assertNotEqual(first, second)
                self.page.evaluate("session.act('', 'increment')")
                other.evaluate("Promise.all([session.act('', 'increment'), session.act('', 'increment')])")
                for page, sid, count in [(self.page, first, 1), (other, second, 2), (self.page, first, 1)]:
                    page.reload()
                    self.assertEqual(page.evaluate(CONNECT, kind), sid)
                    self.assertEqual(page.evaluate(COUNT), count)
                # A tab that is opened later goes on with what a closed one has left.
                other.close()
                third = self.new_page()
                third.goto(self.daemon.url)
                self.assertEqual(third.evaluate(CONNECT, kind), second)
                third.close()

    def test_click_before_the_tab_is_closed_is_kept(self):
        for kind in ["localStorage", "IndexedDB"]:
            with self.subTest(kind):
                page = self.new_page()
                page.goto(self.daemon.url)
                sid = page.evaluate(CONNECT, kind)
                self.daemon.kill()
                self.wait_until("session.status === 'reconnecting'", page)
                # Not waited for: the tab closes in the same breath.
                page.evaluate("() => { for (let n = 0; n < 3; n++) session.act('', 'increment'); }")
                page.close()
                self.daemon.start()
                page = self.new_page()
                page.goto(self.daemon.url)
                # The browser may take a while to let go of what a closed tab has.
                self.wait_until("(await navigator.locks.query()).held.every(({ name }) => name !== 'riblet:shared')", page)
                self.assertEqual(page.evaluate(CONNECT, kind), sid)
                page.evaluate("session.pending.length ? new Promise((done) => session.addEventListener('outcome', () => session.pending.length || done())) : 0")
                self.assertEqual(page.evaluate(COUNT), 3)
                page.close()

    def test_database_that_is_gone_or_full_loses_nothing(self):
        self.page.goto(self.daemon.url)
        self.page.evaluate(CONNECT, "IndexedDB")
        # The user deletes what the page has stored: what was kept is written again with the next action.
        self.page.evaluate("new Promise((done) => (indexedDB.deleteDatabase('riblet').onsuccess = done))")
        self.page.evaluate("session.act('', 'increment')")
        sid = self.page.evaluate("session.welcome.sid")
        self.assertEqual(self.page.evaluate(STORED)["sid"], sid)
        self.page.reload()
        self.assertEqual(self.page.evaluate(CONNECT, "IndexedDB"), sid)
        # No room, at once or in the end: it is told, and what is done meanwhile is done.
        for count, full in [(2, "throw new DOMException('', 'QuotaExceededError')"), (3, "this.transaction.abort()")]:
            self.page.evaluate("void (window.put ??= IDBObjectStore.prototype.put)")
            self.page.evaluate(f"void (IDBObjectStore.prototype.put = function () {{ {full}; }})")
            told = self.page.evaluate("""new Promise((done) => {
                session.addEventListener("stored", ({ detail }) => done(detail), { once: true });
                session.act("", "increment");
            })""")
            self.assertEqual(told, {"stored": False, "reason": "full"})
            self.wait_until(f"session.pending.length === 0 && session.node().state.count === {count}")
            self.assertIsNone(self.page.evaluate(STORED))
            self.page.evaluate("""new Promise((done) => {
                IDBObjectStore.prototype.put = put;
                session.addEventListener("stored", ({ detail }) => done(detail), { once: true });
                session.act("", "decrement").then(() => session.act("", "increment"));
            })""")
            self.wait_until(f"session.pending.length === 0 && session.node().state.count === {count}")
            self.assertEqual(self.page.evaluate(STORED)["sid"], sid)

    # Has what is begun in the database from now on never come to its end.
    HANG = """
      () => {
        const { transaction } = IDBDatabase.prototype, { commit } = IDBTransaction.prototype;
        IDBTransaction.prototype.commit = function () {};
        IDBDatabase.prototype.transaction = function (...all) {
          const made = transaction.apply(this, all), entries = made.objectStore("entries");
          const go = () => (entries.get("none").onsuccess = go);
          go();
          return made;
        };
        window.heal = () => {
          IDBDatabase.prototype.transaction = transaction;
          IDBTransaction.prototype.commit = commit;
        };
      }
    """

    def test_database_that_hangs_is_given_up_and_tried_again(self):
        self.page.goto(self.daemon.url)
        sid = self.page.evaluate(CONNECT, "IndexedDB")
        self.page.evaluate(self.HANG)
        self.page.evaluate("session.act('', 'increment')")
        self.wait_until("!session.stored")
        self.page.evaluate("heal()")
        # Without another word of the user's.
        self.wait_until("session.stored")
        self.assertEqual(self.page.evaluate(STORED)["sid"], sid)
        # One that does not open either.
        self.page.evaluate("""() => {
          const { open } = IDBFactory.prototype;
          IDBFactory.prototype.open = () => ({});
          window.heal = () => void (IDBFactory.prototype.open = open);
        }""")
        self.page.evaluate("new Promise((done) => (IDBFactory.prototype.deleteDatabase.call(indexedDB, 'riblet').onsuccess = done))")
        self.page.evaluate("session.act('', 'increment')")
        self.wait_until("!session.stored")
        self.page.evaluate("heal()")
        self.wait_until("session.stored")
        self.assertEqual(self.page.evaluate(STORED)["sid"], sid)


if __name__ == "__main__":
    unittest.main()
