import { expect, test } from "vitest";
import { refusal } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callIam, connectIam, metadata, ok } from "./iam/iam.ts";

const marquee = await useMarquee();
const call = callIam(marquee);

const inOrganization = { organization_id: "org-worldcup", name: "N" };
const inProject = { project_id: "worldcup" };

const CASES: readonly (readonly [string, string, object, string])[] = [
  ["account", "iam/accounts/v1", inOrganization, "account-viewer"],
  ["project", "iam/projects/v1", inOrganization, "sandbox"],
  ["event", "cms/events/v1", { ...inProject, title: { en: "E" } }, "match-2026-104"],
  ["video", "streaming/videos/v1", { ...inProject, name: "V" }, "video-match-2026-104"],
];

for (const [type, path, body, id] of CASES) {
  test(`a ${type} with an id that is taken is refused, naming type and id and nothing else`, async () => {
    const got = await call(`POST /${path}`, { body, query: { [`${type}_id`]: id } });
    expect(refusal(got)).toEqual([409, "ALREADY_EXISTS"]);
    expect(got.json.message).toBe(`${type} ${id} already exists`);
    expect(metadata(got)).toEqual({ resource: `${type}/${id}` });
    expect(got.text).not.toMatch(/sqlite|constraint|unique|insert/i);
  });
}

test("Connect says the same", async () => {
  const got = await connectIam(marquee)("iam.account.v1.AccountService/CreateAccount", {
    account: { organizationId: "org-worldcup", name: "N" },
    accountId: "account-viewer",
  });
  expect(refusal(got)).toEqual([409, "ALREADY_EXISTS"]);
  expect(metadata(got)).toEqual({ resource: "account/account-viewer" });
});

test("of ten that choose the same id at the same moment one gets it", async () => {
  const got = await Promise.all(
    Array.from({ length: 10 }, () =>
      call("POST /iam/accounts/v1", { body: inOrganization, query: { account_id: "wanted" } }),
    ),
  );
  expect(got.filter((it) => it.status === 200)).toHaveLength(1);
  const refused = got.filter((it) => it.status !== 200);
  for (const each of refused) expect(metadata(each).resource).toBe("account/wanted");
  expect(refused).toHaveLength(9);
  expect(ok(await call("GET /iam/accounts/v1/wanted")).account.id).toBe("wanted");
});
