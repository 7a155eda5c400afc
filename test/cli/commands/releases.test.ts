import { expect, test } from "vitest";
import { ReleaseCalls } from "../../api/releases/releases.ts";
import { runCommandIn } from "../../harness/command.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee();
const { url, tokens } = marquee;
const calls = new ReleaseCalls(marquee);

const ENV = { MARQUEE_URL: url, MARQUEE_ACCESS_TOKEN: tokens.owner };
const releases = (...args: readonly string[]) => runCommandIn(ENV, "releases", ...args);
const list = (...args: readonly string[]) =>
  releases("list", "--project", "worldcup", "--filter", "name: cli", ...args);
const create = (id: string, fields: object = {}) =>
  calls.call("POST", `cms/releases/v1?release_id=${id}`, {
    ...{ project_id: "worldcup", name: "cli", ...fields },
  });

test("releases are listed with their states and numbers of drafts", async () => {
  expect(await list()).toMatchObject({ code: 0, stdout: "no releases\n", stderr: "" });
  await create("cli-open");
  await calls.createEvent("cli-r1", {}, "cli-open");
  const apply_time = new Date(Date.now() + 3_600_000).toISOString();
  await create("cli-scheduled", { apply_time });
  const lines = (await list()).stdout.split("\n");
  expect(lines.sort()).toEqual([
    "",
    "cli-open  open  1 draft  cli",
    `cli-scheduled  scheduled ${apply_time}  0 drafts  cli`,
  ]);
  const json = (await list("--limit", "1", "--json")).stdout;
  expect(JSON.parse(json)).toMatchObject({ name: "cli", project_id: "worldcup" });
  expect(json.trim().split("\n")).toHaveLength(1);
});

test("a check lists problems, and fails if there are any; a release without them is applied", async () => {
  await create("cli-check");
  await calls.createEvent("cli-r2", { title: { en: "One" } });
  await calls.patchEvent("cli-r2", { title: { en: "Draft" } }, "cli-check");
  expect(await releases("check", "cli-check")).toMatchObject({ code: 0, stdout: "no problems\n" });
  await calls.patchEvent("cli-r2", { title: { en: "Live" } });
  const checked = await releases("check", "cli-check");
  expect([checked.code, checked.stderr]).toEqual([
    1,
    "marquee: release cli-check is not ready; problems: 1\n",
  ]);
  expect(checked.stdout).toMatch(/^event:cli-r2 {2}RELEASE_CONFLICTS {2}[^\n]+title\.en\n$/);
  const json = await releases("check", "cli-check", "--json");
  expect([json.code, JSON.parse(json.stdout).problems.length]).toEqual([1, 1]);
  const applied = await releases("apply", "cli-check");
  expect([applied.code, applied.stdout]).toEqual([1, ""]);
  expect(applied.stderr).toMatch(/^marquee: RELEASE_CONFLICTS: [^\n]+\n$/);

  await calls.patchEvent("cli-r2", { title: { en: "Draft" } }, "cli-check");
  const dry = await releases("apply", "cli-check", "--dry-run");
  expect(dry).toMatchObject({ code: 0, stdout: "would apply cli-check\n" });
  expect((await calls.getEvent("cli-r2")).title.en).toBe("Live");
  const done = await releases("apply", "cli-check", "--json");
  expect(JSON.parse(done.stdout)).toMatchObject({ state: "RELEASE_STATE_APPLIED" });
  expect((await calls.getEvent("cli-r2")).title.en).toBe("Draft");
  const again = await releases("apply", "cli-check");
  expect(again.stderr).toMatch(/^marquee: RELEASE_STATE_FORBIDS: /);
});
