// A shared worker: the streams that all pages of an origin share.

import { asking, SharedStreams } from "./riblet-streams.js";

const streams = new SharedStreams();

globalThis.onconnect = ({ ports: [page] }) => {
  page.onmessage = ({ data: client, ports: [port] }) => serve(client, port);
};

/** Joins a client of a page, until the page is gone. */
function serve(client, port) {
  let misses = 0;
  const tell = (name) => (...values) => port.postMessage([name, ...values]);
  const ask = tell("ask");
  const close = tell("close");
  const leave = streams.join(client, { open: tell("open"), event: tell("event"), answer: tell("answer"), close, full: tell("full") });
  const end = () => {
    clearInterval(timer);
    leave();
    // A frozen page reads this when it goes on, and reconnects.
    close(1006);
    port.close();
  };
  const timer = setInterval(() => (misses++ < 2 ? ask() : end()), asking);
  port.onmessage = ({ data }) => (data === "leave" ? end() : (misses = 0));
  // The page learns that the worker is there.
  ask();
}
