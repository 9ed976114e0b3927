// Views as deep as the server sends them [depth].

import assert from "node:assert/strict";
import { test } from "node:test";
import { canonical, hashOf } from "../../web/riblet-check.js";
import { Core } from "../../web/riblet.js";

const nested = (levels, value) => "[".repeat(levels) + value + "]".repeat(levels);

for (const levels of [1, 60, 503, 507]) {
  test(`a view of ${levels} levels is read, patched and hashed`, async () => {
    const core = new Core();
    core.hello({ app: "a" });
    const say = (text) => core.receive(JSON.parse(text), 0);
    say('{"t":"welcome","sid":"S","cid":1,"token":"T","epoch":"E","rev":1,"n":0,"nacks":[],"limits":{"messageBytes":0}}');
    const view = (value) => `{"nodes":{"1":{"state":{"a":${nested(levels, value)}},"type":"A"}},"root":1}`;
    say(`{"t":"snap","epoch":"E","rev":1,"n":0,"view":${view(1)}}`);
    const path = `/nodes/1/state/a${"/0".repeat(levels)}`;
    say(`{"t":"patch","rev":2,"base":1,"n":0,"ops":[{"op":"replace","path":"${path}","value":2}]}`);
    assert.equal(core.revision, 2);
    assert.equal(JSON.stringify(core.view), view(2));
    assert.equal(canonical(core.view), view(2));
    assert.equal((await hashOf(core.view)).length, 64);
  });
}
