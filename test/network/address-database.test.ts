import { renameSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import {
  openAddressDatabase,
  readAnonymity,
  readCountry,
} from "../../src/network/address-database.ts";
import { captureLog } from "../harness/captured-log.ts";
import { openCases } from "../harness/cases.ts";
import { createFolder, type Folder } from "../harness/folder.ts";
import { type MmdbEntries, writeMmdb } from "../harness/mmdb-file.ts";

const each = openCases("network/address-database");

const country = (code: string) => ({ country: { iso_code: code, names: { en: code } } });
const ENTRIES: MmdbEntries = {
  "198.51.100.0/24": country("FR"),
  "203.0.113.128/25": country("DE"),
  "2001:db8::/32": country("JP"),
};

let folder: Folder;
let path: string;
let captured: ReturnType<typeof captureLog>;
const open = () =>
  openAddressDatabase({ path, setting: "--country-database", log: captured.log, pollInterval: 5 });

beforeEach(() => {
  folder = createFolder();
  path = join(folder.path, "country.mmdb");
  captured = captureLog();
});
afterEach(() => folder.remove());

describe("a database finds the record of an IP address", () => {
  const cases: readonly (readonly [string, string | undefined])[] = [
    ["198.51.100.0", "FR"],
    ["198.51.100.255", "FR"],
    ["198.51.101.0", undefined],
    ["203.0.113.127", undefined],
    ["203.0.113.128", "DE"],
    ["2001:db8::1", "JP"],
    ["2001:db9::1", undefined],
    ["::1", undefined],
  ];
  test("of the networks that it holds, and of no other", async () => {
    writeFileSync(path, writeMmdb(ENTRIES, { buildTime: new Date("2026-02-03T04:05:06Z") }));
    const database = await open();
    const got = cases.map(([address]) => [address, readCountry(database.find(address))]);
    expect(got).toEqual(cases);
    expect(database.buildTime).toEqual(new Date("2026-02-03T04:05:06Z"));
    database.close();
  });

  test("of IPv4 alone where the tree is one of IPv4", async () => {
    writeFileSync(path, writeMmdb({ "32.1.0.0/16": country("US") }, { ipVersion: 4 }));
    const database = await open();
    expect(readCountry(database.find("32.1.13.184"))).toBe("US");
    // Its first bits are those of 32.1.13.184.
    expect(database.find("2001:db8::1")).toBe(undefined);
    database.close();
  });
});

describe("a newer file", () => {
  const replace = (content: Uint8Array) => {
    writeFileSync(`${path}.new`, content);
    renameSync(`${path}.new`, path);
  };

  test("is taken over, also when it was away for a while or was written in place", async () => {
    writeFileSync(path, writeMmdb(ENTRIES));
    const database = await open();
    const find = () => readCountry(database.find("198.51.100.1"));
    expect(find()).toBe("FR");
    replace(writeMmdb({ "198.51.100.0/24": country("IT") }, { buildTime: new Date(5_000) }));
    await expect.poll(() => find()).toBe("IT");
    expect(database.buildTime).toEqual(new Date(5_000));
    rmSync(path);
    await expect.poll(() => captured.lines.at(-1)).toMatchObject({ level: 50 });
    expect(find()).toBe("IT");
    writeFileSync(path, writeMmdb({ "198.51.100.0/24": country("ES"), "1.0.0.0/8": "longer" }));
    await expect.poll(() => find()).toBe("ES");
    database.close();
  });

  test.each<[string, () => Uint8Array]>([
    ["a text", () => Buffer.from("this is no database")],
    ["nothing", () => new Uint8Array()],
    ["half of a database", () => writeMmdb(ENTRIES).subarray(0, 300)],
    ["a database whose head is missing", () => writeMmdb(ENTRIES).subarray(600)],
    ["a compressed database", () => gzipSync(writeMmdb(ENTRIES))],
  ])("that is %s is reported once in the log, and the older one stays", async (_what, content) => {
    writeFileSync(path, writeMmdb(ENTRIES, { buildTime: new Date(9_000) }));
    const database = await open();
    replace(content());
    await expect.poll(() => captured.lines).not.toEqual([]);
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(captured.lines).toMatchObject([{ level: 50, setting: "--country-database", path }]);
    expect(readCountry(database.find("198.51.100.1"))).toBe("FR");
    expect(database.buildTime).toEqual(new Date(9_000));
    replace(writeMmdb({ "198.51.100.0/24": country("IT") }));
    await expect.poll(() => readCountry(database.find("198.51.100.1"))).toBe("IT");
    database.close();
  });

  test("is looked for no more behind the end", async () => {
    writeFileSync(path, writeMmdb(ENTRIES));
    const database = await open();
    database.close();
    replace(writeMmdb({ "198.51.100.0/24": country("IT") }));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(readCountry(database.find("198.51.100.1"))).toBe("FR");
  });
});

test("there has to be a file to begin with", async () => {
  const error = { reason: "ADDRESS_DATABASE_UNREADABLE", message: expect.stringContaining(path) };
  await expect(open()).rejects.toMatchObject(error);
  writeFileSync(path, "this is no database");
  await expect(open()).rejects.toMatchObject(error);
});

each<[unknown, boolean]>("what a record says is read with care", (record, want) => {
  expect(readAnonymity(record)).toBe(want);
});

test.each<[unknown, string | undefined]>([
  [country("FR"), "FR"],
  [country("fr"), undefined],
  [country(""), undefined],
  [{ country: { geoname_id: 1 } }, undefined],
  [{ registered_country: { iso_code: "FR" } }, undefined],
  [{ country: "FR" }, undefined],
  [undefined, undefined],
  ["FR", undefined],
  [Object.create({ country: { iso_code: "FR" } }), undefined],
])("what a record says is read with care: the country of %j", (record, want) => {
  expect(readCountry(record)).toBe(want);
});
