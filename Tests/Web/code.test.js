// The code that the showcase shows beside its apps.

import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { parts, statement } from "../../web/code.js";

const kinds = (text, language) => parts(text, language).filter(({ kind }) => kind).map(({ kind, text }) => `${kind} ${text}`);
const read = (path) => readFileSync(new URL(`../../${path}`, import.meta.url), "utf8");
const apps = [...read("web/apps.js").matchAll(/swift: "([^"]+)",(?: next: "[^"]+",)? view: \{ script: "([^"]+)", type: "([^"]+)"/g)];

test("the parts of a text are the text", () => {
  for (const [, swift, script] of apps) {
    for (const [text, language] of [[read(`Sources/Showcase/${swift}`), "swift"], [read(`web/${script}`), "js"]]) {
      assert.equal(parts(text, language).map((part) => part.text).join(""), text);
    }
  }
});

test("words, types, texts, numbers and comments are told apart", () => {
  assert.deepEqual(kinds('let state = State(count: 12) // a "note"', "swift"), ["word let", "type State", "number 12", 'comment // a "note"']);
  assert.deepEqual(kinds('const it = h("p", null, `a \\` if`); // if', "js"), ["word const", 'string "p"', "word null", "string `a \\` if`", "comment // if"]);
  assert.deepEqual(kinds("classify returned", "swift"), []);
});

test("a statement ends where the next one begins", () => {
  assert.equal(statement('a(1);\nscreen("A", () =>\n  h("p"));\n\n// next\nscreen("B");', 'screen("A",'), 'screen("A", () =>\n  h("p"));');
  assert.equal(statement('screen("A", () => {\n  b();\n});\nc();', 'screen("A",'), 'screen("A", () => {\n  b();\n});');
  assert.equal(statement('screen("A", x);', 'screen("A",'), 'screen("A", x);');
  assert.equal(statement("", "b"), undefined);
});

test("each app has code that is there", () => {
  assert.equal(apps.length, 13);
  for (const [, , script, type] of apps) assert.match(statement(read(`web/${script}`), `screen("${type}",`), /\);$/);
});
