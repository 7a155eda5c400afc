import { readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { createDemoDataset } from "../../demo/dataset.ts";
import { printDemo } from "../../demo/records.ts";
import { Visibility } from "../../gen/svc/type/v1/visibility_pb.ts";
import { demoSamples } from "../../src/demo/ids.ts";
import { BUILT_IN_ROLES } from "../../src/domain/access/roles.ts";
import { ROOT } from "../harness/process.ts";

const data = createDemoDataset();
const pages = data.pages.map((record) => record.page);
const components = data.pages.flatMap((record) => record.components);
const transactions = data.transactions.map((record) => record.transaction);
const resources = [
  ...data.entities,
  ...data.creativeWorks,
  ...data.events,
  ...data.videos,
  ...data.annotationTypes,
  ...data.annotations,
  ...data.bannerCollections,
  ...pages,
  ...components,
  ...data.rulesets,
  ...data.offers,
  ...transactions,
];
const projectOf = new Map(resources.map((resource) => [resource.id, resource.projectId]));

/** Answers which of the ids do not lie in the project. */
function missing(projectId: string, ids: readonly string[]): string[] {
  return ids.filter((id) => id !== "" && projectOf.get(id) !== projectId);
}

test("the file holds what `npm run demo` makes", () => {
  const file = readFileSync(`${ROOT}demo/demo.ndjson`, "utf8");
  expect(file === printDemo()).toBe(true);
});

describe("ids", () => {
  test("are unique over everything", () => {
    const ids = [
      ...data.organizations.map((it) => it.id),
      ...data.projects.map((it) => it.id),
      ...data.accounts.map((it) => it.id),
      ...resources.map((it) => it.id),
    ];
    expect(ids.length - new Set(ids).size).toBe(0);
  });

  test("need no escape in an address", () => {
    expect(resources.filter((it) => !/^[a-z0-9-]+$/.test(it.id))).toEqual([]);
  });
});

describe("references", () => {
  test("of every resource name a project", () => {
    const projectIds = new Set(data.projects.map((project) => project.id));
    expect(resources.filter((it) => !projectIds.has(it.projectId))).toEqual([]);
  });

  test("of every event and creative work exist in its project", () => {
    for (const item of [...data.events, ...data.creativeWorks]) {
      expect(missing(item.projectId, [...item.entityIds, ...item.videoIds]), item.id).toEqual([]);
      const eventId = item.fields?.event_id;
      if (typeof eventId === "string") expect(missing(item.projectId, [eventId])).toEqual([]);
    }
  });

  test("of every annotation exist in its project", () => {
    for (const it of data.annotations) {
      const ids = [it.typeId, it.videoId, it.eventId, it.creativeWorkId, ...it.entityIds];
      expect(missing(it.projectId, ids), it.id).toEqual([]);
    }
  });

  test("of every player name a team", () => {
    for (const { id, fields } of data.entities.filter((it) => it.contentType === "player")) {
      const team = fields?.team as { readonly id: string } | undefined;
      expect(missing("worldcup", [team?.id ?? "no team"]), id).toEqual([]);
    }
  });

  test("of every ruleset's target exist in its project", () => {
    for (const { id, projectId, applicability } of data.rulesets) {
      if (applicability.case !== "target") continue;
      const { entityIds, eventIds, creativeWorkIds, videoIds } = applicability.value;
      const ids = [...entityIds, ...eventIds, ...creativeWorkIds, ...videoIds];
      expect(ids, id).not.toEqual([]);
      expect(missing(projectId, ids), id).toEqual([]);
    }
  });

  test("of every component lie in the project of its page", () => {
    for (const { page, components: own } of data.pages) {
      for (const { id, projectId, data: member } of own) {
        expect(projectId, id).toBe(page.projectId);
        if (member.case === "rail") expect(missing(projectId, member.value.pinned), id).toEqual([]);
      }
    }
  });

  test("of every banner component name a collection that is shown", () => {
    const shown = data.bannerCollections.filter((it) => it.visibility === Visibility.PUBLISHED);
    const ids = new Set(shown.map((it) => it.id));
    const banners = components.flatMap(({ id, projectId, data: { case: kind, value } }) =>
      kind === "bannerCollection" || kind === "bannerCollectionV2"
        ? [{ id, projectId, shows: value.id }]
        : [],
    );
    expect(banners).toHaveLength(2);
    for (const { id, projectId, shows } of banners) {
      expect(missing(projectId, [shows]), id).toEqual([]);
      expect(ids, id).toContain(shows);
    }
  });

  test("of every offer and of every component that sells exist in its project", () => {
    for (const { id, projectId, opens } of data.offers) {
      const ids = opens ? [...opens.videoIds, ...opens.eventIds, ...opens.creativeWorkIds] : [];
      expect(missing(projectId, ids), id).toEqual([]);
    }
    for (const { id, projectId, data: member } of components) {
      const json = JSON.stringify(member.value, (_, it) => (typeof it === "bigint" ? `${it}` : it));
      const offerIds = Array.from(json.matchAll(/"offer_id":"([^"]*)"/g), ([, it]) => it ?? "");
      expect(missing(projectId, offerIds), id).toEqual([]);
      if (member.case === "offers") expect(offerIds).toHaveLength(5);
    }
  });

  test("of every transaction name a price of an offer of its project, and are at that price", () => {
    const offers = new Map(data.offers.map((offer) => [offer.id, offer]));
    for (const it of transactions) {
      const offer = offers.get(it.offerId);
      const price = offer?.prices.find(({ id }) => id === it.offerPriceId);
      expect([offer?.projectId, price?.amount], it.id).toEqual([it.projectId, it.msrp]);
      expect([price?.billingPeriod, price?.accessPeriod, offer?.title.en]).toEqual([
        it.billingPeriod,
        it.accessPeriod,
        it.offerTitle,
      ]);
    }
  });

  test("of projects, accounts and bindings exist in the same organization", () => {
    const organizationIds = new Set(data.organizations.map((it) => it.id));
    const owner = new Map(
      [...data.projects, ...data.accounts].map((it) => [it.id, it.organizationId]),
    );
    const roleIds = BUILT_IN_ROLES.map((role) => role.id);
    expect([...owner.values()].every((id) => organizationIds.has(id))).toBe(true);
    for (const binding of data.bindings) {
      expect(roleIds).toContain(binding.roleId);
      expect(owner.get(binding.accountId)).toBe(binding.organizationId);
      if (binding.projectId === undefined) continue;
      expect(owner.get(binding.projectId)).toBe(binding.organizationId);
    }
  });
});

describe("organizations", () => {
  test("give each account its role, the first project being the World Cup", () => {
    expect(data.projects.map((project) => project.id)).toEqual([
      "worldcup",
      "sandbox",
      "elsewhere",
    ]);
    const got = data.bindings.map((it) => [it.accountId, it.roleId, it.projectId]);
    expect(got).toEqual([
      ["account-owner", "owner", undefined],
      ["account-owner", "operator", undefined],
      ["account-editor", "editor", "worldcup"],
      ["account-viewer", "viewer", "worldcup"],
      ["account-outsider", "owner", undefined],
    ]);
  });

  test("all have content of every kind", () => {
    for (const { id } of data.projects) {
      const kinds = new Set(resources.flatMap((it) => (it.projectId === id ? [it.$typeName] : [])));
      expect(kinds.size, id).toBe(12);
    }
  });

  test("have their own sign-in", () => {
    const got = data.signInIntegrations.map((it) => [it.projectId, it.audiences]);
    expect(got).toEqual([
      ["worldcup", ["marquee-demo"]],
      ["elsewhere", ["marquee-elsewhere"]],
    ]);
  });
});

describe("samples", () => {
  test("all lie in the World Cup", () => {
    const { page_slug, transaction_billing_id, ...ids } = demoSamples;
    expect(missing("worldcup", Object.values(ids))).toEqual([]);
    expect(pages.find((page) => page.id === demoSamples.page_id)?.slug).toBe(page_slug);
    const billed = data.transactions.filter(
      (record) => record.billingTransactionId === transaction_billing_id,
    );
    expect(billed.map((record) => record.transaction.projectId)).toEqual(["worldcup"]);
  });

  test("belong together", () => {
    const event = data.events.find((it) => it.id === demoSamples.event_id);
    expect(event?.videoIds).toContain(demoSamples.video_id);
    const record = data.pages.find(({ page }) => page.id === demoSamples.page_id);
    const kinds = new Map(record?.components.map((it) => [it.id, it.type]));
    expect(kinds.get(demoSamples.rail_id)).toBe("rail");
    expect(kinds.get(demoSamples.page_component_id)).toBe("banner_collection_v2");
    const type = data.annotationTypes.find((it) => it.id === demoSamples.annotation_type_id);
    expect(type?.actionConfiguration).toBeDefined();
  });
});
