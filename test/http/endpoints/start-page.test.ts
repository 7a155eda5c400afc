import { createHash } from "node:crypto";
import { afterAll, describe, expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { makeFolder, serveProcess } from "../../harness/service-process.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee({ studio: true });

/** As the address bar of a browser sends it. */
const ACCEPT = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8";
const open = (url: string) => send("GET", `${url}/`, { headers: { accept: ACCEPT } });

function linksOf(text: string): string[] {
  return Array.from(text.matchAll(/href="([^"]+)"/g), ([, link = ""]) => link).slice(1);
}

describe("GET / for a browser", () => {
  test("links to the pages of the listener, each of which exists", async () => {
    const got = await open(marquee.url);
    expect([got.status, got.headers.get("content-type")]).toEqual([
      200,
      "text/html; charset=utf-8",
    ]);
    const links = linksOf(got.text);
    const documentation = links.pop();
    expect(documentation).toMatch(/^https:\/\/github\.com\/.*\/docs$/);
    expect(links).toEqual(["studio", "reference", "openapi.json", "schema.binpb"]);
    for (const link of links) {
      expect((await send("GET", `${marquee.url}/${link}`)).status, link).toBe(200);
    }
    expect(got.text).toContain(`version ${packageJson.version}.`);
    expect(got.text).toContain("The database has an organization.");
    expect(got.text).not.toContain("marquee init");
  });

  test("passes the code of the demo on to the studio alone, and no other text", async () => {
    const openWith = (query: string) =>
      send("GET", `${marquee.url}/?${query}`, { headers: { accept: ACCEPT } });
    expect(linksOf((await openWith("open=x7_Gq-1")).text).slice(0, 2)).toEqual([
      "studio#open=x7_Gq-1",
      "reference",
    ]);
    for (const query of ["open=%22%3E", "open=a%22", 'open="><b>', "opened=x", "open="]) {
      expect(linksOf((await openWith(query)).text)[0]).toBe("studio");
    }
  });

  test("allows its own style only, and is not cached", async () => {
    const { text, headers } = await open(marquee.url);
    const [, style = ""] = /<style>([^<]*)<\/style>/.exec(text) ?? [];
    const hash = createHash("sha256").update(style).digest("base64");
    expect(headers.get("content-security-policy")).toBe(
      `default-src 'none'; style-src 'sha256-${hash}'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'`,
    );
    expect(text).not.toMatch(/<script|style=| on\w+=/);
    expect(headers.get("cache-control")).toBe("no-store");
    expect(headers.get("vary")).toContain("Accept");
  });

  test("has no links to pages that are off", async () => {
    const options = { reflection: false, runsActions: false };
    const server = await startOver(marquee.store, options);
    expect(linksOf((await open(server.studioUrl)).text)).toHaveLength(1);
    await server.close(1_000);
  });

  test("is on the listener of the Studio API only", async () => {
    const deliveryListen = { host: "127.0.0.1", port: 0 };
    const server = await startOver(marquee.store, { deliveryListen, runsActions: false });
    expect((await open(server.studioUrl)).status).toBe(200);
    expect((await open(server.deliveryUrl)).status).toBe(404);
    await server.close(1_000);
  });
});

for (const [name, method, accept] of [
  ["a client that accepts anything", "GET", "*/*"],
  ["a client of JSON", "GET", "application/json"],
  ["a client without an Accept header", "GET", undefined],
  ["a form of a browser", "POST", ACCEPT],
] as const) {
  test(`/ is an unknown path for ${name}`, async () => {
    const got = await send(method, `${marquee.url}/`, {
      ...(accept !== undefined && { headers: { accept } }),
    });
    expect([got.status, reasonOf(got)]).toEqual([404, "PATH_UNKNOWN"]);
  });
}

describe("an empty database", () => {
  const folder = makeFolder({ empty: true });
  afterAll(() => folder.remove());

  test("has the next command on the start page and in the output of serve", async () => {
    const service = await serveProcess(folder, ["--studio"]);
    const { studioUrl } = service;
    const [, pages = "", command = ""] = await service.printed(
      /Delivery API {2}\S+\n((?: {2}\w+ +http\S+\n)+)\nThe database is empty\. .*\n {2}(.*)\n/,
    );
    expect(pages).toBe(
      ["studio", "reference"]
        .map((it) => `  ${(it[0]?.toUpperCase() + it.slice(1)).padEnd(14)}${studioUrl}/${it}\n`)
        .join(""),
    );
    expect(command).toBe(
      `marquee init --organization 'Acme Films' --database 'sqlite:${folder.database}'`,
    );
    const { text } = await open(studioUrl);
    expect(text).toContain("The database has no organization.");
    expect(text).toContain("marquee init --organization 'Acme Films'");
    expect(await service.stop()).toBe(0);
    const store = openSqliteStore(folder.database);
    expect(await store.isEmpty()).toBe(true);
    await store.close();
  });
});
