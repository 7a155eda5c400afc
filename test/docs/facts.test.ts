import { once } from "node:events";
import { existsSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { type DescMethod, getOption } from "@bufbuild/protobuf";
import { describe, expect, test } from "vitest";
import { http } from "../../gen/google/api/annotations_pb.ts";
import { SERVE } from "../../src/cli/commands/serve.ts";
import { isReadOnly } from "../../src/domain/access/roles.ts";
import { BUILT_IN_ROLES } from "../../src/domain/built-in-roles.ts";
import { PERMISSIONS } from "../../src/domain/kinds.ts";
import { MOST_COMPONENTS } from "../../src/domain/pages/components/layout.ts";
import {
  FIELD_LIMITS,
  type FieldLimits,
  INPUT_LIMITS,
} from "../../src/domain/validation/input-limits.ts";
import { CORS_HEADERS } from "../../src/http/listener/cors.ts";
import { MAX_DEPTH, MAX_VALUES } from "../../src/protojson/read-json.ts";
import { KIND_LISTS, printList } from "../../tools/kind-lists.ts";
import { findMethods, procedureOf } from "../api/methods.ts";
import { readFiles } from "../conventions/source-files.ts";
import { run } from "../harness/process.ts";
import { GUIDES, PAGES, readPage } from "./pages.ts";

const { text: methodsPage } = readPage("docs/contract/methods.md");
const { text: limitsPage } = readPage("docs/contract/limits.md");
const { text: configure } = readPage("docs/configure.md");
const { text: monitor } = readPage("docs/monitor.md");
const { scripts, version } = JSON.parse(readPage("package.json").text) as {
  scripts: Readonly<Record<string, string>>;
  version: string;
};

/** Lists the names in code of the part of a page that a pattern matches, in alphabetical order. */
function namesIn(path: string, pattern: RegExp): string[] {
  const [, part = ""] = pattern.exec(readPage(path).text) ?? [];
  return Array.from(part.matchAll(/`([^`]+)`/g), ([, name = ""]) => name).sort();
}

/** The files that start the service with settings. */
const DEPLOYED = [
  "Dockerfile",
  "deploy/compose/compose.yaml",
  "deploy/kubernetes/postgres.yaml",
  "deploy/kubernetes/sqlite.yaml",
  "deploy/systemd/marquee.service",
];

/** How long a process needs to end after it has drained, in seconds (docs/upgrading.md). */
const END = 15;

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

describe("the page of methods", () => {
  test("names every method of delivery, and no other", async () => {
    const methods = (await findMethods()).map(procedureOf);
    const named = Array.from(
      methodsPage.matchAll(/^\| `(?:GET|POST) \/(svc\.\S+)`/gm),
      ([, name]) => name,
    );
    expect(named.toSorted()).toEqual(methods.filter((it) => it.startsWith("svc.cda.")).sort());
  });

  test("names every method of studio, and no other", async () => {
    const rows = Array.from(
      methodsPage.matchAll(/^\| `(\/[a-z_/0-9]+)` \|[^|]*\| ([^|]+) \|$/gm),
      ([, path = "", methods = ""]) => ({ path, methods: methods.split(", ") }),
    );
    const named = rows.flatMap(({ path, methods }) => methods.map((it) => `${path} ${it}`));
    const wanted = (await findMethods())
      .filter((it) => it.parent.typeName.startsWith("svc.studio."))
      .flatMap(nameInTable);
    expect([...new Set(wanted)].sort()).toEqual(named.toSorted());
  });
});

test("the page of limits: shows the limits of fields as they are", () => {
  const rowOf = (start: string) =>
    limitsPage.split("\n").find((line) => line.startsWith(`| ${start}`)) ?? "";
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
  expect(limitsPage.match(/^\| `\w+\.\w+` \| /gm)).toHaveLength(own.length);
  expect(limitsPage).toContain("| JSON | 100 levels and 20,000 values |");
  expect([MAX_DEPTH, MAX_VALUES]).toEqual([100, 20_000]);
});

test.each(Object.entries(KIND_LISTS))("the kinds that a page lists are all of %s", (_of, list) => {
  expect(readPage(list.page).text.match(list.pattern)?.[0]).toBe(printList(list));
});

describe("the page of access", () => {
  /** The permissions that the row of a role names. */
  const namedBy = (id: string) =>
    namesIn("docs/contract/access.md", new RegExp(`^\\| \`${id}\` \\| (.+) \\|$`, "m"));
  const permissionsOf = (id: string) =>
    BUILT_IN_ROLES.find((it) => it.id === id)?.permissions ?? [];
  const isIam = (name: string) => /^iam(\.|$)/.test(name);

  test("says what each built-in role may do", () => {
    const changing = (id: string) => permissionsOf(id).filter((name) => !isReadOnly(name));
    const withheldFrom = (id: string) =>
      [...PERMISSIONS].filter((name) => !permissionsOf(id).includes(name));
    expect(namedBy("owner")).toEqual(withheldFrom("owner"));
    expect(namedBy("editor")).toEqual(["iam", "iam", ...changing("editor").filter(isIam)]);
    expect(withheldFrom("editor").filter((name) => !isIam(name) || isReadOnly(name))).toEqual([]);
    expect(namedBy("author")).toEqual(changing("author").sort());
    expect(changing("viewer")).toEqual([]);
    for (const id of ["author", "viewer"])
      expect(withheldFrom(id).filter(isReadOnly), id).toEqual([]);
    expect(namedBy("operator")).toEqual(permissionsOf("operator"));
  });

  test("lists every built-in role, and no other page has another", () => {
    const listed = (path: string) =>
      Array.from(
        readPage(path).text.matchAll(/^\| `(owner|editor|author|viewer|operator)` \|/gm),
        ([, id]) => id,
      );
    const ids = BUILT_IN_ROLES.map(({ id }) => id);
    for (const path of ["docs/contract/access.md", "docs/accounts.md"])
      expect(listed(path), path).toEqual(ids);
  });
});

test("the page of delivery lists the headers that pages may read", () => {
  const exposed = CORS_HEADERS["access-control-expose-headers"]?.split(", ");
  const listed = namesIn(
    "docs/contract/delivery.md",
    /Pages may read these headers[^:]+: ([^#]+)\n#/,
  );
  expect(listed).toEqual(exposed?.sort());
});

test("the pages and the contract name the most components of a page", () => {
  const files = [...PAGES, ...readFiles("proto", ".proto")];
  const stating = files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(/page has at most (\S+)\s+components/g), ([, count]) => ({
      path,
      count,
    })),
  );
  const paths = stating.map(({ path }) => path);
  expect(paths).toEqual(
    expect.arrayContaining([
      "docs/contract/limits.md",
      "proto/svc/studio/ott/page/v1/page_service.proto",
    ]),
  );
  expect(stating.filter(({ count }) => count !== String(MOST_COMPONENTS))).toEqual([]);
});

test("files of packages and images have the version of this tree", () => {
  const form = /marquee-(?:server|client)-(\d.*?)\.tgz|\/marquee:(\d\S*)|^(\d+\.\d+\.\d+\S*)$/gm;
  const files = [...PAGES, ...DEPLOYED.map(readPage)];
  const named = files.flatMap(({ path, text }) =>
    Array.from(text.matchAll(form), ([, ...forms]) => [path, forms.find((it) => it)]),
  );
  expect(named.length).toBeGreaterThan(10);
  expect(named.filter(([, name]) => name !== version)).toEqual([]);
  const manifests = ["packages/client/package.json", "package-lock.json"].map(readPage);
  for (const { path, text } of manifests)
    expect([path, JSON.parse(text).version]).toEqual([path, version]);
  const released = readPage("CHANGELOG.md").text.match(/^## \[\d.*?\]/gm) ?? [];
  expect(released).not.toContain(`## [${version}]`);
});

test("the page of the architecture says why each dependency is one", () => {
  const names = ["package.json", "tools/programs/package.json"].flatMap((path) => {
    const { dependencies, devDependencies } = JSON.parse(readPage(path).text);
    return Object.keys({ ...dependencies, ...devDependencies });
  });
  const [, text = ""] = readPage("docs/contributing/architecture.md").text.split(
    "\n## Dependencies\n",
  );
  const [section = ""] = text.split("\n## ");
  const missing = names.filter(
    (name) => !name.startsWith("@types/") && !section.includes(`\`${name}\``),
  );
  expect(missing).toEqual([]);
});

describe("the pages", () => {
  test("list every setting with its default, and no other", () => {
    const rows = Array.from(
      configure.matchAll(/^\| `--([a-z-]+)[^|]*\| ([^|]+) \|/gm),
      ([, flag = "", shown = ""]) => [flag, shown] as const,
    );
    expect(rows.map(([flag]) => flag).toSorted()).toEqual(Object.keys(SERVE.settings).sort());
    const shownOf = new Map(rows);
    for (const [flag, { fallback }] of Object.entries(SERVE.settings)) {
      if (fallback === undefined) continue;
      const want = expect.stringContaining(`\`${fallback}\``);
      expect([flag, shownOf.get(flag)]).toEqual([flag, want]);
    }
  });

  test("set only settings that exist where they are deployed", () => {
    const known = Object.keys(SERVE.settings).map(
      (flag) => `MARQUEE_${flag.replaceAll("-", "_").toUpperCase()}`,
    );
    const set = DEPLOYED.flatMap((path) => readPage(path).text.match(/MARQUEE_[A-Z_]+/g) ?? []);
    expect(set.length).toBeGreaterThan(5);
    expect(set.filter((name) => !known.includes(name))).toEqual([]);
  });

  test("name only files that exist", () => {
    const named = PAGES.flatMap(({ path, text }) =>
      Array.from(
        text.matchAll(/`((?!data\/)(?:[a-z-]+\/)+[a-z-]+(?:\.test)?\.(?:ts|json|md|tsv|proto))`/g),
        ([, name = ""]) => ({
          path,
          name,
        }),
      ),
    );
    const missing = named.filter(
      ({ path, name }) => !existsSync(name) && !existsSync(join(path, "..", name)),
    );
    expect([named.length > 10, missing]).toEqual([true, []]);
  });

  test("name only folders that exist", () => {
    const named = [...GUIDES, readPage("CONTRIBUTING.md")].flatMap(({ text }) =>
      Array.from(
        text.matchAll(/(?:^|`)((?:src|proto|test|docs|gen)\/[a-z/-]*)(?=\s|`)/gm),
        ([, name = ""]) => name,
      ),
    );
    expect(named.length).toBeGreaterThan(15);
    expect(named.filter((name) => !existsSync(name))).toEqual([]);
  });

  test("name only scripts that exist", () => {
    const named = PAGES.flatMap(({ text }) =>
      Array.from(text.matchAll(/npm run (?:-s )?([a-z:]+)/g), ([, name = ""]) => name),
    );
    expect(named.length).toBeGreaterThan(10);
    expect(named.filter((name) => !Object.hasOwn(scripts, name))).toEqual([]);
  });
});

describe("the files of a deployment", () => {
  const deployed = DEPLOYED.map(readPage);
  const find = (text: string, pattern: RegExp) =>
    Array.from(text.matchAll(pattern), ([, found = ""]) => found);

  test.each(deployed)("leave a process the time to end: $path", ({ path, text }) => {
    const [drain = 0] = find(text, /MARQUEE_DRAIN_SECONDS(?::|\s+value:) "(\d+)"/g).map(Number);
    const pattern =
      /^\s*(?:TimeoutStopSec=|terminationGracePeriodSeconds: |stop_grace_period: )(\d+)s?$/gm;
    const times = find(text, pattern).map(Number);
    expect(times).toEqual(path === "Dockerfile" ? [] : [drain + END]);
  });

  test("make a template of the unit for several processes, which leaves them the time to end", async () => {
    const install = readPage("docs/install.md").text;
    const [drain] = find(install, /^MARQUEE_DRAIN_SECONDS=(\d+)$/gm).map(Number);
    const substitutions = find(install, /-e '(s\/[^']+)'/g).flatMap((it) => ["-e", it]);
    const { stdout } = await run("sed", [...substitutions, "deploy/systemd/marquee.service"]);
    expect(find(stdout, /^TimeoutStopSec=(\d+)$/gm)).toEqual([`${Number(drain) + END}`]);
    expect(find(stdout, /^Environment=MARQUEE_LISTEN=(.*)$/gm)).toEqual(["127.0.0.1:%i"]);
  });

  test("restart every service, and bound its log", () => {
    const unit = readPage("deploy/systemd/marquee.service").text;
    for (const line of ["StartLimitIntervalSec=0", "RestartSec=5", "LogRateLimitIntervalSec=0"])
      expect(unit).toMatch(new RegExp(`^${line}$`, "m"));
    const compose = readPage("deploy/compose/compose.yaml").text;
    expect(compose).toMatch(/^x-service: &service\n {2}restart: unless-stopped\n {2}logging:\n/m);
    expect(compose).toMatch(/^x-marquee: &marquee\n {2}<<: \*service\n/m);
    const [, listed = ""] = /^services:\n([\s\S]*?)^\S/m.exec(compose) ?? [];
    const services = find(listed, /^ {2}(\w\S*):$/gm);
    expect(services.length).toBeGreaterThan(4);
    expect(find(listed, /^ {2}(\w\S*):\n {4}<<: \*(?:service|marquee)$/gm)).toEqual(services);
    const runs = GUIDES.flatMap(({ text }) => find(text, /(docker run --detach(?:.*\\\n)*.*)/g));
    expect(runs.length).toBeGreaterThan(1);
    for (const command of runs) {
      for (const option of ["--restart unless-stopped", "--log-opt max-size="])
        expect(command).toContain(option);
    }
  });

  test("check the health of the image at the address where it listens", async () => {
    const server = createServer((_request, response) => response.end()).listen(0);
    await once(server, "listening");
    const address = `0.0.0.0:${(server.address() as AddressInfo).port}`;
    const [check = "[]"] = find(readPage("Dockerfile").text, /^ {2}CMD (\["node".*\])$/gm);
    const [, ...args] = JSON.parse(check) as readonly string[];
    const codeWith = (env: Record<string, string>) =>
      run(process.execPath, args, { env }).then(({ code }) => code);
    expect(await codeWith({ MARQUEE_LISTEN: address })).toBe(0);
    expect(await codeWith({ MARQUEE_LISTEN: "0.0.0.0:1" })).toBe(1);
    expect(await codeWith({ MARQUEE_LISTEN: "0.0.0.0:1", MARQUEE_STUDIO_LISTEN: address })).toBe(0);
    server.close();
  });

  test("let SQLite sort in files beside its database, where a root file system is read-only", () => {
    const image = readPage("Dockerfile").text;
    const folders = find(image, /^ENV .*MARQUEE_DATABASE=sqlite:(\S+)\/\S+ SQLITE_TMPDIR=\S+$/gm);
    expect(folders).toEqual(find(image, / SQLITE_TMPDIR=(\S+)$/gm));
    expect(find(image, /^VOLUME (\S+)$/gm)).toEqual(folders);
    const manifest = readPage("deploy/kubernetes/sqlite.yaml").text;
    expect(manifest).toContain("readOnlyRootFilesystem: true");
    expect(find(manifest, /mountPath: (\S+)/g)).toEqual(folders);
  });

  test("show on the dashboard the errors that the alert counts", () => {
    const [, alert = ""] =
      /- alert: MarqueeErrors\n\s+expr: \|\n([\s\S]*?) > /.exec(
        readPage("deploy/prometheus/marquee.rules.yml").text,
      ) ?? [];
    const shown = JSON.parse(readPage("deploy/grafana/marquee.json").text)
      .panels.find(({ title }: { title: string }) => title === "Server errors")
      .targets[0].expr.replaceAll('job="$job",', "")
      .replaceAll("sum(", "sum by (job) (")
      .replaceAll("$__rate_interval", "5m");
    expect(shown).toBe(alert.trim().replaceAll(/\s+/g, " "));
  });

  test("ask only paths of health", () => {
    const asked = deployed.flatMap(({ text }) => find(text, /(?:path: |8080|')(\/[a-z]+z)\b/g));
    expect(asked.length).toBeGreaterThan(6);
    expect(asked.filter((path) => !methodsPage.includes(`| \`${path}\` |`))).toEqual([]);
  });

  test.each(deployed.filter(({ path }) => path.includes("kubernetes")))(
    "name ports that the service listens at: $path",
    ({ text }) => {
      const ports = find(text, /containerPort: (\d+)/g);
      expect(find(text, /value: 0\.0\.0\.0:(\d+)/g)).toEqual(ports);
      const names = find(text, /- name: (\w+)\n\s+containerPort/g);
      const used = [...find(text, /targetPort: (\w+)/g), ...find(text, /^ +port: ([a-z]+)$/gm)];
      expect(used.length).toBeGreaterThan(3);
      expect(used.filter((name) => !names.includes(name))).toEqual([]);
    },
  );

  test("copy into the image what exists and is not ignored", () => {
    const copied = find(readPage("Dockerfile").text, /^COPY (?!--from)(.*) \S+$/gm).flatMap((it) =>
      it.split(" "),
    );
    const included = find(readPage(".dockerignore").text, /^!(.*)$/gm);
    expect([...new Set(copied)].sort()).toEqual(included.toSorted());
    expect(included.filter((path) => !existsSync(path))).toEqual([]);
  });
});

test("the page on monitoring lists every line of the log at warn or error, and no other", () => {
  const [, tables = ""] = /\n\| Line at `error`([\s\S]*?)\n\n[^|]/.exec(monitor) ?? [];
  const listed = Array.from(tables.matchAll(/^\| (`[^|]+)\|/gm), ([, cell = ""]) =>
    Array.from(cell.matchAll(/`([^`]+ [^`]+)`/g), ([, line = ""]) => line),
  ).flat();
  const sources = readFiles("src", ".ts").map(({ text }) => text);
  const calls = sources.flatMap((text) =>
    Array.from(
      text.matchAll(/\blog\??\.(?:warn|error)\(([\s\S]*?)\);|\bfailure: (".*")/g),
      ([it]) => it,
    ),
  );
  const written = calls.flatMap((call) =>
    Array.from(call.matchAll(/["`]([^"`]+ [^"`]+)["`]/g), ([, line = ""]) => line),
  );
  expect(written.length).toBeGreaterThan(30);
  expect(written.filter((line) => !listed.some((it) => line.startsWith(it)))).toEqual([]);
  expect(listed.filter((line) => !sources.some((text) => text.includes(line)))).toEqual([]);
});

test("no page runs or installs the package `marquee` of npm, which is another's", () => {
  const files = ["examples", "packages", "deploy"].flatMap((it) => readFiles(it, ".md"));
  const command = /\b(?:npx|npm (?:i|install|exec))(?: -\S+)* marquee\b/;
  const wrong = [...PAGES, ...files].filter(({ text }) => command.test(text));
  expect(wrong.map(({ path }) => path)).toEqual([]);
});
