import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { create, type DescField, type DescMessage, type JsonObject } from "@bufbuild/protobuf";
import { type Timestamp, timestampFromDate, type Value, ValueSchema } from "@bufbuild/protobuf/wkt";
import { afterAll, describe, expect, test } from "vitest";
import { createClient } from "../../packages/client/src/client.ts";
import {
  createDeliveryClient,
  createStudioClient,
  type Input,
} from "../../packages/client/src/index.ts";
import {
  type Card,
  createStudioTransport,
  type PageComponent,
  Visibility,
} from "../../packages/client/src/studio.ts";
import { findMethods } from "../api/methods.ts";
import { createFolder } from "../harness/folder.ts";
import { ROOT, run } from "../harness/process.ts";

/** A plain value, as a program has it, and its JSON. */
interface Sample {
  readonly plain: unknown;
  readonly code: string;
  readonly json: unknown;
}

const folder = createFolder();
afterAll(() => folder.remove());

const TIME = "2026-07-19T19:00:00.500Z";
const sampleOf = (plain: unknown, json = plain): Sample => ({
  plain,
  code: JSON.stringify(plain),
  json,
});
const SAMPLES: Readonly<Record<string, Sample>> = {
  "google.protobuf.Timestamp": { plain: new Date(TIME), code: `new Date("${TIME}")`, json: TIME },
  "google.protobuf.Duration": sampleOf("1.5s", "1.500s"),
  "google.protobuf.FieldMask": sampleOf("name,startTime"),
  "google.protobuf.Value": sampleOf("2022"),
  "google.protobuf.Struct": {
    plain: { a: [1, null, { b: true }], time: new Date(TIME), none: undefined },
    code: `{ a: [1, null, { b: true }], time: new Date("${TIME}"), none: undefined }`,
    json: { a: [1, null, { b: true }], time: TIME },
  },
};

/** The spelling of names: of TypeScript, with the case of a oneof, or of the guides, with its member. */
type Spelling = "localName" | "name";

/** Lists requests that each have one plain value, for every field of `google.protobuf` below a message. */
function samplesOf(
  message: DescMessage,
  spelling: Spelling,
  above: readonly DescMessage[] = [],
): Sample[] {
  if (message.typeName.startsWith("google.protobuf.")) {
    const sample = SAMPLES[message.typeName];
    if (sample === undefined) throw new Error(`${message.typeName} has no plain value`);
    return [sample];
  }
  if (above.includes(message)) return [];
  return message.fields.flatMap((field) =>
    field.message === undefined
      ? []
      : samplesOf(field.message, spelling, [...above, message]).map((it) =>
          wrap(field, spelling, it),
        ),
  );
}

function wrap(field: DescField, spelling: Spelling, { plain, code, json }: Sample): Sample {
  const { localName, jsonName, oneof, [spelling]: name } = field;
  const inField = {
    message: { plain, code, json },
    list: { plain: [plain], code: `[${code}]`, json: [json] },
    map: { plain: { key: plain }, code: `{ key: ${code} }`, json: { key: json } },
  }[field.fieldKind as "message" | "list" | "map"];
  if (oneof === undefined || spelling === "name") {
    return {
      plain: { [name]: inField.plain },
      code: `{ ${name}: ${inField.code} }`,
      json: { [jsonName]: inField.json },
    };
  }
  return {
    plain: { [oneof.localName]: { case: localName, value: inField.plain } },
    code: `{ ${oneof.localName}: { case: "${localName}", value: ${inField.code} } }`,
    json: { [jsonName]: inField.json },
  };
}

/** Makes options of a client, and the messages that it sends. */
function catchRequests() {
  const sent: JsonObject[] = [];
  const send: typeof fetch = async (url, init) => {
    const body = init?.body ?? new URL(String(url)).searchParams.get("message") ?? "{}";
    sent.push(
      JSON.parse(typeof body === "string" ? body : new TextDecoder().decode(body as Uint8Array)),
    );
    return Response.json({});
  };
  const url = "http://marquee.example";
  return { sent, options: { url, key: "mqp_x", accessToken: "mqa_x", fetch: send } };
}

const methods = (await findMethods()).map((method) => ({
  method,
  name: `${method.parent.typeName}/${method.name}`,
  samples: [...samplesOf(method.input, "localName"), ...samplesOf(method.input, "name")],
}));
const withSamples = methods.filter(({ samples }) => samples.length > 0);

describe("a request takes plain values", () => {
  test.each(withSamples)("$name", async ({ method, samples }) => {
    const { sent, options } = catchRequests();
    const client = createClient(method.parent, createStudioTransport(options));
    const call = client[method.localName] as unknown as (request: unknown) => Promise<unknown>;
    for (const { plain } of samples) await call(plain);
    expect(sent).toEqual(samples.map(({ json }) => json));
  });

  test("which its type allows", async () => {
    const services = [...new Set(withSamples.map(({ method }) => method.parent))];
    const program = [
      `import { createClient } from "${ROOT}packages/client/src/client.ts";`,
      `import { createDeliveryTransport } from "${ROOT}packages/client/src/index.ts";`,
      `const transport = createDeliveryTransport({ url: "http://x", key: "mqp_x" });`,
      ...services.map((it, index) => {
        const path = `${ROOT}gen/${it.file.name}_pb.ts`;
        return `import { ${it.name} as Service${index} } from "${path}";`;
      }),
      ...services.map((_, index) => `const s${index} = createClient(Service${index}, transport);`),
      ...withSamples.flatMap(({ method, samples }) => {
        const client = `s${services.indexOf(method.parent)}`;
        return samples.map(({ code }) => `${client}.${method.localName}(${code});`);
      }),
      `import { createStudioClient } from "${ROOT}packages/client/src/index.ts";`,
      `const { event } = createStudioClient({ url: "http://x", accessToken: "mqa_x" });`,
      `event.createEvent({ event: { visibility: "VISIBILITY_PUBLISHED" } });`,
      "event.createEvent({ event: { visibility: 1 } });",
      "// @ts-expect-error: no name of the enum.",
      `event.createEvent({ event: { visibility: "PUBLISHED" } });`,
      "// @ts-expect-error: no such field.",
      "event.createEvent({ event: { start_times: new Date() } });",
      "// @ts-expect-error: no name.",
      "event.createEvent({ event: { visibility: true } });",
      "// @ts-expect-error: a number has no name.",
      `event.listEvents({ pageSize: "10" });`,
      "// @ts-expect-error: no such field.",
      "s0.listAnnotations({ nothing: 1 });",
    ];
    writeFileSync(join(folder.path, "types.mts"), program.join("\n"));
    const config = {
      extends: `${ROOT}packages/client/tsconfig.json`,
      compilerOptions: { noEmit: true, rootDir: "/", rewriteRelativeImportExtensions: false },
      include: ["types.mts"],
    };
    writeFileSync(join(folder.path, "tsconfig.json"), JSON.stringify(config));
    const tsc = join(ROOT, "node_modules/.bin/tsc");
    expect(await run(tsc, ["-p", folder.path])).toMatchObject({ code: 0, stdout: "" });
  });
});

/** Sends a page's session or an event, and returns what is sent for it. */
async function sentOf(session: Record<string, Input<Value>>): Promise<unknown> {
  const { sent, options } = catchRequests();
  await createDeliveryClient(options).page.getPage({ session });
  return sent[0]?.session;
}

describe("a session", () => {
  test("may have any JSON, also one that looks like a message", async () => {
    const session = { a: "2022", b: [1, "x"], c: { ids: ["team-esp"] }, d: null, e: { kind: "x" } };
    expect(await sentOf(session)).toEqual(session);
    expect(await sentOf({ a: undefined, b: 1 })).toEqual({ b: 1 });
  });

  test("may have the messages of protobuf", async () => {
    const kind = { case: "stringValue", value: "2022" } as const;
    const session = { a: create(ValueSchema, { kind }), b: { kind } };
    expect(await sentOf(session)).toEqual({ a: "2022", b: "2022" });
  });
});

describe("a time", () => {
  const timeOf = async (startTime: Input<Timestamp>) => {
    const { sent, options } = catchRequests();
    await createStudioClient(options).event.createEvent({ event: { startTime } });
    return sent[0]?.event;
  };

  test.each([
    new Date(TIME),
    TIME,
    "2026-07-19T21:00:00.5+02:00",
    timestampFromDate(new Date(TIME)),
    { seconds: 1784487600n, nanos: 500_000_000 },
    { seconds: 1784487600, nanos: 500_000_000 },
  ])("may be %s", async (time) => {
    expect(await timeOf(time)).toEqual({ startTime: TIME });
  });

  test.each<[Date | string, string?]>([
    [new Date("x"), "Invalid Date"],
    ["yesterday"],
    ["2026-07-19"],
    ["", ""],
  ])("that is %s is rejected by its name", async (time, shown = String(time)) => {
    const form = "a Date or a time such as 2026-07-19T19:00:00Z";
    const error = new TypeError(`event.startTime: must be ${form}, not '${shown}'`);
    await expect(timeOf(time)).rejects.toThrow(error);
  });
});

test.each([
  [{ offset: "90" }, "annotation.offset: must be a duration such as 1.5s, not '90'"],
  [{ offset: 90 as never }, "annotation.offset: must be a duration such as 1.5s, not '90'"],
])("a duration that is %j is rejected by its name", async (annotation, message) => {
  const { options } = catchRequests();
  const { annotation: client } = createStudioClient(options);
  await expect(client.createAnnotation({ annotation })).rejects.toThrow(new TypeError(message));
});

test("a number, a string and a boolean of another type are rejected by their names", async () => {
  const { options } = catchRequests();
  const { event } = createDeliveryClient(options);
  for (const [request, message] of [
    [{ pageSize: "2" }, "pageSize: must be a number, not '2'"],
    [{ filter: 2 }, "filter: must be a string, not '2'"],
    [{ includeTotal: "yes" }, "includeTotal: must be true or false, not 'yes'"],
    [{ facets: [3] }, "facets[0]: must be a string, not '3'"],
  ] as const) {
    await expect(event.listEvents(request as never)).rejects.toThrow(new TypeError(message));
  }
});

test.each(["startTime,end_time", "start_time,endTime"])("a mask may be %s", async (updateMask) => {
  const { sent, options } = catchRequests();
  await createStudioClient(options).event.updateEvent({ updateMask });
  expect(sent).toEqual([{ updateMask: "startTime,endTime" }]);
});

test.each<[string, unknown]>([
  ["'Start_Time'", "Start_Time"],
  ["the list 'title,startTime'", ["title", "startTime"]],
])("a mask %s that has no names of fields is rejected by its name", async (given, updateMask) => {
  const { options } = catchRequests();
  const request = { updateMask } as never;
  await expect(createStudioClient(options).event.updateEvent(request)).rejects.toThrow(
    new TypeError(`updateMask: must be names of fields such as name,start_time, not ${given}`),
  );
});

test("a single value for a list is rejected by its name", async () => {
  const { options } = catchRequests();
  const { event } = createDeliveryClient(options);
  await expect(event.listEvents({ facets: "fields.genre" } as never)).rejects.toThrow(
    new TypeError("facets: must be a list, not 'fields.genre'"),
  );
});

test("an enum may be its name", async () => {
  for (const visibility of ["VISIBILITY_PUBLISHED", Visibility.PUBLISHED] as const) {
    const { sent, options } = catchRequests();
    await createStudioClient(options).event.createEvent({ event: { visibility } });
    expect(sent).toEqual([{ event: { visibility: "VISIBILITY_PUBLISHED" } }]);
  }
});

test("a list of enums may have names", async () => {
  const { sent, options } = catchRequests();
  const webhook = { events: ["WEBHOOK_EVENT_CREATED", "WEBHOOK_EVENT_DELETED"] } as const;
  await createStudioClient(options).webhook.createWebhook({ webhook });
  expect(sent).toEqual([{ webhook }]);
});

test.each<[unknown, string]>([
  [
    { event: { visibility: "PUBLISHED" } },
    "event.visibility: must be one of VISIBILITY_UNSPECIFIED, VISIBILITY_PUBLISHED, VISIBILITY_UNLISTED, VISIBILITY_HIDDEN, not 'PUBLISHED'",
  ],
  [
    { name: "x" },
    "name: no such member; known: event, eventId, requestId, validateOnly, releaseId",
  ],
  [{ event_id: "a", eventId: "b" }, "eventId: eventId has another value; set one of them"],
  [{ event: { title: "x" } }, `event.title: must be an object such as {"en": "…"}, not 'x'`],
  [
    { event: { title: ["x"] } },
    `event.title: must be an object such as {"en": "…"}, not the list 'x'`,
  ],
  [{ event: "x" }, "event: must be an object, not 'x'"],
  [
    { event: { fields: '{"genre": "drama"}' } },
    `event.fields: must be an object, not '{"genre": "drama"}'`,
  ],
  [{ event: { fields: ["drama"] } }, "event.fields: must be an object, not the list 'drama'"],
  [{ event: { fields: 5 } }, "event.fields: must be an object, not '5'"],
])("a create of %j is rejected by the name of the member", async (request, message) => {
  const { sent, options } = catchRequests();
  const create = createStudioClient(options).event.createEvent(request as object);
  await expect(create).rejects.toThrow(new TypeError(message));
  expect(sent).toEqual([]);
});

test.each<[unknown, string]>([
  [{ count: 1n }, "event.fields: must be JSON, not '[object Object]'"],
  [() => 1, "event.fields: must be JSON, not '() => 1'"],
])("free JSON that JSON cannot have is rejected by its name: %o", async (fields, message) => {
  const { sent, options } = catchRequests();
  const create = createStudioClient(options).event.createEvent({ event: { fields } } as never);
  await expect(create).rejects.toThrow(new TypeError(message));
  expect(sent).toEqual([]);
});

test.each([1.5, "x", true, []])(
  "a 64-bit number that is %j is rejected by its name",
  async (priority) => {
    const { sent, options } = catchRequests();
    const request = { videoProtectionRuleset: { priority } } as never;
    await expect(createStudioClient(options).ruleset.createRuleset(request)).rejects.toThrow(
      /^videoProtectionRuleset\.priority: must be an integer, not /,
    );
    expect(sent).toEqual([]);
  },
);

describe("a component", () => {
  const { sent, options } = catchRequests();
  const { createPageComponent } = createStudioClient(options).pageComponent;
  const createComponent = (given: unknown) =>
    createPageComponent({ pageComponent: given as Input<PageComponent> });

  test.each<Input<PageComponent>>([
    { project_id: "a", rail: { hide_by_default: true, card: { kind: "round" } satisfies Card } },
    { projectId: "a", rail: { hideByDefault: true, card: { kind: "round" } } },
    {
      projectId: "a",
      data: { case: "rail", value: { hide_by_default: true, card: { kind: "round" } } },
    },
  ])("may be %j", async (pageComponent) => {
    await createPageComponent({ pageComponent });
    const rail = { hideByDefault: true, card: { kind: "round" } };
    expect(sent.pop()).toEqual({ pageComponent: { projectId: "a", rail } });
  });

  test.each([
    [
      { data: { case: "bannr", value: {} } },
      /^pageComponent\.data\.bannr: no such member; known: bannerCollection, /,
    ],
    [{ bannr: {} }, /^pageComponent\.bannr: no such member; known: id, .*, rail, /],
    [{ rail: { tilte: {} } }, /^pageComponent\.rail\.tilte: no such member; known: type, /],
    [{ rail: {}, faq: {} }, /^pageComponent\.faq: data has another value; set one of them$/],
    [
      { data: { rail: {} } },
      /^pageComponent\.data: must be an object of a case and its value, not /,
    ],
    [
      { data: "rail" },
      /^pageComponent\.data: must be an object of a case and its value, not 'rail'$/,
    ],
  ])("that is %j is rejected by the name of the member", async (pageComponent, message) => {
    await expect(createComponent(pageComponent)).rejects.toThrow(message);
  });
});

test("an unknown member in a list is rejected by its path", async () => {
  const { options } = catchRequests();
  const offer = { prices: [{ amount: { currency: "EUR" } }] } as object;
  await expect(createStudioClient(options).offer.createOffer({ offer })).rejects.toThrow(
    new TypeError(
      "offer.prices[0].amount.currency: no such member; known: currencyCode, units, nanos",
    ),
  );
});

test("a member that is undefined, and the unknown fields of a message, are omitted", async () => {
  const { sent, options } = catchRequests();
  const event = { name: undefined, $unknown: [], id: "a" };
  await createStudioClient(options).event.createEvent({ event });
  expect(sent).toEqual([{ event: { id: "a" } }]);
});

test("a 64-bit number may be a number, a bigint or a text", async () => {
  for (const units of [9, 9n, "9"]) {
    const { sent, options } = catchRequests();
    const amount = { currencyCode: "EUR", units };
    await createStudioClient(options).offer.createOffer({ offer: { prices: [{ amount }] } });
    expect(sent).toEqual([
      { offer: { prices: [{ amount: { currencyCode: "EUR", units: "9" } }] } },
    ]);
  }
});
