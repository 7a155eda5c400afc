import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { access } from "../../../gen/svc/options/v1/access_pb.ts";
import { isReadOnly } from "../../../src/domain/access/roles.ts";
import { metadataOf, reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { exportText } from "../../transfer/transfer.ts";
import { sampleOf } from "../method-samples.ts";
import { callConnect, findMethods, type JsonMessage, procedureOf } from "../methods.ts";
import { callIam, iamMaker } from "./iam.ts";

const marquee = await useMarquee();
const make = iamMaker(callIam(marquee));

const METHODS = await findMethods();
const isOf = (api: "cda" | "studio") => (it: DescMethod) =>
  it.parent.typeName.startsWith(`svc.${api}.`);
const isDrafting = (permission: string) =>
  /^cms\.releases\.(create|update|delete)$/.test(permission);
const permissionOf = (method: DescMethod) => {
  const { rule } = getOption(method, access);
  return rule.case === "permission" ? rule.value.name : undefined;
};

const author = await make.account();
await make.binding(author, "author");
const token = await make.token(author);

/** Reads what a public key sees: the response of every method that a cache may keep. */
async function readPublic(): Promise<readonly (readonly [string, string])[]> {
  const responses: [string, string][] = [];
  for (const method of METHODS.filter(isOf("cda")).filter(({ idempotency }) => idempotency === 1)) {
    const sample = await sampleOf(marquee, method);
    const { text } = await callConnect(marquee.url, method, sample, marquee.keys.public);
    responses.push([procedureOf(method), text]);
  }
  return responses;
}

const studio = METHODS.filter(isOf("studio"));

const RELEASE = "sample-author";
const RELEASES = METHODS.filter(({ parent }) => parent.name === "ReleaseService");
const call = (method: DescMethod, message: JsonMessage) =>
  callConnect(marquee.url, method, message, token);
const ofReleases = (name: string) =>
  RELEASES.find((it) => it.name === name) ?? expect.fail(`no method ${name}`);

const release = { projectId: "worldcup", name: "Draft" };
const created = await call(ofReleases("CreateRelease"), { release, releaseId: RELEASE });
if (created.status !== 200) throw new Error(created.text);

/** The requests that differ from the samples: of the author's organization, and of a release that exists. */
const REQUESTS: Readonly<Record<string, JsonMessage>> = {
  DeleteOrganization: { organizationId: "org-worldcup" },
  ApplyRelease: { releaseId: RELEASE },
};

test("an author is denied every write of a current version, and changes nothing that is public", async () => {
  const samples = [];
  for (const method of METHODS) {
    const sample = REQUESTS[method.name] ?? (await sampleOf(marquee, method));
    samples.push([method, sample] as const);
  }
  const before = await readPublic();
  expect(before.length).toBeGreaterThan(5);
  const got = [];
  const want = [];
  for (const [method, sample] of samples) {
    const permission = permissionOf(method);
    const response = await callConnect(marquee.url, method, sample, token);
    if (permission === undefined || isReadOnly(permission) || isDrafting(permission)) continue;
    // A revert that writes live needs the permissions of its writes.
    const isRevert = permission === "cms.changes.revert";
    const name = procedureOf(method);
    got.push([name, reasonOf(response), metadataOf(response)?.permission]);
    want.push([name, "PERMISSION_DENIED", isRevert ? "cms.events.update" : permission]);
  }
  expect(got).toEqual(want);
  expect(want.length).toBeGreaterThan(60);
  expect(await readPublic()).toEqual(before);
});

test("an author drafts by every method with release_id, and changes nothing that is public or exported", async () => {
  const drafting = studio.filter(
    (it) => it.parent.name !== "ReleaseService" && it.input.field.releaseId !== undefined,
  );
  const samples = [];
  for (const method of drafting) {
    samples.push([method, { ...(await sampleOf(marquee, method)), releaseId: RELEASE }] as const);
  }
  const before = await readPublic();
  const exported = await exportText(marquee.store, "worldcup");
  const writes = samples.filter(([{ idempotency }]) => idempotency !== 1);
  expect(writes.length).toBeGreaterThanOrEqual(3 * 8 + 1);
  for (const [method, sample] of samples) {
    const got = await call(method, sample);
    expect([procedureOf(method), got.status, got.text]).toEqual([
      procedureOf(method),
      200,
      expect.anything(),
    ]);
  }
  const { json } = await call(ofReleases("GetRelease"), { releaseId: RELEASE });
  expect(json.release.itemCount).toBeGreaterThan(8);
  expect(await readPublic()).toEqual(before);

  const applyTime = new Date(Date.now() + 3_600_000).toISOString();
  for (const [name, message] of [
    ["ApplyRelease", { releaseId: RELEASE }],
    ["UpdateRelease", { releaseId: RELEASE, release: { applyTime }, updateMask: "applyTime" }],
    ["CreateRelease", { release: { ...release, applyTime } }],
  ] as const) {
    const got = await call(ofReleases(name), message);
    expect([name, reasonOf(got), metadataOf(got)?.permission]).toEqual([
      name,
      "PERMISSION_DENIED",
      "cms.releases.apply",
    ]);
  }
  expect((await call(ofReleases("CheckRelease"), { releaseId: RELEASE })).status).toBe(200);
  expect(await readPublic()).toEqual(before);
  expect(await exportText(marquee.store, "worldcup")).toBe(exported);
});

test("a write of a current version changes what the walk compares", async () => {
  const before = await readPublic();
  const path = `/cms/events/v1/${marquee.samples.event_id}`;
  const body = { event: { title: { en: "Live" } }, update_mask: "title" };
  expect((await callIam(marquee)(`PATCH ${path}`, { body })).status).toBe(200);
  expect(await readPublic()).not.toEqual(before);
});
