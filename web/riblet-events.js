// The HTTP twin as a transport: loaded when a WebSocket does not get through.

import { closeCodes, queryOf } from "./riblet-core.js";

const statusCodes = { 400: 4400, 401: 4401, 403: 4401, 404: 4200, 409: 4400, 413: 4400, 415: 4400, 421: 4400, 429: 4102, 503: 4100 };

export function open(url, { t, resume, auth, ...hello }, on) {
  const abort = new AbortController();
  let session = resume;
  let credential = auth;
  let isOpen = false;
  let queue = [];
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

  async function request(method, path, body, headers) {
    const response = await fetch(`${url}/v1/sessions${path || queryOf(hello)}`, {
      method,
      body: JSON.stringify(body),
      headers: {
        "Content-Type": "application/json", ...(session && { "Riblet-Token": session.token }),
        ...(credential && { Authorization: `Bearer ${credential}` }), ...headers,
      },
      signal: abort.signal,
    });
    if (response.ok) return response;
    // Too fast: nothing of it was done [too-fast].
    if (response.status === 429 && path) {
      await new Promise((resolve) => setTimeout(resolve, 1000 * (Number(response.headers.get("Retry-After")) || 1)));
      return request(method, path, body, headers);
    }
    const { detail, code } = await response.json();
    // No app of this name will be there later either, and no root of it.
    const codes = !path ? { 404: 4404, 500: 4403 } : method === "GET" && { 409: 4410 };
    // The challenge says which is missing or wrong: the person's credential, or the client's token.
    const isPerson = response.headers?.get("WWW-Authenticate")?.startsWith("Bearer");
    end(closeCodes[code] ?? (isPerson ? closeCodes.unauthenticated : { ...statusCodes, ...codes }[response.status]), detail);
    throw new Error(detail);
  }

  // What becomes of actions the stream says, in order with the view. So answers are not read; and as a request
  // acknowledges the refusals before it [http-nacks], it waits until the stream has told them.
  async function post() {
    if (awaited || !isOpen || !queue.length || abort.signal.aborted) return;
    patience = setTimeout(() => end(1006), 35_000);
    isAnswered = false;
    if (queue[0].t === "bye") {
      awaited = Infinity;
      return request("DELETE", `/${session.sid}`);
    }
    const last = queue.findIndex(({ t }, place) => t === "bye" || place === 15);
    const batch = queue.splice(0, last < 0 ? queue.length : last);
    const number = (awaited = batch.at(-1).n);
    const actions = batch.map(({ t, to, a }) => (t === "back" ? { t, to } : { to, a }));
    await request("POST", `/${session.sid}/actions`, actions, { "Idempotency-Key": `"${batch[0].n}"` });
    if (awaited !== number) return;
    isAnswered = true;
    expectAnswer();
  }

  /** What was done the stream is to tell, unless something else, such as a long view, is on its way. */
  function expectAnswer() {
    clearTimeout(patience);
    patience = setTimeout(() => end(1006), 5000);
  }

  /** Any answer of the server's shows that it is there. */
  async function ping() {
    const { status } = await fetch(`${url}/v1/apps`, { signal: abort.signal });
    // What is between may answer for a server that is away.
    if (status >= 500) return end();
    if (!abort.signal.aborted) on.message('{"t":"pong"}');
  }

  function listenOn() {
    clearTimeout(quiet);
    if (abort.signal.aborted) return;
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
    const { epoch, rev } = session;
    const known = {
      ...(rev && { "Last-Event-ID": `${epoch}.${rev}` }), ...(resume && { "Riblet-Try": resume.try }),
      ...(hello.features && { "Riblet-Features": hello.features.join() }),
    };
    const { body } = await request("GET", `/${session.sid}/events`, undefined, known);
    isOpen = true;
    const reader = body.pipeThrough(new TextDecoderStream()).getReader();
    let text = "";
    for (let chunk = {}; !chunk.done; chunk = await reader.read()) {
      listenOn();
      const events = (text + (chunk.value ?? "")).split("\n\n");
      text = events.pop();
      for (const event of events) {
        // Comments only say that the server is there.
        const line = event.split("\n").find((line) => line.startsWith("data: "));
        const data = line?.slice(6) ?? '{"t":"pong"}';
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
    }
    end();
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
      run(post);
    },
    close,
  };
}
