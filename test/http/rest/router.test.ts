import type { MessageInitShape } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import type { HttpRuleSchema } from "../../../gen/google/api/http_pb.ts";
import { AuthService } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import { SignInIntegrationService } from "../../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { TransactionService } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { PageComponentService as PageComponentServiceV1 } from "../../../gen/svc/studio/ott/page_component/v1/page_component_service_pb.ts";
import { PageComponentService } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { RulesetService } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { Router } from "../../../src/http/rest/router.ts";
import { errorOf } from "./call.ts";
import { buildMethods, type MethodSpec } from "./descriptors.ts";

type Rule = MessageInitShape<typeof HttpRuleSchema>;

/** Says in one line where a request goes. */
function lookUp(router: Router, httpMethod: string, path: string): string {
  const result = router.route(httpMethod, path);
  switch (result.kind) {
    case "match": {
      const variables = [...result.variables].map(([name, value]) => ` ${name}=${value}`);
      return result.binding.method.name + variables.join("");
    }
    case "method_not_allowed":
      return `405 ${result.allow.join(",")}`;
    case "not_found":
      return "404";
    default:
      return result satisfies never;
  }
}

function get(name: string, path: string): MethodSpec {
  return { name, rule: { pattern: { case: "get", value: path } } };
}

function post(name: string, path: string): MethodSpec {
  return { name, rule: { pattern: { case: "post", value: path } } };
}

describe("the contract's routes", () => {
  const router = new Router([
    ...PageComponentService.methods,
    ...PageComponentServiceV1.methods,
    ...AuthService.methods,
    ...SignInIntegrationService.methods,
    ...TransactionService.methods,
    ...RulesetService.methods,
  ]);
  const policies = "/iam/auth/v1/policies";
  test.each([
    ["PATCH", "/ott/page_components/v2/c1", "UpdatePageComponent page_component_id=c1"],
    ["PATCH", "/ott/page_components/v2/a%2Fb%20%25", "UpdatePageComponent page_component_id=a/b %"],
    ["PATCH", "/ott/page_components/v2/a+b", "UpdatePageComponent page_component_id=a+b"],
    ["PATCH", "/ott/page_components/v2/a:b", "UpdatePageComponent page_component_id=a:b"],
    ["PATCH", "/ott/page_components/v2/..", "UpdatePageComponent page_component_id=.."],
    ["PATCH", "/ott/page_%63omponents/v2/c1", "UpdatePageComponent page_component_id=c1"],
    ["GET", "/ott/page_components/v2/c1", "GetPageComponent page_component_id=c1"],
    ["PUT", "/ott/page_components/v2/c1", "405 DELETE,GET,HEAD,PATCH"],
    ["patch", "/ott/page_components/v2/c1", "405 DELETE,GET,HEAD,PATCH"],
    ["PATCH", "/ott/page_components/v2/c1/", "404"],
    ["PATCH", "/x/ott/page_components/v2/c1", "404"],
    ["PATCH", "/OTT/PAGE_COMPONENTS/V2/c1", "404"],
    ["PATCH", "/ott/page_components/v2/", "404"],
    ["PATCH", "/ott/page_components/v2", "405 GET,HEAD,POST"],
    ["PATCH", "/ott/page_components//v2/c1", "404"],
    ["PATCH", "//ott/page_components/v2/c1", "404"],
    ["PATCH", "ott/page_components/v2/c1", "404"],
    ["PATCH", "http://host/ott/page_components/v2/c1", "404"],
    ["PATCH", "/ott/page%5Fcomponents/v2/%zz/x", "404"],
    ["GET", "/", "404"],
    ["GET", "", "404"],
    ["OPTIONS", "*", "404"],
    ["GET", "/ott/page_components/v1/batch", "BatchGetPageComponents"],
    ["POST", "/streaming/video_protection/v2/rulesets", "CreateRuleset"],
    ["GET", "/monetization/transactions/v1", "ListTransactions"],
    ["PATCH", "/iam/users/v1/sso/worldcup", "UpdateSignInIntegration project_id=worldcup"],
    [
      "GET",
      `${policies}/o1/organization/test_permissions`,
      "TestPermissions resource_key=o1/organization",
    ],
    ["GET", `${policies}/a/b/project/test_permissions`, "TestPermissions resource_key=a/b/project"],
    [
      "GET",
      `${policies}/a%2Fb%2Fproject/test_permissions`,
      "TestPermissions resource_key=a/b/project",
    ],
    ["GET", `${policies}/a%2fb/p%20q/test_permissions`, "TestPermissions resource_key=a%2fb/p q"],
    ["GET", `${policies}/a/b/c/d/e/test_permissions`, "404"],
    ["POST", `${policies}/a/b/test_permissions`, "405 GET,HEAD"],
  ] as const)("%s %s is %s", (httpMethod, path, want) => {
    expect(lookUp(router, httpMethod, path)).toBe(want);
  });

  test.each(["%", "%2", "%zz", "a%ff", "%c3%28", "%ed%a0%80"])(
    "the id %s is PATH_MALFORMED",
    (id) => {
      const got = errorOf(() => router.route("PATCH", `/ott/page_components/v2/${id}`));
      expect(got).toMatchObject({ reason: "PATH_MALFORMED", fields: ["page_component_id"] });
    },
  );

  test("a broken escape beside a kept %2F in several segments is PATH_MALFORMED", () => {
    for (const key of ["a%zz/b", "a/b%2F%", "%E2%2F%82/b"]) {
      const got = errorOf(() => router.route("GET", `${policies}/${key}/test_permissions`));
      expect(got).toMatchObject({ reason: "PATH_MALFORMED", fields: ["resource_key"] });
    }
  });
});

describe("precedence", () => {
  const router = new Router(
    buildMethods([
      get("Any", "/v1/{text}"),
      get("Me", "/v1/me"),
      post("PostAny", "/v1/{text}"),
      { name: "PatchMe", rule: { pattern: { case: "patch", value: "/v1/me" } } },
      get("Deep", "/v1/a/b/c"),
      get("Middle", "/v1/a/{text}/d"),
      post("Archive", "/v1/{text}:archive"),
      {
        name: "Put",
        rule: { pattern: { case: "put", value: "/v3/{choice_text}/{text=x/*}" } },
      },
      { name: "Delete", rule: { pattern: { case: "delete", value: "/v3/y" } } },
      { name: "NoRule" },
    ]),
  );
  test.each([
    ["GET", "/v1/me", "Me"],
    ["GET", "/v1/%6De", "Me"],
    ["GET", "/v1/you", "Any text=you"],
    ["GET", "/v1/x/y", "404"],
    ["GET", "/v1", "404"],
    ["GET", "/v1/x//y", "404"],
    ["POST", "/v1/me", "PostAny text=me"],
    ["PATCH", "/v1/me", "PatchMe"],
    ["PATCH", "/v1/you", "405 GET,HEAD,POST"],
    ["DELETE", "/v1/me", "405 GET,HEAD,PATCH,POST"],
    ["GET", "/v1/a/b/c", "Deep"],
    ["GET", "/v1/a/b/d", "Middle text=b"],
    ["GET", "/v1/a/b/e", "404"],
    ["POST", "/v1/x:archive", "Archive text=x"],
    ["POST", "/v1/x:y:archive", "Archive text=x:y"],
    ["POST", "/v1/x%3Aarchive", "PostAny text=x:archive"],
    ["POST", "/v1/x:unknown", "PostAny text=x:unknown"],
    ["POST", "/v1/:archive", "PostAny text=:archive"],
    ["POST", "/v1/x:", "PostAny text=x:"],
    ["GET", "/v1/x:archive", "Any text=x:archive"],
    ["GET", "/v1/a%20b", "Any text=a b"],
    ["PURGE", "/v1/x", "405 GET,HEAD,POST"],
    ["PUT", "/v3/7/x/y%2Fz%20", "Put choice_text=7 text=x/y%2Fz "],
    ["DELETE", "/v3/y", "Delete"],
    ["GET", "/v3/y", "405 DELETE"],
  ] as const)("%s %s is %s", (httpMethod, path, want) => {
    expect(lookUp(router, httpMethod, path)).toBe(want);
  });
});

describe("a bad rule ends the start with the method's full name", () => {
  const one: Rule = { pattern: { case: "get", value: "/a" } };
  test.each<[string, Rule, string]>([
    ["no path", {}, "the rule has no path"],
    ["a bad template", { pattern: { case: "get", value: "/a/" } }, "is not a literal"],
    [
      "a custom method",
      { pattern: { case: "custom", value: { kind: "PURGE", path: "/a" } } },
      "the rule has no path",
    ],
    [
      "nested additional bindings",
      { ...one, additionalBindings: [{ ...one, additionalBindings: [one] }] },
      "must not be nested",
    ],
    ["a bad additional binding", { ...one, additionalBindings: [{}] }, "the rule has no path"],
    ["an unknown body field", { ...one, body: "nope" }, 'the body field "nope" is not a field'],
    ["a nested body field", { ...one, body: "inner.name" }, 'the body field "inner.name"'],
    ["a response body", { ...one, responseBody: "inner" }, "response_body is not supported"],
    [
      "an unknown path field",
      { pattern: { case: "get", value: "/{nope}" } },
      '"nope" is not a field of test.Everything',
    ],
    [
      "a repeated path field",
      { pattern: { case: "get", value: "/{tags}" } },
      "not a singular string",
    ],
    [
      "a message path field",
      { pattern: { case: "get", value: "/{inner}" } },
      "not a singular string",
    ],
    ["a number path field", { pattern: { case: "get", value: "/{int}" } }, "a singular string"],
  ])("%s", (_, rule, want) => {
    const create = () => new Router(buildMethods([{ name: "Bad", rule }]));
    expect(create).toThrow("test.Service.Bad: ");
    expect(create).toThrow(want);
  });

  test("a streaming method", () => {
    const methods = buildMethods([{ name: "Bad", rule: one, streaming: true }]);
    expect(() => new Router(methods)).toThrow("test.Service.Bad: a streaming method");
  });

  test.each([
    ["/a/{text}", "/a/{choice_text}"],
    ["/a/{text}", "/a/*"],
    ["/a/bc", "/a/bc"],
    ["/{text=a/*}:go", "/a/*:go"],
  ] as const)("two routes %s and %s", (first, second) => {
    const methods = buildMethods([get("One", first), get("Two", second)]);
    const want = `test.Service.Two: GET ${second} is already a route of test.Service.One`;
    expect(() => new Router(methods)).toThrow(want);
  });

  test.each([
    ["/a/{text}", "/a/{text=*/*}"],
    ["/a/{text}", "/a/{text}:go"],
    ["/a/*", "/a/b"],
  ] as const)("but not the different routes %s and %s", (first, second) => {
    new Router(buildMethods([get("One", first), get("Two", second)]));
  });
});
