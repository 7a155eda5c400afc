import { inspect } from "node:util";
import { create, toBinary } from "@bufbuild/protobuf";
import { anyPack } from "@bufbuild/protobuf/wkt";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { createDeliveryClient, hasReason, MarqueeError } from "../../packages/client/src/index.ts";

/** Makes a client whose every request gets one response. */
function createClient(respond: typeof fetch, options: { readonly defaultTimeoutMs?: number } = {}) {
  return createDeliveryClient({
    url: "http://marquee.example",
    key: "mqp_any",
    fetch: respond,
    ...options,
  });
}

/** Returns the error that a read ends with when the service or a proxy responds like this. */
async function errorOf(
  domain: string,
  headers: Readonly<Record<string, string>> = {},
  metadata: Readonly<Record<string, string>> = {},
) {
  const info = create(ErrorInfoSchema, { reason: "RATE_LIMITED", domain, metadata });
  const { typeUrl, value } = anyPack(ErrorInfoSchema, info);
  expect(value).toEqual(toBinary(ErrorInfoSchema, info));
  const body = {
    code: "resource_exhausted",
    message: "too many requests",
    details: [{ type: typeUrl.split("/").at(-1), value: Buffer.from(value).toString("base64") }],
  };
  const client = createClient(async () => {
    const init = { status: 429, headers: { "content-type": "application/json", ...headers } };
    return new Response(JSON.stringify(body), init);
  });
  return client.event.listEvents({}).then(
    () => undefined,
    (cause: unknown) => cause,
  );
}

describe("an error of the service", () => {
  test("has the seconds of its Retry-After", async () => {
    const error = await errorOf("marquee", { "retry-after": "7" });
    expect(hasReason(error, "RATE_LIMITED") && error.retryAfter).toBe(7);
  });

  test.each([{}, { "retry-after": "Wed, 21 Oct 2026 07:28:00 GMT" }])(
    "has none with %j",
    async (headers) => {
      const error = await errorOf("marquee", headers);
      expect(hasReason(error, "RATE_LIMITED") && error.retryAfter).toBeUndefined();
    },
  );
});

test("an ErrorInfo of another domain makes no error of the service", async () => {
  const error = await errorOf("mesh.example.com", { "retry-after": "7" });
  expect(error).toBeInstanceOf(ConnectError);
  expect(error).not.toBeInstanceOf(MarqueeError);
  expect(error).toMatchObject({ code: Code.ResourceExhausted });
});

test("a call ends after defaultTimeoutMs, which the service knows", async () => {
  let sent: string | null = null;
  const never: typeof fetch = (_url, init) => {
    sent = new Headers(init?.headers).get("connect-timeout-ms");
    // Such a call would never end.
    if (sent === null) return Promise.reject(new Error("the call has no deadline"));
    return new Promise((_resolve, reject) => {
      init?.signal?.addEventListener("abort", () => reject(init.signal?.reason));
    });
  };
  const client = createClient(never, { defaultTimeoutMs: 50 });
  await expect(client.event.listEvents({})).rejects.toMatchObject({ code: Code.DeadlineExceeded });
  expect(sent).toBe("50");
});

test("console.error shows the code with the reason, the field and the message, a line each", async () => {
  const head = "MarqueeError: resource_exhausted RATE_LIMITED\n";
  const error = await errorOf("marquee", {}, { field: "filter" });
  expect(inspect(error)).toBe(`${head}  field: filter\n  too many requests`);
  expect(inspect(new Error("cannot list", { cause: error }))).toContain(head);
  expect(inspect(await errorOf("marquee"))).toBe(`${head}  too many requests`);
});

test("the message has the reason, because browsers and log services show it alone", async () => {
  const error = await errorOf("marquee");
  expect(String(error)).toBe("ConnectError: [resource_exhausted] RATE_LIMITED: too many requests");
  expect(error).toMatchObject({
    rawMessage: "too many requests",
    stack: expect.stringContaining("RATE_LIMITED: too many requests\n"),
  });
});
