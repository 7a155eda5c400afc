import { afterAll, beforeEach, describe, expect, test } from "vitest";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { startReadService } from "../harness/read-service.ts";
import { useMarquee } from "../harness/use-marquee.ts";

/** A call that the handler has taken and not finished. */
interface Call {
  readonly signal: AbortSignal;
  respond(): void;
}

let calls: Call[] = [];
let turn = 0;

const marquee = await useMarquee();
const service = await startReadService(marquee, {
  listEvents: (_request, { signal }) =>
    new Promise((resolve) => {
      calls.push({ signal, respond: () => resolve({ events: [], nextPageToken: "end" }) });
    }),
});
afterAll(() => service.close());
beforeEach(() => {
  calls = [];
  turn += 1;
});

/** Asks for this test's own list; `leave` hangs up. */
function ask(headers: Readonly<Record<string, string>> = {}) {
  const abort = new AbortController();
  const url = service.url + getUrl(PROCEDURES.listEvents, { pageSize: turn });
  const respond = fetch(url, {
    headers: { authorization: `Bearer ${marquee.keys.public}`, ...headers },
    signal: abort.signal,
  }).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    () => undefined,
  );
  return { respond, leave: () => abort.abort() };
}

const until = (count: number) => expect.poll(() => calls).toHaveLength(count);
const pause = (time: number) => new Promise((resolve) => setTimeout(resolve, time));

describe("a read that several wait for", () => {
  test("is given up when the only reader hangs up", async () => {
    const reader = ask();
    await until(1);
    expect(calls[0]?.signal.aborted).toBe(false);
    reader.leave();
    await expect.poll(() => calls[0]?.signal.aborted).toBe(true);
  });

  test("goes on when the first of two hangs up", async () => {
    const first = ask();
    await until(1);
    const second = ask();
    await pause(100);
    first.leave();
    await pause(100);
    expect(calls[0]?.signal.aborted).toBe(false);
    calls[0]?.respond();
    expect(await second.respond).toMatchObject({ status: 200 });
    expect(calls).toHaveLength(1);
  });

  test("is given up when the deadline of the only reader has passed", async () => {
    const reader = ask({ "connect-timeout-ms": "50" });
    await until(1);
    expect(await reader.respond).toMatchObject({ status: 504 });
    expect(calls[0]?.signal.aborted).toBe(true);
  });
});
