import type { DescMethod } from "@bufbuild/protobuf";
import { type HttpResponse, reasonOf } from "../../harness/http.ts";
import { callConnect, findMethods, type JsonMessage } from "../methods.ts";
import { resourceBodies } from "../resource-bodies.ts";
import { SHARED, type Side } from "./sides.ts";

/** Every method of both interfaces. */
export const METHODS = await findMethods();

/** How one kind of resource is made with the shared id, and what is done with it afterwards. */
export interface Making {
  readonly noun: string;
  /** True: it lies in the organization. */
  readonly isOrganizational: boolean;
  readonly create: DescMethod;
  readonly others: readonly DescMethod[];
  readonly idField: string;
  toMessage(side: Side): JsonMessage;
}

/** The ids of the demo that bodies refer to. */
const REFERRED = ["account-viewer", "offer-day", "page-help", "type-goal"];

/** Every kind of resource that can be made under an id of the caller's choice, and be deleted. */
export const MAKINGS: readonly Making[] = METHODS.filter(
  (it) =>
    it.parent.typeName.startsWith("svc.studio.") &&
    /^Create[A-Z]/.test(it.name) &&
    it.name !== "CreateTransaction",
).map((method) => {
  const noun = method.name.slice("Create".length);
  const idField = `${noun.slice(0, 1).toLowerCase()}${noun.slice(1)}Id`;
  const body = resourceBodies[method.parent.typeName];
  if (body === undefined) throw new Error(`${method.name} has no body`);
  const name = method.input.fields[0]?.localName ?? "";
  const text = JSON.stringify({ [name]: body.resource, ...body.extra });
  return {
    noun,
    isOrganizational: !text.includes('"worldcup"') || text.includes("org-worldcup"),
    create: method,
    others: method.parent.methods.filter((it) => it !== method),
    idField,
    toMessage: (side) => ({ ...toOwn(JSON.parse(text), side), [idField]: SHARED }),
  };
});

/** Puts what the side has in the place of what the demo has. */
function toOwn(message: object, { project, organization }: Side): object {
  return JSON.parse(JSON.stringify(message), (_, value: unknown) => {
    if (value === "worldcup") return project;
    if (value === "org-worldcup") return organization;
    if (value === "sandbox/sandbox/project") return `${project}/${project}/project`;
    return REFERRED.includes(String(value)) ? SHARED : value;
  });
}

/** Makes each kind that is not there; what needs another is made when that is. */
export async function makeAll(
  url: string,
  makings: readonly Making[],
  side: Side,
  token: string,
): Promise<readonly HttpResponse[]> {
  const responses: HttpResponse[] = [];
  let waiting = makings;
  while (waiting.length > 0) {
    const left: Making[] = [];
    for (const making of waiting) {
      const got = await callConnect(url, making.create, making.toMessage(side), token);
      responses.push(got);
      if (got.status !== 200 && reasonOf(got) !== "ALREADY_EXISTS") left.push(making);
    }
    if (left.length === waiting.length) {
      const last = responses.at(-1);
      throw new Error(`cannot make ${left.map(({ noun }) => noun)}: ${last?.text}`);
    }
    waiting = left;
  }
  return responses;
}
