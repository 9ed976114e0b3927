// The HTTP twin as a transport: loaded when a WebSocket does not get through.

import { closeCodes, queryOf } from "./riblet-core.js";
import { readEvents, share, takeOwnPlace } from "./riblet-streams.js";

/** How long a client without a stream waits until it asks for the view again, in milliseconds: twice as long each time that nothing is new. */
const [shortestPause, longestPause] = [300, 5000];

const statusCodes = { 400: 4400, 401: 4401, 403: 4401, 404: 4200, 409: 4400, 413: 4400, 415: 4400, 421: 4400, 429: 4102, 503: 4100 };

export function open(url, { t, resume, auth, ...hello }, on) {
  const abort = new AbortController();
  let session = resume;
  let credential = auth;
  let isOpen = false;
  /** Has the next look at the view at once; undefined if there is a stream. */
  let look;
  let queue = [];
  /** How many actions a request may have. */
  let most = 15;
  /** The last action of the request in flight, and when that is given up. */
  let awaited = 0;
  let patience;
  /** Whether that request was answered, so that the stream is to tell of it. */
  let isAnswered = false;
  let heartbeat;
  /** When a stream that says nothing, not even a comment, is given up [heartbeat]. */
  let quiet;

  const close = () => {
    clearTimeout(patience);
    clearTimeout(quiet);
    abort.abort();
  };

  const end = (code = 1006, reason = "") => {
    if (abort.signal.aborted) return;
    close();
    on.close(code, reason);
  };

  async function request(method, path, body, headers, signal = abort.signal) {
    const response = await fetch(`${url}/v1/sessions${path || queryOf(hello)}`, {
      method,
      body: JSON.stringify(body),
      headers: {
        "Content-Type": "application/json", ...(session && { "Riblet-Token": session.token }),
        ...(credential && { Authorization: `Bearer ${credential}` }), ...headers,
      },
      signal,
    });
    if (response.ok || response.status === 304) return response;
    // Too fast: nothing of it was done [too-fast].
    if (response.status === 429 && path) {
      await new Promise((resolve) => setTimeout(resolve, 1000 * (Number(response.headers.get("Retry-After")) || 1)));
      return request(method, path, body, headers, signal);
    }
    // The server has done none of the actions. Sent one by one, only the bad one is refused.
    if (/400|413/.test(response.status) && body?.length > 1) return undefined;
    const problem = await response.json();
    // No app of this name will be there later either, and no root of it.
    const codes = !path ? { 404: 4404, 500: 4403 } : method === "GET" && { 409: 4410 };
    refuse(response.status, problem, response.headers?.get("WWW-Authenticate"), codes);
    throw new Error(problem.detail);
  }

  function refuse(status, { detail, code }, challenge, codes) {
    // The challenge says which is missing or wrong: the person's credential, or the client's token.
    const isPerson = challenge?.startsWith("Bearer");
    end(closeCodes[code] ?? (isPerson ? closeCodes.unauthenticated : { ...statusCodes, ...codes }[status]), detail);
  }

  // What becomes of actions the stream says, in order with the view. So answers are not read; and as a request
  // acknowledges the refusals before it [http-nacks], it waits until the stream has told them.
  async function post() {
    if (awaited || !isOpen || !queue.length || abort.signal.aborted) return;
    giveUpIn(35_000);
    isAnswered = false;
    if (queue[0].t === "bye") {
      awaited = Infinity;
      return request("DELETE", `/${session.sid}`);
    }
    const batch = nextBatch();
    const number = (awaited = batch.at(-1).n);
    const isRead = await act(batch);
    if (awaited !== number) return;
    if (!isRead) {
      awaited = 0;
      return post();
    }
    isAnswered = true;
    expectAnswer();
  }

  function nextBatch() {
    const last = queue.findIndex(({ t }, place) => t === "bye" || place === most);
    return queue.splice(0, last < 0 ? queue.length : last);
  }

  /** Returns the answer, or nothing if the actions have to be sent one by one. */
  async function act(batch) {
    const actions = batch.map(({ t, to, a }) => (t === "back" ? { t, to } : { to, a }));
    const response = await request("POST", `/${session.sid}/actions`, actions, { "Idempotency-Key": `"${batch[0].n}"` });
    if (!response) {
      queue.unshift(...batch);
      most = 1;
    }
    return response;
  }

  function giveUpIn(milliseconds) {
    clearTimeout(patience);
    patience = setTimeout(() => end(1006), milliseconds);
  }

  /** What was done the stream is to tell, unless something else, such as a long view, is on its way. */
  function expectAnswer() {
    giveUpIn(5000);
  }

  /** Any answer of the server's shows that it is there. */
  async function ping() {
    const { status } = await fetch(`${url}/v1/apps`, { signal: abort.signal });
    // What is between may answer for a server that is away.
    if (status >= 500) return end();
    if (!abort.signal.aborted) on.message('{"t":"pong"}');
  }

  /** The stream is there, and the server with it. */
  function listenOn() {
    clearTimeout(quiet);
    if (abort.signal.aborted) return;
    isOpen = true;
    quiet = setTimeout(() => end(1006), (heartbeat || 25_000) + 10_000);
    if (isAnswered) expectAnswer();
  }

  async function authenticate(token) {
    const answer = await (await request("PUT", `/${session.sid}/auth`, { auth: token })).json();
    credential = token;
    if (answer.token) session = { ...session, token: answer.token };
    on.message(JSON.stringify(answer));
  }

  async function listen() {
    if (!resume) {
      const { view, ...welcome } = await (await request("POST", "", hello)).json();
      session = welcome;
      on.message(JSON.stringify([welcome, { ...welcome, t: "snap", view }]));
    }
    // A place for a stream is looked for each time: another client's may be free by now.
    const place = takeOwnPlace(abort.signal);
    if (place instanceof Promise ? await place : place) return listenAlone();
    const { sid, token, epoch, rev } = session;
    const client = { url, credential, features: hello.features, resume: { sid, token, try: resume?.try, ...(rev && { epoch, rev }) } };
    const told = { open: listenOn, event: hear, answer: refuse, close: end, full: () => run(poll) };
    const isShared = await share(client, told, abort.signal);
    if (!isShared) await poll();
  }

  async function openEvents(signal) {
    const { epoch, rev } = session;
    const known = {
      ...(rev && { "Last-Event-ID": `${epoch}.${rev}` }), ...(resume && { "Riblet-Try": resume.try }),
      ...(hello.features && { "Riblet-Features": hello.features.join() }),
    };
    return (await request("GET", `/${session.sid}/events`, undefined, known, signal)).body;
  }

  async function listenAlone() {
    const body = await openEvents();
    listenOn();
    await readEvents(body, hear);
    end();
  }

  /** Something has come: an event, or a part of one, or a comment. */
  function hear(event) {
    if (!event) return listenOn();
    // Comments only say that the server is there.
    const data = event.data ?? '{"t":"pong"}';
    const message = JSON.parse(data);
    // A new session has had its welcome.
    if (resume || message.t !== "welcome") on.message(data);
    if (message.t === "welcome") heartbeat = message.heartbeat;
    if (message.n >= awaited) {
      awaited = 0;
      isAnswered = false;
      clearTimeout(patience);
    }
    run(post);
  }

  /**
   * Goes on without a stream, as no connection is left for one: answers say what became of actions, and the view is asked for, often
   * while something happens. Such a client does not count as connected.
   */
  async function poll() {
    giveUpIn(35_000);
    if (resume) await hearWelcome();
    let { durability } = session;
    let tag = `"${session.epoch}.${session.rev}"`;
    let { n } = session;
    let pause = shortestPause;
    while (!abort.signal.aborted) {
      giveUpIn(35_000);
      let told = n;
      if (queue[0]?.t === "bye") {
        await request("DELETE", `/${session.sid}`);
        on.message('{"t":"bye","code":"ended","message":""}');
        return end(1000);
      }
      if (queue.length) {
        const answer = await (await act(nextBatch()))?.json();
        if (!answer) continue;
        for (const nack of answer.nacks) on.message(JSON.stringify({ t: "nack", ...nack }));
        ({ n } = answer);
        // An answer names its durability only if it is less than the welcome's.
        const newest = answer.durability ?? session.durability;
        if (newest !== durability) on.message(JSON.stringify({ t: "notice", durability: newest }));
        durability = newest;
        pause = shortestPause;
      }
      const response = await request("GET", `/${session.sid}/view`, undefined, { "If-None-Match": tag });
      tag = response.headers.get("ETag") ?? tag;
      const [, epoch, rev] = /^"(.*)\.(\d+)"$/.exec(tag);
      if (response.status === 200) {
        on.message(JSON.stringify({ t: "snap", epoch, rev: Number(rev), n, view: await response.json() }));
        pause = shortestPause;
      } else {
        on.message(n > told ? JSON.stringify({ t: "patch", rev: Number(rev), base: Number(rev), n, ops: [] }) : '{"t":"pong"}');
      }
      if (!queue.length) await new Promise((resolve) => {
        look = resolve;
        setTimeout(resolve, pause);
      });
      pause = Math.min(2 * pause, longestPause);
    }
  }

  /** Has a stream for as long as it takes to be told what was missed. */
  async function hearWelcome() {
    const stream = new AbortController();
    abort.signal.addEventListener("abort", () => stream.abort());
    let newest;
    const hearMissed = (event) => {
      if (event?.data === undefined) return;
      const message = JSON.parse(event.data);
      on.message(event.data);
      if (message.t === "welcome") newest = message;
      else if (!/snap|patch/.test(message.t)) return;
      // Of the welcome only the number counts: the view is still that of before.
      const { epoch, rev } = message.t === "welcome" ? session : { epoch: session.epoch, ...message };
      session = { ...session, epoch, rev, n: message.n, durability: newest.durability };
      if (epoch === newest.epoch && rev >= newest.rev) stream.abort();
      stream.signal.throwIfAborted();
    };
    try {
      await readEvents(await openEvents(stream.signal), hearMissed);
    } catch (error) {
      if (!stream.signal.aborted) throw error;
    }
  }

  const run = (step) => step().catch(() => end());
  // The request is the hello: of its connection nothing is heard before the answer.
  on.open();
  run(listen);
  return {
    send(text) {
      for (const message of [JSON.parse(text)].flat()) {
        if (/act$|back|bye/.test(message.t)) queue.push(message);
        if (/check|share/.test(message.t)) throw new Error(`There is no ${message.t} over HTTP.`);
        if (message.t === "resync") end();
        if (message.t === "ping") run(ping);
        if (message.t === "auth") run(() => authenticate(message.token));
      }
      if (look) look();
      else run(post);
    },
    close,
  };
}
