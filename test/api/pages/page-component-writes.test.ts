import { expect, test } from "vitest";
import { metadataOf, send } from "../../harness/http.ts";
import { useMarquee } from "../../harness/use-marquee.ts";
import { patchComponent, readComponent } from "./pages.ts";

const marquee = await useMarquee();

const ID = "rail-home-draft";

test("500 changes of different fields of one component at the same moment all survive", async () => {
  const fields: readonly ((round: number) => readonly [name: string, value: unknown])[] = [
    (round) => ["name", `Name ${round}`],
    (round) => [
      "environments",
      [["web", "ios", "android", "tvos", "lg"][Math.floor(round / 5) % 5]],
    ],
    (round) => ["visibility", `VISIBILITY_${["PUBLISHED", "UNLISTED", "HIDDEN"][round % 3]}`],
    (round) => ["css_classes", [`class-${round}`]],
    (round) => ["rail", { limit: round }],
  ];
  const start = (await patchComponent(marquee, ID, {}, "name")).json.page_component;
  const responses = await Promise.all(
    Array.from({ length: 500 }, async (_, index) => {
      const [name, value] = fields[index % fields.length]?.(index) ?? ["", 0];
      const { status, headers, json } = await patchComponent(marquee, ID, { [name]: value }, name);
      // The tags count up, so they show the order in which the writes took place.
      const order = Number.parseInt(headers.get("etag")?.slice(1, -1) ?? "", 36);
      return { status, order, name, after: json.page_component };
    }),
  );
  expect(responses.filter((it) => it.status !== 200)).toEqual([]);
  // An update that changes nothing keeps the tag; names, classes and limits differ each time.
  expect(new Set(responses.map((it) => it.order)).size).toBeGreaterThanOrEqual(300);
  let state = start;
  // One that changes nothing has the tag and the response of the write before it.
  const writes = Map.groupBy(responses, ({ order }) => order);
  for (const [, same] of [...writes].sort(([a], [b]) => a - b)) {
    const after = same[0]?.after;
    for (const each of same) expect(each.after).toEqual(after);
    const wants = same.map(({ name }) => ({ ...state, [name]: after[name] }));
    expect(wants).toContainEqual(after);
    state = after;
  }
  const { data, ...stored } = (await readComponent(marquee, ID)).json.page_components[0];
  expect({ ...stored, rail: data }).toEqual({ ...state, props: {} });
});

test("with If-Match, of 32 writers at the same moment the others get the tag of the one let through", async () => {
  const start = await patchComponent(marquee, ID, { name: "start" }, "name");
  const tag = start.headers.get("etag") ?? "";
  const write = (name: string, more = {}) =>
    send("PATCH", `${marquee.url}/ott/page_components/v2/${ID}`, {
      token: marquee.tokens.owner,
      headers: { "if-match": tag },
      body: { page_component_update: { name }, update_mask: "name", ...more },
    });
  const names = Array.from({ length: 32 }, (_, index) => `name-${index}`);
  const [got] = await Promise.all([
    Promise.all(names.map((name) => write(name))),
    // Dry runs in between change nothing.
    Promise.all(names.map((name) => write(`dry-${name}`, { validate_only: true }))),
  ]);
  const [through, ...others] = got.toSorted((a, b) => a.status - b.status);
  expect([through?.status, ...new Set(others.map((it) => it.status))]).toEqual([200, 409]);
  const tags = others.map((it) => metadataOf(it)?.etag);
  expect([...new Set(tags)]).toEqual([through?.headers.get("etag")]);
  const [stored] = (await readComponent(marquee, ID)).json.page_components;
  expect(stored.name).toBe(through?.json.page_component.name);
});
