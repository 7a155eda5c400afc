import {
  type DescMethod,
  type DescMethodUnary,
  fromJson,
  type JsonValue,
  toJson,
} from "@bufbuild/protobuf";
import { Code, ConnectError, type Transport } from "@connectrpc/connect";
import { codeFromString } from "@connectrpc/connect/protocol-connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import type { Marquee } from "../harness/marquee.ts";
import { authorize } from "../harness/transports.ts";
import {
  findMethods,
  type JsonMessage,
  procedureOf,
  sendRequest,
  toProtocolRequests,
} from "./methods.ts";

/** The protocols that cases are played over; gRPC takes only messages that its schema can write. */
const PROTOCOLS = ["REST", "Connect POST", "gRPC"] as const;

/** One call and what comes back. */
export interface Case {
  /** Whose access token calls; default: the owner's. */
  readonly as?: keyof Marquee["tokens"];
  /** A method of Studio, such as `iam.role.v1.RoleService/CreateRole`. */
  readonly call: string;
  /** The message in protobuf JSON, with lowerCamelCase names. */
  readonly body: JsonMessage;
  /**
   * A string is a rejection: `[status] REASON [field] [name=value…] [~text…]`, with values of its metadata and texts of
   * its message. Without a status it is 400, of the code INVALID_ARGUMENT; `400/9` is of FAILED_PRECONDITION. Anything
   * else is the response in protobuf JSON, or the part of it that `read` returns.
   */
  readonly want: unknown;
  readonly read?: (response: JsonMessage) => unknown;
}

/** What the rows of a table have in common. */
export interface Table<T> extends Omit<Case, "body" | "want"> {
  /** Makes the message of a row. */
  readonly body: (row: T) => JsonMessage;
  /** The message that the fields of rejections lie in, such as `role`. */
  readonly within?: string;
}

/** Makes the cases of a table: each row is what its message has, and what is wanted. */
export function toCases<T>(
  { body, within, ...common }: Table<T>,
  rows: readonly (readonly [T, unknown])[],
): Case[] {
  return rows.map(([row, want]) => ({
    ...common,
    body: body(row),
    want: typeof want === "string" && within !== undefined ? inField(want, within) : want,
  }));
}

/** A kind of resource whose writes are checked. */
export interface Written {
  /** The service, such as `iam.role.v1.RoleService`. */
  readonly service: string;
  /** The resource's name in messages, such as `role`. */
  readonly noun: string;
  /** What a new one is made of. */
  readonly resource: JsonMessage;
  /** Fields of the creation beside the resource. */
  readonly extra?: JsonMessage;
  /** One that exists; without it, only creations are checked. */
  readonly id?: string;
}

/** Makes cases of fields with which a resource is neither created nor updated. */
export function toWriteCases(
  { service, noun, resource, extra, id }: Written,
  rows: readonly (readonly [fields: JsonMessage, want: string])[],
): Case[] {
  const Noun = noun.replace(/^./, (letter) => letter.toUpperCase());
  const within = noun.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
  const create = (fields: JsonMessage) => ({ [noun]: { ...resource, ...fields }, ...extra });
  const update = (fields: JsonMessage) => ({
    ...{ [`${noun}Id`]: id, [noun]: fields, updateMask: Object.keys(fields).join(",") },
  });
  return [
    ...toCases({ call: `${service}/Create${Noun}`, within, body: create }, rows),
    ...(id === undefined
      ? []
      : toCases({ call: `${service}/Update${Noun}`, within, body: update }, rows)),
  ];
}

/** Puts the field of a rejection into the message that it lies in; `.` is the message itself. */
export function inField(want: string, message: string): string {
  const field = /(?<=[A-Z_]{3,} )(?!~)([^= ]+)(?= |$)/;
  return want.replace(field, (name) => (name === "." ? message : `${message}.${name}`));
}

/**
 * Plays cases over every protocol, each a test. All rejections are played over REST, over the others the first of each
 * kind: they differ in how a message is read and a rejection is written. `state` must stay the same when one is rejected.
 */
export function playCases(
  marquee: Marquee,
  title: string,
  cases: readonly Case[],
  state: () => Promise<unknown> = async () => undefined,
): void {
  for (const protocol of PROTOCOLS) {
    describe(`${title} over ${protocol}`, () => {
      const rejected = new Set<string>();
      /** What the state is, until a case changes it. */
      let known: unknown;
      for (const { as = "owner", call, body, want, read } of cases) {
        const method = findMethod(call);
        if (protocol === "gRPC" && !isWritable(method, body, want)) continue;
        if (typeof want === "string" && protocol !== "REST") {
          const kind = `${as} ${call} ${want}`;
          if (rejected.has(kind)) continue;
          rejected.add(kind);
        }
        const text = JSON.stringify(body) ?? "";
        test(`${method.name} ${text.slice(0, 160)} as ${as}: ${JSON.stringify(want)}`, async () => {
          if (typeof want === "string") known ??= await state();
          const got = await play(marquee, protocol, method, body, marquee.tokens[as]);
          if (typeof want === "string") {
            expectRejection(got, want);
            expect(await state()).toEqual(known);
          } else {
            known = undefined;
            const { response } = got;
            expect(response && read ? read(response) : response, got.message).toEqual(want);
          }
        });
      }
    });
  }
}

/** The code of each status that has but one. */
const CODES: Readonly<Record<number, number>> = {
  ...{ 400: Code.InvalidArgument, 401: Code.Unauthenticated, 403: Code.PermissionDenied },
  ...{ 404: Code.NotFound, 429: Code.ResourceExhausted },
};

function expectRejection({ response: _, ...got }: Played, want: string): void {
  const words = want.split(" ");
  const [status = "400", code] = (/^\d/.test(want) && words.shift()?.split("/")) || [];
  const [reason, ...rest] = words;
  expect(got).toMatchObject({
    ...{ status: Number(status), reason },
    code: Number(code ?? CODES[Number(status)] ?? got.code),
  });
  for (const word of rest) {
    const value = word.indexOf("=");
    if (word.startsWith("~")) expect(got.message).toContain(word.slice(1));
    else if (value < 0) expect(new Set(got.fields)).toEqual(new Set([word]));
    else expect(got.metadata?.[word.slice(0, value)]).toBe(word.slice(value + 1));
  }
}

const METHODS = new Map((await findMethods()).map((it) => [procedureOf(it), it]));

function findMethod(call: string): DescMethod {
  const method = METHODS.get(`svc.studio.${call}`);
  if (method === undefined) throw new Error(`there is no method ${call}`);
  return method;
}

/** Reports whether a client of the schema can write a message: none can what the reader of JSON rejects. */
function isWritable({ input }: DescMethod, body: JsonMessage, want: unknown): boolean {
  if (/VALUE_INVALID|FIELD_UNKNOWN/.test(String(want))) return false;
  try {
    // A mask of odd names is read, and then written by nobody.
    toJson(input, fromJson(input, body as JsonValue));
    return true;
  } catch {
    return false;
  }
}

/** A response in the same form over every protocol. */
interface Played {
  readonly status: number;
  readonly response?: JsonMessage;
  readonly code?: number | undefined;
  readonly reason?: string | undefined;
  readonly metadata?: Readonly<Record<string, string>> | undefined;
  readonly message?: string;
  /** The field in the metadata and the first that is violated. */
  readonly fields?: readonly string[];
}

async function play(
  marquee: Marquee,
  protocol: (typeof PROTOCOLS)[number],
  method: DescMethod,
  body: JsonMessage,
  token: string,
): Promise<Played> {
  if (protocol === "gRPC") return playGrpc(marquee, method, body, token);
  const requests = toProtocolRequests(method, body);
  const request = requests.find((it) => it.protocol === protocol) ?? requests[0];
  if (request === undefined) throw new Error(`${method.name} has no request`);
  const { status, json } = await sendRequest(marquee.url, request, token);
  if (status === 200) return { status, response: normalize(method, json) };
  const details: readonly Detail[] = json.details.map((it: Detail) => ({ ...it, ...it.debug }));
  const info = details.find((it) => it.reason !== undefined);
  const violations = details.flatMap((it) => it.fieldViolations ?? it.field_violations ?? []);
  const code = typeof json.code === "number" ? json.code : codeFromString(json.code);
  return toRejection(status, code, json.message, info, violations);
}

interface Detail {
  readonly reason?: string;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly fieldViolations?: readonly { readonly field: string }[];
  readonly field_violations?: readonly { readonly field: string }[];
  /** What Connect decodes of the detail. */
  readonly debug?: Detail;
}

/** The HTTP status of each code of gRPC that rejections have. */
const STATUSES: Readonly<Record<number, number>> = {
  ...{ 3: 400, 5: 404, 6: 409, 7: 403, 8: 429, 9: 400, 10: 409, 11: 400, 16: 401 },
};

const transports = new Map<string, Transport>();

/** Returns the one transport of a token: each opens a connection of its own. */
function openTransport(baseUrl: string, token: string): Transport {
  const open =
    transports.get(token) ?? createGrpcTransport({ baseUrl, interceptors: [authorize(token)] });
  transports.set(token, open);
  return open;
}

async function playGrpc(
  { url }: Marquee,
  method: DescMethod,
  body: JsonMessage,
  token: string,
): Promise<Played> {
  const transport = openTransport(url, token);
  try {
    const message = fromJson(method.input, body as JsonValue);
    const got = await transport.unary(
      method as DescMethodUnary,
      undefined,
      undefined,
      undefined,
      message,
    );
    return { status: 200, response: toJson(method.output, got.message) as JsonMessage };
  } catch (error) {
    if (!(error instanceof ConnectError)) throw error;
    const [info] = error.findDetails(ErrorInfoSchema);
    const violations = error.findDetails(BadRequestSchema).flatMap((it) => it.fieldViolations);
    return toRejection(STATUSES[error.code] ?? 0, error.code, error.rawMessage, info, violations);
  }
}

function normalize({ output }: DescMethod, json: JsonValue): JsonMessage {
  return toJson(output, fromJson(output, json)) as JsonMessage;
}

function toRejection(
  status: number,
  code: number | undefined,
  message: string,
  info: Pick<Detail, "reason" | "metadata"> | undefined,
  violations: readonly { readonly field: string }[],
): Played {
  const { reason, metadata } = info ?? {};
  const fields = [metadata?.field ?? [], violations[0]?.field ?? []].flat();
  return { status, code, reason, metadata, message, fields };
}
