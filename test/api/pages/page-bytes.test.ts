import {
  create,
  fromBinary,
  fromJson,
  type JsonObject,
  toBinary,
  toJsonString,
} from "@bufbuild/protobuf";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  GetPageRequestSchema,
  GetPageResponseSchema,
} from "../../../gen/svc/cda/ott/page/v1/page_service_pb.ts";
import { PageComponentSchema } from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import { Visibility } from "../../../gen/svc/type/v1/visibility_pb.ts";
import { anyComponent } from "../../domain/pages/rendering/any-component.ts";
import { useSmallMarquee } from "../../harness/use-marquee.ts";
import { ALPHA, createEvent, createSmallDataset } from "../../storage/small-dataset.ts";
import { getPage } from "./pages.ts";
import { createPage } from "./small-pages.ts";

const PAGES = fc
  .sample(fc.array(anyComponent, { minLength: 1, maxLength: 6 }), 40)
  .map((components, page) =>
    createPage(
      `page-${page}`,
      components.map((it, part) =>
        create(PageComponentSchema, {
          ...it,
          ...{ id: `part-${page}-${part}`, projectId: ALPHA, visibility: Visibility.PUBLISHED },
          // The components of a group are adjacent.
          groupId: it.groupId === "" ? "" : `group-${part}`,
        }),
      ),
      { parameters: ["id"] },
    ),
  );

const EVENTS = ["a", "b", "e1", "final", "of e1"].map((id) =>
  createEvent(id, { title: { en: `Curaçao – ${id}` }, fields: { a: "b", c: "d", "–": [1] } }),
);

const marquee = await useSmallMarquee(createSmallDataset({ events: EVENTS, pages: PAGES }));

/** Asks for the binary message, which is not composed of stored JSON, and writes it by the library. */
async function readByLibrary(message: JsonObject): Promise<string> {
  const request = toBinary(GetPageRequestSchema, fromJson(GetPageRequestSchema, message));
  const got = await fetch(`${marquee.url}/svc.cda.ott.page.v1.PageService/GetPage`, {
    method: "POST",
    headers: {
      "content-type": "application/proto",
      "connect-protocol-version": "1",
      authorization: `Bearer ${marquee.keys.public}`,
    },
    body: Buffer.from(request),
  });
  const bytes = new Uint8Array(await got.arrayBuffer());
  return toJsonString(GetPageResponseSchema, fromBinary(GetPageResponseSchema, bytes));
}

test("a page composed of stored JSON is what the library writes", async () => {
  const shown = new Set<string>();
  for (const { page } of PAGES) {
    for (const session of [{}, { k: [1, 2], query: "final" }, {}]) {
      const message = { id: page.id, parameters: { id: "e1" }, includeItems: true, session };
      const got = await getPage(marquee, message);
      expect(got.text).toBe(await readByLibrary(message));
      for (const name of got.text.matchAll(/"(items|filter|dropped|hidden)":/g)) {
        shown.add(name[1] ?? "");
      }
    }
  }
  expect([...shown].toSorted()).toEqual(["dropped", "filter", "hidden", "items"]);
});
