// A shared worker: the streams that all pages of an origin share.

import { asking, SharedStreams } from "./riblet-streams.js";

const streams = new SharedStreams();

globalThis.onconnect = ({ ports: [page] }) => {
  page.onmessage = ({ data: client, ports: [port] }) => serve(client, port);
};

/** Joins a client of a page, until the page is not there any more. */
function serve(client, port) {
  let misses = 0;
  const tell = (name) => (...values) => port.postMessage([name, ...values]);
  const leave = streams.join(client, { open: tell("open"), event: tell("event"), answer: tell("answer"), close: tell("close") });
  const end = () => {
    clearInterval(timer);
    leave();
    port.close();
  };
  const timer = setInterval(() => (misses++ < 2 ? port.postMessage(["ask"]) : end()), asking);
  port.onmessage = ({ data }) => (data === "leave" ? end() : (misses = 0));
}
