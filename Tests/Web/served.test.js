// The scripts as ribd serves them: the same programs as in web/, shorter, and with a way back to the source.

import assert from "node:assert/strict";
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import fs from "node:fs";
import { createRequire, SourceMap } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { gzipSync } from "node:zlib";

const ribd = process.env.RIBD;
const skip = !ribd && process.env.RIB_REQUIRE_ALL !== "1" && "RIBD does not name the daemon";
const folder = new URL("../../web/", import.meta.url);
const scripts = fs.readdirSync(folder).filter((name) => name.endsWith(".js"));

/** Whether a file is of the inspector's page, which the admin listener alone has. */
const isInspectors = (name) => name.startsWith("admin");

async function serve(t) {
  const directory = fs.mkdtempSync(join(tmpdir(), "rib-served-"));
  const tokens = join(directory, "tokens");
  // Nobody has a token of this hash, and nobody needs one for a file.
  fs.writeFileSync(tokens, `nobody:look:${"0".repeat(64)}\n`);
  const flags = ["--port", "0", "--store", "memory", "--admin-listen", "127.0.0.1:0", "--admin-token-file", tokens];
  const daemon = spawn(ribd, flags, { stdio: ["ignore", "pipe", "inherit"] });
  t.after(() => {
    daemon.kill("SIGKILL");
    fs.rmSync(directory, { recursive: true });
  });
  const addresses = { public: /listens on (\S+)/, inspector: /Operators look at (\S+)/ };
  let output = "";
  while (!Object.values(addresses).every((line) => line.test(output))) output += (await once(daemon.stdout, "data"))[0];
  const [url, inspector] = Object.values(addresses).map((line) => line.exec(output)[1]);
  return async (name) => {
    const answer = await fetch(`${isInspectors(name) ? inspector : url}/${name}`);
    assert.equal(answer.status, 200, name);
    return answer.text();
  };
}

/** The syntax tree of a program without its places: kinds of nodes, and the text of what has no parts. */
function treeOf(ts, program) {
  const nodes = [];
  const visit = (node, depth) => {
    const isLeaf = ts.forEachChild(node, () => true) === undefined;
    // A block without statements may have a comment.
    const text = isLeaf && !ts.isBlock(node) ? node.getText(source) : "";
    nodes.push([depth, ts.SyntaxKind[node.kind], text].join(" "));
    ts.forEachChild(node, (child) => visit(child, depth + 1));
  };
  const source = ts.createSourceFile("it.js", program, ts.ScriptTarget.ESNext, true, ts.ScriptKind.JS);
  assert.deepEqual(source.parseDiagnostics, []);
  visit(source, 0);
  return nodes;
}

test("the scripts that are served are the same programs", { skip, timeout: 60_000 }, async (t) => {
  const get = await serve(t);
  const tsc = fs.realpathSync(execFileSync("sh", ["-c", "command -v tsc"], { encoding: "utf8" }).trim());
  const ts = createRequire(tsc)("../lib/typescript.js");
  assert.ok(scripts.length > 5);
  for (const name of scripts) {
    const source = fs.readFileSync(new URL(name, folder), "utf8");
    const served = await get(name);
    assert.deepEqual(treeOf(ts, served), treeOf(ts, source), name);
    // What is left to be read says where the source is.
    assert.deepEqual(served.match(/^\s*\/[/*].*/gm), [`//# sourceMappingURL=${name}.map`], name);
    const map = JSON.parse(await get(`${name}.map`));
    assert.deepEqual(map.sourcesContent, [source], name);
    const lines = source.split("\n");
    const finder = new SourceMap(map);
    for (const [index, line] of served.trimEnd().split("\n").slice(0, -1).entries()) {
      const { originalLine, originalColumn } = finder.findEntry(index, 0);
      assert.ok(line && lines[originalLine].slice(originalColumn).startsWith(line), `${name}, ${index}: ${line}`);
    }
  }
});

test("a licence stays", { skip, timeout: 20_000 }, async (t) => {
  const get = await serve(t);
  const name = "vendor/qrcode.js";
  assert.equal(await get(name), fs.readFileSync(new URL(name, folder), "utf8"));
});

test("the client is small", { skip, timeout: 20_000 }, async (t) => {
  const get = await serve(t);
  const sizes = {};
  for (const name of scripts) sizes[name] = gzipSync(await get(name), { level: 9 }).length;
  t.diagnostic(JSON.stringify(sizes));
  const atStart = ["riblet.js", "riblet-core.js", "riblet-link.js", "riblet-entry.js", "riblet-shown.js"].map((name) => sizes[name]);
  assert.ok(sizes["riblet.js"] <= 6 * 1024, `riblet.js has ${sizes["riblet.js"]} bytes`);
  const sum = atStart.reduce((one, other) => one + other);
  assert.ok(sum <= 14.5 * 1024, `what it needs to begin has ${sum} bytes`);
});
