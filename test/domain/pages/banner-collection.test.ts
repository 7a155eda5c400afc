import { fromJson, type JsonObject } from "@bufbuild/protobuf";
import { expect } from "vitest";
import { BannerCollectionSchema } from "../../../gen/svc/cda/ott/banner_collection/v2/banner_collection_pb.ts";
import { checkBannerCollection } from "../../../src/domain/pages/banner-collection.ts";
import { openCases } from "../../harness/cases.ts";
import { rejection } from "../../harness/rejection.ts";

const each = openCases("pages/banner-collection");

const check = (banner: JsonObject) => () =>
  checkBannerCollection(fromJson(BannerCollectionSchema, { banners: [{}, banner] }), "collection");

each<[string, JsonObject]>("a banner is allowed", (_name, banner) => {
  expect(check(banner)).not.toThrow();
});

each<[string, JsonObject, string, string]>(
  "a banner is rejected",
  (_name, banner, reason, field) => {
    expect(check(banner)).toThrow(rejection(reason, `collection.banners[1].${field}`));
  },
);
