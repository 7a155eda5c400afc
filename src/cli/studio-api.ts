import type { DescMessage, DescService, JsonObject, MessageShape } from "@bufbuild/protobuf";
import type { Client, Interceptor } from "@connectrpc/connect";
import type { Reason } from "../domain/base/errors.ts";
import { FULL_JSON } from "../domain/base/json.ts";
import { JSON_OUTPUT, printResult } from "./output.ts";
import type { ConfigOf, SettingTable } from "./setting.ts";
import { toCredential, toNumber, toUrl } from "./setting-values.ts";

/** The settings of a command that calls the Studio API. */
export const STUDIO_API = {
  url: {
    form: "URL",
    fallback: "http://127.0.0.1:8080",
    help: "Studio API of a running server",
    parse: toUrl,
  },
  "access-token": {
    form: "TOKEN",
    isRequired: true,
    help: "access token of the caller; the variable hides it from other users",
    parse: toCredential,
  },
  json: JSON_OUTPUT,
} as const satisfies SettingTable;

/** The settings of a command that lists resources by the Studio API. */
export const STUDIO_LIST = {
  ...STUDIO_API,
  project: { form: "ID", isRequired: true, help: "project to list" },
  filter: { form: "KQL", help: "condition on what is listed; default: none" },
  limit: {
    form: "N",
    fallback: "50",
    help: "maximum number to list, up to 1000",
    parse: toNumber(1, 1_000),
  },
} as const satisfies SettingTable;

/** The settings of a command that writes by the Studio API. */
export const STUDIO_WRITE = {
  ...STUDIO_API,
  "dry-run": { help: "check only; write nothing" },
} as const satisfies SettingTable;

/** Runs a step with a client of the Studio API of a running server, whose errors become DomainErrors. */
export async function withStudio<Service extends DescService>(
  service: Service,
  { url, accessToken }: ConfigOf<typeof STUDIO_API>,
  run: (client: Client<Service>) => Promise<void>,
): Promise<void> {
  const { ConnectError, createClient } = await import("@connectrpc/connect");
  const { createConnectTransport } = await import("@connectrpc/connect-node");
  const { ErrorInfoSchema } = await import("../../gen/google/rpc/error_details_pb.ts");
  const { DomainError } = await import("../domain/base/errors.ts");
  const authenticate: Interceptor = (next) => (request) => {
    request.header.set("authorization", `Bearer ${accessToken}`);
    return next(request);
  };
  const interceptors = [authenticate];
  const transport = createConnectTransport({ baseUrl: url, httpVersion: "1.1", interceptors });
  try {
    await run(createClient(service, transport));
  } catch (cause) {
    if (!(cause instanceof ConnectError)) throw cause;
    const { code, rawMessage } = cause;
    const [info] = cause.findDetails(ErrorInfoSchema);
    if (info) throw new DomainError(code, info.reason as Reason, `${info.reason}: ${rawMessage}`);
    throw new DomainError(code, "SERVER_UNREACHABLE", `${url} does not respond: ${rawMessage}`);
  }
}

/** The arguments of a list. */
export type ListPage = Readonly<Record<"projectId" | "filter" | "pageToken", string>> & {
  readonly pageSize: number;
};

/** Prints the first messages of a list, at most `--limit`: a line each. Its pages have them in the member `name`. */
export async function printList<Name extends string, Schema extends DescMessage>(
  config: ConfigOf<typeof STUDIO_LIST>,
  list: (
    page: ListPage,
  ) => Promise<Record<Name, MessageShape<Schema>[]> & { nextPageToken: string }>,
  name: Name,
  schema: Schema,
  describe: (message: MessageShape<Schema>) => string,
): Promise<void> {
  const { project: projectId, filter, limit } = config;
  let [count, pageToken] = [0, ""];
  do {
    const page = await list({ projectId, filter, pageSize: limit - count, pageToken });
    for (const it of page[name]) await printMessage(config, schema, it, describe(it));
    count += page[name].length;
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && count < limit);
  if (count === 0 && !config.json) process.stdout.write(`no ${name}\n`);
}

/** Prints a message: a text or, with `--json`, its JSON on one line. */
export async function printMessage<Schema extends DescMessage>(
  config: { readonly json: boolean },
  schema: Schema,
  message: MessageShape<Schema>,
  text: string,
): Promise<void> {
  const { toJson } = await import("@bufbuild/protobuf");
  printResult(config, toJson(schema, message, FULL_JSON) as JsonObject, `${text}\n`);
}
