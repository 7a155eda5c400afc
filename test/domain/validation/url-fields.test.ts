import { type DescMessage, fromJson, type JsonObject } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { VideoSchema } from "../../../gen/svc/studio/streaming/video/v1/video_pb.ts";
import { checkUrls, isHttpUrl, isSitePath } from "../../../src/domain/validation/url-fields.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("messages/url-fields");

/** The messages of the tables. */
const SCHEMAS = {
  event: EventSchema,
  banners: BannerCollectionSchema,
  component: PageComponentSchema,
  video: VideoSchema,
} satisfies Record<string, DescMessage>;

const check = (name: keyof typeof SCHEMAS, message: JsonObject) => () =>
  checkUrls(SCHEMAS[name], fromJson<DescMessage>(SCHEMAS[name], message), "update");

each<[keyof typeof SCHEMAS, JsonObject]>("an address is allowed", (name, message) => {
  expect(check(name, message)).not.toThrow();
});

each<[keyof typeof SCHEMAS, JsonObject, string, string]>(
  "an address is rejected with its path and a reason of its kind",
  (name, message, field, reason) => {
    expect(check(name, message)).toThrow(rejection(reason, `update.${field}`));
  },
);

const eachLink = openCases("content/links");

eachLink<[string, string]>("a link", (text, want) => {
  expect([isHttpUrl(text), isSitePath(text)]).toEqual([want === "url", want === "path"]);
});
