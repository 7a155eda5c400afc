import { expect, test } from "vitest";
import { reasonOf, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee();

const READ = "ott.page_components.get";
const WRITE = "ott.page_components.update";
const LIST = "monetization.transactions.list";
const ALL = [READ, WRITE, LIST];
const PROJECT = "worldcup/worldcup/project";

type Role = keyof Marquee["tokens"];
const ask = async (key: string, query: string, role: Role = "owner") => {
  const url = `${marquee.url}/iam/auth/v1/policies/${key}/test_permissions?${query}`;
  const got = await send("GET", url, { token: marquee.tokens[role] });
  if (got.status !== 200) return `${got.status} ${reasonOf(got)}`;
  expect(got.headers.get("cache-control")).toBe("private, no-store");
  return got.json.permissions;
};

test.each<[role: Role, key: string, want: readonly string[]]>([
  // What an ancestor grants counts, and nothing else does.
  ["owner", "org-worldcup/organization", ALL],
  ["owner", "sandbox/sandbox/project", ALL],
  ["owner", "sandbox-rail-home/sandbox/page_component", ALL],
  ["editor", "org-worldcup/organization", []],
  ["editor", PROJECT, ALL],
  ["editor", "rail-home-matches/worldcup/page_component", ALL],
  ["editor", "sandbox-rail-home/sandbox/page_component", []],
  ["viewer", "org-worldcup/organization", []],
  ["viewer", PROJECT, [READ, LIST]],
  ["viewer", "rail-home-matches/worldcup/page_component", [READ, LIST]],
  ["outsider", "elsewhere/elsewhere/project", ALL],
  // Every kind of resource.
  ["owner", "goal-2026-104-1/worldcup/annotation", ALL],
  ["owner", "type-goal/worldcup/annotation_type", ALL],
  ["owner", "ruleset-default/worldcup/ruleset", ALL],
  ["owner", "match-2026-104/worldcup/event", ALL],
  ["owner", "team-esp/worldcup/entity", ALL],
  ["owner", "highlights-2026-104/worldcup/creative_work", ALL],
  ["owner", "video-match-2026-104/worldcup/video", ALL],
  ["owner", "page-home/worldcup/page", ALL],
  ["owner", "txn-000001/worldcup/transaction", ALL],
  // What the account cannot know of.
  ["owner", "nobody/organization", []],
  ["owner", "nothing/nothing/project", []],
  ["owner", "nothing/worldcup/page_component", []],
  ["owner", "rail-home-matches/worldcup/annotation", []],
  ["owner", "rail-home-matches/worldcup/unheard_of", []],
  ["owner", "rail-home-matches/sandbox/page_component", []],
  ["owner", "RAIL-HOME-MATCHES/worldcup/page_component", []],
  ["owner", "org-elsewhere/organization", []],
  ["owner", "elsewhere-rail-home/elsewhere/page_component", []],
  ["outsider", "org-worldcup/organization", []],
  ["outsider", PROJECT, []],
])("the %s on %s holds %j, whatever the slashes are", async (role, key, want) => {
  for (const slash of ["/", "%2F", "%2f"]) {
    const got = await ask(key.replaceAll("/", slash), `permissions=${ALL.join()}`, role);
    expect(got).toEqual(want);
  }
});

const names = (count: number) =>
  Array.from({ length: count }, (_, index) => `a.b.c${index}`).join();
test.each<[key: string, query: string, want: unknown]>([
  ["%77orldcup/worldcup/projec%74", `permissions=${READ}`, [READ]],
  ...["worldcup", "worldcup/sandbox/project", "a/b/c/d", "a%2Fb%2Fc%2fd", "%2F%2F", "a/b/9"].map(
    (key): [string, string, string] => [key, `permissions=${READ}`, "400 RESOURCE_KEY_MALFORMED"],
  ),
  ...["a/b/c/d/e", "worldcup//project", `${PROJECT}/`, `/${PROJECT}`].map(
    (key): [string, string, string] => [key, `permissions=${READ}`, "404 PATH_UNKNOWN"],
  ),
  ["worldcup%2", `permissions=${READ}`, "400 PATH_MALFORMED"],
  ["a/%ff/project", `permissions=${READ}`, "400 PATH_MALFORMED"],
  // In the order asked, each once; those that nobody defines are not held.
  [PROJECT, `permissions=${WRITE},a.b.c,${WRITE}&permissions=${READ}`, [WRITE, READ]],
  [PROJECT, `permissions=${WRITE}%2C%20${READ}`, [WRITE, READ]],
  [PROJECT, `permissions=${names(100)}`, []],
  [PROJECT, `permissions=${names(101)}`, "400 PERMISSION_COUNT_INVALID"],
  [PROJECT, "", "400 FIELD_REQUIRED"],
  [PROJECT, "permissions=", "400 VALUE_INVALID"],
  [PROJECT, `permissions=${READ}&permissions=ott.*`, "400 PERMISSION_NAME_MALFORMED"],
  [PROJECT, `permission=${READ}`, "400 QUERY_UNKNOWN"],
  [PROJECT, `permissions=${READ}&resource_key=a`, "400 QUERY_UNKNOWN"],
])("%s asked with %s is %j", async (key, query, want) => {
  expect(await ask(key, query)).toEqual(want);
});
