import { type DescMessage, toJsonString } from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import { GetPageResponseSchema } from "../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { ListEventsResponseSchema } from "../../gen/svc/studio/cms/event/v1/event_service_pb.ts";
import { VideoProtectionRulesetSchema } from "../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { FULL_JSON } from "../../src/domain/base/json.ts";
import { runAll } from "../../src/domain/base/steps.ts";
import { writeJson } from "../../src/protojson/write-json.ts";
import { messageOf } from "../harness/message-of.ts";

const SCHEMAS: readonly DescMessage[] = [
  ListEventsResponseSchema,
  GetPageResponseSchema,
  VideoProtectionRulesetSchema,
];

test.each(SCHEMAS.flatMap((schema) => [[schema, {}] as const, [schema, FULL_JSON] as const]))(
  "$typeName is written as the library does, with a newline (%#)",
  (schema, options) => {
    fc.assert(
      fc.property(messageOf(schema), (message) => {
        const written = runAll(writeJson(schema, message, options));
        const want = `${toJsonString(schema, message, options)}\n`;
        expect(Buffer.from(written).toString()).toBe(want);
      }),
    );
  },
);
