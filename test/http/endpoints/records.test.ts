import { once } from "node:events";
import { constants } from "node:http2";
import { connect } from "node:net";
import { create } from "@bufbuild/protobuf";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { wrapRecord } from "../../../src/domain/records/record.ts";
import { recordsEndpoint } from "../../../src/http/endpoints/records.ts";
import { UnreadResponses } from "../../../src/http/listener/unread-responses.ts";
import type { RecordExport } from "../../../src/storage/contract/records.ts";
import { startBareListener } from "../../harness/bare-listener.ts";
import { connectHttp2 } from "../../harness/http2.ts";
import { head } from "../../harness/raw-socket.ts";

/** Records of 60 kB without end. */
const store: RecordExport = {
  async exportRecords(_projectId, take) {
    const message = create(EventSchema, { description: { en: "x".repeat(60_000) } });
    for (;;) await take([wrapRecord({ kind: "event", message, line: 0 })]);
  },
};
const query = { organizationId: "acme", projectId: "alpha", kinds: ["event"] } as const;
const readRecords = recordsEndpoint(store, { authorize: async () => query }, { stallTimeout: 100 });

describe("a reader that takes nothing is cut, and sees that the end is missing", () => {
  let listener: Awaited<ReturnType<typeof startBareListener>>;
  const onClose = vi.fn();
  beforeEach(async () => {
    onClose.mockReset();
    listener = await startBareListener({
      unread: new UnreadResponses(1_000_000),
      respond: readRecords,
      onClose,
    });
  });
  afterEach(() => listener.close());
  const untilCut = () => expect.poll(() => onClose.mock.calls).toContainEqual(["/", false]);

  test("over HTTP/1.1", async () => {
    const socket = connect(listener.port, "127.0.0.1");
    socket.on("error", () => {});
    socket.pause();
    socket.write(head("GET /"));
    await untilCut();
    let last = "";
    socket.on("data", (chunk) => {
      last = String(chunk);
    });
    const closed = new Promise((resolve) => socket.once("close", resolve));
    socket.resume();
    await closed;
    expect(last).toMatch(/x/);
    expect(last).not.toMatch(/0\r\n\r\n$/);
  });

  test("over HTTP/2", async () => {
    const session = await connectHttp2(`http://127.0.0.1:${listener.port}`);
    const stream = session.request({ ":path": "/" });
    stream.on("error", () => {});
    await once(stream, "response");
    stream.pause();
    await untilCut();
    stream.resume();
    await expect.poll(() => stream.closed).toBe(true);
    expect(stream.rstCode).toBe(constants.NGHTTP2_INTERNAL_ERROR);
    session.destroy();
  });
});
