import { afterAll, beforeAll, expect, test } from "vitest";
import { isReleasable, PERMISSIONS } from "../../../src/domain/kinds.ts";
import {
  openRecord,
  RECORD_SCHEMAS,
  type RecordItem,
  recordIdOf,
} from "../../../src/domain/records/record.ts";
import { captureLog } from "../../harness/captured-log.ts";
import { type HttpResponse, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { startReceiver } from "../../outbox/receiver.ts";
import { callIam, iamMaker } from "../iam/iam.ts";
import { fillTexts } from "../leak/filled-message.ts";
import { sampleOf } from "../method-samples.ts";
import { callConnect, findMethods, procedureOf } from "../methods.ts";
import { DEMO, ReleaseCalls } from "./releases.ts";

/** A word that only drafts contain. */
const SECRET = "xylosecret";
const HOUR = 3_600_000;

let ahead = 0;
const { log, lines } = captureLog("trace");
const receiver = await startReceiver((_request, response) => response.end());
afterAll(() => receiver.close());
const marquee = await useMarquee({
  ...{ log, runsActions: true, actionsAllowPrivate: true },
  clock: () => new Date(Date.now() + ahead),
});
const calls = new ReleaseCalls(marquee);
const METHODS = await findMethods();
const readsOf = (api: string) =>
  METHODS.filter((it) => it.parent.typeName.startsWith(`svc.${api}.`) && it.idempotency === 1);

const wholeText = ({ headers, text }: HttpResponse) => `${[...headers].join("\n")}\n${text}`;

const open = (id: string) => calls.createRelease(id, { name: SECRET, description: SECRET });

/** Every resource of the project that a release may contain, two of each kind. */
async function listReleasable(): Promise<readonly RecordItem[]> {
  const items: RecordItem[] = [];
  await marquee.store.exportRecords(DEMO.projectId, (records) => {
    items.push(...records.flatMap((record) => openRecord(record, 0) ?? []));
  });
  const kinds = Map.groupBy(items, ({ kind }) => kind);
  return [...kinds].flatMap(([kind, ofKind]) => (isReleasable(kind) ? ofKind.slice(0, 2) : []));
}

beforeAll(async () => {
  await calls.call("POST", "cms/webhooks/v1?webhook_id=all", {
    ...{ project_id: DEMO.projectId, name: "All", url: receiver.url },
  });
  await open("secrets");
  for (const item of await listReleasable()) {
    const { kind } = item;
    const draft = { ...item, message: fillTexts(RECORD_SCHEMAS[kind], item.message, SECRET) };
    await marquee.store.releaseItems.put({
      ...{ ...DEMO, releaseId: "secrets", kind, id: recordIdOf(item), base: item, draft },
      ...{ isForced: false, accountId: "account-owner", updateTime: new Date() },
    });
  }
});

test("texts of drafts are in no response to an account that may read everything but releases", async () => {
  const readable = [...PERMISSIONS].filter((it) => /\.(get|list|simulate)$/.test(it));
  const others = readable.filter((it) => !/^cms\.releases\.|^iam\.organizations\./.test(it));
  const { token } = await iamMaker(callIam(marquee)).caller(others);
  const wrong: string[] = [];
  let denied = 0;
  for (const method of readsOf("studio")) {
    const sample = await sampleOf(marquee, method);
    const requests = method.input.field.releaseId
      ? [sample, { ...sample, releaseId: "secrets" }]
      : [sample];
    for (const message of requests) {
      const got = await callConnect(marquee.url, method, message, token);
      if (got.status !== 200) denied += 1;
      if (wholeText(got).includes(SECRET)) wrong.push(procedureOf(method));
    }
  }
  expect(wrong).toEqual([]);
  expect(denied).toBeGreaterThan(10);
});

test("texts of drafts are in no response to a public key, in no header of a preview, and in no audit entry", async () => {
  let previewed = 0;
  for (const method of readsOf("cda")) {
    const sample = await sampleOf(marquee, method);
    const through = { "x-release-id": "secrets" };
    const read = (key: string, headers: Record<string, string> = through) =>
      callConnect(marquee.url, method, sample, key, headers);
    const preview = await read(marquee.keys.preview);
    if (preview.text.includes(SECRET)) previewed += 1;
    expect([...preview.headers].join()).not.toContain(SECRET);
    for (const got of [await read(marquee.keys.public), await read(marquee.keys.preview, {})]) {
      expect([procedureOf(method), wholeText(got)]).toEqual([
        procedureOf(method),
        expect.not.stringContaining(SECRET),
      ]);
    }
  }
  expect(previewed).toBeGreaterThan(4);
  const { entries } = await calls.call(
    "GET",
    `iam/audit/v1/entries?organization_id=${DEMO.organizationId}&page_size=1000`,
  );
  expect(entries.length).toBeGreaterThan(2);
  expect(JSON.stringify(entries)).not.toContain(SECRET);
});

test("texts of drafts are in no line of the log, no metric and no webhook, also of writes that fail", async () => {
  const failures = [
    await calls.send("PATCH", "cms/events/v1/match-2026-104", {
      ...{ release_id: "secrets", event: { poster_image_url: SECRET } },
      update_mask: "poster_image_url",
    }),
    await calls.send("POST", "ott/pages/v1?release_id=secrets", {
      ...{ project_id: DEMO.projectId, slug: `${SECRET} /` },
    }),
    await calls.apply("secrets"),
  ];
  for (const got of failures)
    expect([got.status >= 400, got.text]).toEqual([true, expect.anything()]);
  expect((await calls.send("POST", "cms/releases/v1/secrets:check", {})).status).toBe(200);

  for (const id of ["late", "failing"]) {
    await open(id);
    await calls.createEvent(`secret-${id}`, { title: { en: SECRET } }, id);
    const apply_time = new Date(Date.now() + ahead + HOUR).toISOString();
    await calls.patch(`cms/releases/v1/${id}`, "release", { apply_time });
  }
  await calls.createEvent("secret-failing", {});
  ahead += HOUR + 60_000;
  const stateOf = async (id: string) => (await calls.getRelease(id)).state;
  await expect.poll(() => stateOf("late")).toBe("RELEASE_STATE_APPLIED");
  await expect.poll(() => stateOf("failing")).toBe("RELEASE_STATE_FAILED");
  const listTypes = () => receiver.requests.map(({ body }) => JSON.parse(body).type);
  await expect
    .poll(listTypes)
    .toEqual(expect.arrayContaining(["release.scheduled", "release.applied", "release.failed"]));
  const sent = receiver.requests.map((it) => `${JSON.stringify(it.headers)} ${it.body}`);
  expect(sent.filter((it) => it.includes(SECRET))).toEqual([]);
  const { text } = await send("GET", `${marquee.url}/metrics`);
  expect(text).toContain("marquee_releases");
  expect(text).not.toContain(SECRET);
  expect(lines.map(({ msg }) => msg)).toContain("scheduled release could not be applied");
  expect(lines.map((line) => JSON.stringify(line)).filter((it) => it.includes(SECRET))).toEqual([]);
});
