import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { ROOT, run } from "../harness/process.ts";

const PROGRAM = "/usr/bin/promtool";
const FOLDER = join(ROOT, "deploy/prometheus");
const RULES = readFileSync(join(FOLDER, "marquee.rules.yml"), "utf8");
const RUNBOOK = readFileSync(join(ROOT, "docs/monitor.md"), "utf8");
const CASES = readFileSync(join(FOLDER, "marquee.rules.test.yml"), "utf8");

const isRequired = process.env.CI !== undefined || process.env.MARQUEE_TEST_EDGE === "required";
const isSkipped = !existsSync(PROGRAM) && !isRequired;
if (isSkipped) {
  process.stderr.write(
    "\n*** SKIPPED: the tests of alerts, as there is no promtool (apt-get install prometheus) ***\n\n",
  );
}

const ALERTS = RULES.split(/^ {6}- alert: /m).slice(1);

test("each alert has a summary and a line that says what to look at first, and is played and in the runbook", () => {
  expect(ALERTS.length).toBeGreaterThan(10);
  for (const alert of ALERTS) {
    const [name = ""] = alert.split("\n");
    for (const part of [/^ {10}summary: ".+"$/m, /^ {10}runbook: ".+"$/m]) {
      expect([name, alert]).toEqual([name, expect.stringMatching(part)]);
    }
    expect(CASES).toContain(`alertname="${name}"`);
    expect(RUNBOOK).toContain(`| \`${name}\` |`);
  }
});

test("texts of alerts and of the dashboard show only labels that their queries keep", () => {
  const dashboard = readFileSync(join(ROOT, "deploy/grafana/marquee.json"), "utf8");
  const { panels } = JSON.parse(dashboard) as {
    panels: { targets: { expr: string; legendFormat: string }[] }[];
  };
  const shown = [
    ...ALERTS.map((alert) => ({
      query: /expr: ([\s\S]*?)\n {8}for:/.exec(alert)?.[1] ?? "",
      labels: Array.from(alert.matchAll(/\$labels\.(\w+)/g), ([, name = ""]) => name),
    })),
    ...panels.flatMap(({ targets }) =>
      targets.map(({ expr, legendFormat }) => ({
        query: expr,
        labels: Array.from(legendFormat.matchAll(/\{\{(\w+)\}\}/g), ([, name = ""]) => name),
      })),
    ),
  ];
  expect(shown.filter(({ labels }) => labels.length > 0).length).toBeGreaterThan(20);
  for (const { query, labels } of shown) {
    const kept = Array.from(query.matchAll(/\bby \(([^)]*)\)/g), ([, names = ""]) => names);
    // Without an aggregation, all are.
    const lost = /\b(?:sum|max|min|count)\b/.test(query)
      ? labels.filter((name) => !kept.join(", ").split(/,\s*/).includes(name))
      : [];
    expect([query, lost]).toEqual([query, []]);
  }
});

describe.skipIf(isSkipped)("Prometheus, given the alerts,", () => {
  test("fires each of them past its limit, and none at it", async () => {
    const args = ["test", "rules", join(FOLDER, "marquee.rules.test.yml")];
    const { code, stdout, stderr } = await run(PROGRAM, args);
    expect({ code, output: stdout + stderr }).toMatchObject({ code: 0 });
  });
});
