import { cpSync, readFileSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import samples from "../../demo/samples.json" with { type: "json" };
import { createFolder } from "../harness/folder.ts";
import { send } from "../harness/http.ts";
import { BUF, MARQUEE, ROOT, run, start } from "../harness/process.ts";
import { succeed } from "./packed.ts";

/** Adds a kind `playlist` that releases may contain and that the Delivery API serves. */
const PATCH = join(ROOT, "test/examples/playlist.patch");

/** The places of the recipe "Add a resource" in CONTRIBUTING.md. */
const PLACES = [
  "demo/samples.json",
  "docs/contract/methods.md",
  "proto/svc/**",
  "src/domain/kinds.ts",
  "src/storage/migrations/**",
];

/** The files that the service is generated, compiled, started and tested from. */
const SOURCES = [
  ...["buf.gen.yaml", "buf.yaml", "package.json", "tsconfig.json", "tsconfig.build.json"],
  ...["demo", "docs", "proto", "src", "test", "third_party", "tools", "vitest.config.ts", "web"],
];

/** Tests that are generated for every kind, or for every method, from its schema and its sample. */
const GENERATED = [
  "test/api/delivery-methods.test.ts",
  "test/api/iam/access.test.ts",
  "test/api/releases/drafts.test.ts",
  "test/api/resource-lives.test.ts",
  "test/api/validate-only.test.ts",
  "test/conventions/kind-permissions.test.ts",
  "test/conventions/methods.test.ts",
  "test/transfer/copy-record.test.ts",
];

const folder = createFolder();
const cwd = folder.path;
const playlist = { project_id: "worldcup", title: { en: "Best of" }, item_ids: ["a", "b"] };
const published = { ...playlist, visibility: "VISIBILITY_PUBLISHED" };
let demo: Demo;

interface Demo {
  readonly base_url: string;
  readonly projects: readonly [{ readonly public_key: string; readonly preview_key: string }];
  readonly accounts: { readonly owner: string };
}

/** Runs a program in the copy of the tree, and returns what it prints. */
const runIn = (program: string, ...args: readonly string[]) => {
  const PATH = `${join(ROOT, "node_modules/.bin")}:${process.env.PATH}`;
  const env = { PATH, MARQUEE_TEST_ENGINE: "sqlite" };
  return succeed(run(program, args, { cwd, env }));
};

beforeAll(async () => {
  const filter = (path: string) => !path.endsWith("/node_modules");
  for (const name of SOURCES)
    cpSync(join(ROOT, name), join(cwd, name), { recursive: true, filter });
  for (const name of ["node_modules", "tools/programs/node_modules"]) {
    symlinkSync(join(ROOT, name), join(cwd, name));
  }
  await runIn("git", "apply", PATCH);
  await runIn(BUF, "generate");
  await runIn("node", "tools/reasons.ts");
  await runIn("node", "tools/tables.ts");
  const options = ["serve", "--demo", "--listen", "127.0.0.1:0", "--log-level", "warn"];
  const args = MARQUEE.args(...options).map((it) => it.replace(ROOT, `${cwd}/`));
  const service = start(MARQUEE.program, args, { cwd, env: MARQUEE.env });
  await Promise.all([
    runIn("tsc", "-p", "tsconfig.build.json", "--noEmit"),
    service.printed(/Demo credentials/),
  ]);
  demo = JSON.parse(readFileSync(join(cwd, "data/demo.json"), "utf8"));
});
afterAll(() => folder.remove());

/** Calls the Studio API. */
async function studio(method: string, path: string, body?: object) {
  const url = `${demo.base_url}/${path}`;
  const { status, json } = await send(method, url, { token: demo.accounts.owner, body });
  expect([path, status, json]).toEqual([path, 200, expect.anything()]);
  return json;
}

/** Calls the Delivery API, or previews a release in it. */
async function deliver(method: "GetPlaylist" | "ListPlaylists", message: object, releaseId = "") {
  const url = `${demo.base_url}/svc.cda.ott.playlist.v1.PlaylistService/${method}`;
  const [{ public_key, preview_key }] = demo.projects;
  const token = releaseId === "" ? public_key : preview_key;
  const inRelease = releaseId === "" ? {} : { "x-release-id": releaseId };
  const headers = { "connect-protocol-version": "1", ...inRelease };
  return (await send("POST", url, { token, headers, body: message })).json;
}

test("a new kind touches these places alone", () => {
  const files = readFileSync(PATCH, "utf8").matchAll(/^diff --git a\/(\S+)/gm);
  const places = Array.from(files, ([, path = ""]) =>
    path.replace(/^(proto\/svc|src\/storage\/migrations)\/.*/, "$1/**"),
  );
  expect([...new Set(places)].sort()).toEqual(PLACES);
  expect(Object.keys(samples)).not.toContain("playlist");
});

test("a resource of a new kind is created, read, listed, updated, delivered and deleted", async () => {
  await studio("POST", "ott/playlists/v1?playlist_id=one", published);
  await studio("POST", "ott/playlists/v1?playlist_id=hidden", playlist);
  const { playlist: got } = await studio("GET", "ott/playlists/v1/one");
  expect(got).toMatchObject({ id: "one", ...published });
  const title = { en: "The best" };
  const change = { playlist: { title }, update_mask: "title" };
  await studio("PATCH", "ott/playlists/v1/one", change);
  const listed = await studio("GET", "ott/playlists/v1?project_id=worldcup");
  expect(listed.playlists.map((it: typeof got) => it.id)).toEqual(["hidden", "one"]);
  expect(await deliver("GetPlaylist", { id: "one" })).toMatchObject({ playlist: { title } });
  expect(await deliver("GetPlaylist", { id: "hidden" })).toMatchObject({ code: "not_found" });
  expect(await deliver("ListPlaylists", {})).toMatchObject({ playlists: [{ id: "one" }] });
  await studio("DELETE", "ott/playlists/v1/one");
  expect(await deliver("ListPlaylists", {})).toEqual({});
});

test("a resource of a new kind is drafted in a release, previewed and published by it", async () => {
  const inRelease = "release_id=finals";
  const release = { project_id: "worldcup", name: "Finals" };
  await studio("POST", "cms/releases/v1?release_id=finals", release);
  await studio("POST", `ott/playlists/v1?playlist_id=drafted&${inRelease}`, published);
  expect(await deliver("GetPlaylist", { id: "drafted" })).toMatchObject({ code: "not_found" });
  const { playlist: draft } = await studio("GET", `ott/playlists/v1/drafted?${inRelease}`);
  expect(draft).toMatchObject(published);
  const previewed = await deliver("ListPlaylists", {}, "finals");
  expect(previewed.playlists.map((it: typeof draft) => it.id)).toContain("drafted");
  await studio("POST", "cms/releases/v1/finals:apply", {});
  expect(await deliver("ListPlaylists", {})).toMatchObject({ playlists: [{ id: "drafted" }] });
});

test("a change of a resource of a new kind is recorded and taken back", async () => {
  await studio("POST", "ott/playlists/v1?playlist_id=changed", published);
  const change = { playlist: { title: { en: "Other" } }, update_mask: "title" };
  await studio("PATCH", "ott/playlists/v1/changed", change);
  const filter = encodeURIComponent('resource: "playlist:changed"');
  const { changes } = await studio("GET", `cms/changes/v1?project_id=worldcup&filter=${filter}`);
  await studio("POST", `cms/changes/v1/${changes[0].id}:revert`, {});
  const { playlist: got } = await studio("GET", "ott/playlists/v1/changed");
  expect(got.title).toEqual(playlist.title);
});

test("the generated tests take in a new kind, and hold for it", { timeout: 300_000 }, async () => {
  const own = ["-t", "[Pp]laylist"];
  const { stdout } = await runIn("vitest", "run", "--reporter=verbose", ...own, ...GENERATED);
  const silent = GENERATED.filter((file) => !new RegExp(`${file}.*playlist`, "i").test(stdout));
  expect(silent).toEqual([]);
});
