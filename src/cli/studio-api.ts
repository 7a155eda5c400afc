import {
  type DescMessage,
  type DescService,
  type JsonObject,
  type MessageShape,
  toJson,
} from "@bufbuild/protobuf";
import { type Client, ConnectError, createClient, type Interceptor } from "@connectrpc/connect";
import { createConnectTransport } from "@connectrpc/connect-node";
import { ErrorInfoSchema } from "../../gen/google/rpc/error_details_pb.ts";
import { DomainError, type Reason } from "../domain/base/errors.ts";
import { FULL_JSON } from "../protojson/message-json.ts";
import type { STUDIO_API, STUDIO_LIST } from "./command-settings.ts";
import type { ConfigOf } from "./setting.ts";
import { printResult } from "./store-command.ts";

/** Runs a step with a client of the Studio API of a running server, whose errors become DomainErrors. */
export async function withStudio<Service extends DescService>(
  service: Service,
  { url, accessToken }: ConfigOf<typeof STUDIO_API>,
  run: (client: Client<Service>) => Promise<void>,
): Promise<void> {
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
  const { projectId, filter, limit } = config;
  let [count, pageToken] = [0, ""];
  do {
    const page = await list({ projectId, filter, pageSize: limit - count, pageToken });
    for (const it of page[name]) printMessage(config, schema, it, describe(it));
    count += page[name].length;
    pageToken = page.nextPageToken;
  } while (pageToken !== "" && count < limit);
  if (count === 0 && !config.json) process.stdout.write(`no ${name}\n`);
}

/** Prints a message: a text or, with `--json`, its JSON on one line. */
export function printMessage<Schema extends DescMessage>(
  config: { readonly json: boolean },
  schema: Schema,
  message: MessageShape<Schema>,
  text: string,
): void {
  printResult(config, toJson(schema, message, FULL_JSON) as JsonObject, `${text}\n`);
}
