import { expect, test } from "vitest";
import { runCommandIn } from "../../harness/command.ts";
import { send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const { url, tokens } = await useMarquee();

const ENV = { MARQUEE_URL: `${url}/`, MARQUEE_ACCESS_TOKEN: tokens.owner };
const changes = (...args: readonly string[]) => runCommandIn(ENV, "changes", ...args);
const call = async (method: string, path: string, body: object) => {
  const got = await send(method, `${url}${path}`, { token: tokens.owner, body });
  expect(got.status, got.text).toBe(200);
};
const EVENT = "/cms/events/v1";
const list = (id: string, ...args: readonly string[]) =>
  changes("list", "--project", "worldcup", "--filter", `resource: "event:${id}"`, ...args);
const idsOf = async (id: string) =>
  (await list(id)).stdout.split("\n").map((line) => line.split("  ")[0] ?? "");

/** Creates an event and updates it once. */
async function createUpdated(id: string): Promise<void> {
  const event = { project_id: "worldcup", title: { en: "One" }, fields: { a: 1, "b.c": [2] } };
  await call("POST", `${EVENT}?event_id=${id}`, event);
  const changed = { title: { en: "Two" }, fields: { a: 1, d: true } };
  await call("PATCH", `${EVENT}/${id}`, { event: changed, update_mask: "title,fields" });
}

test("changes are listed newest first, one a line", async () => {
  await createUpdated("cli-1");
  const { code, stdout, stderr } = await list("cli-1");
  expect([code, stderr]).toEqual([0, ""]);
  const [updated, created, ...rest] = stdout.split("\n");
  expect(updated).toMatch(
    /^\S+ {2}\S+Z {2}account-owner {2}UpdateEvent {2}event:cli-1 updated title\.en fields\."b\.c" fields\.d$/,
  );
  expect(created).toMatch(/ {2}account-owner {2}CreateEvent {2}event:cli-1 created$/);
  expect(rest).toEqual([""]);
  expect((await list("cli-1", "--limit", "1")).stdout).toBe(`${updated}\n`);
  expect((await list("cli-1", "--limit", "1000")).stdout).toBe(stdout);
  const json = (await list("cli-1", "--json")).stdout
    .trim()
    .split("\n")
    .map((it) => JSON.parse(it));
  expect(json.map(({ method }) => method.split("/")[1])).toEqual(["UpdateEvent", "CreateEvent"]);
  expect(await list("cli-none")).toMatchObject({ code: 0, stdout: "no changes\n" });
  expect(await list("cli-none", "--json")).toMatchObject({ code: 0, stdout: "" });
});

test("a change is shown with its values", async () => {
  await createUpdated("cli-2");
  const [updated = "", created = ""] = await idsOf("cli-2");
  const { stdout } = await changes("show", updated);
  expect(stdout.split("\n").slice(1)).toEqual([
    'event:cli-2 updated title.en fields."b.c" fields.d',
    '  title.en: "One" -> "Two"',
    '  fields."b.c": [2] -> nothing',
    "  fields.d: nothing -> true",
    "",
  ]);
  expect((await changes("show", created)).stdout).toMatch(
    /\nevent:cli-2 created\n {2}nothing -> \{"id":"cli-2".*"title":\{"en":"One"\}.*\}\n$/,
  );
  const json = JSON.parse((await changes("show", updated, "--json")).stdout);
  expect(json.resources[0].before.event.title).toEqual({ en: "One" });
});

test("a change of a component is shown with its values, one of the order of its page by its path", async () => {
  const inProject = { project_id: "worldcup" };
  await call("POST", "/ott/pages/v1?page_id=cli-page", { ...inProject, slug: "cli-page" });
  for (const id of ["cli-a", "cli-b"]) {
    const component = { ...inProject, type: "text", text: { html: "x" } };
    await call(
      "POST",
      `/ott/page_components/v2?page_id=cli-page&page_component_id=${id}`,
      component,
    );
  }
  const update = { page_component_update: { text: { html: "y" } }, update_mask: "text" };
  await call("PATCH", "/ott/page_components/v2/cli-a", update);
  const order = { page_component_ids: ["cli-b", "cli-a"] };
  await call("POST", "/ott/pages/v1/cli-page:reorderComponents", order);
  const show = async (key: string) => {
    const list = ["list", "--project", "worldcup", "--filter", `resource: "${key}"`];
    const [id = ""] = (await changes(...list)).stdout.split("  ");
    return (await changes("show", id)).stdout.split("\n").slice(1);
  };
  expect(await show("page_component:cli-a")).toEqual([
    "page_component:cli-a updated text.html",
    '  text.html: "x" -> "y"',
    "",
  ]);
  expect(await show("page:cli-page")).toEqual(["page:cli-page updated page_component_ids", ""]);
});

test("a change is taken back, after a dry run", async () => {
  await createUpdated("cli-3");
  const [updated = ""] = await idsOf("cli-3");
  const dry = await changes("revert", updated, "--dry-run");
  expect(dry).toMatchObject({ code: 0, stdout: "would revert event:cli-3\n" });
  expect((await idsOf("cli-3")).length).toBe(3);
  const done = await changes("revert", updated, "--json");
  expect(done).toMatchObject({ code: 0, stdout: '{"resources":["event:cli-3"]}\n' });
  const again = await changes("revert", updated);
  expect(again).toMatchObject({ code: 0, stdout: "nothing to revert\n" });
  const title = { event: { title: { en: "Three" } }, update_mask: "title" };
  await call("PATCH", `${EVENT}/cli-3`, title);
  const conflict = await changes("revert", updated);
  expect([conflict.code, conflict.stdout]).toEqual([1, ""]);
  expect(conflict.stderr).toMatch(
    /^marquee: RELEASE_CONFLICTS: [^\n]*event:cli-3[^\n]+title\.en\n$/,
  );
});

test.each<[args: string[], code: number, want: RegExp, env?: Record<string, string>]>([
  [["show", "none/x?y"], 1, /^marquee: RESOURCE_NOT_FOUND: change none\/x\?y/],
  [["list", "--project", "nothing"], 1, /^marquee: RESOURCE_NOT_FOUND: project nothing/],
  [["show", "x", "--access-token", "mqa_x"], 1, /^marquee: [A-Z_]+: /],
  [["show", "x"], 2, /^marquee: --access-token TOKEN is required/, { MARQUEE_ACCESS_TOKEN: "" }],
  [["show", "x", "--url", "127.0.0.1:8080"], 2, /^marquee: --url must be a URL such as/],
  [
    ["list", "--project", "worldcup", "--limit", "1001"],
    2,
    /--limit must be a number from 1 to 1000/,
  ],
  [
    ["show", "x", "--url", "http://127.0.0.1:1"],
    1,
    /^marquee: http:\/\/127.0.0.1:1 does not respond/,
  ],
  [["show", "x", "--url", "http://[::1"], 2, /^marquee: --url must be a URL/],
])("%j ends with code %i and one line", async (args, code, want, env = {}) => {
  const got = await runCommandIn({ ...ENV, ...env }, "changes", ...args);
  expect([got.code, got.stdout]).toEqual([code, ""]);
  expect(got.stderr).toMatch(want);
  expect(got.stderr).toMatch(/^[^\n]+\n$/);
});
