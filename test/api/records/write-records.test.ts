import { describe, expect, test } from "vitest";
import { metadataOf, rejection } from "../../harness/http.ts";
import { revisionOf } from "../../harness/revision.ts";
import { COLLECTIONS } from "../collections.ts";
import { callIam, iamMaker, ok } from "../iam/iam.ts";
import type { JsonMessage } from "../methods.ts";
import { blamedField } from "../studio.ts";
import { useRecords } from "./records.ts";

const { marquee, call, write, get, idOf } = await useRecords();
const make = iamMaker(callIam(marquee));
const SANDBOX = "sandbox/sandbox/project";
const EACH = "WRITE_MODE_EACH";

/** Lists the outcomes of a call, or its error. */
const outcomesOf = async (...args: Parameters<typeof write>) => {
  const got = await write(...args);
  return got.status === 200
    ? got.json.results.map(({ outcome, error }: JsonMessage) =>
        error === undefined
          ? String(outcome).slice("RECORD_OUTCOME_".length)
          : (error as { reason: string }).reason,
      )
    : rejection(got);
};

test("records read and write at most 16 MiB of resources in one call", async () => {
  const page = idOf("large");
  const ids = [1, 2, 3].map((it) => `${page}-${it}`);
  await write([{ page: { id: page, slug: page } }]);
  // Two of them have less than 16 MiB before and after the call, three have more.
  const css_classes = Array.from({ length: 700 }, (_, it) => `${it}`.padEnd(4_096, "x"));
  for (const id of ids) await write([component(page, id, { css_classes })]);
  const rename = (id: string) => ({ ...component(page, id, { name: id }), fields_mask: "name" });
  const records = ids.map(rename);
  const rejected = await write(records);
  expect([...rejection(rejected), metadataOf(rejected)?.record]).toEqual([
    ...[429, "RECORDS_TOO_LARGE", "2"],
  ]);
  expect(await outcomesOf(records, { mode: EACH })).toEqual([
    ...["UPDATED", "UPDATED", "RECORDS_TOO_LARGE"],
  ]);
  expect(await outcomesOf(records.slice(2))).toEqual(["UPDATED"]);
});

describe("records are", () => {
  test("created, updated, or left alone", async () => {
    const [a, b] = [idOf("a"), idOf("b")];
    const first = [event(a, { title: { en: "A" } }), entity(b)];
    expect(await outcomesOf(first)).toEqual(["CREATED", "CREATED"]);
    const second = [event(a, { title: { en: "B" } }), entity(b)];
    expect(await outcomesOf(second)).toEqual(["UPDATED", "UNCHANGED"]);
    const { event: stored } = await get(`cms/events/v1/${a}`);
    expect(stored).toMatchObject({ id: a, project_id: "sandbox", title: { en: "B" } });
    expect(Date.parse(stored.update_time)).toBeGreaterThan(Date.parse(stored.create_time));
  });

  test("replaced as a whole, with the times of Marquee", async () => {
    const id = idOf("whole");
    await write([event(id, { title: { en: "A" }, content_type: "match" })]);
    const { event: before } = await get(`cms/events/v1/${id}`);
    const sent = event(id, { title: { en: "B" }, create_time: "2001-01-01T00:00:00Z" });
    expect(await outcomesOf([sent])).toEqual(["UPDATED"]);
    const { event: after } = await get(`cms/events/v1/${id}`);
    expect(after).toEqual({
      ...{ ...before, title: { en: "B" }, content_type: "" },
      update_time: after.update_time,
    });
    expect(after.update_time).not.toBe(before.update_time);
  });

  test("of a parent and its children in one call, the parent first", async () => {
    const [page, part] = [idOf("page"), idOf("part")];
    const parent = { page: { id: page, slug: page } };
    const child = component(page, part);
    expect(await outcomesOf([child, parent])).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect(await outcomesOf([parent, child])).toEqual(["CREATED", "CREATED"]);
    const { page_components } = await get(`ott/page_components/v2?page_id=${page}`);
    expect(page_components.map(({ id }: { id: string }) => id)).toEqual([part]);
  });

  test("pages that swap their slugs", async () => {
    const [a, b] = [idOf("swap-a"), idOf("swap-b")];
    const pages = (first: string, second: string) => [
      { page: { id: a, slug: first } },
      { page: { id: b, slug: second } },
    ];
    expect(await outcomesOf(pages(a, b))).toEqual(["CREATED", "CREATED"]);
    expect(await outcomesOf(pages(b, a))).toEqual(["UPDATED", "UPDATED"]);
    expect((await get(`ott/pages/v1/${a}`)).page.slug).toBe(b);
  });

  test("ordered on their page as they are sent, but not by masks", async () => {
    const page = idOf("ordered");
    const [a, b] = [idOf("first"), idOf("second")];
    await write([{ page: { id: page, slug: page } }, component(page, a), component(page, b)]);
    const listIds = async () =>
      (await get(`ott/page_components/v2?page_id=${page}`)).page_components.map(
        ({ id }: { id: string }) => id,
      );
    const masked = [component(page, b, { name: "B" }), component(page, a, { name: "A" })];
    const fields_mask = "name";
    expect(await outcomesOf(masked.map((it) => ({ ...it, fields_mask })))).toEqual([
      "UPDATED",
      "UPDATED",
    ]);
    expect(await listIds()).toEqual([a, b]);
    expect(await outcomesOf(masked)).toEqual(["UPDATED", "UPDATED"]);
    expect(await listIds()).toEqual([b, a]);
    expect(await outcomesOf(masked)).toEqual(["UNCHANGED", "UNCHANGED"]);
  });
});

describe("a mask", () => {
  const STORED = { score: "0:0", home: { code: "ESP", goals: 0 }, tags: ["a"] };

  test.each([
    ["fields.score", { score: "1:0" }, { ...STORED, score: "1:0" }],
    ["fields.score", {}, { home: STORED.home, tags: STORED.tags }],
    ["fields.home.goals", { home: { goals: 1 } }, { ...STORED, home: { code: "ESP", goals: 1 } }],
    ["fields.home.goals", { home: {} }, { ...STORED, home: { code: "ESP" } }],
    ["fields.home", { home: { goals: 1 } }, { ...STORED, home: { goals: 1 } }],
    ["fields.tags", { tags: ["b"] }, { ...STORED, tags: ["b"] }],
    ["fields.score.half", { score: { half: 1 } }, { ...STORED, score: { half: 1 } }],
    ["fields.away.goals", { away: { goals: 2 } }, { ...STORED, away: { goals: 2 } }],
    ["fields.homeTeam", { homeTeam: 1, home_team: 2 }, { ...STORED, homeTeam: 1 }],
    ["fields.__proto__", JSON.parse('{"__proto__": 1}'), parseProto(STORED)],
    [" fields.score , fields.tags", { score: 1, tags: 2 }, { ...STORED, score: 1, tags: 2 }],
    ["fields", { score: "1:0" }, { score: "1:0" }],
    ["content_type", { score: "1:0" }, STORED],
    ["contentType", { score: "1:0" }, STORED],
  ])("%s of %j changes only that", async (fields_mask, fields, want) => {
    const id = idOf("masked");
    await write([event(id, { title: { en: "A" }, content_type: "match", fields: STORED })]);
    const got = await write([{ ...event(id, { fields, content_type: "match" }), fields_mask }]);
    expect(got.status, got.text).toBe(200);
    const { event: after } = await get(`cms/events/v1/${id}`);
    expect(JSON.stringify(sorted(after.fields))).toBe(JSON.stringify(sorted(want)));
    expect([after.title, after.content_type]).toEqual([{ en: "A" }, "match"]);
  });

  test.each([
    "id",
    "project_id",
    "create_time",
    "titel",
    "title.en.x",
    "title.de",
    "fields.none",
    "fields.",
    ".score",
    "fields..score",
    "*",
    ",",
    "visibility.x",
  ])("of '%s' is rejected", async (fields_mask) => {
    const id = idOf("unmasked");
    await write([event(id)]);
    const before = await get(`cms/events/v1/${id}`);
    const got = await write([{ ...event(id, { title: { en: "B" } }), fields_mask }]);
    expect(rejection(got)).toEqual([400, "UPDATE_MASK_INVALID"]);
    expect(blamedField(got)).toBe("records[0].fields_mask");
    expect(await get(`cms/events/v1/${id}`)).toEqual(before);
  });

  test("creates nothing", async () => {
    const record = { ...event(idOf("none"), { title: { en: "A" } }), fields_mask: "title" };
    expect(await outcomesOf([record])).toEqual([404, "RESOURCE_NOT_FOUND"]);
  });

  test("cannot nest fields deeper than an update", async () => {
    const id = idOf("deep");
    await write([event(id)]);
    const nest = (levels: number) => {
      const keys = Array.from({ length: levels }, () => "k");
      const fields = keys.reduce<unknown>((inner) => ({ k: inner }), 1);
      return { ...event(id, { fields }), fields_mask: ["fields", ...keys].join(".") };
    };
    expect(await outcomesOf([nest(30)])).toEqual(["UPDATED"]);
    expect(await outcomesOf([nest(31)])).toEqual([400, "FIELDS_TOO_DEEP"]);
  });
});

describe("a rejected record", () => {
  test("undoes the call, whose error names it", async () => {
    const id = idOf("undone");
    const got = await write([event(id), event(idOf("bad"), { title: { "e n": "" } })]);
    expect(rejection(got)).toEqual([400, "LANGUAGE_INVALID"]);
    expect(metadataOf(got)).toMatchObject({ record: "1", field: "records[1].event.title" });
    expect(blamedField(got)).toBe("records[1].event.title");
    expect((await call("GET", `cms/events/v1/${id}`)).status).toBe(404);
  });

  describe("with a value that cannot be read", () => {
    test.each<[string, object, string, string]>([
      ["of another type", { entity_ids: "x" }, "VALUE_INVALID", "event.entity_ids"],
      ["of no time", { start_time: "soon" }, "VALUE_INVALID", "event.start_time"],
      ["of no enum", { visibility: "PUBLIC" }, "ENUM_UNKNOWN", "event.visibility"],
      ["of an unknown field", { titel: {} }, "FIELD_UNKNOWN", "event.titel"],
      [
        "of a text above its limit",
        { content_type: "x".repeat(10_001) },
        "FIELD_TOO_LONG",
        "event.content_type",
      ],
    ])("%s is rejected alone", async (_, resource, reason, field) => {
      const [good, bad] = [idOf("good"), idOf("bad")];
      const records = [event(bad, resource), event(good)];
      await write(records, { mode: EACH });
      const { json } = await write(records, { mode: EACH });
      expect(json.results).toMatchObject([
        { kind: "event", id: bad, outcome: "RECORD_OUTCOME_REJECTED", error: { reason, field } },
        { kind: "event", id: good, outcome: "RECORD_OUTCOME_UNCHANGED" },
      ]);
      const together = await write(records);
      expect([rejection(together)[1], blamedField(together)]).toEqual([
        reason,
        `records[0].${field}`,
      ]);
    });

    test("has no id in the results if that cannot be read either", async () => {
      const got = await write([{ event: { id: 5 } }, { event: 5 }], { mode: EACH });
      expect(got.json.results).toMatchObject([
        { kind: "", id: "", error: { reason: "VALUE_INVALID", field: "event.id" } },
        { kind: "", id: "", error: { reason: "VALUE_INVALID", field: "event" } },
      ]);
    });
  });

  test("leaves the others, if each is written for itself", async () => {
    const [a, b, c, d] = [idOf("each-a"), idOf("each-b"), idOf("each-c"), idOf("each-d")];
    const page = { page: { id: c, slug: c } };
    const records = [
      event(a),
      event(b, { title: { "e n": "" } }),
      page,
      { page: { id: d, slug: c } },
      component(`${c}`, `${c}-part`),
      component("no-page", `${d}-part`),
      {},
      { role: { id: "r", organization_id: "org-worldcup", name: "R", permissions: ["a"] } },
      event(a),
      { ...event(d), fields_mask: "title" },
    ];
    const got = await write(records, { mode: EACH });
    const results = got.json.results;
    expect(results.map(({ kind, id }: JsonMessage) => `${kind} ${id}`)).toEqual([
      ...[`event ${a}`, `event ${b}`, `page ${c}`, `page ${d}`, `page_component ${c}-part`],
      ...[`page_component ${d}-part`, " ", "role r", `event ${a}`, `event ${d}`],
    ]);
    expect(await outcomesOf(records, { mode: EACH })).toEqual([
      ...["UNCHANGED", "LANGUAGE_INVALID", "UNCHANGED", "ALREADY_EXISTS", "UNCHANGED"],
      ...["RESOURCE_NOT_FOUND", "FIELD_REQUIRED", "RECORD_KIND_INVALID", "RECORD_REPEATED"],
      "RESOURCE_NOT_FOUND",
    ]);
    expect(results[1].error).toMatchObject({ field: "event.title", reason: "LANGUAGE_INVALID" });
    expect((await call("GET", `ott/page_components/v2/${c}-part`)).status).toBe(200);
    for (const path of [`cms/events/v1/${b}`, `ott/pages/v1/${d}`]) {
      expect((await call("GET", path)).status).toBe(404);
    }
  });

  test.each([
    ["event", { end_time: "2026-01-01T00:00:00Z", start_time: "2026-01-02T00:00:00Z" }],
    ["event", { poster_image_url: "ftp://x" }],
    ["event", { entity_ids: [" "] }],
    ["entity", { fields: { list: Array.from({ length: 5_000 }, () => 1) } }],
    ["video", { name: "" }],
    ["video", { name: "A", playlist_url: "nowhere" }],
    ["action", { name: "A" }],
    ["action", { name: "A", webhook: { url: "http://127.0.0.1/secret" } }],
    ["action", { name: "A", webhook: { url: "https://user:secret@example.com/" } }],
    ["annotation_type", { name: "" }],
    ["annotation", { type_id: "no-such-type", offset: "1s" }],
    ["annotation", { type_id: "type-goal", start_offset: "2s", end_offset: "1s" }],
    ["banner_collection", { name: "A", banners: [{ link: "nowhere" }] }],
    ["page", { slug: "a b" }],
    ["page", { slug: "home", project_id: "worldcup" }],
    ["offer", { name: "A", prices: [{ id: "p" }] }],
    ["ruleset", { name: "" }],
    ["ruleset", { name: "A", require_entitlement: true }],
  ] as const)("of %s breaks the rule that its create call has: %j", async (kind, fields) => {
    const { project_id = "sandbox", ...own } = { ...fields } as JsonMessage;
    const id = idOf("rule");
    const single = await call("POST", `${COLLECTIONS[kind]}?${kind}_id=${id}`, {
      project_id,
      ...own,
    });
    expect(single.status, single.text).toBeGreaterThanOrEqual(400);
    const got = await write([{ [kind]: { id, ...own } }], { project_id });
    expect(rejection(got)).toEqual(rejection(single));
    expect(got.text.includes("secret")).toBe(single.text.includes("secret"));
  });

  test.each([
    ["an id with other characters", event("a b"), "ID_INVALID"],
    ["an id of 65 characters", event("a".repeat(65)), "ID_INVALID"],
    ["no id", { event: {} }, "FIELD_REQUIRED"],
    ["no page", { page_component: { page_component: { id: "x" } } }, "FIELD_REQUIRED"],
    ["another project", event("x", { project_id: "worldcup" }), "PROJECT_DIFFERENT"],
    ["a transaction", { transaction: { transaction: { id: "x" } } }, "RECORD_KIND_INVALID"],
    ["an entitlement", { entitlement: { id: "x" } }, "RECORD_KIND_INVALID"],
    ["an organization", { organization: { id: "org-worldcup" } }, "RECORD_KIND_INVALID"],
    ["the project", { project: { id: "sandbox" } }, "RECORD_KIND_INVALID"],
    ["a binding", { binding: { id: "x" } }, "RECORD_KIND_INVALID"],
  ])("has %s", async (_, record, reason) => {
    expect(await outcomesOf([record])).toEqual([400, reason]);
    expect(await outcomesOf([record], { mode: EACH })).toEqual([reason]);
  });
});

describe("a call", () => {
  test("that is sent again writes nothing", async () => {
    const [a, b, page] = [idOf("again-a"), idOf("again-b"), idOf("again-page")];
    const records = [
      event(a, { title: { en: "A" }, fields: { z: 1, a: [1, { b: 2 }] } }),
      entity(b),
      { page: { id: page, slug: page } },
      component(page, `${page}-part`),
      { ruleset: { id: `${page}-rules`, name: "R", applies_to_all: true, priority: "-9" } },
      { sign_in_integration: { audiences: ["app"] } },
    ];
    const hook = idOf("hook");
    await createHook(hook);
    expect(await outcomesOf(records)).toEqual(records.map(() => "CREATED"));
    const readAll = async () => ({
      revision: await revisionOf(marquee.store, "sandbox"),
      audit: await listAudit(),
      runs: await listRuns(hook),
      tag: (await call("GET", `cms/events/v1/${a}`)).headers.get("etag"),
    });
    const before = await readAll();
    expect(before.runs).toHaveLength(4);
    for (const mode of ["WRITE_MODE_TOGETHER", EACH]) {
      expect(await outcomesOf(records, { mode })).toEqual(records.map(() => "UNCHANGED"));
    }
    expect(await readAll()).toEqual(before);
  });

  test("has an audit entry of each change, with its fields", async () => {
    const [a, b] = [idOf("audit-a"), idOf("audit-b")];
    await write([event(a), entity(b)]);
    const fields_mask = "title,fields.score";
    const change = { title: { en: "B" }, fields: { score: 1 } };
    await write([{ ...event(a, change), fields_mask }, entity(b)]);
    const entries = (await listAudit()).filter((it) => [a, b].includes(it.resource_id));
    expect(
      entries.map((it) => [it.resource_type, it.resource_id, it.updated_fields, it.method]).sort(),
    ).toEqual([
      ["entity", b, [], "svc.studio.cms.record.v1.RecordService/WriteRecords"],
      ["event", a, [], "svc.studio.cms.record.v1.RecordService/WriteRecords"],
      ...[["event", a, fields_mask.split(","), entries[0]?.method]],
    ]);
    expect(entries.every((it) => it.project_id === "sandbox")).toBe(true);
  });

  test("has no audit entry if all of its records are rejected", async () => {
    const before = await listAudit();
    expect(await outcomesOf([{}, event("a b")], { mode: EACH })).toEqual([
      "FIELD_REQUIRED",
      "ID_INVALID",
    ]);
    expect(await listAudit()).toEqual(before);
  });

  test.each([50, 51])("announces %i changes", async (count) => {
    const hook = idOf("hook");
    await createHook(hook);
    const ids = Array.from({ length: count }, () => idOf("told"));
    await write(ids.map((id) => event(id)));
    const types = (await listRuns(hook)).map(({ type }) => type);
    expect(types).toEqual(count > 50 ? ["project.imported"] : ids.map(() => "event.created"));
    await write(ids.map((id) => event(id, { title: { en: "B" } })));
    expect(await listRuns(hook)).toHaveLength(count > 50 ? 2 : 100);
  });
});

describe("a call takes", () => {
  test("at most 500 records", async () => {
    const records = (count: number) => Array.from({ length: count }, () => event(idOf("many")));
    const got = await write(records(501));
    expect(rejection(got)).toEqual([400, "TOO_MANY_ITEMS"]);
    expect(await outcomesOf(records(500))).toEqual(Array.from({ length: 500 }, () => "CREATED"));
    expect(rejection(await write([]))).toEqual([400, "FIELD_REQUIRED"]);
  });

  test("a body of at most 4 MiB", async () => {
    const LIMIT = 4 * 1024 * 1024;
    const ids = Array.from({ length: 20 }, () => idOf("large"));
    const toBody = (padding: number) => {
      const description = {
        en: "x".repeat(60_000),
        de: "x".repeat(60_000),
        fr: "x".repeat(60_000),
      };
      const records = ids.map((id) => event(id, { description }));
      return JSON.stringify({ project_id: "sandbox", records }).padEnd(padding, " ");
    };
    expect(toBody(0).length).toBeGreaterThan(LIMIT - 1024 * 1024);
    const send = (length: number) => call("POST", "cms/records/v1:write", toBody(length));
    expect(rejection(await send(LIMIT + 1))).toEqual([413, "BODY_TOO_LARGE"]);
    const got = await send(LIMIT);
    expect(got.status, got.text).toBe(200);
  });

  test("each resource once", async () => {
    const id = idOf("twice");
    const got = await write([event(id), entity(id), event(id, { title: { en: "B" } })]);
    expect(rejection(got)).toEqual([400, "RECORD_REPEATED"]);
    expect(blamedField(got)).toBe("records[2].event.id");
    expect((await call("GET", `cms/events/v1/${id}`)).status).toBe(404);
  });
});

describe("a new reference", () => {
  const type = idOf("type");
  const annotation = (id: string, fields: object = {}) => ({
    annotation: { id, type_id: type, offset: "1s", ...fields },
  });

  test("is to a resource of the project, or one of the call", async () => {
    const id = idOf("moment");
    expect(await outcomesOf([annotation(id)])).toEqual([400, "REFERENCE_NOT_FOUND"]);
    const types = [{ annotation_type: { id: type, name: "T" } }];
    expect(await outcomesOf([annotation(id), ...types])).toEqual(["CREATED", "CREATED"]);
  });

  test("that was left by a forced deletion stays", async () => {
    const id = idOf("moment");
    await write([{ annotation_type: { id: type, name: "T" } }, annotation(id)]);
    ok(await call("DELETE", `annotations/types/v1/${type}?force=true`));
    expect(await outcomesOf([annotation(id, { timer_label: "1'" })])).toEqual(["UPDATED"]);
  });

  test.each([
    ["annotation_type", { name: "T", action_configuration: { configuration: { none: {} } } }],
    ["page_component", { type: "banner_collection_v2", banner_collection_v2: { id: "none" } }],
  ])("of %s is rejected with its field", async (kind, fields) => {
    const page = idOf("page");
    const own = { id: idOf("own"), ...fields };
    const record =
      kind === "page_component"
        ? { page_component: { page_id: page, page_component: own } }
        : { [kind]: own };
    const got = await write([{ page: { id: page, slug: page } }, record]);
    expect(rejection(got)).toEqual([400, "REFERENCE_NOT_FOUND"]);
    expect((await call("GET", `ott/pages/v1/${page}`)).status).toBe(404);
  });
});

describe("an account", () => {
  test("without the permission to write records is denied", async () => {
    const { token } = await make.caller(["cms.events.create", "cms.events.update"], SANDBOX);
    const got = await write([event(idOf("denied"))], {}, { authorization: `Bearer ${token}` });
    expect(rejection(got)).toEqual([403, "PERMISSION_DENIED"]);
    expect(metadataOf(got)?.permission).toBe("cms.records.write");
  });

  test("with half of the permissions writes half of the records", async () => {
    const { token } = await make.caller(["cms.records.write", "cms.events.update"], SANDBOX);
    const headers = { authorization: `Bearer ${token}` };
    const [old, page] = [idOf("old"), idOf("old-page")];
    await write([event(old), { page: { id: page, slug: page } }, component(page, `${page}-a`)]);
    const records = [
      event(old, { title: { en: "B" } }),
      event(idOf("new")),
      { page: { id: page, slug: page, title: { en: "B" } } },
      component(page, `${page}-a`, { name: "B" }),
      component(page, `${page}-b`),
      { sign_in_integration: { audiences: ["other"] } },
    ];
    const got = await write(records, { mode: EACH }, headers);
    expect(
      got.json.results.map((it: JsonMessage) => {
        const { metadata } = (it.error ?? {}) as { metadata?: Record<string, string> };
        return metadata && `${metadata.permission} ${metadata.resource}`;
      }),
    ).toEqual([
      undefined,
      `cms.events.create ${SANDBOX}`,
      `ott.pages.update ${page}/sandbox/page`,
      `ott.page_components.update ${page}-a/sandbox/page_component`,
      `ott.page_components.create ${page}/sandbox/page`,
      `iam.sso.update ${SANDBOX}`,
    ]);
    const together = await write(records, {}, headers);
    expect(rejection(together)).toEqual([403, "PERMISSION_DENIED"]);
    expect((await get(`cms/events/v1/${old}`)).event.title).toEqual({ en: "B" });
  });

  test("of another organization sees and changes nothing of this one", async () => {
    const id = idOf("ours");
    await write([event(id, { title: { en: "Ours" } })]);
    const headers = { authorization: `Bearer ${marquee.tokens.outsider}` };
    const foreign = await write([event(id)], {}, headers);
    expect(rejection(foreign)).toEqual([404, "RESOURCE_NOT_FOUND"]);
    const { project } = ok(
      await call(
        "POST",
        "iam/projects/v1",
        { organization_id: "org-elsewhere", name: "Theirs" },
        headers,
      ),
    );
    const project_id = project.id;
    const got = await write([event(id, { title: { en: "Theirs" } })], { project_id }, headers);
    expect(got.status, got.text).toBe(200);
    expect(got.json.results[0].outcome).toBe("RECORD_OUTCOME_CREATED");
    expect((await get(`cms/events/v1/${id}`)).event.title).toEqual({ en: "Ours" });
  });

  test("does not reach an item of another project by its id", async () => {
    const taken = marquee.samples.event_id;
    const before = await get(`cms/events/v1/${taken}`);
    for (const record of [
      event(taken),
      { ...event(taken, { fields: { leak: 1 } }), fields_mask: "fields.leak" },
    ]) {
      expect(await outcomesOf([record])).toEqual([409, "ALREADY_EXISTS"]);
      expect(await outcomesOf([record], { validate_only: true })).toEqual([409, "ALREADY_EXISTS"]);
    }
    const page = { page: { id: marquee.samples.page_id, slug: "x" } };
    expect(await outcomesOf([page])).toEqual([409, "ALREADY_EXISTS"]);
    const onPage = component(marquee.samples.page_id, idOf("part"));
    expect(await outcomesOf([onPage])).toEqual([404, "RESOURCE_NOT_FOUND"]);
    expect(await get(`cms/events/v1/${taken}`)).toEqual(before);
  });
});

test("records stay within the quotas of their project", async () => {
  const { project } = ok(
    await call("POST", "iam/projects/v1", { organization_id: "org-worldcup", name: "Small" }),
  );
  const project_id = project.id;
  const quotas = { items: "2", bytes: "0", keys: 0 };
  const operator = ok(
    await call("PATCH", `iam/projects/v1/${project_id}`, {
      project: { quotas },
      update_mask: "quotas",
    }),
  );
  expect(operator.project.quotas.items).toBe("2");
  const records = ["a", "b", "c"].map((name) => event(idOf(`quota-${name}`)));
  expect(await outcomesOf(records, { project_id })).toEqual([429, "QUOTA_EXCEEDED"]);
  expect(await outcomesOf(records, { project_id, mode: EACH })).toEqual([
    "CREATED",
    "CREATED",
    "QUOTA_EXCEEDED",
  ]);
  const { usage } = (await get(`iam/projects/v1/${project_id}`)).project;
  expect(usage.items).toBe("2");
});

function event(id: string, fields: object = {}) {
  return { event: { id, ...fields } };
}

function entity(id: string) {
  return { entity: { id, title: { en: "E" } } };
}

function component(page_id: string, id: string, fields: object = {}) {
  const page_component = { id, type: "text", text: { body: "Hello" }, ...fields };
  return { page_component: { page_id, page_component } };
}

function parseProto(fields: object): unknown {
  return JSON.parse(`${JSON.stringify(fields).slice(0, -1)}, "__proto__": 1}`);
}

/** Sorts the keys of an object, own ones named `__proto__` too. */
function sorted(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return value;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, it]) => [key, sorted(it)]);
}

async function createHook(webhook_id: string) {
  const body = { project_id: "sandbox", name: "H", url: "https://site.example.com/changes" };
  ok(await call("POST", `cms/webhooks/v1?webhook_id=${webhook_id}`, body));
}

async function listRuns(hook: string): Promise<{ type: string }[]> {
  const filter = encodeURIComponent(`webhook_id: "${hook}"`);
  const path = `annotations/action_runs/v1?project_id=sandbox&page_size=1000&filter=${filter}`;
  return (await get(path)).action_runs;
}

interface AuditEntry {
  readonly resource_type: string;
  readonly resource_id: string;
  readonly project_id: string;
  readonly updated_fields: string[];
  readonly method: string;
}

async function listAudit(): Promise<AuditEntry[]> {
  const filter = encodeURIComponent("method: *WriteRecords");
  return (
    await get(`iam/audit/v1/entries?organization_id=org-worldcup&page_size=1000&filter=${filter}`)
  ).entries;
}
