import { Code } from "@connectrpc/connect";
import { describe, expect, onTestFinished, test, vi } from "vitest";
import { createDeliveryClient } from "../../packages/client/src/index.ts";
import { send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();
const EVENT = "match-2026-104";

async function score(home: number): Promise<void> {
  const { status } = await send("PATCH", `${marquee.url}/cms/events/v1/${EVENT}`, {
    token: marquee.tokens.owner,
    headers: { "x-project-id": "worldcup" },
    body: { event: { fields: { score: { home } } }, update_mask: "fields" },
  });
  expect(status).toBe(200);
}

/** A client, and the queries of its requests. */
function createClient(key = marquee.keys.public, change?: (got: Response) => Response) {
  const sent: URLSearchParams[] = [];
  const delivery = createDeliveryClient({
    ...{ url: marquee.url, key, defaultTimeoutMs: 500 },
    fetch: async (input, init) => {
      sent.push(new URL(String(input)).searchParams);
      const got = await fetch(input, init);
      return change?.(got) ?? got;
    },
  });
  return { delivery, sent };
}

const isWaiting = async () =>
  /^marquee_waiting_requests 1$/m.test((await send("GET", `${marquee.url}/metrics`)).text);

describe("a watch", () => {
  test("yields the response and each change, and ends with the loop", async () => {
    await score(0);
    const { delivery, sent } = createClient();
    const seen: unknown[] = [];
    for await (const { event } of delivery.watch.event.getEvent({ id: EVENT })) {
      const { home = -1 } = (event?.fields?.score ?? {}) as { readonly home?: number };
      seen.push(home);
      if (home === 2) break;
      // A watch asks at most once a second.
      await expect.poll(isWaiting, { timeout: 3_000 }).toBe(true);
      await score(home + 1);
    }
    expect(seen).toEqual([0, 1, 2]);
    expect(sent.map((it) => it.get("wait"))).toEqual([
      null,
      "10",
      "10",
      ...sent.slice(3).map(() => "10"),
    ]);
    await expect.poll(isWaiting).toBe(false);
  });

  test("ends by its signal, without an error", async () => {
    const { delivery } = createClient();
    const abort = new AbortController();
    const { signal } = abort;
    let seen = 0;
    for await (const { events } of delivery.watch.event.listEvents({ pageSize: 1 }, { signal })) {
      expect(events).toHaveLength(1);
      seen += 1;
      setTimeout(() => abort.abort(), 50);
    }
    expect(seen).toBe(1);
    await expect.poll(isWaiting).toBe(false);
  });

  test("fails as its method does, at the beginning and later", async () => {
    const { delivery } = createClient();
    const none = delivery.watch.event.getEvent({ id: "none" });
    await expect(none.next()).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
    const { tokens, url } = marquee;
    await send("POST", `${url}/cms/events/v1?event_id=brief`, {
      token: tokens.owner,
      body: { project_id: "worldcup", content_type: "live", visibility: "VISIBILITY_PUBLISHED" },
    });
    const brief = delivery.watch.event.getEvent({ id: "brief" });
    await brief.next();
    const next = brief.next();
    await expect.poll(isWaiting).toBe(true);
    await send("DELETE", `${url}/cms/events/v1/brief`, {
      token: tokens.owner,
      headers: { "x-project-id": "worldcup" },
    });
    await expect(next).rejects.toMatchObject({ reason: "RESOURCE_NOT_FOUND" });
  });

  test("polls with a key that no cache may store, and without the state of the response", async () => {
    const hide = (got: Response) => {
      const headers = new Headers(got.headers);
      headers.delete("marquee-state");
      return new Response(got.body, { status: got.status, headers });
    };
    for (const { delivery, sent } of [
      createClient(marquee.keys.preview),
      createClient(marquee.keys.public, hide),
    ]) {
      const abort = new AbortController();
      const watch = delivery.watch.event.getEvent({ id: EVENT }, { signal: abort.signal });
      await watch.next();
      const next = watch.next();
      await new Promise((resolve) => setTimeout(resolve, 300));
      // The first read, and the first poll.
      expect(sent.map((it) => it.has("wait"))).toEqual([false, false]);
      abort.abort();
      expect(await next).toEqual({ done: true, value: undefined });
    }
  });
});

describe("a watch", () => {
  /** Watches an event of a server that responds like that, on a clock that the test moves; `seen` has what it yields. */
  function watchFake(respond: typeof fetch) {
    vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout", "performance"] });
    const abort = new AbortController();
    onTestFinished(() => {
      abort.abort();
      vi.useRealTimers();
    });
    const delivery = createDeliveryClient({
      ...{ url: "http://marquee.test", key: "mqp_x" },
      fetch: respond,
    });
    const seen: unknown[] = [];
    const run = async () => {
      const { signal } = abort;
      for await (const { event } of delivery.watch.event.getEvent({ id: EVENT }, { signal })) {
        seen.push(event?.id);
      }
    };
    return { seen, ended: run().catch((cause: unknown) => cause) };
  }

  test("asks once a second where two processes never agree on the state", async () => {
    let count = 0;
    const { seen } = watchFake(async () => {
      count += 1;
      const state = (count % 2 === 0 ? "a" : "b").repeat(16);
      return Response.json(
        { event: { id: state } },
        { headers: { "marquee-state": `${state}.1` } },
      );
    });
    await vi.advanceTimersByTimeAsync(5_500);
    expect([count, seen.length]).toEqual([7, 7]);
  });

  test("sees a change where a proxy drops both the state and the ETag", async () => {
    let id = "first";
    const { seen } = watchFake(async () => Response.json({ event: { id } }));
    await vi.advanceTimersByTimeAsync(25_000);
    expect(seen).toEqual(["first"]);
    id = "second";
    await vi.advanceTimersByTimeAsync(10_000);
    expect(seen).toEqual(["first", "second"]);
  });

  test("whose first read hangs fails by its deadline, not as if its caller had ended it", async () => {
    const { ended } = watchFake(
      (_, init) =>
        new Promise((_resolve, reject) => {
          init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
        }),
    );
    await vi.advanceTimersByTimeAsync(20_000);
    expect(await ended).toMatchObject({ code: Code.DeadlineExceeded });
  });
});
