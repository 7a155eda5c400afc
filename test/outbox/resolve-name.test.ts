import { lookup } from "node:dns/promises";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  createResolveName,
  type NameSources,
  SLOW_NAME,
  UNKNOWN_NAME,
} from "../../src/network/resolve-name.ts";
import { type NameServer, type Reply, startNameServer } from "../harness/name-server.ts";
import { createFileFolder } from "../harness/test-folder.ts";

const NAMES: Readonly<Record<string, Reply>> = {
  "both.example": { addresses: ["2001:db8::1", "192.0.2.1", "192.0.2.2"] },
  "four.example": { addresses: ["192.0.2.4"] },
  "half.example": { addresses: ["192.0.2.5", "2001:db8::5"], swallowsIpv6: true },
  "late.example": { addresses: ["192.0.2.6"], delay: 400 },
  "short.corp.example": { addresses: ["192.0.2.7"] },
  "slow.example": "swallow",
};

let server: NameServer;
let sources: Required<NameSources>;
const folder = createFileFolder();
beforeAll(async () => {
  server = await startNameServer((name) => NAMES[name] ?? { addresses: [] });
  const write = (name: string, text: string) => {
    writeFileSync(join(folder, name), text);
    return join(folder, name);
  };
  sources = {
    servers: [server.address],
    hostsFile: write(
      "hosts",
      "# 127.0.0.9 four.example\n127.0.0.1\tLocalhost local # four.example\n::1 localhost\nfoo both.example\n",
    ),
    resolverFile: write("resolv.conf", "nameserver 192.0.2.9\nsearch none.example corp.example\n"),
    limit: 600,
  };
});
afterAll(() => server.close());

const open = (changes: NameSources = {}) => createResolveName({ ...sources, ...changes });
const resolve = (name: string, changes?: NameSources, signal = new AbortController().signal) =>
  open(changes)(name, signal);
const codeOf = (resolving: Promise<unknown>) =>
  resolving.then(
    () => "found",
    ({ code }) => code,
  );

describe("a name", () => {
  test.each([
    ["four.example", ["192.0.2.4"]],
    ["late.example", ["192.0.2.6"]],
    ["localhost", ["127.0.0.1", "::1"]],
    ["local", ["127.0.0.1"]],
    ["short", ["192.0.2.7"]],
  ] as const)("%s", async (name, want) => {
    expect(await resolve(name)).toEqual(want);
  });

  test("has its addresses of IPv4 first", async () => {
    expect(await resolve("both.example")).toEqual([...["192.0.2.1", "192.0.2.2"], "2001:db8::1"]);
  });

  test("of the hosts file is asked of no server", async () => {
    await resolve("localhost");
    expect(server.asked.has("localhost")).toBe(false);
  });

  test("with the addresses of one family alone has those, in time", async () => {
    expect(await resolve("half.example")).toEqual(["192.0.2.5"]);
  });

  test.each(["none.example", "x", "a..b", `${"a".repeat(64)}.example`])("%s", async (name) => {
    expect(UNKNOWN_NAME).toContain(await codeOf(resolve(name)));
  });

  test("without a reply is slow, and ends on time", async () => {
    const start = performance.now();
    expect(SLOW_NAME).toContain(await codeOf(resolve("slow.example")));
    expect(performance.now() - start).toBeGreaterThan(550);
  });

  test("whose server is away is neither", async () => {
    const code = await codeOf(resolve("four.example", { servers: ["127.0.0.1:1"] }));
    expect([...UNKNOWN_NAME, ...SLOW_NAME, "found"]).not.toContain(code);
  });

  test.each([0, 50])("is given up %s ms after the caller has gone", async (delay) => {
    const ending = new AbortController();
    const resolving = codeOf(resolve("slow.example", { limit: 60_000 }, ending.signal));
    setTimeout(() => ending.abort(), delay);
    expect(await resolving).not.toBe("found");
  });

  test("on this machine is found without a given server", async () => {
    const found = await createResolveName()("localhost", new AbortController().signal);
    const want = await lookup("localhost", { all: true });
    expect([...found].sort()).toEqual(want.map(({ address }) => address).sort());
  });
});

test("a hundred names without a reply do not delay another", async () => {
  const slow = Array.from({ length: 100 }, () => codeOf(resolve("slow.example", { limit: 5_000 })));
  let ended = 0;
  for (const it of slow) it.then(() => (ended += 1));
  expect(await resolve("four.example")).toEqual(["192.0.2.4"]);
  // A file is read by the threads that a lookup of the operating system takes.
  expect(await resolve("localhost")).toEqual(["127.0.0.1", "::1"]);
  expect(ended).toBe(0);
  for (const code of await Promise.all(slow)) expect(SLOW_NAME).toContain(code);
});
