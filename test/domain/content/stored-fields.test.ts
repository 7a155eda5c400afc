import { create, type DescMessage, toJsonString } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { CreativeWorkSchema } from "../../../gen/svc/cda/cms/creative_work/v1/creative_work_pb.ts";
import { EntitySchema } from "../../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { EventSchema } from "../../../gen/svc/cda/cms/event/v1/event_pb.ts";
import { readStoredFields } from "../../../src/domain/content/stored-fields.ts";

const FREE = { fields: { homeTeam: { id: 1 } } };
const RELEASED = { release_time: "1970-01-01T00:00:00Z" };

test("content of every kind is read with proto field names, free fields as they are", () => {
  const cases: readonly [DescMessage, object, object][] = [
    [EventSchema, { contentType: "match" }, { content_type: "match" }],
    [CreativeWorkSchema, { releaseTime: { seconds: 0n } }, RELEASED],
    [EntitySchema, { posterImageUrl: "u" }, { poster_image_url: "u" }],
  ];
  for (const [schema, sent, want] of cases) {
    const json = toJsonString(schema, create(schema, { ...sent, ...FREE }));
    expect(readStoredFields(json)).toEqual({ ...want, ...FREE });
  }
});
