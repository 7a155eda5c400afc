import { timestampFromDate } from "@bufbuild/protobuf/wkt";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { issueAccessToken } from "../../../src/auth/issue.ts";
import { openSqliteStore } from "../../../src/storage/sqlite/open.ts";
import { runCommand } from "../../harness/command.ts";
import { send } from "../../harness/http.ts";
import { startOver } from "../../harness/marquee.ts";
import { serveHere } from "../../harness/service-process.ts";
import { useServiceFolder } from "../../harness/test-folder.ts";

const folder = useServiceFolder();
let service: Awaited<ReturnType<typeof serveHere>>;
beforeAll(async () => {
  service = await serveHere(folder);
});
afterAll(() => service.stop());

const TRANSACTIONS = "/monetization/transactions/v1?page_size=1";
const DAY = 24 * 3_600_000;

const token = (...args: string[]) =>
  runCommand("token", ...args, "--database", `sqlite:${folder.database}`);

const statusOf = async (secret: string, url = service.studioUrl) =>
  (await send("GET", url + TRANSACTIONS, { token: secret })).status;

/** Makes a token and reads what the command shows. */
async function create(...args: string[]) {
  const { code, stdout, stderr } = await token("create", "--account", "account-viewer", ...args);
  expect(stderr).toBe("");
  expect(code).toBe(0);
  const [, id = "", secret = ""] =
    /^id {5}(\S+)\ntoken {2}(mqa_\S+)\nThe token is not shown again\.\n$/.exec(stdout) ?? [];
  expect(secret).not.toBe("");
  return { id, secret };
}

describe("marquee token, beside a running service", () => {
  test("makes a token that works at once and is shown only once", async () => {
    const { id, secret } = await create("--name", "for the press");
    expect(await statusOf(secret)).toBe(200);
    const { stdout } = await token("list");
    const line = stdout.split("\n").find((it) => it.startsWith(id));
    expect(line).toMatch(/account-viewer {2}valid {2}\S+ {2}for the press$/);
    expect(stdout).not.toContain("mqa_");
    expect(stdout).not.toContain(secret.slice(4));
  });

  test("revokes a token at once, and again without harm", async () => {
    const { id, secret } = await create();
    expect(await statusOf(secret)).toBe(200);
    const revoked = await token("revoke", id);
    expect(revoked).toMatchObject({ code: 0, stdout: `revoked ${id}\n` });
    expect(await statusOf(secret)).toBe(401);
    expect((await token("revoke", id)).code).toBe(0);
    const { stdout } = await token("list", "--account", "account-viewer");
    expect(stdout.split("\n").find((it) => it.startsWith(id))).toContain("  revoked ");
  });

  test("lists a token past its end as expired", async () => {
    const store = openSqliteStore(folder.database);
    const { documents } = store.in("org-worldcup");
    const expireTime = timestampFromDate(new Date(Date.now() - 60_000));
    const expired = { id: "past-its-end", accountId: "account-viewer", name: "", expireTime };
    await issueAccessToken(documents, expired, new Date(Date.now() - DAY));
    await store.close();
    const { stdout } = await token("list");
    const line = stdout.split("\n").find((it) => it.startsWith("past-its-end"));
    expect(line).toMatch(/ {2}expired 2\d{3}-\S+Z {2}/);
    expect(line).not.toContain("valid");
  });

  test("makes a token that ends, and is 401 from then on", async () => {
    const { id, secret } = await create("--days", "2");
    expect(await statusOf(secret)).toBe(200);
    const { stdout } = await token("list");
    expect(stdout.split("\n").find((it) => it.startsWith(id))).toContain("  valid until ");
    const store = openSqliteStore(folder.database);
    let ahead = 2 * DAY - 60_000;
    const later = await startOver(store, { clock: () => new Date(Date.now() + ahead) });
    expect(await statusOf(secret, later.studioUrl)).toBe(200);
    ahead = 2 * DAY + 1_000;
    expect(await statusOf(secret, later.studioUrl)).toBe(401);
    await later.close(1_000);
    await store.close();
  });

  test("lists one account's tokens only when asked to", async () => {
    for (const account of ["account-viewer", "account-outsider"])
      await token("create", "--account", account);
    const { stdout } = await token("list", "--account", "account-outsider");
    const accounts = stdout
      .trim()
      .split("\n")
      .map((line) => line.split("  ")[1]);
    expect(new Set(accounts)).toEqual(new Set(["account-outsider"]));
  });

  test("a list of all tokens takes no organization", async () => {
    const { code, stderr } = await token("list", "--organization-id", "org-worldcup");
    expect(code).toBe(2);
    expect(stderr).toBe("marquee: token list takes --organization-id only with --account ID\n");
  });

  for (const [args, want] of [
    [["create", "--account", "nobody"], /account nobody does not exist/],
    [["revoke", "nothing"], /access_token nothing does not exist/],
  ] as const) {
    test(`${args.join(" ")} ends with code 1 and one line`, async () => {
      const got = await token(...args);
      expect(got.code).toBe(1);
      expect(got.stderr).toMatch(/^marquee: [^\n]+\n$/);
      expect(got.stderr).toMatch(want);
    });
  }
});
