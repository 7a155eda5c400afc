import { type DescMethod, type DescService, fromJson, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { type HttpAnswer, reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";
import { type FaceRequest, findMethods, type JsonMessage, toFaceRequests } from "./methods.ts";
import { type ResourceBody, resourceBodies } from "./resource-bodies.ts";

const marquee = await useMarquee();

const METHODS = await findMethods();
const CREATES = METHODS.filter(
  (it) => it.parent.typeName.startsWith("svc.studio.") && /^Create[A-Z]/.test(it.name),
);

test("every resource that can be made has a body, and no body is left over", () => {
  expect(CREATES.length).toBeGreaterThanOrEqual(20);
  const services = CREATES.map((it) => it.parent.typeName);
  // A purchase never goes away: transaction tests walk through its life.
  const walked = services.filter((it) => !it.endsWith(".TransactionService"));
  expect(Object.keys(resourceBodies).sort()).toEqual(walked.sort());
});

type Face = FaceRequest["face"];

/** One step of a life: what was done, and what came of it, with ids and times made equal. */
interface Step {
  readonly what: string;
  readonly status: number;
  readonly reason: string | undefined;
  readonly hasTag: boolean;
  readonly answer: unknown;
}

let lives = 0;

/** An id that nobody chose, such as that of a run. */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-/;

/** Walks a resource through its life on one face. */
class Life {
  readonly steps: Step[] = [];
  readonly #service: DescService;
  readonly #face: Face;
  readonly #body: ResourceBody;
  readonly #id: string;

  constructor(service: DescService, face: Face, body: ResourceBody) {
    this.#service = service;
    this.#face = face;
    this.#body = body;
    lives += 1;
    this.#id = `life-${lives}`;
  }

  async walk(): Promise<readonly Step[]> {
    const { resource, extra, change } = this.#body;
    const list = { filter: `id: "${this.#id}"`, ...this.#body.list };
    const create = this.#method("Create");
    const idField = `${create.name.slice("Create".length)}Id`.replace(/^./, (it) =>
      it.toLowerCase(),
    );
    const name = create.input.fields[0]?.localName ?? "";
    const creation = { [name]: resource, [idField]: this.#id, ...extra };
    await this.#step("Create", { ...creation, validateOnly: true });
    await this.#step("Get", { [idField]: this.#id });
    await this.#step("Create", creation);
    await this.#step("Create", creation);
    await this.#step("Create", { ...creation, [idField]: "no id" });
    await this.#step("Get", { [idField]: this.#id });
    await this.#step("List", { ...list, pageSize: 1000 });
    if (change !== undefined) {
      const names = this.#method("Update").input.fields.map((it) => it.localName);
      const update = { [idField]: this.#id, [names[1] ?? ""]: change };
      const updateMask = Object.keys(change).join(",");
      await this.#step("Update", { ...update, updateMask, validateOnly: true });
      await this.#step("Update", { ...update, updateMask });
      await this.#step("Update", { ...update, updateMask: "id" });
      await this.#step("Get", { [idField]: this.#id });
    }
    if (this.#has("Delete")) {
      await this.#step("Delete", { [idField]: this.#id, validateOnly: true });
      await this.#step("Delete", { [idField]: this.#id });
      await this.#step("Delete", { [idField]: this.#id });
      await this.#step("Get", { [idField]: this.#id });
      await this.#step("List", { ...list, pageSize: 1000 });
    }
    return this.steps;
  }

  #has(verb: string): boolean {
    return this.#find(verb) !== undefined;
  }

  #method(verb: string): DescMethod {
    const method = this.#find(verb);
    if (method === undefined) throw new Error(`${this.#service.typeName} has no ${verb}`);
    return method;
  }

  #find(verb: string): DescMethod | undefined {
    const noun = CREATES.find((it) => it.parent === this.#service)?.name.slice("Create".length);
    return this.#service.methods.find(
      ({ name }) => name === `${verb}${noun}` || (verb === "List" && name.startsWith("List")),
    );
  }

  async #step(verb: string, message: JsonMessage): Promise<void> {
    const method = this.#method(verb);
    const request = toFaceRequests(method, message).find((it) => it.face === this.#face);
    const fallback = toFaceRequests(method, message).find((it) => it.face === "Connect POST");
    const { path, headers, body, method: verbOfHttp } = request ?? fallback ?? missing(method);
    const got = await send(verbOfHttp, marquee.url + path, {
      headers: { ...headers, authorization: `Bearer ${marquee.tokens.owner}` },
      ...(body !== undefined && { body }),
    });
    this.steps.push({
      what: `${verb} ${"validateOnly" in message ? "(validate only)" : ""}`,
      status: got.status,
      reason: reasonOf(got),
      // A list over Connect has a tag too: of its bytes.
      hasTag: verb !== "List" && got.headers.has("etag"),
      answer: got.status === 200 ? this.#normalize(method, got) : undefined,
    });
  }

  /** Reads the answer as the message that it is, and makes equal what differs by nature. */
  #normalize({ output }: DescMethod, { json }: HttpAnswer): unknown {
    const message = toJson(output, fromJson(output, json as never)) as object;
    const text = JSON.stringify(message, (key, value) => {
      if (/^(create|update|revoke|end|nextAttempt)Time$/.test(key)) return "a time";
      if (typeof value === "string" && UUID.test(value)) return "a made id";
      if (/^(token|key|signingSecret)$/.test(key)) return "a secret";
      return value;
    });
    return JSON.parse(text.replaceAll(this.#id, "life"));
  }
}

function missing(method: DescMethod): never {
  throw new Error(`${method.name} has no face`);
}

for (const create of CREATES) {
  const body = resourceBodies[create.parent.typeName];
  if (body === undefined) continue;
  describe(create.parent.typeName, () => {
    test("its life is the same over REST and over Connect", async () => {
      const rest = await new Life(create.parent, "REST", body).walk();
      const connect = await new Life(create.parent, "Connect POST", body).walk();
      expect(connect).toEqual(rest);
      const got = rest.map(({ what, status, reason }) => [what.trim(), status, reason]);
      const gone = ["Get", 404, "RESOURCE_NOT_FOUND"];
      const change = body.change
        ? [
            ["Update (validate only)", 200, undefined],
            ["Update", 200, undefined],
            ["Update", 400, "UPDATE_MASK_INVALID"],
            ["Get", 200, undefined],
          ]
        : [];
      const end = create.parent.methods.some((it) => it.name.startsWith("Delete"))
        ? [
            ["Delete (validate only)", 200, undefined],
            ["Delete", 200, undefined],
            ["Delete", 404, "RESOURCE_NOT_FOUND"],
            gone,
            ["List", 200, undefined],
          ]
        : [];
      expect(got).toEqual([
        ["Create (validate only)", 200, undefined],
        gone,
        ["Create", 200, undefined],
        ["Create", 409, "ALREADY_EXISTS"],
        ["Create", 400, "ID_INVALID"],
        ["Get", 200, undefined],
        ["List", 200, undefined],
        ...change,
        ...end,
      ]);
    });

    test("what was made is what is read, listed and changed, and gone when it was deleted", async () => {
      const steps = await new Life(create.parent, "REST", body).walk();
      const made = steps[2]?.answer;
      const read = steps[5]?.answer;
      const listed = JSON.stringify(steps[6]?.answer);
      for (const value of Object.values(made as object).slice(0, 1)) {
        expect(Object.values(read as object)[0]).toEqual(value);
        expect(value).toMatchObject(body.resource);
        expect(listed).toContain('"life"');
      }
      const changed = steps.findLast((it) => it.what.trim() === "Get" && it.status === 200);
      if (body.change)
        expect(Object.values(changed?.answer as object)[0]).toMatchObject(body.change);
      const last = steps.at(-1);
      if (last?.what.trim() === "List" && steps.some((it) => it.what.startsWith("Delete"))) {
        expect(JSON.stringify(last.answer)).not.toContain('"life"');
      }
    });
  });
}
