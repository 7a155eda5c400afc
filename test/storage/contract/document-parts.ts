import { expect } from "vitest";
import { TransactionStatus } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { revisionOf } from "../../harness/revision.ts";
import { ALPHA, BETA, createEvent, createSmallDataset, GAMMA, IN_ALPHA } from "../small-dataset.ts";
import { DOCUMENT_SAMPLES, type DocumentSample, documentsOf, EMPTY } from "./document-samples.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const agree = () => undefined;

/** Holds that what cannot be without a document goes with it, and nothing else does. */
export function documentPartsContract(scenario: Scenario): void {
  const inProject = DOCUMENT_SAMPLES.filter(({ root }) => root === "project");

  for (const root of ["project", "organization"] as const) {
    scenario(`a ${root} goes with everything in its projects`, EMPTY, async (store) => {
      for (const sample of inProject) {
        await add(store, sample, "mine", ALPHA);
        await add(store, sample, "theirs", GAMMA);
      }
      await store.in("acme").documents[root].delete(root === "project" ? ALPHA : "acme", agree);
      for (const sample of inProject) {
        const left = await listLeft(store, sample, [ALPHA, GAMMA]);
        expect([sample.kind, left]).toEqual([sample.kind, ["theirs"]]);
        expect(await store.access.locate(sample.kind, ["mine"], "acme")).toEqual([]);
      }
      await expect(revisionOf(store, ALPHA)).rejects.toMatchObject(NOT_FOUND);
      await expect(store.in("acme").documents.project.get(ALPHA)).rejects.toMatchObject(NOT_FOUND);
    });
  }

  scenario("a project is emptied, and counts that", EMPTY, async (store) => {
    for (const sample of inProject) {
      await add(store, sample, "mine", ALPHA);
      await add(store, sample, "theirs", GAMMA);
    }
    const before = await revisionOf(store, ALPHA);
    await store.emptyProject({ id: ALPHA, organizationId: "acme" });
    for (const sample of inProject) {
      const left = await listLeft(store, sample, [ALPHA, GAMMA]);
      expect([sample.kind, left]).toEqual([sample.kind, ["theirs"]]);
    }
    const { value } = await store.in("acme").documents.project.get(ALPHA);
    expect(value.usage).toMatchObject({ items: 0n, bytes: 0n, keys: 0 });
    expect(await revisionOf(store, ALPHA)).toBeGreaterThan(before);
    await store.emptyProject({ id: "no such project", organizationId: "acme" });
  });

  scenario("more than a step of content is deleted from a project", EMPTY, async (store) => {
    const records = Array.from({ length: 1_001 }, (_, n) => ({
      ...{ kind: "event" as const, line: n + 1, message: createEvent(`e${n}`, {}) },
    }));
    await store.importRecords([records]);
    await store.emptyProject({ id: ALPHA, organizationId: "acme" });
    const referrers = await store.referrers.list({ kind: "project", id: ALPHA, ...IN_ALPHA }, 10);
    expect(referrers).toEqual([]);
    const { value } = await store.in("acme").documents.project.get(ALPHA);
    expect(value.usage).toMatchObject({ items: 0n, bytes: 0n });
  });

  scenario("a project that is made again is empty", EMPTY, async (store) => {
    for (const sample of inProject) await add(store, sample, "mine", ALPHA);
    const { value } = await store.in("acme").documents.project.get(ALPHA);
    await store.in("acme").documents.project.delete(ALPHA, agree);
    await store.in("acme").documents.project.create(value);
    expect(await store.referrers.list({ kind: "project", id: ALPHA, ...IN_ALPHA }, 10)).toEqual([]);
    for (const sample of inProject) {
      const { values } = await documentsOf(store, sample).list({
        ...{ parentIds: [ALPHA], limit: 10, now: new Date(0) },
        order: { field: "id", direction: "asc" },
      });
      expect([sample.kind, values]).toEqual([sample.kind, []]);
      expect((await add(store, sample, "mine", ALPHA)).id).toBe("mine");
    }
  });

  scenario("an organization goes with its roles and bindings", EMPTY, async (store) => {
    const ofOrganization = DOCUMENT_SAMPLES.filter(({ root }) => root === "organization");
    for (const sample of ofOrganization) {
      const parent = sample.kind === "access_token" ? "ann" : "acme";
      await add(store, sample, "mine", parent);
      await add(store, sample, "theirs", parent === "ann" ? "eve" : "other");
    }
    await store.in("acme").documents.organization.delete("acme", agree);
    for (const sample of ofOrganization) {
      const left = await listLeft(store, sample, ["acme", "other"]);
      // The binding of the other organization was one of ann's account, which is gone.
      const want = sample.kind === "binding" ? [] : ["theirs"];
      expect([sample.kind, left]).toEqual([sample.kind, want]);
    }
  });

  scenario("an account goes with its tokens and bindings", EMPTY, async (store) => {
    for (const type of ["access_token", "binding"] as const) {
      const sample = sampleOf(type);
      await add(store, sample, "mine", type === "binding" ? "third" : "ann");
      await add(store, sample, "theirs", type === "binding" ? "third" : "eve", {
        ...{ accountId: "eve", accountOrganizationId: "other" },
      });
    }
    await store.in("acme").documents.account.delete("ann", agree);
    for (const type of ["access_token", "binding"] as const) {
      const places = type === "binding" ? ["third"] : ["acme", "other"];
      expect(await listLeft(store, sampleOf(type), places)).toEqual(["theirs"]);
    }
    expect(await store.access.listBindings({ id: "ann", organizationId: "acme" })).toEqual([]);
  });

  scenario("a role goes with its bindings", EMPTY, async (store) => {
    await add(store, sampleOf("role"), "r", "third");
    await add(store, sampleOf("binding"), "mine", "third", { roleId: "r" });
    await add(store, sampleOf("binding"), "theirs", "third", { roleId: "viewer" });
    await store.in("third").documents.role.delete("r", agree);
    const left = await listLeft(store, sampleOf("binding"), ["third", "fourth"]);
    expect(left).toEqual(["theirs"]);
  });

  scenario("a page goes with its components", createSmallDataset(), async (store) => {
    const ids = [1, 2, 3].map((number) => `page_component-${number}`);
    expect((await store.in("acme").pageComponents.getMany(ids)).length).toBe(3);
    await store.in("acme").documents.page.delete("page-1", agree);
    expect(await store.in("acme").pageComponents.getMany(ids)).toEqual([]);
    expect(await store.access.locate("page_component", ids, "acme")).toEqual([]);
  });

  scenario("a video goes with its annotations, an event does not", EMPTY, async (store) => {
    await add(store, sampleOf("video"), "v", ALPHA);
    await store.in("acme").documents.event.create(createEvent("e", {}));
    const annotation = sampleOf("annotation");
    await add(store, annotation, "of video", ALPHA, { videoId: "v", eventId: "e" });
    await add(store, annotation, "of event", ALPHA, { eventId: "e" });
    await store.in("acme").documents.event.delete("e", agree);
    await store.in("acme").documents.video.delete("v", agree);
    const left = await store.in("acme").documents.annotation.getMany(["of video", "of event"]);
    expect(left.map(({ value }) => value.id)).toEqual(["of event"]);
  });

  scenario("what names an id in another project is no part", EMPTY, async (store) => {
    const annotation = sampleOf("annotation");
    await add(store, annotation, "theirs", GAMMA, { videoId: "v" });
    const before = await revisionOf(store, GAMMA);
    await add(store, sampleOf("video"), "v", ALPHA);
    await add(store, annotation, "mine", ALPHA, { videoId: "v" });
    const video = { kind: "video", id: "v", ...IN_ALPHA };
    const mine = { kind: "annotation", id: "mine" };
    expect(await store.referrers.list(video, 10)).toEqual([mine]);
    await store.in("acme").documents.video.delete("v", agree);
    expect(await listLeft(store, annotation, [ALPHA, GAMMA])).toEqual(["theirs"]);
    expect(await revisionOf(store, GAMMA)).toBe(before);
  });

  scenario("a role takes no binding of another organization", EMPTY, async (store) => {
    await add(store, sampleOf("binding"), "theirs", "fourth", { roleId: "r" });
    await add(store, sampleOf("role"), "r", "third", { permissions: ["cms.events.get"] });
    await add(store, sampleOf("binding"), "mine", "third", { roleId: "r" });
    const role = { kind: "role", id: "r", organizationId: "third" };
    expect(await store.referrers.list(role, 10)).toEqual([{ kind: "binding", id: "mine" }]);
    const given = (await store.access.listBindings({ id: "ann", organizationId: "acme" })).map(
      (it) => [it.organizationId, ...it.permissions],
    );
    expect(given.sort()).toEqual([["fourth"], ["third", "cms.events.get"]]);
    await store.in("third").documents.role.delete("r", agree);
    const left = await listLeft(store, sampleOf("binding"), ["third", "fourth"]);
    expect(left).toEqual(["theirs"]);
  });

  scenario("a check that throws keeps every part", createSmallDataset(), async (store) => {
    const error = new Error("no");
    const reject = () => {
      throw error;
    };
    const before = await store.referrers.list({ kind: "project", id: ALPHA, ...IN_ALPHA }, 100);
    expect(before.length).toBeGreaterThan(10);
    await expect(store.in("acme").documents.project.delete(ALPHA, reject)).rejects.toBe(error);
    await expect(store.in("acme").documents.page.delete("page-1", reject)).rejects.toBe(error);
    await expect(store.in("acme").documents.organization.delete("acme", reject)).rejects.toBe(
      error,
    );
    expect(await store.referrers.list({ kind: "project", id: ALPHA, ...IN_ALPHA }, 100)).toEqual(
      before,
    );
    expect(await store.access.listProjectIds("acme")).toEqual([ALPHA, BETA]);
    expect((await store.access.listBindings({ id: "bob", organizationId: "acme" })).length).toBe(2);
  });

  scenario("what was bought goes with the transaction", createSmallDataset(), async (store) => {
    const viewer = { projectId: ALPHA, userId: "u", now: new Date(2_000_000) };
    await add(store, sampleOf("offer"), "all", ALPHA, { opens: { everything: true } });
    const bought = sampleOf("transaction").make("t", ALPHA, {
      ...{
        userId: "u",
        offerId: "all",
        status: TransactionStatus.CAPTURED,
        captureTime: { seconds: 1_000n },
      },
    });
    await documentsOf(store, sampleOf("transaction")).create(bought, { billingTransactionId: "" });
    const list = async () =>
      (await store.entitlements.list({ ...viewer, limit: 9 })).values.map(({ id }) => id);
    expect(await list()).toEqual(["t"]);
    await store.in("acme").documents.transaction.delete("t", agree);
    expect(await list()).toEqual([]);
  });
}

function sampleOf(type: DocumentSample["kind"]): DocumentSample {
  const found = DOCUMENT_SAMPLES.find((it) => it.kind === type);
  if (found === undefined) throw new Error(`there is no sample of ${type}`);
  return found;
}

async function add(store: Store, sample: DocumentSample, id: string, parent: string, init = {}) {
  const value = sample.make(id, parent, init);
  await documentsOf(store, sample, parent).create(value, ...sample.extras(id));
  return value;
}

/** Lists which of "mine" and "theirs" are left in the organizations of some parents. */
async function listLeft(store: Store, sample: DocumentSample, parents: readonly string[]) {
  const left: string[] = [];
  for (const parent of parents) {
    const found = await documentsOf(store, sample, parent).getMany(["mine", "theirs"]);
    left.push(...found.map(({ value }) => value.id));
  }
  return left;
}
