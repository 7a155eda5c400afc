import { PassThrough } from "node:stream";
import { expect, test } from "vitest";
import { toStream } from "../../src/transfer/export-file.ts";

test("a reader that went away fails the write, and nothing else", async () => {
  const stream = new PassThrough();
  const target = toStream(stream);
  stream.resume();
  await target.write(Buffer.from("a"));
  stream.destroy();
  await expect(target.write(Buffer.from("b"))).rejects.toThrow();
});
