import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, constants, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { getUrl, PROCEDURES } from "../harness/calls.ts";
import { createFolder } from "../harness/folder.ts";
import { send } from "../harness/http.ts";
import { MARQUEE, programPath, start } from "../harness/process.ts";
import { makeFolder, serveProcess } from "../harness/service-process.ts";

const PROCESS = programPath("test/telemetry/log-process.ts");
const startLog = (end: string, lines: number) =>
  start(MARQUEE.program, [PROCESS, end, String(lines)]);

/** Returns the JSON lines of a text, and what follows them. */
function parseLog(text: string) {
  const all = text.split("\n");
  const count = all.findIndex((line) => !line.startsWith("{"));
  const lines = all.slice(0, count).map((line): Record<string, unknown> => JSON.parse(line));
  return { lines, rest: all.slice(count).join("\n") };
}

const numbersTo = (count: number) => Array.from({ length: count }, (_, at) => at);

test.each([
  ["exit", 0, ""],
  ["throw", 1, "Error: the crash"],
  ["reject", 1, "Error: the crash"],
] as const)(
  "all lines are written, in order and before the error: of a process that ends by %s",
  async (end, wantCode, wantRest) => {
    const { code, stderr } = await startLog(end, 5_000).finished;
    const { lines, rest } = parseLog(stderr);
    expect(lines.map(({ at }) => at)).toEqual(numbersTo(5_000));
    expect(rest).toContain(wantRest);
    expect(code).toBe(wantCode);
  },
);

test("several processes write whole lines to a file", async () => {
  const folder = createFolder();
  const path = join(folder.path, "log");
  const file = openSync(path, "a");
  const ended = Array.from({ length: 3 }, () =>
    once(
      spawn(MARQUEE.program, [PROCESS, "exit", "5000"], { stdio: ["ignore", "ignore", file] }),
      "exit",
    ),
  );
  expect(await Promise.all(ended)).toEqual(Array(3).fill([0, null]));
  closeSync(file);
  const { lines, rest } = parseLog(readFileSync(path, "utf8"));
  expect(rest).toBe("");
  const processes = Map.groupBy(lines, ({ pid }) => pid);
  expect(processes.size).toBe(3);
  for (const own of processes.values()) expect(own.map(({ at }) => at)).toEqual(numbersTo(5_000));
  folder.remove();
});

describe("a reader that reads nothing", () => {
  test("slows nothing down, and reads what fits, with the number of lines that did not", async () => {
    const LINES = 50_000;
    const log = startLog("stay", LINES);
    log.child.stderr?.pause();
    const [text] = await log.printed(/.*\n/);
    const { time, memory } = JSON.parse(text);
    expect(time).toBeLessThan(20_000);
    expect(memory).toBeLessThan(200 * 1_024 * 1_024);
    log.child.stderr?.resume();
    await expect.poll(() => log.stderr()).toContain("log lines dropped");
    log.child.kill("SIGTERM");
    const { code, stderr } = await log.finished;
    const { lines } = parseLog(stderr);
    const report = lines.pop();
    expect(lines.map(({ at }) => at)).toEqual(numbersTo(lines.length));
    expect(report).toMatchObject({ level: 40, lines: LINES - lines.length });
    expect(lines.length).toBeGreaterThan(10_000);
    expect(code).toBe(0);
  });

  test("delays the end by some seconds at most, also on a pipe", async () => {
    const folder = createFolder();
    const path = join(folder.path, "pipe");
    execFileSync("mkfifo", [path]);
    // Open for reading too, so that the writer finds a reader.
    const pipe = openSync(path, constants.O_RDWR);
    const child = spawn(MARQUEE.program, [PROCESS, "stay", "10000"], {
      stdio: ["ignore", "pipe", pipe],
    });
    await once(child.stdout ?? expect.fail(), "data");
    const begin = performance.now();
    child.kill("SIGTERM");
    const [code] = await once(child, "exit");
    expect(code).toBe(0);
    expect(performance.now() - begin).toBeLessThan(10_000);
    closeSync(pipe);
    folder.remove();
  });

  test("may close while the process ends, which then ends at once", async () => {
    const log = startLog("stay", 10_000);
    log.child.stderr?.pause();
    await log.printed(/.*\n/);
    log.child.kill("SIGTERM");
    log.child.stderr?.destroy();
    expect((await log.finished).code).toBe(0);
  });
});

test("a process whose reader is gone continues without a log", async () => {
  const log = startLog("stay", 20_000);
  log.child.stderr?.destroy();
  await log.printed(/.*\n/);
  log.child.kill("SIGTERM");
  expect((await log.finished).code).toBe(0);
});

test("a service has logged every finished request when SIGTERM ends it", async () => {
  const folder = makeFolder();
  const service = await serveProcess(folder);
  const { projects } = JSON.parse(readFileSync(folder.demoFile, "utf8"));
  const ids = numbersTo(90).map((at) => `request-${at}`);
  for (const [at, id] of ids.entries()) {
    // From the cache, from the database, and rejected ones.
    const url = getUrl(PROCEDURES.listEvents, { pageSize: at % 3 === 0 ? at + 1 : 1 });
    const token = at % 5 === 0 ? "nobody" : projects[0].public_key;
    await send("GET", service.studioUrl + url, { token, headers: { "x-request-id": id } });
  }
  expect(await service.stop()).toBe(0);
  const { lines } = parseLog(service.stderr());
  const got = lines.filter(({ msg }) => msg === "request").map((line) => line.request_id);
  expect(got).toEqual(ids);
  folder.remove();
});
