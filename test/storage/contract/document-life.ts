import { describe, expect } from "vitest";
import { Code } from "../../../src/domain/base/errors.ts";
import type { Stored } from "../../../src/storage/contract/document-store.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import {
  type AnyDocument,
  DOCUMENT_SAMPLES,
  type DocumentSample,
  documentsOf,
  EMPTY,
  organizationOf,
} from "./document-samples.ts";
import type { Scenario } from "./scenario.ts";

const NOT_FOUND = { code: Code.NOT_FOUND, reason: "RESOURCE_NOT_FOUND" };
const ALREADY_EXISTS = { code: Code.ALREADY_EXISTS, reason: "ALREADY_EXISTS" };

/** Holds the life of a document of every type, or of some, from create to delete. */
export function documentLifeContract(scenario: Scenario, samples = DOCUMENT_SAMPLES): void {
  for (const sample of samples) {
    describe(sample.kind, () => lifeOf(sample, scenario));
  }
}

function lifeOf(sample: DocumentSample, scenario: Scenario): void {
  const hold = scenario.share(EMPTY);
  const { kind, label } = sample;
  const [parent, otherParent] = sample.parents;
  const organization = organizationOf(parent);
  const make = (id: string) => sample.make(id, parent);
  const add = (store: Store, id: string) =>
    documentsOf(store, sample).create(make(id), ...sample.extras(id));
  const relabel =
    (text: string) =>
    ({ value }: Stored<AnyDocument>): AnyDocument => ({ ...value, [label.local]: text });

  hold("is read as it was made, and located", async (store) => {
    const made = await add(store, "read");
    expect(made.value).toEqual(make("read"));
    expect(await documentsOf(store, sample).get("read")).toEqual(made);
    expect(await documentsOf(store, sample).getMany(["read"])).toEqual([made]);
    expect(await store.access.locate(kind, ["read", "READ"], organization)).toMatchObject([
      { kind, id: "read" },
    ]);
  });

  hold("ids are compared byte for byte, and unknown ones left out", async (store) => {
    const ids = ["a", "A", "a ", "ä", "a\u0308"];
    for (const id of ids) await add(store, id);
    const documents = documentsOf(store, sample);
    for (const id of ids) expect((await documents.get(id)).value).toEqual(make(id));
    const found = await documents.getMany(["ä", "a%", "", "A", "B", "A"]);
    expect(found.map(({ value }) => value.id).sort()).toEqual(["A", "ä"]);
    expect(await documents.getMany([])).toEqual([]);
    for (const id of ["", "a%", "B"]) {
      await expect(documents.get(id)).rejects.toMatchObject(NOT_FOUND);
      const unasked = () => expect.fail("there is nothing to change");
      await expect(documents.update(id, unasked)).rejects.toMatchObject(NOT_FOUND);
      await expect(documents.touch(id, unasked)).rejects.toMatchObject(NOT_FOUND);
    }
  });

  hold("a taken id is ALREADY_EXISTS, and what has it stays", async (store) => {
    const before = await add(store, "taken");
    await expect(
      documentsOf(store, sample).create(make("taken"), ...sample.extras("another")),
    ).rejects.toMatchObject(ALREADY_EXISTS);
    expect(await documentsOf(store, sample).get("taken")).toEqual(before);
  });

  const isOfInstallation = kind === "organization" || kind === "project";
  if (!isOfInstallation) {
    hold("an id is free in another organization, and distinguished", async (store) => {
      const before = await add(store, "both");
      const theirs = documentsOf(store, sample, otherParent);
      const value = sample.make("both", otherParent);
      expect(await theirs.getMany(["both"])).toEqual([]);
      for (const ask of [
        () => theirs.get("both"),
        () => theirs.update("both", relabel("stolen")),
        () => theirs.touch("both", relabel("stolen")),
        () => theirs.delete("both", () => undefined),
      ]) {
        await expect(ask()).rejects.toMatchObject(NOT_FOUND);
      }
      expect((await theirs.create(value, ...sample.extras("other"))).value).toEqual(value);
      const changed = await theirs.update("both", relabel("changed"));
      expect(await documentsOf(store, sample).get("both")).toEqual(before);
      for (const organizationId of [organization, organizationOf(otherParent)]) {
        const found = await store.access.locate(kind, ["both"], organizationId);
        expect(found).toMatchObject([{ kind, id: "both", organizationId }]);
      }
      expect(await store.access.locate(kind, ["both"])).toEqual([]);
      await documentsOf(store, sample).delete("both", () => undefined);
      expect(await theirs.get("both")).toEqual(changed);
    });

    hold("nothing is written into what lies in another organization", async (store) => {
      const documents = documentsOf(store, sample);
      const lost = sample.make("lost", otherParent);
      await expect(documents.create(lost, ...sample.extras("lost"))).rejects.toMatchObject(
        NOT_FOUND,
      );
      expect(await documentsOf(store, sample, otherParent).getMany(["lost"])).toEqual([]);
    });
  }

  if (kind !== "organization") {
    hold("what would lie in nothing is NOT_FOUND", async (store) => {
      const lost = sample.make("none", "nowhere");
      const documents = documentsOf(store, sample);
      await expect(documents.create(lost, ...sample.extras("none"))).rejects.toMatchObject(
        NOT_FOUND,
      );
      expect(await documents.getMany(["none"])).toEqual([]);
    });
  }

  hold("an update is returned as it is then read", async (store) => {
    const before = await add(store, "updated");
    const other = await add(store, "left");
    const documents = documentsOf(store, sample);
    const seen: Stored<AnyDocument>[] = [];
    const changed = await documents.update("updated", (current) => {
      seen.push(current);
      return relabel("changed")(current);
    });
    expect(seen).toEqual([before]);
    expect(changed.value).toEqual(relabel("changed")(before));
    expect(await documents.get("updated")).toEqual(changed);
    expect(await documents.get("left")).toEqual(other);
  });

  hold("an update that changes nothing writes nothing", async (store) => {
    const before = await add(store, "same");
    const documents = documentsOf(store, sample);
    const copy = (value: AnyDocument) => sample.make(value.id, parent);
    expect(await documents.update("same", ({ value }) => copy(value))).toEqual(before);
    expect(await documents.get("same")).toEqual(before);
    // Nor does it move the counter of what it lies in.
    const next = await documents.touch("same", ({ value }) => value);
    expect(next).toEqual({ value: before.value, revision: before.revision + 1 });
    expect(await documents.get("same")).toEqual(next);
  });

  hold("a change or a check that throws leaves it alone", async (store) => {
    const before = await add(store, "kept");
    const documents = documentsOf(store, sample);
    const error = new Error("no");
    const reject = () => {
      throw error;
    };
    await expect(documents.update("kept", reject)).rejects.toBe(error);
    await expect(documents.delete("kept", reject)).rejects.toBe(error);
    expect(await documents.get("kept")).toEqual(before);
  });

  hold("a deleted one is nowhere", async (store) => {
    const before = await add(store, "deleted");
    const documents = documentsOf(store, sample);
    const checked: unknown[] = [];
    await documents.delete("deleted", (current) => checked.push(current));
    expect(checked).toEqual([before]);
    expect(await documents.getMany(["deleted"])).toEqual([]);
    expect(await store.access.locate(kind, ["deleted"], organization)).toEqual([]);
    for (const ask of [
      () => documents.get("deleted"),
      () => documents.update("deleted", ({ value }) => value),
      () => documents.delete("deleted", () => checked.push("again")),
    ]) {
      await expect(ask()).rejects.toMatchObject(NOT_FOUND);
    }
    expect(checked.length).toBe(1);
    // What was found by is free again: a hash, a slug, an id.
    expect((await add(store, "deleted")).value).toEqual(before.value);
  });

  scenario("a revision never comes back", EMPTY, async (store) => {
    const documents = documentsOf(store, sample);
    const seen = new Set<number>();
    const note = ({ revision }: Stored<AnyDocument>) => {
      expect(seen.has(revision), `revision ${revision} came back`).toBe(false);
      seen.add(revision);
    };
    const live = async () => {
      note(await add(store, "a"));
      note(await documents.update("a", relabel("changed")));
    };
    await live();
    await documents.delete("a", () => undefined);
    await live();
    await renew(store, sample);
    await live();
  });
}

/** Deletes what a sample's documents take their revisions from, with all in it, and makes it again. */
async function renew(store: Store, sample: DocumentSample): Promise<void> {
  const [parent] = sample.parents;
  const { documents } = store.in(organizationOf(parent));
  if (sample.kind === "organization" || sample.kind === "project") {
    await documents[sample.kind].delete("a", () => undefined);
    return;
  }
  if (sample.root === "project") {
    const { value } = await documents.project.get(parent);
    await documents.project.delete(parent, () => undefined);
    await documents.project.create(value);
    return;
  }
  const account = sample.kind === "access_token" ? await documents.account.get(parent) : undefined;
  const organizationId = account?.value.organizationId ?? parent;
  const organization = await documents.organization.get(organizationId);
  await documents.organization.delete(organizationId, () => undefined);
  await documents.organization.create(organization.value);
  if (account !== undefined) await documents.account.create(account.value);
}
