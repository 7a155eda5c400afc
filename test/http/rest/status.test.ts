import { create, toJsonString } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { describe, expect, test } from "vitest";
import { BadRequestSchema, ErrorInfoSchema } from "../../../gen/google/rpc/error_details_pb.ts";
import { ListTransactionsResponseSchema } from "../../../gen/svc/studio/monetization/transaction/v1/transaction_service_pb.ts";
import { UpdatePageComponentResponseSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { CreateRulesetResponseSchema } from "../../../gen/svc/studio/streaming/ruleset/v2/ruleset_service_pb.ts";
import { FULL_JSON } from "../../../src/domain/base/json.ts";
import { httpStatusOf, writeStatus } from "../../../src/http/rest/status.ts";

describe("a message is written", () => {
  test("with proto names and the zero values of fields without presence", () => {
    const response = create(UpdatePageComponentResponseSchema, {
      pageComponent: { id: "c1", data: { case: "contentGrid", value: {} } },
    });
    expect(
      JSON.parse(toJsonString(UpdatePageComponentResponseSchema, response, FULL_JSON)),
    ).toEqual({
      page_component: {
        id: "c1",
        project_id: "",
        name: "",
        type: "",
        environments: [],
        visibility: "VISIBILITY_UNSPECIFIED",
        group_id: "",
        css_classes: [],
        content_grid: {},
      },
    });
  });

  test("without unset messages, oneof members and optional fields, 64-bit integers as strings", () => {
    const response = create(CreateRulesetResponseSchema, {
      videoProtectionRuleset: { disallowVpnUsage: false, priority: 9007199254740993n },
    });
    const [ruleset] = Object.values(
      JSON.parse(toJsonString(CreateRulesetResponseSchema, response, FULL_JSON)),
    );
    expect(ruleset).toEqual({
      id: "",
      project_id: "",
      name: "",
      disallow_vpn_usage: false,
      disabled: false,
      priority: "9007199254740993",
    });
  });

  test("with times in UTC and maps by their keys", () => {
    const response = create(ListTransactionsResponseSchema, {
      transactions: [{ createTime: { seconds: 1_781_204_400n, nanos: 500_000_000 } }],
      summary: { totalRevenueByCurrency: { EUR: { currencyCode: "EUR", units: 5n } } },
    });
    expect(
      JSON.parse(toJsonString(ListTransactionsResponseSchema, response, FULL_JSON)),
    ).toMatchObject({
      transactions: [{ create_time: "2026-06-11T19:00:00.500Z", is_test: false }],
      next_page_token: "",
      summary: {
        total_count: 0,
        total_revenue_by_currency: { EUR: { currency_code: "EUR", units: "5", nanos: 0 } },
      },
    });
  });
});

describe("a status is written", () => {
  const info = { reason: "FIELD_UNKNOWN", domain: "marquee", metadata: { field: "a" } };
  const type = "type.googleapis.com/google.rpc";

  test("with all its keys, even when they are empty, and a line end", () => {
    expect(writeStatus(new ConnectError("", Code.NotFound))).toBe(
      '{"code":5,"message":"","details":[]}\n',
    );
  });

  test("with the message as it was given and the details under their type", () => {
    const error = new ConnectError("no", Code.InvalidArgument, undefined, [
      { desc: ErrorInfoSchema, value: info },
      { desc: BadRequestSchema, value: { fieldViolations: [{ field: "a", description: "b" }] } },
    ]);
    expect(JSON.parse(writeStatus(error))).toEqual({
      code: 3,
      message: "no",
      details: [
        { "@type": `${type}.ErrorInfo`, ...info },
        {
          "@type": `${type}.BadRequest`,
          field_violations: [{ field: "a", description: "b", reason: "" }],
        },
      ],
    });
  });
});

test("the HTTP status of a code that no error has is 500", () => {
  expect(httpStatusOf(99)).toBe(500);
});
