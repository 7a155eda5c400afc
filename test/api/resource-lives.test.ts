import { type DescMethod, fromJson, toJson } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { type HttpResponse, metadataOf, reasonOf } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { findMethods, type JsonMessage } from "./methods.ts";
import { parentOf, resourceBodies } from "./resource-bodies.ts";
import { listResources, Resource } from "./resources.ts";

const marquee = await useMarquee();

const CREATES = (await findMethods()).filter(
  (it) => it.parent.typeName.startsWith("svc.studio.") && /^Create[A-Z]/.test(it.name),
);

test("every resource that can be made has a body, and no body is left over", () => {
  expect(CREATES.length).toBeGreaterThanOrEqual(20);
  const services = CREATES.map((it) => it.parent.typeName);
  // A purchase never goes away: transaction tests walk through its life.
  const walked = services.filter((it) => !it.endsWith(".TransactionService"));
  expect(Object.keys(resourceBodies).sort()).toEqual(walked.sort());
});

/** One step of a life: what was done, and what came of it, with ids and times made equal. */
interface Step {
  readonly what: string;
  readonly status: number;
  readonly reason: string | undefined;
  readonly hasTag: boolean;
  readonly response: unknown;
}

/** An id that nobody chose, such as that of a run. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

let lives = 0;

/** Walks a resource through its life: each step is a verb and its message. */
async function walk(resource: Resource): Promise<readonly Step[]> {
  lives += 1;
  const id = `life-${lives}`;
  const { body, idField } = resource;
  const named = { [idField]: id };
  const field = resource.method("Create")?.input.fields[0]?.localName ?? "";
  const creation = { [field]: body.resource, ...body.extra, ...named };
  const list = { filter: `id: "${id}"`, ...parentOf(body), pageSize: 1000 };
  const updated = resource.method("Update")?.input.fields[1]?.localName ?? "";
  const updateMask = Object.keys(body.change ?? {}).join(",");
  const update = { ...named, [updated]: body.change, updateMask };
  const plan: readonly (readonly [verb: string, message: JsonMessage])[] = [
    ["Create", { ...creation, validateOnly: true }],
    ["Get", named],
    ["Create", creation],
    ["Create", creation],
    ["Create", { ...creation, [idField]: "no id" }],
    ["Get", named],
    ["List", list],
    ["Update", { ...update, validateOnly: true }],
    ["Update", update],
    ["Update", { ...update, updateMask: "id" }],
    ["Get", named],
    ["Delete", { ...named, validateOnly: true }],
    ["Delete", named],
    ["Delete", named],
    ["Get", named],
    ["List", list],
  ];
  const steps: Step[] = [];
  for (const [index, [verb, message]] of plan.entries()) {
    if (verb === "Update" && body.change === undefined) continue;
    const [changed, deleted] = [plan[index - 1]?.[0] === "Update", index > 10];
    if (changed && body.change === undefined) continue;
    const method = resource.method(verb);
    if (method === undefined || (deleted && !resource.method("Delete"))) continue;
    const got = await callPages(resource, verb, message, id);
    steps.push({
      what: `${verb} ${"validateOnly" in message ? "(validate only)" : ""}`.trim(),
      status: got.status,
      reason: reasonOf(got),
      // A list over Connect has a tag too: of its bytes.
      hasTag: verb !== "List" && got.headers.has("etag"),
      response: got.status === 200 ? normalize(method, got, id) : got.json.message,
    });
    if (!/^(ALREADY_EXISTS|RESOURCE_NOT_FOUND)$/.test(reasonOf(got) ?? "")) continue;
    const [, type = "", what] =
      /^(\w+) \S+ (already exists|does not exist)(?: in the organization)?$/.exec(
        got.json.message,
      ) ?? [];
    expect(what).toBe(reasonOf(got) === "ALREADY_EXISTS" ? "already exists" : "does not exist");
    expect(metadataOf(got)).toEqual({ resource: `${type}/${id}`, resource_type: type, ids: id });
  }
  return steps;
}

/** Calls a method; a list goes on, because a page that took its time ends early, until it has the resource. */
async function callPages(
  resource: Resource,
  verb: string,
  message: JsonMessage,
  id: string,
): Promise<HttpResponse> {
  const got = await resource.call(verb, message);
  const pageToken = got.json.nextPageToken ?? got.json.next_page_token ?? "";
  const isFound = JSON.stringify(got.json).includes(`"${id}"`);
  if (pageToken === "" || isFound) return got;
  return callPages(resource, verb, { ...message, pageToken }, id);
}

/** Reads the response as the message that it is, and makes equal what differs by nature. */
function normalize({ output }: DescMethod, { json }: HttpResponse, id: string): unknown {
  const message = toJson(output, fromJson(output, json as never)) as object;
  const text = JSON.stringify(message, (key, value) => {
    if (/^(create|update|revoke|end|nextAttempt)Time$/.test(key)) return "a time";
    if (typeof value === "string" && UUID.test(value)) return "a made id";
    if (key === "nextPageToken") return undefined;
    if (/^(token|key|signingSecret)$/.test(key)) return "a secret";
    return value;
  });
  return JSON.parse(text.replaceAll(id, "life"));
}

const GONE = ["Get", 404, "RESOURCE_NOT_FOUND"];

for (const create of CREATES) {
  const body = resourceBodies[create.parent.typeName];
  if (body === undefined) continue;
  test(`the life of ${create.parent.typeName} is the same over REST and over Connect`, async () => {
    const rest = await walk(new Resource(marquee, create, "REST"));
    const connect = await walk(new Resource(marquee, create, "Connect POST"));
    const ids = /life-?\d*/g;
    const toText = (steps: readonly Step[]) => JSON.stringify(steps, null, 1).replace(ids, "life");
    expect(toText(connect)).toBe(toText(rest));
    const change = [
      ["Update (validate only)", 200, undefined],
      ["Update", 200, undefined],
      ["Update", 400, "UPDATE_MASK_INVALID"],
      ["Get", 200, undefined],
    ];
    const end = [
      ["Delete (validate only)", 200, undefined],
      ["Delete", 200, undefined],
      ["Delete", 404, "RESOURCE_NOT_FOUND"],
      GONE,
      ["List", 200, undefined],
    ];
    const isDeleted = create.parent.methods.some((it) => it.name.startsWith("Delete"));
    expect(rest.map(({ what, status, reason }) => [what, status, reason])).toEqual([
      ["Create (validate only)", 200, undefined],
      GONE,
      ["Create", 200, undefined],
      ["Create", 409, "ALREADY_EXISTS"],
      ["Create", 400, "ID_INVALID"],
      ["Get", 200, undefined],
      ["List", 200, undefined],
      ...(body.change ? change : []),
      ...(isDeleted ? end : []),
    ]);

    // What was made is what is read, listed and changed, and gone when it was deleted.
    const [, , made, , , read, listed] = rest.map(({ response }) => response as object);
    const [resource] = Object.values(made ?? {});
    expect(Object.values(read ?? {})[0]).toEqual(resource);
    expect(resource).toMatchObject(body.resource);
    expect(JSON.stringify(listed)).toContain('"life"');
    const last = rest.findLast((it) => it.what === "Get" && it.status === 200);
    expect(Object.values(last?.response as object)[0]).toMatchObject(body.change ?? {});
    if (isDeleted) expect(JSON.stringify(rest.at(-1)?.response)).not.toContain('"life"');
  });
}

test("of ten that choose the same id at the same moment one gets it", async () => {
  for (const [, resource] of listResources(marquee).slice(0, 2)) {
    const { id } = await resource.create({ validateOnly: true });
    const named = { [resource.idField]: id };
    const got = await Promise.all(Array.from({ length: 10 }, () => resource.create(named)));
    const statuses = got.map((it) => it.got.status).sort();
    expect(statuses).toEqual([200, ...Array.from({ length: 9 }, () => 409)]);
  }
});
