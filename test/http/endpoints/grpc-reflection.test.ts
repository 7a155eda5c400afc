import { fromBinary, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { describe, expect, test } from "vitest";
import {
  ServerReflection,
  ServerReflectionRequestSchema,
  type ServerReflectionResponse,
} from "../../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../../../gen/health/v1/health_pb.ts";
import { openCases } from "../../harness/cases.ts";
import { startOver } from "../../harness/marquee.ts";
import { override } from "../../harness/override.ts";
import { useMarquee } from "../../harness/use-marquee.ts";

const each = openCases("endpoints/grpc-reflection");

const marquee = await useMarquee();

type Reply = ServerReflectionResponse["messageResponse"];

const read = (question: JsonObject) => fromJson(ServerReflectionRequestSchema, question);
const bySymbol = (name: string) => ({ file_containing_symbol: name });

/** Asks the questions on one stream. */
async function askService(
  service: typeof ServerReflection,
  baseUrl: string,
  ...questions: JsonObject[]
): Promise<Reply[]> {
  const client = createClient(service, createGrpcTransport({ baseUrl }));
  async function* requests() {
    for (const question of questions) {
      yield { host: "h", messageRequest: read(question).messageRequest };
    }
  }
  const responses: Reply[] = [];
  for await (const { messageResponse, validHost } of client.serverReflectionInfo(requests())) {
    expect(validHost).toBe("h");
    responses.push(messageResponse);
  }
  return responses;
}

describe.each([
  ["v1", ServerReflection],
  ["v1alpha", ServerReflectionAlpha as unknown as typeof ServerReflection],
] as const)("reflection %s", (_version, service) => {
  const ask = (...questions: JsonObject[]) => askService(service, marquee.url, ...questions);

  each<[string, JsonObject, string]>(
    "finds a file, and sends it first, then its imports",
    async (_name, question, want) => {
      const [got] = await ask(question);
      const files = filesOf(got);
      expect(files[0]?.name).toBe(want);
      const sent = new Set(files.map((file) => file.name));
      for (const name of files.flatMap(({ dependency }) => dependency)) {
        expect(sent).toContain(name);
      }
    },
  );

  test("sends each file once a stream", async () => {
    const question = bySymbol("svc.cda.cms.event.v1.EventService");
    const [first, second] = await ask(question, question);
    expect(filesOf(first).length).toBeGreaterThan(1);
    expect(filesOf(second)).toEqual([]);
  });

  test("keeps the REST mapping in the options", async () => {
    const [got] = await ask(bySymbol("svc.studio.monetization.transaction.v1.TransactionService"));
    const bytes = got?.case === "fileDescriptorResponse" && got.value.fileDescriptorProto[0];
    expect(Buffer.from(bytes || []).toString("latin1")).toContain("/monetization/transactions/v1");
  });

  test("lists all extension numbers of a type", async () => {
    const baseTypeName = "google.protobuf.MethodOptions";
    const [got] = await ask({ all_extension_numbers_of_type: baseTypeName });
    expect(got).toMatchObject({
      case: "allExtensionNumbersResponse",
      value: { baseTypeName, extensionNumber: expect.arrayContaining([72_295_728]) },
    });
  });

  test("reports what is not known within the stream, which goes on", async () => {
    const extension = { containing_type: "google.protobuf.MethodOptions", extension_number: 1 };
    const unknown = [
      ...[bySymbol("svc.Nothing"), bySymbol(""), bySymbol("__proto__")],
      ...[{ file_by_filename: "nothing.proto" }, { file_containing_extension: extension }],
      { all_extension_numbers_of_type: "svc.Nothing" },
    ];
    const responses = await ask(...unknown, { list_services: "" });
    expect(responses.slice(0, -1)).toMatchObject(
      unknown.map(() => ({
        case: "errorResponse",
        value: { errorCode: Code.NotFound, errorMessage: expect.stringContaining("not known") },
      })),
    );
    const name = "svc.cda.cms.event.v1.EventService";
    expect(responses.at(-1)).toMatchObject({
      case: "listServicesResponse",
      value: { service: expect.arrayContaining([expect.objectContaining({ name })]) },
    });
  });

  test("rejects a request that asks for nothing, and goes on", async () => {
    expect(await ask({}, { file_by_filename: "google/api/http.proto" })).toMatchObject([
      { case: "errorResponse", value: { errorCode: Code.InvalidArgument } },
      { case: "fileDescriptorResponse" },
    ]);
  });
});

test("on split listeners reflection shows only what the listener offers", async () => {
  const local = { host: "127.0.0.1", port: 0 };
  const server = await startOver(marquee.store, { studioListen: local, deliveryListen: local });
  for (const [baseUrl, own, other] of [
    [server.studioUrl, "svc.studio.", "svc.cda."],
    [server.deliveryUrl, "svc.cda.", "svc.studio."],
  ] as const) {
    const [response] = await askService(ServerReflection, baseUrl, { list_services: "" });
    const services = response?.case === "listServicesResponse" ? response.value.service : [];
    const offers = (start: string) => services.some(({ name }) => name.startsWith(start));
    expect([offers(own), offers(other)]).toEqual([true, false]);
  }
  await server.close(1_000);
});

describe("grpc.health.v1", () => {
  const health = (baseUrl: string) => createClient(Health, createGrpcTransport({ baseUrl }));

  test("lists every service", async () => {
    const { statuses } = await health(marquee.url).list({});
    expect(statuses[""]?.status).toBe(1);
    expect(statuses["svc.cda.cms.event.v1.EventService"]?.status).toBe(1);
  });

  test("watches the status as it changes, and knows of unknown services", async () => {
    let isAway = false;
    const readiness = async () => {
      if (isAway) throw new Error("away");
      return { schema: 1, primary: true, writable: true };
    };
    const server = await startOver(override(marquee.store, { readiness }));
    const abort = new AbortController();
    const seen: number[] = [];
    const watch = async () => {
      for await (const { status } of health(server.studioUrl).watch({}, { signal: abort.signal })) {
        seen.push(status);
        isAway = true;
        if (seen.length === 2) return;
      }
    };
    await watch();
    expect(seen).toEqual([1, 2]);
    expect((await health(server.studioUrl).check({})).status).toBe(2);
    for await (const { status } of health(server.studioUrl).watch({ service: "x.Y" })) {
      expect(status).toBe(3);
      break;
    }
    await server.close(1_000);
  });
});

function filesOf(response: Reply | undefined) {
  expect(response?.case).toBe("fileDescriptorResponse");
  const files =
    response?.case === "fileDescriptorResponse" ? response.value.fileDescriptorProto : [];
  return files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}
