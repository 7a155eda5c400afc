import type { DescMessage } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { RecordSchema } from "../../../gen/svc/transfer/v1/record_pb.ts";
import { isReleasable, kindOf, PERMISSIONS } from "../../../src/domain/kinds.ts";
import { reasonOf, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { findMethods } from "../methods.ts";
import { ReleaseCalls } from "../releases/releases.ts";

const marquee = await useMarquee();

const inProject = { project_id: "worldcup" };
const SECRET = "A name of the hidden kind";
const calls = new ReleaseCalls(marquee);

/** Creates an account with every permission but one; returns its token. */
async function createToken(id: string, without: string): Promise<string> {
  const organization_id = "org-worldcup";
  const permissions = [...PERMISSIONS].filter((it) => it !== without && !it.startsWith("iam."));
  await calls.call("POST", `iam/roles/v1?role_id=${id}`, {
    organization_id,
    name: id,
    permissions,
  });
  await calls.call("POST", `iam/accounts/v1?account_id=${id}`, { organization_id, name: id });
  await calls.call("POST", `iam/bindings/v1?binding_id=${id}`, {
    ...{ organization_id, account_id: id, role_id: id },
    resource_key: "worldcup/worldcup/project",
  });
  const token = { account_id: id, name: id };
  return (await calls.call("POST", `iam/access_tokens/v1?access_token_id=${id}`, token)).token;
}

const title = { en: SECRET };
/** A resource of each kind, with a text that a caller may not read. */
const CASES = [
  ["event", "cms/events/v1", { title }],
  ["creative_work", "cms/creative_works/v1", { title }],
  ["entity", "cms/entities/v1", { title }],
  ["page", "ott/pages/v1", { title, slug: "hidden" }],
  ["webhook", "cms/webhooks/v1", { name: SECRET, url: "https://hooks.example.com/a" }],
] as const;

test.each(CASES)("values of %s are withheld without its permission", async (kind, path, fields) => {
  const permission = `${kindOf(kind).permissions}.get`;
  const token = await createToken(`hidden-${kind.replace("_", "-")}`, permission);
  const get = (url: string) => send("GET", `${marquee.url}/${url}`, { token });
  const id = `hidden-${kind}`;
  await calls.call("POST", `${path}?${kind}_id=${id}`, { ...inProject, ...fields });
  const field = "title" in fields ? "title" : "name";
  const update = { [field]: field === "title" ? { en: "B" } : "B" };
  await calls.patch(`${path}/${id}`, kind, update);
  const filter = encodeURIComponent(`resource: "${kind}:${id}"`);
  const list = await get(`cms/changes/v1?project_id=worldcup&filter=${filter}`);
  const key = `${kind}:${id}`;
  const hidden = { is_hidden: true, key, paths: [], verb: "CHANGE_VERB_UPDATED" };
  expect(list.json.changes[0].resources).toEqual([hidden]);
  const change = list.json.changes[0].id;
  const got = await get(`cms/changes/v1/${change}`);
  expect(got.json.change.resources).toMatchObject([{ is_hidden: true, key }]);
  const responses = [list, got];
  if (isReleasable(kind)) {
    const release = `hidden-${kind.replace("_", "-")}`;
    await calls.createRelease(release);
    await calls.patch(`${path}/${id}`, kind, { [field]: { en: SECRET } }, release);
    const items = await get(`cms/releases/v1/${release}/items`);
    expect(items.json.items).toMatchObject([{ is_hidden: true, key, changed_paths: [] }]);
    const records = await get("cms/records/v1:read?project_id=worldcup&kinds=release");
    expect([records.status, reasonOf(records)]).toEqual([403, "PERMISSION_DENIED"]);
    const reverted = await send("POST", `${marquee.url}/cms/changes/v1/${change}:revert`, {
      ...{ token, body: { release_id: release } },
    });
    expect([reverted.status, reasonOf(reverted)]).toEqual([403, "PERMISSION_DENIED"]);
    responses.push(items, records, reverted);
  }
  for (const { text } of responses) expect(text).not.toContain(SECRET);
  // The owner reads the same values.
  expect(JSON.stringify(await calls.call("GET", `cms/changes/v1/${change}`))).toContain(SECRET);
});

test("the methods that return records are those of changes and of items of releases", async () => {
  const parents = new Set<string>();
  const walk = (message: DescMessage, seen: Set<DescMessage>): boolean => {
    if (message.typeName === RecordSchema.typeName) return true;
    if (seen.has(message)) return false;
    seen.add(message);
    return message.fields.some((it) => it.message !== undefined && walk(it.message, seen));
  };
  for (const { name, output } of await findMethods()) {
    if (walk(output, new Set())) parents.add(name);
  }
  expect([...parents].sort()).toEqual(["GetChange", "ListChanges", "ListReleaseItems"]);
});
