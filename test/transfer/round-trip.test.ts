import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { RECORD_KINDS } from "../../src/domain/records/record.ts";
import type { Store } from "../../src/storage/contract/store.ts";
import { type FreshStore, openFresh } from "../harness/fresh-store.ts";
import { createFilledLines, PROJECT } from "./filled-records.ts";
import { exportText, importText, toText } from "./transfer.ts";

const opened: FreshStore[] = [];
afterAll(async () => {
  for (const fresh of opened) await fresh.close();
});

async function openEmpty(): Promise<Store> {
  const fresh = await openFresh();
  opened.push(fresh);
  return fresh.store;
}

/** Who may do what is imported and not exported; releases are exported on request. */
const NOT_EXPORTED = ["role", "account", "binding", "webhook", "release"];

/** A file has the components of a page in their order, so that it need not say which one comes after which. */
function withoutPlace(line: string): object {
  const record = JSON.parse(line);
  delete record.page_component?.after;
  return record;
}

const kindOf = (line: string) => Object.keys(JSON.parse(line))[0] ?? "";

describe("every field of every kind", () => {
  const lines = createFilledLines();
  let store: Store;
  let text = "";
  beforeAll(async () => {
    store = await openEmpty();
    await importText(store, toText(lines));
    text = await exportText(store, PROJECT);
  });

  for (const kind of RECORD_KINDS) {
    const own = (all: readonly string[]) => all.filter((line) => kindOf(line) === kind);
    test(`of ${kind} ${NOT_EXPORTED.includes(kind) ? "stays" : "comes out as it went in"}`, () => {
      const want = NOT_EXPORTED.includes(kind) ? [] : own(lines);
      const got = own(text.trimEnd().split("\n"));
      expect(got.map((line) => JSON.parse(line))).toEqual(want.map(withoutPlace));
    });
  }

  test("comes out the same from another database, byte for byte", async () => {
    const other = await openEmpty();
    await importText(other, text);
    expect(await exportText(other, PROJECT)).toBe(text);
  });

  test("is unchanged when it is imported once more", async () => {
    for (const again of [toText(lines), text]) {
      const { created, updated } = await importText(store, again);
      expect({ created, updated }).toEqual({ created: 0, updated: 0 });
    }
    expect(await exportText(store, PROJECT)).toBe(text);
  });

  test("is written with the keys of maps and free objects in code point order", () => {
    expect(text).toContain('"fields":{"10":-0.5,"9":{},"a":"","b":[1,null,{"c":"x","d":false}]}');
  });
});
