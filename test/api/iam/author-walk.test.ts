import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { access } from "../../../gen/svc/options/v1/access_pb.ts";
import { isReadOnly } from "../../../src/domain/access/roles.ts";
import { metadataOf, reasonOf } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { sampleOf } from "../method-samples.ts";
import { callConnect, findMethods, procedureOf } from "../methods.ts";
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

test("an author is denied every live write, and changes nothing that is public", async () => {
  const samples = [];
  for (const method of studio) {
    // The sample's organization is one where the author has no role.
    const isOwn = method.name === "DeleteOrganization";
    const sample = isOwn ? { organizationId: "org-worldcup" } : await sampleOf(marquee, method);
    samples.push([method, sample] as const);
  }
  const before = await readPublic();
  expect(before.length).toBeGreaterThan(5);
  const got = [];
  const want = [];
  for (const [method, sample] of samples) {
    const permission = permissionOf(method);
    if (permission === undefined || isReadOnly(permission) || isDrafting(permission)) continue;
    // A revert that writes live needs the permissions of its writes.
    const isRevert = permission === "cms.changes.revert";
    const response = await callConnect(marquee.url, method, sample, token);
    const name = procedureOf(method);
    got.push([name, reasonOf(response), metadataOf(response)?.permission]);
    want.push([name, "PERMISSION_DENIED", isRevert ? "cms.events.update" : permission]);
  }
  expect(got).toEqual(want);
  expect(want.length).toBeGreaterThan(60);
  expect(await readPublic()).toEqual(before);
});
