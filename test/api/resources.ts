import type { DescMethod } from "@bufbuild/protobuf";
import type { HttpResponse } from "../harness/http.ts";
import type { Marquee } from "../harness/marquee.ts";
import { findMethods, type JsonMessage, sendRequest, toProtocolRequests } from "./methods.ts";
import { parentOf, type ResourceBody, resourceBodies } from "./resource-bodies.ts";

const METHODS = await findMethods();
const CREATES = METHODS.filter(
  ({ parent, name }) => parent.typeName in resourceBodies && /^Create[A-Z]/.test(name),
);

let made = 0;

/** The standard methods of one kind of resource over one protocol; a missing method is undefined. */
export class Resource {
  readonly noun: string;
  readonly body: ResourceBody;
  /** The field of a request that holds the resource's id. */
  readonly idField: string;
  readonly #service: string;
  readonly #marquee: Marquee;
  readonly #protocol: string;

  constructor(marquee: Marquee, { parent, name }: DescMethod, protocol: string) {
    const body = resourceBodies[parent.typeName];
    if (body === undefined) throw new Error(`${parent.typeName} has no body`);
    this.body = body;
    this.noun = name.slice("Create".length);
    this.idField = `${this.noun.replace(/^./, (letter) => letter.toLowerCase())}Id`;
    this.#service = parent.typeName;
    this.#marquee = marquee;
    this.#protocol = protocol;
  }

  /** Creates one with an id that nothing else has. */
  async create(more: JsonMessage = {}, headers = {}): Promise<{ id: string; got: HttpResponse }> {
    made += 1;
    const id = `made-${made}`;
    const [field] = this.method("Create")?.input.fields ?? [];
    const own = "slug" in this.body.resource ? { slug: id } : {};
    const resource = { ...this.body.resource, ...own };
    const message = { [field?.localName ?? ""]: resource, [this.idField]: id, ...this.body.extra };
    return { id, got: await this.call("Create", { ...message, ...more }, headers) };
  }

  get(id: string, headers = {}): Promise<HttpResponse> {
    return this.call("Get", { [this.idField]: id }, headers);
  }

  /** Changes one as its body says; undefined where nothing can be changed. */
  update(id: string, headers = {}, change = this.body.change): Promise<HttpResponse> {
    const field = this.method("Update")?.input.fields[1]?.localName ?? "";
    const updateMask = Object.keys(change ?? {}).join(",");
    return this.call("Update", { [this.idField]: id, [field]: change, updateMask }, headers);
  }

  delete(id: string, headers = {}): Promise<HttpResponse> {
    return this.call("Delete", { [this.idField]: id }, headers);
  }

  /** Lists what the body says; gives the ids and the token of the next page. */
  async list(message: JsonMessage): Promise<{ got: HttpResponse; ids: string[]; next: string }> {
    const got = await this.call("List", { ...parentOf(this.body), ...message });
    const items = Object.values(got.json ?? {}).find(Array.isArray) ?? [];
    const ids = items.map(({ id }: { id: string }) => id);
    return { got, ids, next: got.json.nextPageToken ?? got.json.next_page_token ?? "" };
  }

  /** Finds the method of a verb. */
  method(verb: string): DescMethod | undefined {
    return METHODS.find(
      ({ parent, name }) =>
        parent.typeName === this.#service &&
        (verb === "List" ? name.startsWith("List") : name === `${verb}${this.noun}`),
    );
  }

  call(verb: string, message: JsonMessage, headers = {}): Promise<HttpResponse> {
    const method = this.method(verb);
    if (method === undefined) throw new Error(`${this.#service} has no ${verb}`);
    const requests = toProtocolRequests(method, message);
    const request = requests.find(({ protocol }) => protocol === this.#protocol) ?? requests[0];
    if (request === undefined) throw new Error(`${method.name} has no request`);
    return sendRequest(this.#marquee.url, request, this.#marquee.tokens.owner, headers);
  }
}

/** Returns every kind of resource that can be made, over REST and Connect by turns unless a protocol is given. */
export function listResources(
  marquee: Marquee,
  protocol?: string,
): readonly (readonly [string, Resource])[] {
  return CREATES.map((create, index) => {
    const over = protocol ?? (index % 2 === 0 ? "REST" : "Connect POST");
    return [`${create.name.slice(6)} over ${over}`, new Resource(marquee, create, over)] as const;
  });
}
