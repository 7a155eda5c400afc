import { describe, expect, test } from "vitest";
import { metadataOf, reasonOf, refusal, send } from "../../harness/http.ts";
import type { Marquee } from "../../harness/marquee.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const marquee = await useMarquee();

type Role = keyof Marquee["tokens"];

const READ = "ott.page_components.get";
const WRITE = "ott.page_components.update";
const LIST = "monetization.transactions.list";

const ask = (key: string, query: string, role: Role = "owner") =>
  send("GET", `${marquee.url}/iam/auth/v1/policies/${key}/test_permissions?${query}`, {
    token: marquee.tokens[role],
  });
const held = async (key: string, names: readonly string[], role?: Role) => {
  const query = names.map((name) => `permissions=${name}`).join("&");
  const got = await ask(key, query, role);
  expect(got.status).toBe(200);
  return got.json.permissions;
};

describe("a resource key", () => {
  const keys: readonly (readonly [key: string, what: string])[] = [
    ["org-worldcup/organization", "an organization"],
    ["worldcup/worldcup/project", "a project"],
    ["rail-home-matches/worldcup/page_component", "a page component"],
    ["goal-2026-104-1/worldcup/annotation", "an annotation"],
    ["type-goal/worldcup/annotation_type", "an annotation type"],
    ["ruleset-default/worldcup/ruleset", "a ruleset"],
    ["match-2026-104/worldcup/event", "an event"],
    ["team-esp/worldcup/entity", "an entity"],
    ["highlights-2026-104/worldcup/creative_work", "a creative work"],
    ["video-match-2026-104/worldcup/video", "a video"],
    ["page-home/worldcup/page", "a page"],
    ["txn-000001/worldcup/transaction", "a transaction"],
  ];
  for (const [key, what] of keys) {
    for (const slash of ["/", "%2F", "%2f"]) {
      test(`of ${what} works with its slashes as ${slash}`, async () => {
        expect(await held(key.replaceAll("/", slash), [READ, WRITE])).toEqual([READ, WRITE]);
      });
    }
  }

  test("may mix the cases of its escapes and escape other characters too", async () => {
    expect(await held("worldcup%2fworldcup%2Fproject", [READ])).toEqual([READ]);
    expect(await held("%77orldcup/worldcup/projec%74", [READ])).toEqual([READ]);
    expect(await held("%77orldcup%2Fworldcup%2fproject", [READ])).toEqual([READ]);
  });

  test("of four segments is refused alike, whatever its slashes are", async () => {
    const answers = await Promise.all(
      ["/", "%2F", "%2f"].map((slash) =>
        ask("a/b/c/d".replaceAll("/", slash), `permissions=${READ}`),
      ),
    );
    const bodies = answers.map(({ json }) => ({ ...json, details: JSON.stringify(json.details) }));
    expect(new Set(bodies.map((it) => JSON.stringify(it))).size).toBe(1);
  });

  const malformed = [
    ...["worldcup", "worldcup/project", "organization", "org-worldcup/organisation"],
    ...["worldcup/sandbox/project", "sandbox/worldcup/project"],
    ...["org-worldcup/worldcup/organization", "a/b/Page-Component", "a/b/9"],
    ...["a/b/c/d", "a/b/c/organization", "worldcup/worldcup/worldcup/project"],
    ...["%2F%2F", "a%2F%2Fproject", "a%2Fb%2F", "%2Forganization", "a%2Fb%2Fc%2Fd"],
  ];
  for (const key of malformed) {
    test(`${key} is malformed: 400`, async () => {
      const got = await ask(key, `permissions=${READ}`);
      expect([got.status, got.json.code]).toEqual([400, 3]);
      expect(reasonOf(got)).toBe("RESOURCE_KEY_MALFORMED");
    });
  }

  for (const key of [
    "a/b/c/d/e",
    "worldcup//project",
    "worldcup/worldcup/project/",
    "/a/b/project",
  ]) {
    test(`${key} has another number of segments: 404`, async () => {
      expect((await ask(key, `permissions=${READ}`)).status).toBe(404);
    });
  }

  test("with a broken escape is 400", async () => {
    for (const key of ["%zz", "worldcup%2", "a/%ff/project"]) {
      expect(refusal(await ask(key, `permissions=${READ}`))).toEqual([400, "PATH_MALFORMED"]);
    }
  });
});

describe("a resource that the account cannot know of answers an empty list", () => {
  const keys: readonly (readonly [key: string, role: Role])[] = [
    ["nobody/organization", "owner"],
    ["nothing/nothing/project", "owner"],
    ["nothing/worldcup/page_component", "owner"],
    ["rail-home-matches/worldcup/annotation", "owner"],
    ["rail-home-matches/worldcup/unheard_of", "owner"],
    ["rail-home-matches/sandbox/page_component", "owner"],
    ["sandbox-rail-home/worldcup/page_component", "owner"],
    ["RAIL-HOME-MATCHES/worldcup/page_component", "owner"],
    ["org-elsewhere/organization", "owner"],
    ["elsewhere/elsewhere/project", "owner"],
    ["elsewhere-rail-home/elsewhere/page_component", "owner"],
    ["org-worldcup/organization", "outsider"],
    ["worldcup/worldcup/project", "outsider"],
    ["sandbox/sandbox/project", "editor"],
  ];
  for (const [key, role] of keys) {
    test(`${key} for the ${role}`, async () => {
      const got = await ask(key, `permissions=${READ}`, role);
      expect([got.status, got.text]).toEqual([200, '{"permissions":[]}']);
    });
  }
});

describe("what an ancestor grants counts, and nothing else does", () => {
  const rows: readonly (readonly [role: Role, key: string, want: readonly string[]])[] = [
    ["owner", "org-worldcup/organization", [READ, WRITE, LIST]],
    ["owner", "sandbox/sandbox/project", [READ, WRITE, LIST]],
    ["owner", "sandbox-rail-home/sandbox/page_component", [READ, WRITE, LIST]],
    ["editor", "org-worldcup/organization", []],
    ["editor", "worldcup/worldcup/project", [READ, WRITE, LIST]],
    ["editor", "rail-home-matches/worldcup/page_component", [READ, WRITE, LIST]],
    ["editor", "sandbox-rail-home/sandbox/page_component", []],
    ["viewer", "org-worldcup/organization", []],
    ["viewer", "worldcup/worldcup/project", [READ, LIST]],
    ["viewer", "rail-home-matches/worldcup/page_component", [READ, LIST]],
    ["outsider", "elsewhere/elsewhere/project", [READ, WRITE, LIST]],
  ];
  for (const [role, key, want] of rows) {
    test(`the ${role} on ${key}`, async () => {
      expect(await held(key, [READ, WRITE, LIST], role)).toEqual(want);
    });
  }
});

describe("the names that are asked for", () => {
  const KEY = "worldcup/worldcup/project";

  test("are answered in the order asked, each once", async () => {
    const names = [WRITE, READ, WRITE, LIST, READ];
    expect(await held(KEY, names)).toEqual([WRITE, READ, LIST]);
    expect(await held(KEY, [...names].reverse())).toEqual([READ, LIST, WRITE]);
  });

  test("may be repeated, separated by commas, or both, with blanks around the commas", async () => {
    for (const query of [
      `permissions=${WRITE}&permissions=${READ}`,
      `permissions=${WRITE},${READ}`,
      `permissions=${WRITE}%2C%20${READ}`,
      `permissions=${WRITE},${WRITE}&permissions=${READ}`,
    ]) {
      expect((await ask(KEY, query)).json.permissions).toEqual([WRITE, READ]);
    }
  });

  test("are simply not held when nobody defines them", async () => {
    expect(await held(KEY, ["a.b.c", READ, "ott.page_components.publish"])).toEqual([READ]);
  });

  for (const query of ["", "permissions=", "permissions=,", `permissions=${READ},`]) {
    test(`"${query}" is refused`, async () => {
      const got = await ask(KEY, query);
      expect([got.status, got.json.code]).toEqual([400, 3]);
      expect(metadataOf(got)?.field).toMatch(/^permissions/);
    });
  }

  const wrong = ["*", "ott.*", "ott.page_components.*", "*.*.*", "ott.page_components", "a.b.c.d"];
  for (const name of [...wrong, "Ott.page_components.get", "ott..get", "a.b.c%20d", "a-b.c.d"]) {
    test(`${name} is not of the form area.resource.verb: 400`, async () => {
      const got = await ask(KEY, `permissions=${READ}&permissions=${name}`);
      expect([got.status, got.json.code]).toEqual([400, 3]);
      expect(reasonOf(got)).toBe("PERMISSION_NAME_MALFORMED");
    });
  }

  test("are 100 at most", async () => {
    const names = Array.from({ length: 100 }, (_, index) => `a.b.c${index}`);
    expect((await ask(KEY, `permissions=${names.join(",")}`)).status).toBe(200);
    for (const more of ["a.b.more", "a.b.c0"]) {
      const got = await ask(KEY, `permissions=${[...names, more].join(",")}`);
      expect(refusal(got)).toEqual([400, "PERMISSION_COUNT_INVALID"]);
      expect(got.json.message).toContain("100");
    }
  });

  test("go under no other parameter", async () => {
    for (const query of [`permission=${READ}`, `permissions=${READ}&resource_key=a`]) {
      expect(refusal(await ask(KEY, query))).toEqual([400, "QUERY_UNKNOWN"]);
    }
  });
});

test("no cache may keep the answer", async () => {
  for (const key of ["worldcup/worldcup/project", "nothing/worldcup/page_component"]) {
    const got = await ask(key, `permissions=${READ}`);
    expect(got.headers.get("cache-control")).toBe("private, no-store");
  }
});
