import { describe, expect, test } from "vitest";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

const { listEvents, exchangeToken } = PROCEDURES;

describe("a request without a word of a body gets its response at once, and so is the next", () => {
  const { keys, tokens } = marquee;
  const owner = { authorization: `Bearer ${tokens.owner}` };
  const chunked = { "Transfer-Encoding": "chunked" };
  test.each<[string, string, Record<string, string>, number]>([
    ["Connect, JSON", `POST ${listEvents}`, connectHeaders(keys.public), 400],
    [
      "Connect, binary",
      `POST ${listEvents}`,
      connectHeaders(keys.public, "application/proto"),
      200,
    ],
    ["Connect, a call that writes", `POST ${exchangeToken}`, connectHeaders(keys.public), 400],
    ["gRPC", `POST ${listEvents}`, connectHeaders(keys.public, "application/grpc"), 200],
    ["gRPC-Web", `POST ${listEvents}`, connectHeaders(keys.public, "application/grpc-web"), 200],
    ["HTTP/JSON", "PATCH /ott/page_components/v2/banner-home", owner, 400],
    ["HTTP/JSON, by GET", "GET /monetization/transactions/v1", owner, 200],
    ["nothing at the path", "POST /nothing", owner, 404],
    [
      "chunks without content",
      `POST ${listEvents}`,
      { ...connectHeaders(keys.public), ...chunked },
      400,
    ],
  ])("%s", async (_name, line, headers, want) => {
    const raw = await connectRaw(marquee.url);
    for (let time = 0; time < 2; time += 1) {
      const end = headers["Transfer-Encoding"] === undefined ? "" : "0\r\n\r\n";
      raw.write(head(line, headers) + end);
      expect((await raw.response()).status).toBe(want);
    }
    raw.destroy();
  });
});
