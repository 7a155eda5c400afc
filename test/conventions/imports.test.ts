import { dirname } from "node:path/posix";
import { describe, expect, test } from "vitest";
import { readFiles, readImports } from "./source-files.ts";

const SOURCES = readFiles("src", ".ts");

type Graph = ReadonlyMap<string, ReadonlySet<string>>;

/** Draws the folders of `src` and what each imports, types too. */
function drawFolders(files: readonly { path: string; imports: readonly string[] }[]): Graph {
  const graph = new Map<string, Set<string>>();
  for (const { path, imports } of files) {
    const from = dirname(path).slice("src/".length);
    const targets = graph.get(from) ?? new Set();
    graph.set(from, targets);
    for (const target of imports.filter((name) => name.startsWith("src/"))) {
      const to = dirname(target).slice("src/".length);
      if (to !== from && to !== "" && from !== "") targets.add(to);
    }
  }
  return graph;
}

/** Lists the nodes of each circle, for the largest circles. */
function findCircles(graph: Graph): string[][] {
  const reach = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const waiting = [from];
    for (let node = waiting.pop(); node !== undefined; node = waiting.pop()) {
      for (const next of graph.get(node) ?? []) {
        if (!seen.has(next)) waiting.push(next);
        seen.add(next);
      }
    }
    return seen;
  };
  const reached = new Map([...graph.keys()].map((node) => [node, reach(node)]));
  const circles = [...reached].filter(([node, nodes]) => nodes.has(node));
  const members = circles.map(([node, nodes]) =>
    [...nodes].filter((other) => reached.get(other)?.has(node)).sort(),
  );
  return [...new Map(members.map((circle) => [circle.join(), circle])).values()];
}

describe("imports", () => {
  test("of folders go one way, those of types too", () => {
    expect(findCircles(drawFolders(SOURCES))).toEqual([]);
  });

  test("of files go in no circle, those of types neither", () => {
    const files = SOURCES.map(({ path, imports }) => [path, new Set(imports)] as const);
    expect(findCircles(new Map(files))).toEqual([]);
  });

  test("that are turned round are found", () => {
    const files = (...texts: string[]) =>
      texts.map((text) => {
        const [path = "", ...imports] = text.split(" ").map((name) => `src/${name}`);
        return { path, imports };
      });
    const oneWay = files("a/x.ts b/x.ts a/z/x.ts server.ts", "a/z/x.ts b/x.ts", "b/x.ts c/d/x.ts");
    expect(findCircles(drawFolders(oneWay))).toEqual([]);
    const turned = [...oneWay, ...files("c/d/y.ts a/y.ts")];
    expect(findCircles(drawFolders(turned))).toEqual([["a", "a/z", "b", "c/d"]]);
    const upwards = [...oneWay, ...files("a/z/y.ts a/y.ts")];
    expect(findCircles(drawFolders(upwards))).toEqual([["a", "a/z"]]);
  });

  test("of engines and their SQL stay below the contract of the store", () => {
    const engines = /^src\/storage\/(sql|sqlite|postgres)\//;
    const allowed = /^src\/storage\/((sql|sqlite|postgres)\/|open\.ts$)/;
    const wrong = SOURCES.filter(
      ({ path, imports }) => !allowed.test(path) && imports.some((it) => engines.test(it)),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("of the SQL that joins texts stay in content, whose statements are composed; Kysely builds all others", () => {
    const composing =
      /^src\/storage\/(db\/|sql\/content\/|sql\/base\/(bulk-insert|dialect)\.ts|(sqlite|postgres)\/dialect\.ts)/;
    const wrong = SOURCES.filter(
      ({ path, imports }) =>
        !composing.test(path) && imports.includes("src/storage/db/sql-text.ts"),
    );
    expect(wrong.map(({ path }) => path)).toEqual([]);
  });

  test("name files that exist, with their ending", () => {
    const known = new Set([...SOURCES, ...readFiles("gen", ".ts")].map((file) => file.path));
    const local = SOURCES.flatMap((file) => file.imports).filter((it) => /^(src|gen)\b/.test(it));
    expect(local.filter((it) => !known.has(it) && !it.endsWith(".json"))).toEqual([]);
  });

  test("are read in every form", () => {
    const text = [
      'import a from "./a.ts";',
      'import type { B,\n  C } from "../b/c.ts";',
      'export { d } from "./d.ts";',
      'export * from "e";',
      'import "f";',
      'const g = await import("./g.ts");',
    ].join("\n");
    expect(readImports("src/x/y.ts", text).sort()).toEqual(
      ["src/x/a.ts", "src/b/c.ts", "src/x/d.ts", "e", "f", "src/x/g.ts"].sort(),
    );
  });
});

/** What a room may import from outside: all that its folders do not say themselves. */
test.each([
  ["domain", /^(gen\/|@bufbuild\/protobuf)/],
  [
    "storage",
    /^(src\/domain\/|gen\/|@bufbuild\/protobuf|kysely|better-sqlite3|pg|lru-cache|node:)/,
  ],
  ["storage/contract", /^(src\/domain\/|gen\/|@bufbuild\/protobuf)/],
  ["protojson", /^(src\/domain\/base\/|gen\/google\/|@bufbuild|@connectrpc|lru-cache)/],
  [
    "http/rest",
    /^(src\/(domain\/base|http|protojson)\/|src\/(api\/pipeline|api\/steps\/(errors|incoming-call)).ts|gen\/(google|svc\/options)\/|@|node:)/,
  ],
  [
    "api",
    /^(src\/(auth|domain|protojson)\/|src\/storage\/(contract|releases)\/|gen\/|@|node:(crypto|net)$|pino|lru-cache)/,
  ],
  ["auth", /^(src\/(domain|network|storage\/contract)\/|gen\/|@|node:|jose|openid-client)/],
  ["network", /^(src\/domain\/base\/errors.ts|node:|maxmind|pino)/],
])("the room %s imports from outside only what the design allows it", (room, allowed) => {
  const files = SOURCES.filter(({ path }) => path.startsWith(`src/${room}/`));
  expect(files.length).toBeGreaterThan(0);
  const wrong = files.flatMap(({ path, imports }) =>
    imports
      .filter((name) => !name.startsWith(`src/${room}/`) && !allowed.test(name))
      .map((name) => `${path} imports ${name}`),
  );
  // Page tokens are signed.
  expect(wrong.filter((it) => !it.endsWith("/paging.ts imports node:crypto"))).toEqual([]);
});

/** The rooms that load a technology when they run. */
test.each([
  ["better-sqlite3", "storage"],
  ["kysely", "storage"],
  ["pg", "storage"],
  ["src/storage/sql/", "storage"],
  ["src/storage/sqlite/", "storage"],
  ["src/server.ts", "cli"],
  ["src/cli/", "cli main.ts"],
  ["src/api/studio/", "api server"],
  ["maxmind", "network"],
  ["prom-client", "http cli"],
  ["@opentelemetry", "telemetry"],
  ["src/telemetry/", "telemetry cli"],
  ["node:sqlite", ""],
  ["node:http", ""],
])("%s is loaded by %s alone", (name, rooms) => {
  const isAllowed = (path: string) =>
    rooms.split(" ").some((room) => path === `src/${room}` || path.startsWith(`src/${room}/`));
  const loaders = SOURCES.filter(({ loads }) =>
    loads.some((it) => it === name || it.startsWith(name.endsWith("/") ? name : `${name}/`)),
  );
  expect(loaders.map(({ path }) => path).filter((path) => !isAllowed(path))).toEqual([]);
});

test("only the entry points hand the environment on", () => {
  const readers = SOURCES.filter((file) => /\bprocess\.env\b/.test(file.text));
  expect(readers.map((file) => file.path)).toEqual(["src/main.ts"]);
});

test("the source imports of the demo only its start", () => {
  const imports = SOURCES.flatMap(({ path, imports }) =>
    imports.filter((name) => name.startsWith("demo/")).map((name) => `${path} imports ${name}`),
  );
  expect(imports).toEqual(["src/cli/commands/serve.ts imports demo/start.ts"]);
});
