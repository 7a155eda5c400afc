import { describe, expect, test } from "vitest";
import { metadataOf, rejection } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { callIam, iamMaker } from "./iam/iam.ts";
import type { JsonMessage } from "./methods.ts";
import { listResources, type Resource } from "./resources.ts";
import { callRest } from "./studio.ts";

const marquee = await useMarquee();
const make = iamMaker(callIam(marquee));
const UPSERTED = listResources(marquee).filter(([, resource]) =>
  resource.method("Update")?.input.fields.some(({ name }) => name === "allow_missing"),
);

/** Kinds whose creation returns a secret once: an update could not return it. */
const WITH_SECRETS = ["Action", "ProjectKey", "Webhook"];

const SANDBOX = "sandbox/sandbox/project";

let count = 0;

function nextId(): string {
  count += 1;
  return `upserted-${count}`;
}

/** Updates a resource that may be missing; `more` is added to the request. */
function upsert(resource: Resource, id: string, more: JsonMessage = {}, headers = {}) {
  const field = resource.method("Update")?.input.fields[1]?.localName ?? "";
  const own = "slug" in resource.body.resource ? { slug: id } : {};
  const { pageId } = { pageId: undefined, ...resource.body.extra };
  return resource.call(
    "Update",
    {
      [resource.idField]: id,
      [field]: { ...resource.body.resource, ...own },
      updateMask: Object.keys(resource.body.change ?? {}).join(","),
      allowMissing: true,
      ...(pageId !== undefined && { pageId }),
      ...more,
    },
    headers,
  );
}

test("every kind whose id a client may choose takes part, except those with secrets", () => {
  const changeable = listResources(marquee).filter(([, it]) => it.method("Update"));
  const nouns = (all: typeof changeable) => new Set(all.map(([, { noun }]) => noun));
  expect(nouns(UPSERTED)).toEqual(
    new Set([...nouns(changeable)].filter((noun) => !WITH_SECRETS.includes(noun))),
  );
});

describe("an update with allow_missing", () => {
  test.each(UPSERTED)("creates %s once, and then updates it", async (_, resource) => {
    const id = nextId();
    const created = await upsert(resource, id);
    expect(created.status, created.text).toBe(200);
    const [value] = Object.values((await resource.get(id)).json);
    expect(Object.values(created.json)).toEqual([value]);
    expect(created.headers.get("etag")).toBe((await resource.get(id)).headers.get("etag"));
    const again = await upsert(resource, id);
    expect(again.status, again.text).toBe(200);
    const field = resource.method("Update")?.input.fields[1]?.localName ?? "";
    const changed = await upsert(resource, id, { [field]: resource.body.change });
    const updated = await resource.update(id);
    expect([changed.status, changed.text]).toEqual([200, updated.text]);
  });

  test.each(UPSERTED)("creates no %s in a dry run, nor with an ETag", async (_, resource) => {
    const id = nextId();
    const dry = await upsert(resource, id, { validateOnly: true });
    expect(dry.status, dry.text).toBe(200);
    const tagged = await upsert(resource, id, {}, { "if-match": '"1"' });
    expect(rejection(tagged)).toEqual([409, "ETAG_MISMATCH"]);
    expect((await resource.get(id)).status).toBe(404);
  });

  test.each(UPSERTED)("of %s takes no other ids than a creation", async (_, resource) => {
    expect(rejection(await upsert(resource, "a b"))).toEqual([400, "ID_INVALID"]);
  });

  test.each(UPSERTED.filter(([name]) => name.endsWith("REST")))(
    "of %s at the same moment succeeds for all",
    async (_, resource) => {
      const id = nextId();
      const all = await Promise.all(Array.from({ length: 8 }, () => upsert(resource, id)));
      expect(all.map(({ status, text }) => (status === 200 ? 200 : text))).toEqual(
        all.map(() => 200),
      );
    },
  );
});

describe("an event that is missing", () => {
  const patch = (id: string, body: JsonMessage, token?: string) =>
    callRest(
      marquee,
      "PATCH",
      `cms/events/v1/${id}`,
      { update_mask: "title", allow_missing: true, ...body },
      token === undefined ? {} : { authorization: `Bearer ${token}` },
    );

  test("is created with the fields outside of the mask, without its output-only ones", async () => {
    const id = nextId();
    const event = { project_id: "sandbox", title: { en: "New" }, content_type: "match" };
    const got = await patch(id, { event: { ...event, id, create_time: "2001-01-01T00:00:00Z" } });
    expect(got.json.event).toMatchObject({ id, ...event });
    expect(got.json.event.create_time).not.toContain("2001");
  });

  test("needs the permission to create it", async () => {
    const id = nextId();
    const event = { project_id: "sandbox", title: { en: "New" } };
    const { token } = await make.caller(["cms.events.update"], SANDBOX);
    const got = await patch(id, { event }, token);
    expect(rejection(got)).toEqual([403, "PERMISSION_DENIED"]);
    expect(got.json.details[0].metadata.permission).toBe("cms.events.create");
    expect((await callRest(marquee, "GET", `cms/events/v1/${id}`)).status).toBe(404);
  });

  test("whose id is taken where the account has no role is not updated", async () => {
    const event = { project_id: "sandbox", title: { en: "Taken" } };
    const { token } = await make.caller(["cms.events.create", "cms.events.update"], SANDBOX);
    const taken = marquee.samples.event_id;
    const before = await callRest(marquee, "GET", `cms/events/v1/${taken}`);
    expect(before.json.event.project_id).toBe("worldcup");
    expect(rejection(await patch(taken, { event }, token))).toEqual([409, "ALREADY_EXISTS"]);
    const after = await callRest(marquee, "GET", `cms/events/v1/${taken}`);
    expect(after.text).toBe(before.text);
  });

  test("and has no project is not created", async () => {
    const got = await patch(nextId(), { event: { title: { en: "New" } } });
    expect(rejection(got)).toEqual([400, "FIELD_REQUIRED"]);
  });
});

describe("a page component that is missing", () => {
  const patch = (page_component_update: JsonMessage, query = "") =>
    callRest(marquee, "PATCH", `ott/page_components/v2/${nextId()}${query}`, {
      page_component_update: { project_id: "worldcup", type: "rail", ...page_component_update },
      ...{ update_mask: "name", allow_missing: true, page_id: marquee.samples.page_id },
    });

  test.each<[JsonMessage, reason: string, field: string]>([
    [{ rail: { filter: "a:" } }, "KQL_SYNTAX", "page_component_update.rail.filter"],
    [{ project_id: "" }, "FIELD_REQUIRED", "page_component_update.project_id"],
    [{ environments: ["toaster"] }, "ENVIRONMENT_UNKNOWN", "page_component_update.environments"],
  ])("of %j is rejected with the path of the update: %s %s", async (component, reason, field) => {
    const got = await patch(component);
    expect(rejection(got)).toEqual([400, reason]);
    expect(metadataOf(got)?.field).toBe(field);
    expect(got.json.message).toContain(`${field}: `);
    expect(JSON.stringify(got.json.details)).toContain(`"field":"${field}"`);
  });

  test("is warned of with the path of the update", async () => {
    const got = await patch({ rail: { type: "BASE_TYPE_EVENT", filter: "contentType: film" } });
    expect([got.status, got.headers.get("marquee-warnings")]).toEqual([
      200,
      expect.stringContaining('"fields":["page_component_update.rail.filter"]'),
    ]);
  });
});
