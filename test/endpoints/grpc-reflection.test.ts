import { fromBinary } from "@bufbuild/protobuf";
import { FileDescriptorProtoSchema } from "@bufbuild/protobuf/wkt";
import { Code, createClient } from "@connectrpc/connect";
import { createGrpcTransport } from "@connectrpc/connect-node";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import {
  ServerReflection,
  type ServerReflectionRequest,
  type ServerReflectionResponse,
} from "../../gen/grpc/reflection/v1/reflection_pb.ts";
import { ServerReflection as ServerReflectionAlpha } from "../../gen/grpc/reflection/v1alpha/reflection_pb.ts";
import { Health } from "../../gen/health/v1/health_pb.ts";
import { startServer } from "../../src/server.ts";
import { type Marquee, silentLog, startMarquee } from "../harness/marquee.ts";

let marquee: Marquee;
beforeAll(async () => {
  marquee = await startMarquee();
});
afterAll(() => marquee.close());

type Question = ServerReflectionRequest["messageRequest"];
type Answer = ServerReflectionResponse["messageResponse"];

const versions = [
  ["v1", ServerReflection],
  ["v1alpha", ServerReflectionAlpha as unknown as typeof ServerReflection],
] as const;

for (const [version, service] of versions) {
  describe(`reflection ${version}`, () => {
    /** Asks the questions on one stream. */
    async function ask(...questions: Question[]): Promise<Answer[]> {
      const client = createClient(service, createGrpcTransport({ baseUrl: marquee.url }));
      async function* requests() {
        for (const messageRequest of questions) yield { host: "h", messageRequest };
      }
      const answers: Answer[] = [];
      for await (const { messageResponse, validHost } of client.serverReflectionInfo(requests())) {
        expect(validHost).toBe("h");
        answers.push(messageResponse);
      }
      return answers;
    }

    const bySymbol = (value: string): Question => ({ case: "fileContainingSymbol", value });

    test.each<[string, Question, string]>([
      [
        "a file by its name",
        { case: "fileByFilename", value: "svc/cda/cms/event/v1/event.proto" },
        "svc/cda/cms/event/v1/event.proto",
      ],
      [
        "the file that only an option imports",
        { case: "fileByFilename", value: "google/api/annotations.proto" },
        "google/api/annotations.proto",
      ],
      ["a service", bySymbol("grpc.health.v1.Health"), "health/v1/health.proto"],
      [
        "a method",
        bySymbol("svc.cda.cms.event.v1.EventService.ListEvents"),
        "svc/cda/cms/event/v1/event_service.proto",
      ],
      ["a message", bySymbol("svc.cda.cms.event.v1.Event"), "svc/cda/cms/event/v1/event.proto"],
      [
        "a field",
        bySymbol("svc.cda.cms.event.v1.Event.content_type"),
        "svc/cda/cms/event/v1/event.proto",
      ],
      ["an enum", bySymbol("svc.type.v1.Visibility"), "svc/type/v1/visibility.proto"],
      [
        "an enum value, in the scope of its enum",
        bySymbol("svc.type.v1.VISIBILITY_PUBLISHED"),
        "svc/type/v1/visibility.proto",
      ],
      [
        "the details of errors, which no method refers to",
        bySymbol("google.rpc.ErrorInfo"),
        "google/rpc/error_details.proto",
      ],
      ["the status of errors", bySymbol("google.rpc.Status"), "google/rpc/status.proto"],
      ["an extension by name", bySymbol("google.api.http"), "google/api/annotations.proto"],
      [
        "an extension by number",
        {
          case: "fileContainingExtension",
          value: {
            $typeName: "grpc.reflection.v1.ExtensionRequest",
            containingType: "google.protobuf.MethodOptions",
            extensionNumber: 72_295_728,
          },
        },
        "google/api/annotations.proto",
      ],
    ])("finds %s, and sends the file first, then its imports", async (_name, question, want) => {
      const [got] = await ask(question);
      const files = filesOf(got);
      expect(files[0]?.name).toBe(want);
      const sent = new Set(files.map((file) => file.name));
      for (const file of files) {
        for (const imported of file.dependency) expect(sent).toContain(imported);
      }
    });

    test("sends each file once a stream", async () => {
      const question = bySymbol("svc.cda.cms.event.v1.EventService");
      const [first, second] = await ask(question, question);
      expect(filesOf(first).length).toBeGreaterThan(1);
      expect(filesOf(second)).toEqual([]);
    });

    test("keeps the REST mapping in the options", async () => {
      const [got] = await ask(
        bySymbol("svc.studio.monetization.transaction.v1.TransactionService"),
      );
      const bytes = got?.case === "fileDescriptorResponse" && got.value.fileDescriptorProto[0];
      expect(Buffer.from(bytes || []).toString("latin1")).toContain(
        "/monetization/transactions/v1",
      );
    });

    test("lists all extension numbers of a type", async () => {
      const [got] = await ask({
        case: "allExtensionNumbersOfType",
        value: "google.protobuf.MethodOptions",
      });
      expect(got).toMatchObject({
        case: "allExtensionNumbersResponse",
        value: { baseTypeName: "google.protobuf.MethodOptions" },
      });
      expect(got?.case === "allExtensionNumbersResponse" && got.value.extensionNumber).toContain(
        72_295_728,
      );
    });

    test("answers what is not known within the stream, which goes on", async () => {
      const unknown: Question[] = [
        bySymbol("svc.Nothing"),
        bySymbol(""),
        bySymbol("__proto__"),
        { case: "fileByFilename", value: "nothing.proto" },
        { case: "allExtensionNumbersOfType", value: "svc.Nothing" },
        {
          case: "fileContainingExtension",
          value: {
            $typeName: "grpc.reflection.v1.ExtensionRequest",
            containingType: "google.protobuf.MethodOptions",
            extensionNumber: 1,
          },
        },
      ];
      const answers = await ask(...unknown, { case: "listServices", value: "" });
      for (const answer of answers.slice(0, -1)) {
        expect(answer).toMatchObject({
          case: "errorResponse",
          value: { errorCode: Code.NotFound, errorMessage: expect.stringContaining("not known") },
        });
      }
      const last = answers.at(-1);
      expect(last?.case).toBe("listServicesResponse");
      expect(
        last?.case === "listServicesResponse" && last.value.service.map(({ name }) => name),
      ).toContain("svc.cda.cms.event.v1.EventService");
    });

    test("refuses a request that asks for nothing, and goes on", async () => {
      const answers = await ask(
        { case: undefined },
        { case: "fileByFilename", value: "google/api/http.proto" },
      );
      expect(answers[0]).toMatchObject({
        case: "errorResponse",
        value: { errorCode: Code.InvalidArgument },
      });
      expect(answers[1]?.case).toBe("fileDescriptorResponse");
    });
  });
}

test("on split listeners reflection tells only what the listener offers", async () => {
  const local = { host: "127.0.0.1", port: 0 };
  const server = await startServer({
    store: marquee.store,
    log: silentLog(),
    clock: () => new Date(),
    identityIssuers: [],
    reflection: true,
    listen: local,
    studioListen: local,
    deliveryListen: local,
  });
  const list = async (baseUrl: string) => {
    const client = createClient(ServerReflection, createGrpcTransport({ baseUrl }));
    async function* requests() {
      yield { messageRequest: { case: "listServices", value: "" } as const };
    }
    for await (const { messageResponse } of client.serverReflectionInfo(requests())) {
      if (messageResponse.case !== "listServicesResponse") continue;
      return messageResponse.value.service.map(({ name }) => name);
    }
    return [];
  };
  const studio = await list(server.studioUrl);
  const delivery = await list(server.deliveryUrl);
  expect(studio.some((name) => name.startsWith("svc.studio."))).toBe(true);
  expect(studio.some((name) => name.startsWith("svc.cda."))).toBe(false);
  expect(delivery.some((name) => name.startsWith("svc.cda."))).toBe(true);
  expect(delivery.some((name) => name.startsWith("svc.studio."))).toBe(false);
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
    const server = await startServer({
      store: {
        ...marquee.store,
        readiness: async () => {
          if (isAway) throw new Error("away");
          return { schema: 1, primary: true };
        },
      },
      log: silentLog(),
      clock: () => new Date(),
      identityIssuers: [],
      reflection: false,
      listen: { host: "127.0.0.1", port: 0 },
    });
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

function filesOf(answer: Answer | undefined) {
  expect(answer?.case).toBe("fileDescriptorResponse");
  const files = answer?.case === "fileDescriptorResponse" ? answer.value.fileDescriptorProto : [];
  return files.map((bytes) => fromBinary(FileDescriptorProtoSchema, bytes));
}
