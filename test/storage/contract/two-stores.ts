import { setTimeout } from "node:timers/promises";
import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { EntitlementSchema } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { RunSlots } from "../../../src/domain/actions/run-slots.ts";
import { Code } from "../../../src/domain/base/errors.ts";
import { ALL_VISIBILITIES } from "../../../src/domain/content/visibility.ts";
import { parseKql } from "../../../src/domain/kql/index.ts";
import type { NewViewerTokenKey } from "../../../src/storage/contract/sign-in.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import type { WriteScope } from "../../../src/storage/contract/write-scope.ts";
import { createDueRun, createWebhook } from "../../outbox/outbox.ts";
import { listEventIds } from "../list-in-pages.ts";
import {
  ALPHA,
  createComponent,
  createEvent,
  createSmallDataset,
  createTransaction,
} from "../small-dataset.ts";
import { DOCUMENT_SAMPLES, documentsOf, EMPTY } from "./document-samples.ts";
import type { Scenario } from "./scenario.ts";

const ANN = { id: "ann", organizationId: "acme" };
const EXISTS = { code: Code.ALREADY_EXISTS };
const NOW = new Date("2026-07-19T19:00:00Z");

/** Holds that what is read and then written is right where two stores do it at once. */
export function twoStoresContract(scenario: Scenario): void {
  const data = createSmallDataset();

  /** Runs steps at once, by two stores in turns; returns what each led to. */
  const race = async <T>(
    stores: readonly [Store, Store],
    count: number,
    run: (store: Store, index: number) => Promise<T>,
  ) =>
    Promise.allSettled(
      Array.from({ length: count }, (_, index) => run(stores[index % 2 === 0 ? 0 : 1], index)),
    );
  const kept = (results: readonly PromiseSettledResult<unknown>[]) =>
    results.filter(({ status }) => status === "fulfilled").length;
  /** Runs steps at once, of which none may fail; returns what each returned. */
  const raceAll = async <T>(...args: Parameters<typeof race<T>>): Promise<T[]> => {
    const results = await race(...args);
    expect(results.flatMap((it) => (it.status === "rejected" ? [it.reason] : []))).toEqual([]);
    return results.flatMap((it) => (it.status === "fulfilled" ? [it.value] : []));
  };
  const between = (
    name: string,
    run: (stores: readonly [Store, Store]) => Promise<void>,
    dataset = data,
  ) => scenario(name, dataset, async (store, fresh) => run([store, await fresh.openAnother()]));

  between("components that go to the end of a page all have a place", async (stores) => {
    const before = (await stores[0].pages.get(PAGE)).components.length;
    await raceAll(stores, 20, (store, index) =>
      store.in("acme").pageComponents.create(createComponent(`new-${index}`, {}), END, () => {}),
    );
    const { components } = await stores[1].pages.get(PAGE);
    const places = components.map(({ id }) => stores[0].in("acme").pageComponents.locate(id));
    const positions = (await Promise.all(places)).map(({ position }) => position);
    expect(positions).toEqual(Array.from({ length: before + 20 }, (_, index) => index));
  });

  between("events with fields that are new are all found by them", async (stores) => {
    const of = (index: number) => ({ shared: "x", [`own_${index % 5}`]: index });
    await raceAll(stores, 20, (store, index) =>
      store.in("acme").documents.event.create(createEvent(`new-${index}`, { fields: of(index) })),
    );
    const find = (filter: string) => listEventIds(stores[1], { filter: parseKql(filter) });
    expect((await find("fields.shared: x")).length).toBe(20);
    for (let index = 0; index < 20; index += 1) {
      expect(await find(`fields.own_${index % 5}: ${index}`)).toEqual([`new-${index}`]);
    }
    const found = await stores[1].in("acme").documents.event.getMany(["new-3", "new-4"]);
    expect(found.map(({ value }) => value.id).sort()).toEqual(["new-3", "new-4"]);
  });

  between("page orders that are changed at once give every component one place", async (stores) => {
    const pageOf = (store: Store) => store.pages.get(PAGE);
    const ids = (await pageOf(stores[0])).components.map(({ id }) => id);
    const orders: (readonly string[])[] = [];
    /** Moves so many of the first to the end: each of 16 turns counts, in any order, 120 in all. */
    const turn = (order: readonly string[], by: number) => {
      const at = by % order.length;
      return [...order.slice(at), ...order.slice(0, at)];
    };
    await raceAll(stores, 16, (store, index) =>
      store.in("acme").pageComponents.reorder(PAGE.id, (places) => {
        const before = places.map(({ id }) => id);
        const turned = turn(before, index);
        orders[index] = turned;
        return turned;
      }),
    );
    const after = (await pageOf(stores[1])).components.map(({ id }) => id);
    expect(orders).toContainEqual(after);
    expect(after).toEqual(turn(ids, 120));
  });

  /** Makes an account the owner of an organization by further bindings; returns the ids of all that make owners. */
  const addOwners = async ([store]: readonly [Store, Store], count: number) => {
    const bind = { organizationId: "acme", accountId: "bob", roleId: "owner" };
    for (let number = 2; number <= count; number += 1) {
      const binding = { id: `owner-${number}`, ...bind, resourceKey: "acme/organization" };
      await store.in("acme").documents.binding.create(create(BindingSchema, binding));
    }
    const owners = await store.access.listOwners("acme");
    expect(owners.length).toBe(count);
    return owners.map(({ bindingId }) => bindingId);
  };

  between("of 16 owners who leave at once one stays", async (stores) => {
    const owners = await addOwners(stores, 16);
    const results = await race(stores, 16, (store, index) =>
      store.transaction({ organizationId: "acme" }, async (unit) => {
        if ((await unit.access.listOwners("acme")).length < 2) throw new Error("the last");
        await unit.in("acme").documents.binding.delete(owners[index] ?? "", () => {});
      }),
    );
    expect(kept(results)).toBe(15);
    expect((await stores[1].access.listOwners("acme")).length).toBe(1);
  });

  between(
    "of two owners one stays, also if an account of another organization leaves",
    async (stores) => {
      const owners = await addOwners(stores, 2);
      const results = await race(stores, 2, (store, index) =>
        store.transaction({ organizationId: index === 0 ? "acme" : "elsewhere" }, async (unit) => {
          const left = await unit.access.listOwners("acme");
          await setTimeout(50);
          if (left.length < 2) throw new Error("the last");
          await unit.in("acme").documents.binding.delete(owners[index] ?? "", () => {});
        }),
      );
      expect(kept(results)).toBe(1);
    },
  );

  between(
    "an id that both create is one's, of each type",
    async (stores) => {
      for (const sample of DOCUMENT_SAMPLES) {
        const results = await race(stores, 16, (store, index) =>
          documentsOf(store, sample).create(
            sample.make("a", sample.parents[0]),
            ...sample.extras(`extra-${sample.kind}-${index}`),
          ),
        );
        expect([sample.kind, kept(results)]).toEqual([sample.kind, 1]);
        for (const result of results) {
          if (result.status === "rejected") expect(result.reason).toMatchObject(EXISTS);
        }
      }
    },
    EMPTY,
  );

  between("a slug that both give away is one page's", async (stores) => {
    const results = await race(stores, 16, (store, index) => {
      const page = create(PageSchema, { id: `new-${index}`, projectId: ALPHA, slug: "new" });
      return store.in("acme").documents.page.create(page);
    });
    expect(kept(results)).toBe(1);
  });

  between("a transaction and an entitlement do not share an id", async (stores) => {
    for (let round = 0; round < 10; round += 1) {
      const id = `both-${round}`;
      const entitlement = create(EntitlementSchema, {
        ...{ id, projectId: ALPHA, userId: "u", offerId: "o-1", startTime: { seconds: 1n } },
      });
      const { transaction } = createTransaction(id, { userId: "u", offerId: "o-1" });
      const results = await race(stores, 2, async (store, index) => {
        const { transaction: transactions } = store.in("acme").documents;
        if (index === round % 2) await store.in("acme").entitlementAdmin.create(entitlement);
        else await transactions.create(transaction, { billingTransactionId: id });
      });
      expect(kept(results)).toBe(1);
    }
  });

  between("rotations leave one key that signs, and lose none", async (stores) => {
    const key = (id: string): NewViewerTokenKey => ({
      ...{ id, publicKey: Uint8Array.of(1), privateKey: Uint8Array.of(2), createTime: NOW },
    });
    await raceAll(stores, 6, (store, index) =>
      store.viewerTokenKeys.begin(() => key(`first-${index}`)),
    );
    await raceAll(stores, 10, (store, index) =>
      store.viewerTokenKeys.rotate({ key: key(`${index}`), now: NOW, dropBefore: new Date(0) }),
    );
    const { signing, retired } = await stores[1].viewerTokenKeys.get();
    expect(signing).toBeDefined();
    expect(retired.length).toBe(10);
  });

  between("no run is taken twice", async (stores) => {
    const action = await createWebhook(stores[0], "hook", "https://hooks.example.com/");
    const ids: string[] = [];
    for (let index = 0; index < 24; index += 1) {
      ids.push((await createDueRun(stores[0], action, NOW)).id);
    }
    const leaseEnd = new Date(NOW.getTime() + 60_000);
    const results = await raceAll(stores, 12, (store, index) =>
      store.actionRuns.take({
        ...{ lease: `lease-${index}`, now: NOW, leaseEnd, limit: 2, slots: new RunSlots() },
      }),
    );
    const taken = results.flatMap(({ runs }) => runs.map(({ run }) => run.id));
    expect(taken.sort()).toEqual(ids.sort());
  });

  between("a response to a repeated call is kept once", async (stores) => {
    const expireTime = new Date(NOW.getTime() + 60_000);
    const stored = { account: ANN, requestId: "r", requestHash: Uint8Array.of(1) };
    let worked = 0;
    const responses = await raceAll(stores, 16, (store, index) =>
      store.transaction({ projectIds: [ALPHA] }, async (unit) => {
        const found = await unit.storedResponses.find(ANN, "r", NOW);
        if (found !== undefined) return [...found.response];
        worked += 1;
        const response = Uint8Array.of(index);
        await unit.storedResponses.keep({ ...stored, response, expireTime }, NOW);
        return [...response];
      }),
    );
    expect(worked).toBe(1);
    expect(new Set(responses.map((it) => JSON.stringify(it))).size).toBe(1);
  });

  between("every change of an organization has a revision of its own", async (stores) => {
    const results = await raceAll(stores, 20, (store, index) => {
      const role = create(RoleSchema, { id: `role-${index}`, organizationId: "acme", name: "R" });
      return store.in("acme").documents.role.create(role);
    });
    const revisions = results.map(({ revision }) => revision).sort((a, b) => a - b);
    const [first = 0] = revisions;
    expect(revisions).toEqual(Array.from({ length: 20 }, (_, index) => first + index));
  });

  const scopes: readonly (readonly [string, WriteScope, WriteScope])[] = [
    ["the same project", { projectIds: [ALPHA] }, { projectIds: [ALPHA] }],
    ["a project, long and short", { projectIds: [ALPHA] }, { projectIds: [ALPHA], isLong: true }],
    ["several projects", { projectIds: [ALPHA, "beta"] }, { projectIds: ["beta", ALPHA] }],
    ["a project and its organization", { projectIds: [ALPHA] }, { organizationId: "acme" }],
    ["a project and the installation", { projectIds: [ALPHA] }, "installation"],
    ["an organization and the installation", { organizationId: "acme" }, "installation"],
  ];
  for (const [name, ...both] of scopes) {
    between(`transactions on ${name} run one after the other`, async (stores) => {
      await raceAll(stores, 20, (store, index) =>
        store.transaction(index % 2 === 0 ? both[0] : both[1], async (unit) => {
          const { annotation } = unit.in("acme").documents;
          const { value } = await annotation.get("annotation-1");
          const order = value.order + 1n;
          await annotation.update("annotation-1", () => ({ ...value, order }));
        }),
      );
      expect(
        (await stores[1].in("acme").documents.annotation.get("annotation-1")).value.order,
      ).toBe(21n);
    });
  }
}

const PAGE = {
  ...{ projectId: ALPHA, id: "page-1" },
  ...{ at: undefined, visibilities: ALL_VISIBILITIES, componentVisibilities: ALL_VISIBILITIES },
};
const END = { pageId: "page-1" };
