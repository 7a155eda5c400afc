import { create } from "@bufbuild/protobuf";
import { expect, test } from "vitest";
import { EntitySchema } from "../../gen/svc/cda/cms/entity/v1/entity_pb.ts";
import { connectHeaders } from "../harness/calls.ts";
import { send } from "../harness/http.ts";
import { expectWithin, LONGEST_TURN, watchTurns } from "../harness/turns.ts";
import { useMarquee } from "../harness/use-marquee.ts";

const COUNT = 60;

const marquee = await useMarquee();
const { owner: token } = marquee.tokens;

const { entity: entities } = marquee.store.in("org-worldcup").documents;
for (let number = 0; number < COUNT; number += 1) {
  const fields = Object.fromEntries(
    Array.from({ length: 4_000 }, (_, key) => [`k${key}`, key % 10]),
  );
  const id = `large-${number}`;
  await entities.create(create(EntitySchema, { id, projectId: "sandbox", fields }));
}

test.each([
  [
    "HTTP/JSON",
    () =>
      send("GET", `${marquee.url}/cms/entities/v1?project_id=sandbox&page_size=${COUNT}`, {
        token,
      }),
  ],
  [
    "Connect",
    () =>
      send("POST", `${marquee.url}/svc.studio.cms.entity.v1.EntityService/ListEntities`, {
        headers: connectHeaders(token),
        body: { projectId: "sandbox", pageSize: COUNT },
      }),
  ],
])("other calls run while a list of very many values is written: %s", async (_, list) => {
  expect((await list()).json.entities).toHaveLength(COUNT);
  const { longest } = await watchTurns(list);
  expectWithin(longest, LONGEST_TURN / 2);
});
