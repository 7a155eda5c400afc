import { brotliDecompressSync, gunzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import type { Event } from "../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { connectHttp2, requestHttp2 } from "../harness/http2.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { type ReadService, startReadService } from "../harness/read-service.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const CODINGS = ["identity", "gzip", "br"] as const;
type Coding = (typeof CODINGS)[number];

const marquee = await useMarquee();

let text = "";
const listEvents = vi.fn(async () => {
  await new Promise((resolve) => setTimeout(resolve, 10));
  return { events: [{ id: text } as Event] };
});
let service: ReadService;
beforeEach(async () => {
  text = "a".repeat(10_000);
  listEvents.mockClear();
  service = await startReadService(marquee, { listEvents });
});
afterEach(() => service.close());

/** Reads over a socket of its own: a client library would decode the body and hide it. */
async function read(headers: Record<string, string>, { message = {} as object, http = 1 } = {}) {
  const path = getUrl(PROCEDURES.listEvents, message);
  const all = { authorization: `Bearer ${marquee.keys.public}`, ...headers };
  if (http === 1) {
    const raw = await connectRaw(service.url);
    raw.write(head(`GET ${path}`, { ...all, connection: "close" }));
    const bytes: Buffer[] = [];
    raw.socket.on("data", (chunk: Buffer) => bytes.push(chunk));
    await raw.closed();
    const whole = Buffer.concat(bytes);
    const end = whole.indexOf("\r\n\r\n");
    const lines = whole.toString("latin1", 0, end).split("\r\n");
    const pairs = lines.slice(1).map((line) => line.split(/: (.*)/) as [string, string]);
    return {
      status: Number(lines[0]?.split(" ")[1]),
      headers: Object.fromEntries(pairs) as Record<string, string>,
      body: whole.subarray(end + 4),
    };
  }
  const session = await connectHttp2(service.url);
  const got = await requestHttp2(session, { ":path": path, ...all });
  session.close();
  return { ...got, headers: got.headers as Record<string, string> };
}

const accepting = (coding: string) => ({ "accept-encoding": coding });

function decode(body: Buffer, coding: Coding): string {
  switch (coding) {
    case "br":
      return brotliDecompressSync(body).toString();
    case "gzip":
      return gunzipSync(body).toString();
    case "identity":
      return body.toString();
  }
}

describe("every coding has an entry", () => {
  test("that is read once for all who ask, also at the same time", async () => {
    const wanted = Array.from({ length: 30 }, (_, index) => CODINGS[index % 3] ?? "br");
    const responses = await Promise.all(wanted.map((coding) => read(accepting(coding))));
    for (const [index, coding] of wanted.entries()) {
      const got = responses[index] ?? expect.fail();
      expect(got.headers["content-encoding"]).toBe(coding === "identity" ? undefined : coding);
      expect(decode(got.body, coding)).toBe(`${JSON.stringify({ events: [{ id: text }] })}\n`);
      expect(got.headers["content-length"]).toBe(String(got.body.length));
    }
    expect(listEvents).toHaveBeenCalledTimes(CODINGS.length);
  });

  for (const http of [1, 2]) {
    test(`each with a strong tag of its own that stays, over HTTP/${http}`, async () => {
      const tags: string[] = [];
      for (const coding of [...CODINGS, ...CODINGS, ...CODINGS]) {
        const { headers } = await read(accepting(coding), { http });
        expect(headers.vary).toBe("Authorization, Accept-Encoding");
        tags.push(headers.etag ?? "");
      }
      expect(tags.every((tag) => /^"[^"]+"$/.test(tag))).toBe(true);
      expect(tags.slice(3)).toEqual([...tags.slice(0, 3), ...tags.slice(0, 3)]);
      expect(new Set(tags).size).toBe(3);
    });

    test(`each with a 304 of its own, also with no-cache, over HTTP/${http}`, async () => {
      for (const coding of [...CODINGS, ...CODINGS]) {
        const { etag = "" } = (await read(accepting(coding), { http })).headers;
        for (const other of CODINGS) {
          const got = await read(
            { ...accepting(other), "if-none-match": etag, "cache-control": "no-cache" },
            { http },
          );
          expect(got.status, `${coding} for ${other}`).toBe(other === coding ? 304 : 200);
          if (other !== coding) continue;
          expect(got.body.length).toBe(0);
          expect(got.headers.etag).toBe(etag);
          expect(got.headers["content-encoding"]).toBeUndefined();
          expect(got.headers["cache-control"]).toMatch(/^public/);
          expect(got.headers.vary).toBe("Authorization, Accept-Encoding");
        }
      }
    });
  }
});

test("what is small is in no coding", async () => {
  text = "a".repeat(900);
  for (let time = 0; time < 3; time += 1) {
    const got = await read(accepting("br, gzip"));
    expect([got.headers["content-encoding"], got.body.length]).toEqual([undefined, 923]);
  }
});

test("a response that nobody keeps is compressed too, and has its tag", async () => {
  const authorization = `Bearer ${marquee.keys.preview}`;
  const got = await read({ ...accepting("br"), authorization });
  expect(got.headers["content-encoding"]).toBe("br");
  expect(decode(got.body, "br")).toContain(text);
  const again = await read({
    ...accepting("br"),
    authorization,
    "if-none-match": got.headers.etag ?? "",
  });
  expect([again.status, again.headers["cache-control"]]).toEqual([304, "private, no-store"]);
});
