import { afterAll, describe, expect, test } from "vitest";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { importText, toText } from "./transfer.ts";

const opened: FreshStore[] = [];
afterAll(async () => {
  for (const fresh of opened) await fresh.close();
});

/** Imports a file into an empty database. */
async function importFresh(lines: readonly object[]) {
  const fresh = await openFresh();
  opened.push(fresh);
  const { created, updated, unchanged } = await importText(fresh.store, toText(lines));
  return { created, updated, unchanged };
}

const organization = (id: string) => ({ organization: { id, name: id } });
const project = (id: string, organization_id: string) => ({
  project: { id, organization_id, name: id },
});
const event = (id: string, type: string, project_id = "p") => ({
  event: { id, project_id, content_type: type },
});
const page = { page: { id: "home", project_id: "p", slug: "home" } };
const rail = (limit: number) => ({
  page_component: {
    page_id: "home",
    page_component: { id: "rail", project_id: "p", type: "rail", rail: { limit } },
  },
});
const release = { release: { id: "finals", project_id: "p", name: "Finals" } };
const draft = (type: string) => ({ ...event("a", type), release_id: "finals" });
const base = (type: string) => ({ ...draft(type), base: true });

const start = [organization("o"), project("p", "o")];

describe("a file with one resource twice", () => {
  test.each([
    [
      "content",
      [event("a", "x"), event("b", "x"), event("a", "y")],
      "line 5: event.id: must occur once in the file; a is on line 3, too, with other values",
    ],
    [
      "a page component",
      [page, rail(1), rail(2)],
      "line 5: page_component.page_component.id: must occur once in the file; rail is on line 4, too, with other values",
    ],
    [
      "a draft",
      [release, draft("x"), draft("y")],
      "line 5: draft: must occur once in the file; finals/event:a is on line 4, too, with other values",
    ],
  ])("and other values is rejected with both lines: %s", async (_, lines, message) => {
    const want = { reason: "RECORD_REPEATED", message };
    await expect(importFresh([...start, ...lines])).rejects.toMatchObject(want);
  });

  test.each([
    ["with equal values", [event("a", "x"), event("a", "x")], 3, 1],
    ["in two organizations", twoOrganizations(), 6, 0],
    [
      "as current, as the base of a draft, and as a draft",
      [event("a", "x"), release, base("x"), draft("y")],
      5,
      0,
    ],
  ])("is imported %s", async (_, lines, created, unchanged) => {
    expect(await importFresh([...start, ...lines])).toEqual({ created, updated: 0, unchanged });
  });

  test("of two organizations is also imported again, changed", async () => {
    const fresh = await openFresh();
    opened.push(fresh);
    const lines = [...start, ...twoOrganizations()];
    await importText(fresh.store, toText(lines));
    const changed = [...lines.slice(0, -1), event("a", "z", "q")];
    expect(await importText(fresh.store, toText(changed))).toMatchObject({ updated: 1 });
  });
});

/** Events of two organizations with one id. */
function twoOrganizations() {
  return [event("a", "x"), organization("other"), project("q", "other"), event("a", "y", "q")];
}
