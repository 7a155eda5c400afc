import { setTimeout } from "node:timers/promises";
import { afterEach, expect, test } from "vitest";
import { FilePreparer } from "../../../src/transfer/import/file-preparer.ts";
import { PrepareThread } from "../../../src/transfer/import/prepare-thread.ts";

let thread: PrepareThread | undefined;
afterEach(() => thread?.close());

const LINE = Buffer.from(`{"event":{"id":"a","project_id":"p"}}\n`);

/** What makes the thread fail: a fault of the program, not of the file. */
const BROKEN = "no bytes" as never;

test("a thread prepares the pieces of a file in order", async () => {
  thread = new PrepareThread({});
  const [first, end] = await Promise.all([thread.prepare(LINE), thread.prepare(undefined)]);
  expect([first.records, end.records]).toEqual([1, 0]);
});

test("a thread prepares a copy as it is prepared without one", async () => {
  const options = { intoProjectId: "q" };
  thread = new PrepareThread(options);
  const here = new FilePreparer(options);
  for (const piece of [LINE, undefined]) {
    await thread.learn(piece);
    here.learn(piece);
  }
  const got = await thread.prepare(LINE);
  expect(got).toEqual(here.prepare(LINE));
  expect(JSON.stringify(got)).toContain('"q"');
});

test("a thread throws the fault of a name with its line", async () => {
  thread = new PrepareThread({ intoProjectId: "q" });
  await thread.learn(LINE);
  await expect(thread.learn(Buffer.from("{\n"))).rejects.toMatchObject({
    reason: "JSON_SYNTAX",
    metadata: { line: "2" },
  });
});

test("a thread that fails rejects everything that waits for it and that comes later", async () => {
  thread = new PrepareThread({});
  const waiting = [thread.prepare(BROKEN), thread.prepare(LINE)];
  for (const each of waiting) await expect(each).rejects.toThrow(TypeError);
  await expect(thread.prepare(LINE)).rejects.toThrow(TypeError);
  await expect(thread.learn(LINE)).rejects.toThrow(TypeError);
});

test("a thread that ends while nothing waits rejects what comes later", async () => {
  thread = new PrepareThread({});
  await thread.prepare(LINE);
  await thread.close();
  // The end of the thread is heard in a turn of its own.
  await setTimeout();
  await expect(thread.prepare(LINE)).rejects.toThrow("the thread that reads the file has ended");
});
