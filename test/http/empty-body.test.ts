import { describe, expect, test } from "vitest";
import { connectHeaders, PROCEDURES } from "../harness/calls.ts";
import { connectRaw, head } from "../harness/raw-socket.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const marquee = await useMarquee();

const { listEvents, exchangeToken } = PROCEDURES;

describe("a request without a word of a body is answered at once, and so is the next", () => {
  const cases = (): readonly (readonly [string, string, Record<string, string>, number])[] => {
    const { keys, tokens } = marquee;
    const owner = { authorization: `Bearer ${tokens.owner}` };
    const chunked = { "Transfer-Encoding": "chunked" };
    return [
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
    ];
  };
  for (let index = 0; index < 9; index += 1) {
    test(`case ${index}`, async () => {
      const [name, line, headers, want] = cases()[index] ?? expect.fail();
      const raw = await connectRaw(marquee.url);
      for (let time = 0; time < 2; time += 1) {
        const end = headers["Transfer-Encoding"] === undefined ? "" : "0\r\n\r\n";
        raw.write(head(line, headers) + end);
        expect([name, (await raw.answer()).status]).toEqual([name, want]);
      }
      raw.destroy();
    });
  }
});
