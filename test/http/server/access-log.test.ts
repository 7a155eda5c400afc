import { EventEmitter } from "node:events";
import type { IncomingMessage } from "node:http";
import fc from "fast-check";
import { pino } from "pino";
import { expect, test, vi } from "vitest";
import { createAccessLog } from "../../../src/http/server/access-log.ts";
import type { Handled, NodeResponse } from "../../../src/http/server/exchange.ts";
import { UnreadAnswers } from "../../../src/http/server/unread-answers.ts";

/** Opens a log that keeps its lines as they are. */
function openLog(bindings?: Record<string, unknown> | null) {
  const lines: string[] = [];
  const stream = { write: (line: string) => void lines.push(line) };
  return { lines, log: pino({ ...(bindings !== undefined && { base: bindings }) }, stream) };
}

test("a line is what pino writes of the same fields", () => {
  vi.useFakeTimers({ now: 1_790_000_000_123, toFake: ["Date"] });
  vi.spyOn(performance, "now").mockReturnValue(1_012.345_678_9);
  const text = fc.oneof(fc.string(), fc.string({ unit: "grapheme", maxLength: 200 }));
  const requests = fc.record({
    method: fc.oneof(fc.constant("GET"), text),
    path: text.map((it) => `/${it}`),
    requestId: fc.oneof(fc.uuid(), fc.stringMatching(/^[A-Za-z0-9._:~/+=-]{1,128}$/)),
    http: fc.constantFrom("1.0", "1.1", "2.0"),
    remote: fc.oneof(fc.ipV4(), fc.ipV6(), fc.constant("")),
    status: fc.option(fc.constantFrom(200, 304, 404), { nil: undefined }),
    complete: fc.boolean(),
    base: fc.constantFrom(undefined, null, { name: 'a "name"', count: 1 }),
  });
  fc.assert(
    fc.property(requests, ({ method, path, requestId, http, remote, status, complete, base }) => {
      const { lines, log } = openLog(base);
      const response = Object.assign(new EventEmitter(), {
        headersSent: status !== undefined,
        statusCode: status ?? 0,
        writableFinished: complete,
      });
      const handled: Handled = {
        request: { httpVersion: http } as IncomingMessage,
        response: response as unknown as NodeResponse,
        client: { address: remote, trustsHeaders: false },
        ...{ method, path, requestId, corsHeaders: {} },
        unread: new UnreadAnswers(0),
      };
      const accessLog = createAccessLog(log);
      if (complete && status !== undefined) {
        accessLog.logSent(handled, 1_000, status);
      } else {
        accessLog.logAtClose(handled, 1_000);
        expect(lines).toEqual([]);
        response.emit("close");
      }
      log.info(
        {
          ...{ request_id: requestId, method, path, status: status ?? 499, complete },
          ...{ duration_ms: 12.346, http, remote },
        },
        "request",
      );
      expect(lines).toHaveLength(2);
      expect(lines[0]).toBe(lines[1]);
    }),
  );
  vi.restoreAllMocks();
  vi.useRealTimers();
});
