import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { http } from "../gen/google/api/annotations_pb.ts";
import { describeUsage } from "../src/cli/help.ts";
import { SETTINGS } from "../src/config.ts";
import {
  FIELD_LIMITS,
  type FieldLimits,
  INPUT_LIMITS,
} from "../src/domain/messages/input-limits.ts";
import { MAX_DEPTH, MAX_VALUES } from "../src/transcoding/json-reader.ts";
import { findMethods, procedureOf } from "./api/methods.ts";
import {
  listDevelopmentScripts,
  type ReadmeWalk,
  readBlocks,
  walkReadme,
} from "./harness/readme-walk.ts";

const readme = readFileSync("README.md", "utf8");
const blocks = readBlocks(readme);
const { scripts } = JSON.parse(readFileSync("package.json", "utf8")) as {
  scripts: Readonly<Record<string, string>>;
};

/** The verbs of the standard methods, as the table of studio names them. */
const STANDARD = ["Create", "Get", "List", "Update", "Delete"];

/** Says how the table of studio names a method: by its collection, and by its verb or what follows. */
function nameInTable(method: DescMethod): string {
  const path = String(getOption(method, http).pattern.value);
  const [, collection = "", rest = ""] =
    /^(\/.*?v\d+(?:\/rulesets|\/policies|\/sso|\/entries)?)(.*)$/.exec(path) ?? [];
  const [, tail = ""] = /^(?:\/\{[^}]+\})?(.*)$/.exec(rest) ?? [];
  const verb = STANDARD.find((it) => method.name.startsWith(it)) ?? "";
  if (tail === "") return `${collection} ${verb.toLowerCase()}`;
  if (tail.startsWith(":")) return `${collection} \`${tail}\``;
  const id = /^\/\{([^}=]+)/.exec(rest)?.[1];
  const shown = id === undefined ? rest : `/{${id === "resource_key" ? id : "id"}}${tail}`;
  return `${collection} \`${shown}\``;
}

describe("every command of the README runs as typed, in order, on a fresh clone", () => {
  let walk: ReadmeWalk;
  beforeAll(async () => {
    walk = await walkReadme(blocks);
  }, 600_000);
  afterAll(() => walk?.close());

  /** Reads the answers of a section's blocks; one block may have several. */
  const answersOf = (section: string) =>
    walk
      .printed(section)
      .flatMap((text) =>
        text
          .trim()
          .replaceAll(/\}\s*\{/g, "}\n{")
          .split("\n"),
      )
      .filter((line) => line.startsWith("{"))
      .map((line) => JSON.parse(line));

  test("the three examples answer", () => {
    const [list, changed, explored, ...others] = walk.printed("Try it").slice(1);
    expect(others).toEqual([]);
    expect(JSON.parse(list ?? "").events).toHaveLength(2);
    expect(JSON.parse(changed ?? "").page_component.name).toBe("Welcome");
    expect(JSON.parse(explored ?? "").events).toHaveLength(2);
  });

  test("an operator gets from an empty database to a page", () => {
    const answers = answersOf("Begin from nothing");
    const page = answers.at(-1);
    expect(page.page).toMatchObject({ id: "home", slug: "home" });
    expect(page.components.map((it: { component: { id: string } }) => it.component.id)).toEqual([
      "season",
      "heading",
    ]);
    expect(page.components[0].items).toMatchObject([{ event: { id: "match-1" } }]);
    const { entries } = answers.at(-2);
    expect(entries).toHaveLength(10);
    expect(entries[0]).toMatchObject({ resource_type: "ruleset", resource_id: "everywhere" });
    expect(entries.at(-1)).toMatchObject({ resource_type: "project", resource_id: "acme" });
  });

  test("pages are rendered", () => {
    const [match, home, day] = answersOf("Render a page");
    expect(match).toMatchObject({
      page: { slug: "match" },
      object: { event: { id: "match-2026-104" } },
    });
    expect(match.components[0].items).toEqual([match.object]);
    expect(match.dropped).toBeUndefined();
    const rail = home.components.find((it: { pinned?: object; search?: string; filter?: string }) =>
      it.filter?.includes("team-fra"),
    );
    expect(rail.filter).toContain('fields.season.id: "2022"');
    expect(home.components.some((it: { hidden?: boolean }) => it.hidden)).toBe(true);
    expect(day.items).toMatchObject([{ event: { id: "match-2026-104" } }]);
  });

  test("content is found, also by the filters of the table", async () => {
    const [{ events }] = answersOf("Find content");
    expect(events[0].id).toBe("match-2026-104");
    const rows =
      readme.split("\n## Find content\n")[1]?.matchAll(/^\|[^|]*\| `([^`]+)` \|/gm) ?? [];
    const filters = Array.from(rows, ([, example = ""]) => example).slice(0, 3);
    expect(filters).toHaveLength(3);
    const url = walk.localize("http://127.0.0.1:8080/svc.cda.cms.event.v1.EventService/ListEvents");
    for (const filter of filters) {
      const message = encodeURIComponent(JSON.stringify({ filter }));
      const got = await fetch(`${url}?encoding=json&message=${message}`, {
        headers: { authorization: `Bearer ${walk.variables.PUBLIC_KEY}` },
      });
      expect(got.status, filter).toBe(200);
      const found = (await got.json()) as { events?: object[] };
      if (!filter.includes("now")) expect(found.events?.length, filter).toBeGreaterThan(0);
    }
  });

  test("the event of a billing provider is taken", () => {
    expect(answersOf("Billing events")).toMatchObject([
      { status: "TRANSACTION_STATUS_CAPTURED", ignored: false },
    ]);
  });

  test("an export is imported, adopted and copied", () => {
    const [moved, adopted, copied] = walk.printed("Export and import");
    const count = /imported (\d+) \(\1 created, 0 updated, 0 unchanged\)/;
    const [, all] = count.exec(moved ?? "") ?? [];
    expect(Number(all)).toBeGreaterThan(5_000);
    expect(adopted).toMatch(/^organization +org-worldcup$/m);
    // Without the line of the organization.
    expect(count.exec(copied ?? "")?.[1]).toBe(String(Number(all) - 1));
  });

  test("a backup is restored with all that is in it", () => {
    const [made = "", restored = ""] = walk.printed("Backup");
    const countsOf = (text: string) => text.split("\n").filter((line) => /^ {2}\w+ +\d/.test(line));
    expect(made).toMatch(/^backed up .* MiB, at migration \d+, in .* s$/m);
    expect(countsOf(made).length).toBeGreaterThan(3);
    expect(countsOf(restored)).toEqual(countsOf(made));
  });

  test("a goal runs the actions of the demo", () => {
    const [, { action_runs: runs }] = answersOf("Actions");
    expect(runs.map((it: { state: string }) => it.state)).toEqual([
      "ACTION_RUN_STATE_SUCCEEDED",
      "ACTION_RUN_STATE_SUCCEEDED",
    ]);
  });

  test("what is for work on the product alone is there", () => {
    const named = blocks.flatMap(listDevelopmentScripts);
    expect(named).toContain("test");
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

test("a command of the README that failed would be told, with what it wrote", async () => {
  const block = (text: string) => ({ section: "", text });
  const walked = walkReadme([
    block("A=1\n"),
    block("echo $A gone >&2; cat nowhere | cat; false\n"),
  ]);
  await expect(walked).rejects.toThrow(/a block of the README fails:\necho [\s\S]*1 gone/);
});

describe("the README", () => {
  test("names every method of delivery, and no other", async () => {
    const methods = (await findMethods()).map(procedureOf);
    const named = Array.from(
      readme.matchAll(/^\| `(?:GET|POST) \/(svc\.\S+)`/gm),
      ([, name]) => name,
    );
    expect(named.toSorted()).toEqual(methods.filter((it) => it.startsWith("svc.cda.")).sort());
  });

  test("names every method of studio, and no other", async () => {
    const rows = Array.from(
      readme.matchAll(/^\| `(\/[a-z_/0-9]+)` \|[^|]*\| ([^|]+) \|$/gm),
      ([, path = "", methods = ""]) => ({ path, methods: methods.split(", ") }),
    );
    const named = rows.flatMap(({ path, methods }) => methods.map((it) => `${path} ${it}`));
    const wanted = (await findMethods())
      .filter((it) => it.parent.typeName.startsWith("svc.studio."))
      .flatMap(nameInTable);
    expect([...new Set(wanted)].sort()).toEqual(named.toSorted());
  });

  test("names only files that exist", () => {
    const named = Array.from(
      readme.matchAll(/`((?:[a-z-]+\/)+[a-z-]+\.ts)`/g),
      ([, name = ""]) => name,
    );
    const missing = named.filter((name) => !existsSync(name) && !existsSync(join("src", name)));
    expect([named.length > 10, missing]).toEqual([true, []]);
  });

  test.each(SETTINGS.map(({ flag }) => [flag]))("and --help know the setting --%s", (flag) => {
    expect(readme).toContain(`\`--${flag}`);
    expect(describeUsage()).toContain(`--${flag}`);
  });

  test("tells the limits of fields as they are", () => {
    const rowOf = (start: string) =>
      readme.split("\n").find((line) => line.startsWith(`| ${start}`)) ?? "";
    const { id, filter, token, description, text, bytes, list, messages, map, json } = INPUT_LIMITS;
    const kinds: readonly (readonly [string, FieldLimits])[] = [
      ["`id`", id],
      ["a KQL filter", filter],
      ["`…_token`", token],
      ["`description`", description],
      ["any other text", text],
      ["bytes", bytes],
      ["a list; of messages", { items: list.items, entries: messages.items }],
      ["a map", map],
      ["any JSON", { values: json.values, jsonCharacters: json.jsonCharacters }],
      ["a key in any JSON", { key: json.key }],
      ["a value in any JSON", { levels: json.levels, path: json.path }],
    ];
    const own = Object.entries(FIELD_LIMITS).map(
      ([name, limits]) => [`\`${name.split(".").slice(-2).join(".")}\``, limits] as const,
    );
    for (const [start, limits] of [...kinds, ...own]) {
      const held = rowOf(start).split("|")[2] ?? "";
      const numbers = Array.from(held.matchAll(/\d[\d,]*/g), ([it]) =>
        Number(it.replaceAll(",", "")),
      );
      expect([start, numbers]).toEqual([start, Object.values(limits)]);
    }
    expect(readme.match(/^\| `\w+\.\w+` \| /gm)).toHaveLength(own.length);
    expect(readme).toContain("JSON 100 levels and 20,000 values");
    expect([MAX_DEPTH, MAX_VALUES]).toEqual([100, 20_000]);
  });

  test("names only scripts that exist", () => {
    const named = Array.from(readme.matchAll(/npm run ([a-z:]+)/g), ([, name]) => name);
    expect(named.filter((name) => !Object.hasOwn(scripts, name ?? ""))).toEqual([]);
  });
});
