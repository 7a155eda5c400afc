import { create } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { PageSchema } from "../../../gen/svc/studio/ott/page/v1/page_pb.ts";
import { ReleaseSchema, ReleaseState } from "../../../gen/svc/type/v1/release_pb.ts";
import type { ImportOptions } from "../../../src/storage/contract/records.ts";
import type { Store } from "../../../src/storage/contract/store.ts";
import { createDueRun, createWebhook, SECRET } from "../../outbox/outbox.ts";
import { importText, toText } from "../../transfer/transfer.ts";
import { ALPHA, createComponent, createSmallDataset, IN_ALPHA } from "../small-dataset.ts";
import type { Scenario } from "./scenario.ts";

const { OPEN, SCHEDULED, APPLIED } = ReleaseState;

/** Holds the reads that only metrics, operators, and some imports and deletions need. */
export function rareReadContract(scenario: Scenario): void {
  const data = createSmallDataset();

  scenario("a release locates what its drafts create or change", data, async (store) => {
    await addRelease(store, "r", OPEN);
    const place = { ...IN_ALPHA, releaseId: "r", kind: "event", isForced: false } as const;
    const written = { ...place, accountId: "ann", updateTime: new Date(0) };
    const event = (id: string) => create(EventSchema, { id, projectId: ALPHA });
    const draft = { kind: "event", message: event("new"), line: 0 } as const;
    const base = { kind: "event", message: event("event-1"), line: 0 } as const;
    await store.releaseItems.put({ ...written, id: "new", draft });
    await store.releaseItems.put({ ...written, id: "event-1", base });
    const release = { ...IN_ALPHA, kind: "release", id: "r" };
    const locate = (type: string, ...ids: string[]) =>
      store.releaseItems.locate(release, type, ids);
    const want = [{ ...IN_ALPHA, kind: "event", id: "new" }];
    expect(await locate("event", "new", "event-1", "none")).toEqual(want);
    expect(await locate("entity", "new")).toEqual([]);
    expect(await locate("event")).toEqual([]);
  });

  scenario("open and scheduled releases are counted", data, async (store) => {
    expect(await store.releaseItems.countPending()).toEqual({ open: 0, scheduled: 0 });
    await addRelease(store, "open", OPEN);
    await addRelease(store, "done", APPLIED, 1);
    await addRelease(store, "later", SCHEDULED, 7);
    await addRelease(store, "next", SCHEDULED, 5);
    const nextTime = new Date(5_000);
    expect(await store.releaseItems.countPending()).toEqual({ open: 1, scheduled: 2, nextTime });
  });

  scenario("the secret of a run is that of its action", data, async (store) => {
    const action = await createWebhook(store, "hook", "https://hooks.example.com/");
    const { id } = await createDueRun(store, action, new Date(0));
    expect(await store.actionRuns.findSecret(id)).toBe(SECRET);
    expect(await store.actionRuns.findSecret("none")).toBeUndefined();
  });

  scenario("components name their pages", data, async (store) => {
    const { pageComponents } = store.in("acme");
    expect(await pageComponents.findPages(["page_component-2", "none"])).toEqual(
      new Map([["page_component-2", "page-1"]]),
    );
    expect(await store.in("other").pageComponents.findPages(["page_component-2"])).toEqual(
      new Map(),
    );
  });

  scenario("operators find the organizations of an id", data, async (store) => {
    expect(await store.access.listOrganizationsOf("account", "ann")).toEqual(["acme"]);
    expect(await store.access.listOrganizationsOf("account", "none")).toEqual([]);
  });

  scenario("a copy leaves its project as it is, and creates what it lacks", data, async (store) => {
    const { documents } = store.in("acme");
    const { value } = await documents.project.get(ALPHA);
    const project = { id: ALPHA, organization_id: "acme", name: "Other" };
    const video = { id: "copied", project_id: ALPHA, name: "Copied" };
    const copy = toText([{ project }, { video }]);
    await importText(store, copy, { isCopy: true, projectId: ALPHA });
    expect((await documents.project.get(ALPHA)).value.name).toBe(value.name);
    expect((await documents.video.get("copied")).value.name).toBe("Copied");
  });

  scenario("a record that the database rejects leaves the others", data, async (store) => {
    const rejected: unknown[] = [];
    const options: ImportOptions = {
      resolve: async (record) => record,
      onRejected: (line, { reason }) => rejected.push([line, reason]),
    };
    const video = (id: string) => ({ video: { id, project_id: ALPHA, name: id } });
    const taken = { page: { id: "other", project_id: ALPHA, slug: "home" } };
    await importText(store, toText([video("a"), taken, video("b")]), options);
    expect(rejected).toEqual([[2, "ALREADY_EXISTS"]]);
    const { documents } = store.in("acme");
    expect(await documents.page.getMany(["other"])).toEqual([]);
    expect((await documents.video.getMany(["a", "b"])).length).toBe(2);
  });

  scenario("a page with very many components is deleted", WIDE, async (store) => {
    const { documents } = store.in("acme");
    await documents.page.delete("wide", () => undefined);
    expect(await documents.page.getMany(["wide"])).toEqual([]);
    const { values } = await store.in("acme").pageComponents.list({
      parentIds: ["wide"],
      ...{ order: { field: "id", direction: "asc" }, limit: 1, now: new Date(0) },
    });
    expect(values).toEqual([]);
  });
}

const WIDE = createSmallDataset({
  bindings: [],
  pages: [
    {
      page: create(PageSchema, { id: "wide", projectId: ALPHA, slug: "wide" }),
      components: Array.from({ length: 100 }, (_, index) => createComponent(`c-${index}`, {})),
    },
  ],
});

function addRelease(store: Store, id: string, state: ReleaseState, second?: number) {
  const applyTime = second === undefined ? undefined : { seconds: BigInt(second) };
  const release = { id, projectId: ALPHA, name: id, state, ...(applyTime && { applyTime }) };
  return store.in("acme").documents.release.create(create(ReleaseSchema, release));
}
