import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { ALPHA, BETA, createSmallDataset } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

/** Holds what becomes of bindings, and who owns an organization. */
export function bindingContract(scenario: Scenario): void {
  const data = createSmallDataset();

  const bind = (store: Store, id: string, resourceKey: string, roleId = "owner") =>
    store.in("acme").documents.binding.create(
      create(BindingSchema, {
        id,
        organizationId: "acme",
        accountId: "bob",
        roleId,
        resourceKey,
      }),
    );
  const left = async (store: Store, ids: readonly string[]) =>
    (await store.in("acme").documents.binding.getMany(ids)).map(({ value }) => value.id).sort();

  scenario("only the role owner on the whole organization makes an owner", data, async (store) => {
    const own = await store.access.listOwners("acme");
    expect(own.map(({ account }) => account.id)).toEqual(["ann"]);
    await bind(store, "z-project", `${ALPHA}/${ALPHA}/project`);
    await bind(store, "z-editor", "acme/organization", "editor");
    expect(await store.access.listOwners("acme")).toEqual(own);
    await bind(store, "z-owner", "acme/organization");
    expect(await store.access.listOwners("acme")).toEqual([
      ...own,
      { bindingId: "z-owner", account: { id: "bob", organizationId: "acme" } },
    ]);
    expect(await store.access.listOwners("nowhere")).toEqual([]);
  });

  scenario("roles on one resource are one binding", data, async (store) => {
    const role = {
      id: "reader",
      organizationId: "acme",
      name: "R",
      permissions: ["cms.events.get"],
    };
    await store.in("acme").documents.role.create(create(RoleSchema, role));
    const list = () => store.access.listBindings({ id: "bob", organizationId: "acme" });
    const before = (await list()).length;
    await bind(store, "z-1", `${BETA}/${BETA}/project`, "reader");
    await bind(store, "z-2", `${BETA}/${BETA}/project`, "author");
    await bind(store, "z-3", `${BETA}/${BETA}/project`, "author");
    await bind(store, "z-4", `match/${BETA}/event`, "author");
    const held = await list();
    expect(held.length).toBe(before + 2);
    const onProject = held.find((it) => it.projectId === BETA && it.resource === undefined);
    expect(onProject?.permissions).toContain("cms.events.get");
    expect(onProject?.permissions).toContain("cms.releases.create");
    const onEvent = held.find((it) => it.resource?.id === "match");
    expect(onEvent).toMatchObject({ projectId: BETA, resource: { kind: "event", id: "match" } });
  });

  scenario("only the role operator makes operators, and no stored role", data, async (store) => {
    const permissions = ["iam.organizations.create", "cms.events.get"];
    const role = { id: "king", organizationId: "acme", name: "K", permissions };
    await store.in("acme").documents.role.create(create(RoleSchema, role));
    const listed = await store.access.listOverreachingRoles();
    expect(listed).toMatchObject([{ id: "king", organizationId: "acme" }]);
    await bind(store, "king", "acme/organization", "king");
    const held = await store.access.listBindings({ id: "bob", organizationId: "acme" });
    // In no order: the binding of the role is the one with the fewest permissions.
    const [smallest] = held.toSorted((a, b) => a.permissions.size - b.permissions.size);
    expect(smallest?.permissions).toEqual(new Set(["cms.events.get"]));
    expect(await store.access.hasOperator()).toBe(false);
    await bind(store, "operator", "acme/organization", "operator");
    expect(await store.access.hasOperator()).toBe(true);
    await store.in("acme").documents.binding.delete("operator", () => {});
    expect(await store.access.hasOperator()).toBe(false);
    await store.in("acme").documents.role.delete("king", () => {});
    expect(await store.access.listOverreachingRoles()).toEqual([]);
  });

  scenario("bindings go away with their project, and those in it", data, async (store) => {
    await bind(store, "on", `${ALPHA}/${ALPHA}/project`);
    await bind(store, "in", `video-1/${ALPHA}/video`);
    await bind(store, "other", "beta/beta/project");
    await bind(store, "above", "acme/organization");
    await store.in("acme").documents.project.delete(ALPHA, () => {});
    expect(await left(store, ["on", "in", "other", "above"])).toEqual(["above", "other"]);
  });

  for (const type of [
    "video",
    "event",
    "entity",
    "creative_work",
    "annotation",
    "offer",
    "page",
  ] as const) {
    scenario(`bindings go away with their ${type} and no other`, data, async (store) => {
      await bind(store, "on", `${type}-1/${ALPHA}/${type}`);
      await bind(store, "like", `${type}-1/${ALPHA}/ruleset`);
      await bind(store, "beside", `${type}-2/${ALPHA}/${type}`);
      await store.in("acme").documents[type].delete(`${type}-1`, () => {});
      expect(await left(store, ["on", "like", "beside"])).toEqual(["beside", "like"]);
    });
  }

  scenario("bindings on the same id elsewhere stay", data, async (store) => {
    const { project } = store.in("acme").documents;
    await bind(store, "here", `video-1/${ALPHA}/video`);
    await bind(store, "beside", `video-1/${BETA}/video`);
    const place = { organizationId: "other", accountId: "eve", roleId: "owner" };
    for (const [id, resourceKey] of [
      ["elsewhere", `video-1/${ALPHA}/video`],
      ["on", `${ALPHA}/${ALPHA}/project`],
    ] as const) {
      const theirs = store.in("other").documents.binding;
      await theirs.create(create(BindingSchema, { ...place, id, resourceKey }));
    }
    const ids = ["here", "beside"];
    const far = async () =>
      (await store.in("other").documents.binding.getMany(["elsewhere", "on"])).length;
    await store.in("acme").documents.video.delete("video-1", () => {});
    expect([await left(store, ids), await far()]).toEqual([["beside"], 2]);
    await project.delete(ALPHA, () => {});
    expect([await left(store, ids), await far()]).toEqual([["beside"], 2]);
  });

  scenario("a page takes the bindings on its components along", data, async (store) => {
    await bind(store, "on", `page_component-1/${ALPHA}/page_component`);
    await store.in("acme").documents.page.delete("page-1", () => {});
    expect(await left(store, ["on"])).toEqual([]);
  });

  scenario("a deletion that is rejected leaves bindings alone", data, async (store) => {
    await bind(store, "on", `video-1/${ALPHA}/video`);
    const error = new Error("no");
    const reject = () => {
      throw error;
    };
    await expect(store.in("acme").documents.video.delete("video-1", reject)).rejects.toBe(error);
    expect(await left(store, ["on"])).toEqual(["on"]);
  });

  scenario("a binding with a broken resource key is not kept", data, async (store) => {
    const got = bind(store, "broken", "acme");
    await expect(got).rejects.toMatchObject({ code: Code.INVALID_ARGUMENT });
    expect(await left(store, ["broken"])).toEqual([]);
  });
}
