import { type JsonValue, toJson } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { AuthService } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import { TransactionService } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { PageComponentService as PageComponentServiceV1 } from "../../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { VideoService } from "../../../gen/svc/studio/streaming/video/v1/video_service_pb.ts";
import { bind, errorOf } from "./call.ts";
import { buildMethods } from "./descriptors.ts";

const TRANSACTIONS = "/monetization/transactions/v1";
const BATCH = "/ott/page_components/v1/batch";

const METHODS = buildMethods([
  { name: "Get", rule: { pattern: { case: "get", value: "/all" } } },
  { name: "ByText", rule: { pattern: { case: "get", value: "/text/{text}" } } },
  {
    name: "ByChoice",
    rule: { pattern: { case: "post", value: "/choice/{choice_text}" }, body: "*" },
  },
  { name: "PostInner", rule: { pattern: { case: "post", value: "/post/{text}" }, body: "inner" } },
]);

function get(target: string): JsonValue | undefined {
  return send("GET", target);
}

function send(httpMethod: string, target: string, body?: string): JsonValue | undefined {
  const [method] = METHODS;
  const request = bind(METHODS, httpMethod, target, body);
  return method && toJson(method.input, request, { useProtoFieldName: true });
}

describe("the query of the contract's methods", () => {
  test("fills ListTransactions in both spellings", () => {
    const want = {
      projectId: "p 1",
      pageSize: 20,
      pageToken: "a+b/=",
      filter: 'x: "ü"',
      includeSummary: true,
    };
    const queries = [
      "project_id=p+1&page_size=20&page_token=a%2Bb%2F%3D&filter=x:%20%22%C3%BC%22&include_summary=true",
      "projectId=p%201&pageSize=20&pageToken=a%2bb/=&filter=x:+%22%C3%BC%22&includeSummary=true",
      "&project%5Fid=p+1&&page_size=%32%30&page_token=a%2Bb/=&filter=x:+%22%C3%BC%22&include_summary=true&",
    ];
    for (const query of queries) {
      expect(bind(TransactionService.methods, "GET", `${TRANSACTIONS}?${query}`)).toMatchObject(
        want,
      );
    }
  });

  test.each([
    ["page_component_ids=a&page_component_ids=b", ["a", "b"]],
    ["page_component_ids=a&pageComponentIds=b,c", ["a", "b", "c"]],
    ["page_component_ids=a%2C+b+%2cc", ["a", "b", "c"]],
    ["", []],
  ] as const)('page component ids of "%s"', (query, want) => {
    const got = bind(PageComponentServiceV1.methods, "GET", `${BATCH}?${query}`);
    expect(got).toMatchObject({ pageComponentIds: want });
  });

  test("fills TestPermissions beside its path", () => {
    const target =
      "/iam/auth/v1/policies/o1/organization/test_permissions?permissions=a.b.c,d.e.f&permissions=g.h.i";
    const got = bind(AuthService.methods, "GET", target);
    expect(got).toMatchObject({
      resourceKey: "o1/organization",
      permissions: ["a.b.c", "d.e.f", "g.h.i"],
    });
  });

  test("is rejected when the body is the whole message", () => {
    const target = "/ott/page_components/v2/c1?update_mask=name";
    const got = errorOf(() => bind(PageComponentService.methods, "PATCH", target, "{}"));
    expect(got).toMatchObject({ reason: "QUERY_UNKNOWN", fields: ["update_mask"] });
    expect(got.message).toBe('no query parameter "update_mask"; send fields in the body');
    const unknown = errorOf(() =>
      bind(VideoService.methods, "PATCH", "/streaming/videos/v1/v1?release_id=r", "{}"),
    );
    expect(unknown.message).toBe('no query parameter "release_id"; known: none');
  });

  test("names the release of a write with any body, once", () => {
    const target = "/ott/page_components/v2/c1?release_id=spring";
    const update = (body: string) => bind(PageComponentService.methods, "PATCH", target, body);
    expect(update("{}")).toMatchObject({ releaseId: "spring" });
    for (const body of ['{"release_id":"spring"}', '{"releaseId":""}']) {
      const got = errorOf(() => update(body));
      expect(got).toMatchObject({ reason: "QUERY_DUPLICATE", fields: ["release_id"] });
    }
  });

  test.each(["release_id=", "release_id", "releaseId="])(
    "names no empty release by %s",
    (query) => {
      const bindIn = (method: string, body?: string) =>
        errorOf(() =>
          bind(PageComponentService.methods, method, `/ott/page_components/v2/c1?${query}`, body),
        );
      for (const got of [bindIn("PATCH", "{}"), bindIn("GET"), bindIn("DELETE")]) {
        expect(got).toMatchObject({ reason: "VALUE_INVALID", fields: ["release_id"] });
        expect(got.message).toBe(
          "release_id: must name a release; omit it for the current version",
        );
      }
    },
  );
});

describe("the query fills", () => {
  test.each([
    ["text=", {}],
    ["text", {}],
    ["text=a=b%26c", { text: "a=b&c" }],
    ["text=%F0%9F%98%80", { text: "😀" }],
    ["flag=true", { flag: true }],
    ["flag=false", {}],
    ["tristate=false", { tristate: false }],
    ["raw=AQI%3D", { raw: "AQI=" }],
    ["ratio=-1.5e2&small_ratio=NaN", { ratio: -150, small_ratio: "NaN" }],
    ["int=-3&uint=7", { int: -3, uint: 7 }],
    ["long=9007199254740993", { long: "9007199254740993" }],
    ["colour=COLOUR_RED", { colour: "COLOUR_RED" }],
    ["ints=1&ints=2", { ints: [1, 2] }],
    [
      "colours=COLOUR_RED&colours=COLOUR_UNSPECIFIED",
      { colours: ["COLOUR_RED", "COLOUR_UNSPECIFIED"] },
    ],
    ["choice_text=x", { choice_text: "x" }],
    ["choiceFlag=true", { choice_flag: true }],
    ["choice_flag=false&choice_text=x", { choice_text: "x" }],
  ] as const)("%s", (query, want) => {
    expect(get(`/all?${query}`)).toEqual(want);
  });
});

describe("the query is rejected", () => {
  test.each([
    ["nope=1", "QUERY_UNKNOWN", ["nope"]],
    ["=1", "QUERY_UNKNOWN", [""]],
    ["Text=1", "QUERY_UNKNOWN", ["Text"]],
    ["__proto__=1", "QUERY_UNKNOWN", ["__proto__"]],
    ["constructor.name=1", "QUERY_UNKNOWN", ["constructor.name"]],
    ["inner=1", "QUERY_UNKNOWN", ["inner"]],
    ["inner.name=1", "QUERY_UNKNOWN", ["inner.name"]],
    ["inners=1", "QUERY_UNKNOWN", ["inners"]],
    ["by_long=1", "QUERY_UNKNOWN", ["by_long"]],
    ["by_long.1=1", "QUERY_UNKNOWN", ["by_long.1"]],
    ["free=1", "QUERY_UNKNOWN", ["free"]],
    ["by_flag=1", "QUERY_UNKNOWN", ["by_flag"]],
    ["masks=1", "QUERY_UNKNOWN", ["masks"]],
    ["maybe=true", "QUERY_UNKNOWN", ["maybe"]],
    ["text=1&text=1", "QUERY_DUPLICATE", ["text"]],
    ["small_ratio=1&smallRatio=2", "QUERY_DUPLICATE", ["small_ratio"]],
    ["text=%zz", "QUERY_MALFORMED", []],
    ["text=%", "QUERY_MALFORMED", []],
    ["te%xt=1", "QUERY_MALFORMED", []],
    ["text=%ff", "QUERY_MALFORMED", []],
    ["nope=1&text=%zz", "QUERY_MALFORMED", []],
    ["choice_text=&choice_flag=true", "ONEOF_CONFLICT", ["choice_text", "choice_flag"]],
    ["flag=1", "VALUE_INVALID", ["flag"]],
    ["flag=True", "VALUE_INVALID", ["flag"]],
    ["flag", "VALUE_INVALID", ["flag"]],
    ["int=", "VALUE_INVALID", ["int"]],
    ["int=1x", "VALUE_INVALID", ["int"]],
    ["int=+1", "VALUE_INVALID", ["int"]],
    ["int=2147483648", "VALUE_INVALID", ["int"]],
    ["ints=1&ints=x", "VALUE_INVALID", ["ints[1]"]],
    ["ints=1,2", "VALUE_INVALID", ["ints[0]"]],
    ["tags=a,,b", "VALUE_INVALID", ["tags[1]"]],
    ["tags=a&tags=", "VALUE_INVALID", ["tags[1]"]],
    ["tags=a,%20", "VALUE_INVALID", ["tags[1]"]],
    ["colour=1", "ENUM_UNKNOWN", ["colour"]],
    ["colour=red", "ENUM_UNKNOWN", ["colour"]],
  ] as const)("%s: %s", (query, reason, fields) => {
    expect(errorOf(() => get(`/all?${query}`))).toMatchObject({ reason, fields });
  });

  test("with the names that are known", () => {
    const target = `${TRANSACTIONS}?limit=1`;
    const got = errorOf(() => bind(TransactionService.methods, "GET", target));
    expect(got.message).toBe(
      'no query parameter "limit"; known: project_id, page_size, page_token, filter, include_summary',
    );
  });

  test("with the name that it may be a misspelling of", () => {
    const target = `${TRANSACTIONS}?page_sze=1`;
    const got = errorOf(() => bind(TransactionService.methods, "GET", target));
    expect(got.message).toBe('no query parameter "page_sze"; did you mean "page_size"?');
  });

  test("with the names of texts and lists of texts alone", () => {
    const { message } = errorOf(() => get("/all?nope=1"));
    expect(message).toContain("ulong, colour, tags, ints, nothing, colours, choice_text");
  });
});

describe("the path fills", () => {
  test.each([["/text/a%2Fb", { text: "a/b" }]] as const)("%s", (target, want) => {
    expect(get(target)).toEqual(want);
  });
});

describe("the path is rejected", () => {
  test.each([["/text/a?text=a", "QUERY_UNKNOWN", ["text"]]] as const)(
    "%s: %s",
    (target, reason, fields) => {
      expect(errorOf(() => get(target))).toMatchObject({ reason, fields });
    },
  );
});

describe("path, body and query together", () => {
  test("fill one message", () => {
    const want = { int: 7, text: "t", inner: { count: 1 } };
    expect(send("POST", "/post/t?int=7", '{"count":1}')).toEqual(want);
    expect(send("POST", "/choice/n", '{"choice_text":"n"}')).toEqual({ choice_text: "n" });
    expect(send("POST", "/choice/n", '{"choiceText":null}')).toEqual({ choice_text: "n" });
  });

  test.each([
    ["/post/t?text=t", "{}", "QUERY_UNKNOWN", ["text"]],
    ["/choice/n", '{"choice_text":"m"}', "PATH_BODY_MISMATCH", ["choice_text"]],
    ["/choice/n", '{"choiceText":""}', "PATH_BODY_MISMATCH", ["choice_text"]],
    ["/choice/n", '{"choice_inner":{}}', "ONEOF_CONFLICT", ["choice_inner", "choice_text"]],
  ] as const)("%s with %s: %s", (target, body, reason, fields) => {
    expect(errorOf(() => send("POST", target, body))).toMatchObject({ reason, fields });
  });

  test("an error of the body comes first, then of the path, then of the query", () => {
    const reasons = (body: string) => errorOf(() => send("POST", "/choice/n?nope=1", body)).reason;
    expect(reasons('{"nope":1,"choice_text":"m"}')).toBe("FIELD_UNKNOWN");
    expect(reasons('{"choice_text":"m"}')).toBe("PATH_BODY_MISMATCH");
    expect(reasons('{"choice_text":"n"}')).toBe("QUERY_UNKNOWN");
  });
});
