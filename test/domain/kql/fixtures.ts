import { readFileSync } from "node:fs";
import type { KqlNode } from "../../../src/domain/kql/index.ts";

/** Reads the fixtures of one file, a JSON case a line. */
export function readCases<Case>(name: "valid" | "invalid" | "match"): readonly Case[] {
  const url = new URL(`../../fixtures/kql/${name}.ndjson`, import.meta.url);
  const lines = readFileSync(url, "utf8").split("\n");
  return lines.filter((line) => line !== "").map((line): Case => JSON.parse(line));
}

/** Answers the tree as plain JSON without spans, so that trees of different texts compare. */
export function withoutSpans(node: KqlNode): unknown {
  return JSON.parse(JSON.stringify(node, (key, value) => (key === "span" ? undefined : value)));
}
