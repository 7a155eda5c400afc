import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import type { demoSamples } from "./ids.ts";

/** The contents of the demo file: URLs, credentials and sample ids (contract: service 6). */
export interface DemoFile {
  readonly base_url: string;
  readonly cda_url: string;
  readonly organization_id: string;
  readonly projects: readonly {
    readonly id: string;
    readonly public_key: string;
    readonly preview_key: string;
  }[];
  /** Access tokens. */
  readonly accounts: Readonly<Record<"owner" | "editor" | "viewer" | "outsider", string>>;
  /** An identity token of the demo's identity provider, for ExchangeToken. */
  readonly vendor_id_token: string;
  readonly samples: typeof demoSamples;
}

/** Reads the file of an earlier start; undefined if it is missing or unreadable. */
export function readDemoFile(path: string): Partial<DemoFile> | undefined {
  try {
    const content: unknown = JSON.parse(readFileSync(path, "utf8"));
    return typeof content === "object" && content !== null ? content : undefined;
  } catch {
    return undefined;
  }
}

/** Writes the file atomically, readable by its owner only. */
export function writeDemoFile(path: string, content: DemoFile): void {
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, `${JSON.stringify(content, undefined, 2)}\n`, { mode: 0o600 });
  renameSync(draft, path);
}
