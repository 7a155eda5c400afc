import { isUnforeseen } from "../../call/errors.ts";
import type { ConnectRead } from "../connect/connect-get.ts";
import { CALL_OVER, toAbort } from "../connect/connect-request.ts";
import { withinTime } from "../server/deadline.ts";
import { toErrorAnswer } from "../server/errors.ts";
import type { Answer, Exchange, NodeRequest } from "../server/exchange.ts";
import { chooseCoding } from "./accept-encoding.ts";
import { Representations } from "./encoded-answers.ts";
import { createReadyAnswers, type ReadyAnswer } from "./hot-index.ts";
import { type ResponseCache, type SharedRead, toCacheKey } from "./response-cache.ts";

/** Answers the Connect reads of one listener, from memory where it can. */
export interface ReadAnswerer {
  /** Answers a read in time for its caller's deadline, in the content coding it likes best. */
  answer(read: ConnectRead, exchange: Exchange): Promise<Answer>;
  /** Finds the answer to a request like one that was answered before. */
  findReady(request: NodeRequest, clock: () => Date): ReadyAnswer | undefined;
}

/** Creates what answers reads; without a cache, every read is a call. */
export function createReadAnswerer(cache: ResponseCache | undefined): ReadAnswerer {
  const ready = cache && createReadyAnswers(cache);

  async function findAnswer(
    read: ConnectRead,
    exchange: Exchange,
    signal: AbortSignal,
  ): Promise<Answer> {
    const { headers, url = "" } = exchange.request;
    const { authorization } = headers;
    const coding = chooseCoding(headers["accept-encoding"]);
    if (cache !== undefined && authorization !== undefined) {
      // Credentials come before the message: only a public key shares answers.
      const owner = await cache.findKey(authorization);
      const form = owner === undefined ? undefined : read.toForm();
      if (owner !== undefined && form !== undefined) {
        const shared: SharedRead = {
          projectId: owner.projectId,
          path: exchange.path,
          form,
          coding,
          now: exchange.now,
          signal,
        };
        const answer = await cache.answer(shared, read.call);
        ready?.note(url, authorization, { key: toCacheKey(shared), owner });
        return answer;
      }
    }
    const { answer } = await read.call(signal);
    return new Representations(answer).in(coding);
  }

  return {
    findReady: (request, clock) => ready?.find(request, clock),
    async answer(read, exchange) {
      const waiting = toAbort(exchange);
      try {
        return await withinTime(read.timeout, findAnswer(read, exchange, waiting.signal));
      } catch (cause) {
        if (isUnforeseen(cause)) throw cause;
        return toErrorAnswer(cause, "connect");
      } finally {
        // Also when the caller's time is over: it waits no more.
        waiting.abort(CALL_OVER);
      }
    },
  };
}
