import { create } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { BindingSchema } from "../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { RoleSchema } from "../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { PageSchema } from "../../gen/svc/studio/ott/page/v1/page_pb.ts";
import {
  BatchGetPageComponentsRequestSchema,
  PageComponentService,
} from "../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { authorize } from "../../src/api/steps/authorize.ts";
import type { Granted } from "../../src/api/steps/studio-call.ts";
import { Code, DomainError } from "../../src/domain/base/errors.ts";
import type { Account } from "../../src/storage/contract/access.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import {
  ALPHA,
  BETA,
  createComponent,
  createSmallDataset,
  GAMMA,
} from "../storage/small-dataset.ts";
import { createIncoming } from "./calls.ts";

const BOB: Account = { id: "bob", organizationId: "acme" };
const READ = "ott.page_components.get";

/** A page of a project with two components. */
const createPage = (projectId: string) => ({
  page: create(PageSchema, { id: `page-${projectId}`, projectId, slug: "home" }),
  components: [1, 2].map((number) => createComponent(`${projectId}-${number}`, { projectId })),
});

/** The components of three projects, by what bob may do with them. */
const COMPONENTS = {
  granted: ["alpha-1", "alpha-2"],
  denied: ["beta-1", "beta-2"],
  hidden: ["gamma-1", "nothing"],
} as const;

let fresh: FreshStore;
beforeAll(async () => {
  const pages = [ALPHA, BETA, GAMMA].map((project) => createPage(project));
  fresh = await openFresh(createSmallDataset({ bindings: [], pages }));
  const { store } = fresh;
  const organizationId = "acme";
  const roles = [
    { id: "reader", permissions: [READ], project: ALPHA },
    { id: "clerk", permissions: ["monetization.offers.list"], project: BETA },
  ];
  for (const { id, permissions, project } of roles) {
    await store
      .in("acme")
      .documents.role.create(create(RoleSchema, { id, organizationId, permissions }));
    const place = {
      organizationId,
      accountId: BOB.id,
      resourceKey: `${project}/${project}/project`,
    };
    await store
      .in("acme")
      .documents.binding.create(create(BindingSchema, { id, roleId: id, ...place }));
  }
});
afterAll(() => fresh.close());

interface Authorized {
  readonly granted?: Granted;
  readonly error?: unknown;
}

async function get(ids: readonly string[], account = BOB): Promise<Authorized> {
  const message = create(BatchGetPageComponentsRequestSchema, { pageComponentIds: [...ids] });
  try {
    const incoming = createIncoming(PageComponentService.method.batchGetPageComponents);
    return { granted: await authorize(fresh.store, incoming, account, message) };
  } catch (error) {
    return { error };
  }
}

/** Every mixture of up to three ids, in every order. */
const MIXTURES: readonly (readonly string[])[] = (() => {
  const ids = Object.values(COMPONENTS).flat();
  const others = (used: readonly string[]) => ids.filter((id) => !used.includes(id));
  const singles = ids.map((id) => [id]);
  const pairs = singles.flatMap((it) => others(it).map((id) => [...it, id]));
  return [...singles, ...pairs, ...pairs.flatMap((it) => others(it).map((id) => [...it, id]))];
})();

const isOf = (kind: keyof typeof COMPONENTS, id: string) =>
  (COMPONENTS[kind] as readonly string[]).includes(id);

describe("a request that names several resources", () => {
  test("reports what is hidden first, then by what is denied, in every mixture and order", async () => {
    expect(MIXTURES.length).toBe(6 + 6 * 5 + 6 * 5 * 4);
    for (const ids of MIXTURES) {
      const { error, granted } = await get(ids);
      const hidden = ids.filter((id) => isOf("hidden", id));
      const denied = ids.filter((id) => isOf("denied", id));
      const got = [ids, error && toResponse(error), granted?.resource?.id];
      if (hidden.length > 0) {
        const named = hidden.join(",");
        const resource = `page_component/${named}`;
        const metadata = { resource, resource_type: "page_component", ids: named };
        expect(got).toEqual([ids, [Code.NOT_FOUND, "RESOURCE_NOT_FOUND", metadata], undefined]);
        for (const id of [...denied, ...ids.filter((it) => isOf("granted", it))]) {
          expect((error as DomainError).message).not.toContain(id);
        }
      } else if (denied.length > 0) {
        const metadata = { permission: READ, resource: `${denied[0]}/${BETA}/page_component` };
        expect(got).toEqual([
          ids,
          [Code.PERMISSION_DENIED, "PERMISSION_DENIED", metadata],
          undefined,
        ]);
      } else {
        expect(got).toEqual([ids, undefined, ids[0]]);
      }
    }
  });

  test("what is outside every role and what does not exist have the same response", async () => {
    const stranger: Account = { id: "cid", organizationId: "acme" };
    const toText = async (id: string) => {
      const { error } = await get([id], stranger);
      return JSON.stringify(toResponse(error)) + (error as DomainError).message;
    };
    expect((await toText("alpha-9")).replaceAll("alpha-9", "alpha-1")).toBe(
      await toText("alpha-1"),
    );
  });
});

function toResponse(error: unknown): readonly [Code, string, object] {
  if (!(error instanceof DomainError)) throw error;
  return [error.code, error.reason, error.metadata];
}
