import type { NodeRequest, NodeResponse } from "./exchange.ts";
import { HTTP_LIMITS } from "./limits.ts";

/**
 * Ends a response whose request was not fully read. Over HTTP/1.1, the rest is read and discarded, within limits of
 * bytes and time, and the connection is closed. So the client sees the response, and the rest is not taken for another
 * request. Over HTTP/2, the stream is reset as soon as the response is written, so that the client stops sending (RFC
 * 9113 8.1).
 */
export function lingerAndClose(request: NodeRequest, response: NodeResponse): void {
  const { stream } = request;
  let leftBytes = HTTP_LIMITS.lingerBytes;
  let watch: NodeJS.Timeout | undefined;
  const finish = () => {
    clearTimeout(timer);
    clearInterval(watch);
    request.removeAllListeners("data");
    if (stream === undefined) response.end(() => request.socket.destroy());
    // A stream whose request has ended closes on its own, after its trailers are sent.
    else if (!request.complete) stream.close();
  };
  const timer = setTimeout(finish, HTTP_LIMITS.lingerTime);
  request.on("data", (chunk: Uint8Array) => {
    leftBytes -= chunk.length;
    if (leftBytes < 0) finish();
  });
  request.once("end", finish);
  request.once("close", finish);
  request.resume();
  // Ending a response over HTTP/1.1 ends the connection, so it must wait.
  if (stream === undefined) return;
  response.end();
  // No event signals that the last frame of the response is written, and a reset must not precede it. A short body that
  // is on its way ends by itself: a reset would race with the client, which then sees either of the two.
  let leftTime = RESET_GRACE;
  watch = setInterval(() => {
    if (stream.state.localClose === 1) leftTime -= RESET_INTERVAL;
    if (stream.destroyed || leftTime <= 0) finish();
  }, RESET_INTERVAL);
}

/** The interval between checks whether a stream can be reset after its response, in milliseconds … */
const RESET_INTERVAL = 5;

/** … and the time for its request to end by itself. */
const RESET_GRACE = 100;
