import { describe, expect, test } from "vitest";
import { readFiles, readImports, type SourceFile } from "./source-files.ts";

const SOURCES = readFiles("src", ".ts");

/** What the files of a folder may import, by how it begins. The longest folder counts. */
const ALLOWED: Readonly<Record<string, readonly string[]>> = {
  "src/domain/": ["src/domain/", "gen/", "@bufbuild/protobuf"],
  "src/domain/messages/page-token.ts": ["src/domain/", "node:crypto"],
  "src/storage/": [
    "src/storage/",
    "src/domain/",
    "gen/",
    "@bufbuild/protobuf",
    "kysely",
    "better-sqlite3",
    "pg",
    "pg-copy-streams",
    "node:",
  ],
  "src/protojson/": [
    "src/protojson/",
    "src/domain/messages/clip.ts",
    "src/domain/messages/field-value.ts",
    "src/domain/messages/near-names.ts",
    "src/domain/messages/recursion-limit.ts",
    "src/domain/errors.ts",
    "gen/google/",
    "@bufbuild/",
    "@connectrpc/",
  ],
  "src/transfer/import/": [
    "src/transfer/import/",
    "src/transfer/copy/",
    "src/compile-cache.ts",
    "src/domain/",
    "src/storage/prepare-records.ts",
    "src/storage/record-import.ts",
    "src/protojson/",
    "gen/",
    "@bufbuild/protobuf",
    "node:",
  ],
  "src/transfer/export/": [
    "src/transfer/export/",
    "src/domain/",
    "src/storage/record-export.ts",
    "gen/",
    "@bufbuild/protobuf",
    "node:",
  ],
  "src/transfer/web-vtt.ts": [
    "src/domain/annotations/chapters.ts",
    "src/domain/errors.ts",
    "src/domain/messages/clip.ts",
  ],
  "src/network/": ["src/network/", "src/domain/errors.ts", "maxmind", "node:", "pino"],
  "src/outbox/": [
    "src/outbox/",
    "src/domain/actions/",
    "src/domain/errors.ts",
    "src/domain/messages/trim-end.ts",
    "src/storage/action-run-store.ts",
    "gen/svc/studio/annotations/",
    "node:",
    "pino",
    "src/network/node-http.ts",
    "src/network/resolve-name.ts",
  ],
  "src/api/": [
    "src/api/",
    "src/auth/",
    "src/domain/",
    "src/storage/delivery-store.ts",
    "src/storage/document-store.ts",
    "src/storage/lookup-memo.ts",
    "src/storage/playback-store.ts",
    "src/storage/store.ts",
    "src/storage/stored.ts",
    "src/storage/transaction-store.ts",
    "src/storage/write-scope.ts",
    "gen/",
    "@bufbuild/",
    "@connectrpc/",
    "node:crypto",
    "node:net",
    "pino",
  ],
  "src/auth/": [
    "src/auth/",
    "src/network/address-block.ts",
    "src/network/node-http.ts",
    "src/network/resolve-name.ts",
    "src/domain/",
    "src/storage/store.ts",
    "src/storage/stored.ts",
    "src/storage/document-store.ts",
    "src/storage/viewer-token-key-store.ts",
    "src/storage/delivery-store.ts",
    "gen/",
    "@bufbuild/",
    "@connectrpc/",
    "jose",
    "node:crypto",
    "node:https",
    "node:net",
  ],
  "src/http/": [
    "src/http/",
    "src/api/",
    "src/domain/",
    "src/network/",
    "src/protojson/",
    "gen/google/",
    "gen/svc/options/",
    "@bufbuild/",
    "@connectrpc/",
    "node:",
    "pino",
  ],
  "src/schema/": [
    "src/schema/",
    "src/domain/messages/field-behavior.ts",
    "src/http/rest/",
    "src/protojson/",
    "gen/",
    "@bufbuild/protobuf",
    "node:",
    "package.json",
  ],
  "src/endpoints/": [
    "src/endpoints/",
    "src/http/cache/accept-encoding.ts",
    "src/http/cache/conditional-get.ts",
    "src/http/rest/router.ts",
    "src/http/server/",
    "src/schema/",
    "src/auth/",
    "src/api/",
    "src/domain/",
    "src/api/studio/billing-event.ts",
    "src/outbox/signature.ts",
    "src/protojson/",
    "gen/",
    "@bufbuild/",
    "@connectrpc/",
    "node:",
    "prom-client",
  ],
};

describe("a folder imports only what the design allows it", () => {
  for (const [folder, allowed] of Object.entries(ALLOWED)) {
    test(folder, () => {
      const files = SOURCES.filter((file) => ruleOf(file) === folder);
      expect(files.length).toBeGreaterThan(0);
      const wrong = files.flatMap((file) =>
        file.imports
          .filter((name) => !allowed.some((start) => begins(name, start)))
          .map((name) => `${file.path} imports ${name}`),
      );
      expect(wrong).toEqual([]);
    });
  }
});

describe("one place knows a technology", () => {
  const cases: readonly (readonly [string, string, readonly string[]])[] = [
    ["better-sqlite3", "src/storage/", []],
    ["kysely", "src/storage/", []],
    ["src/storage/sqlite/", "src/storage/sqlite/", ["src/storage/open.ts"]],
    ["src/storage/sql/", "src/storage/", []],
    ["src/storage/open.ts", "src/cli/", []],
    ["src/server.ts", "src/cli/", []],
    ["src/cli/", "src/cli/", ["src/main.ts"]],
    ["src/demo/", "src/demo/", ["src/cli/server-process.ts", "src/cli/load-demo-process.ts"]],
    ["src/config.ts", "src/cli/", ["src/main.ts"]],
    ["src/config/", "src/config/", ["src/config.ts"]],
    ["maxmind", "src/network/", []],
    [
      "prom-client",
      "nowhere",
      ["src/endpoints/metrics.ts", "src/cli/worker.ts", "src/cli/workers.ts"],
    ],
    ["@opentelemetry", "src/tracing/", []],
    ["src/tracing/", "src/tracing/", ["src/cli/server-process.ts"]],
    ["src/api/studio/", "src/api/", ["src/server.ts"]],
    ["node:sqlite", "nowhere", []],
    ["node:http", "nowhere", []],
  ];
  for (const [name, folder, more] of cases) {
    test(`${name} is loaded only by ${[folder, ...more].join(", ")}`, () => {
      const importers = SOURCES.filter((file) => file.loads.some((it) => begins(it, name)));
      const wrong = importers
        .map((file) => file.path)
        .filter((path) => !path.startsWith(folder) && !more.includes(path));
      expect(wrong).toEqual([]);
    });
  }

  test("only the entry points hand the environment on", () => {
    const readers = SOURCES.filter((file) => /\bprocess\.env\b/.test(file.text));
    expect(readers.map((file) => file.path)).toEqual(["src/bin.ts", "src/main.ts"]);
  });
});

describe("imports", () => {
  test("go in no circle, those of types neither", () => {
    expect(findCircles(SOURCES)).toEqual([]);
  });

  test("that go in a circle are found", () => {
    const files = ["a>b", "b>c", "c>a,d", "d>e", "e>", "f>f"].map((it) => {
      const [path = "", names = ""] = it.split(">");
      return { path, text: "", imports: names.split(","), loads: [] };
    });
    expect(findCircles(files)).toEqual([["a", "b", "c"], ["f"]]);
  });

  test("name files that exist, with their ending", () => {
    const known = new Set([...SOURCES, ...readFiles("gen", ".ts")].map((file) => file.path));
    const own = SOURCES.flatMap((file) => file.imports).filter((it) => /^(src|gen)\b/.test(it));
    expect(own.filter((it) => !known.has(it) && !it.endsWith(".json"))).toEqual([]);
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

function ruleOf({ path }: SourceFile): string | undefined {
  const folders = Object.keys(ALLOWED).filter((folder) => path.startsWith(folder));
  return folders.sort((a, b) => b.length - a.length)[0];
}

/** A package stands for its own subpaths; a folder ends in a slash. */
function begins(name: string, start: string): boolean {
  return name === start || name.startsWith(/[/:]$/.test(start) ? start : `${start}/`);
}

/** Finds the largest groups of files that all reach each other, and files that import themselves. */
function findCircles(files: readonly SourceFile[]): string[][] {
  const byPath = new Map(files.map((file) => [file.path, file]));
  const reach = (from: string): ReadonlySet<string> => {
    const seen = new Set<string>();
    const waiting = [from];
    for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
      for (const name of byPath.get(path)?.imports ?? []) {
        if (!byPath.has(name) || seen.has(name)) continue;
        seen.add(name);
        waiting.push(name);
      }
    }
    return seen;
  };
  const reached = new Map(files.map(({ path }) => [path, reach(path)]));
  const circles = new Map<string, string[]>();
  for (const [path, others] of reached) {
    if (!others.has(path)) continue;
    const circle = [...others].filter((it) => reached.get(it)?.has(path)).sort();
    circles.set(circle.join(), circle);
  }
  return [...circles.values()].sort((a, b) => (a.join() < b.join() ? -1 : 1));
}
