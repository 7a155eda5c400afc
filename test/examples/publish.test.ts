import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core";
import { publint } from "publint";
import { formatMessage } from "publint/utils";
import { describe, expect, test } from "vitest";
import { ROOT } from "../harness/process.ts";
import { npm, readPacked } from "./packed.ts";

const FOLDERS = { server: ".", client: "packages/client" } as const;
const packed = readPacked();

describe.each(["server", "client"] as const)("the package @marquee/%s", (name) => {
  test("can be published under its scope", async () => {
    const { stdout, stderr } = await npm(
      dirname(packed[name]),
      "publish",
      "--dry-run",
      "--json",
      "--tag=dev",
      packed[name],
    );
    expect(stderr).not.toContain("warn");
    const { version } = JSON.parse(readFileSync(join(ROOT, FOLDERS[name], "package.json"), "utf8"));
    const id = `@marquee/${name}@${version}`;
    expect(Object.values(JSON.parse(stdout))).toMatchObject([{ id }]);
  });

  test("is correct by publint", async () => {
    const tarball = new Uint8Array(readFileSync(packed[name])).buffer;
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true });
    expect(messages.map((it) => formatMessage(it, pkg, { color: false }))).toEqual([]);
  });

  test("has types that resolve as modules, in Node and for bundlers, by attw", async () => {
    const data = createPackageFromTarballData(new Uint8Array(readFileSync(packed[name])));
    const result = await checkPackage(data);
    const problems = result.types === false ? ["no types"] : result.problems;
    expect(problems.filter((it) => !/"(?:node10|node16-cjs)"/.test(JSON.stringify(it)))).toEqual(
      [],
    );
  });

  test("links from its README to pages that exist", () => {
    const text = readFileSync(join(ROOT, FOLDERS[name], "README.md"), "utf8");
    const links = Array.from(text.matchAll(/\]\((?!#)([^)#\s]+)/g), ([, link = ""]) => link);
    expect(links).not.toEqual([]);
    // npm shows a relative link below the folder of the repository.
    const missing = links.filter(
      (it) => !/^https:/.test(it) && !existsSync(join(ROOT, FOLDERS[name], it)),
    );
    expect(missing).toEqual([]);
  });
});

test("the folder is the one that npm resolves links from", () => {
  const { repository } = JSON.parse(
    readFileSync(join(ROOT, FOLDERS.client, "package.json"), "utf8"),
  );
  expect(repository.directory).toBe(FOLDERS.client);
});
