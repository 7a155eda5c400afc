import { randomUUID } from "node:crypto";
import { ProjectKeyKind } from "../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { issueAccessToken, issueProjectKey } from "../auth/issue.ts";
import { hashToken } from "../auth/token.ts";
import type { ProjectKeyKind as KeyKind, Store } from "../storage/store.ts";
import type { DemoFile } from "./demo-file.ts";
import { SANDBOX, WORLD_CUP } from "./ids.ts";

/** The secrets in the demo file. */
export type DemoCredentials = Pick<DemoFile, "projects" | "accounts">;

/**
 * Returns working credentials of the demo. Credentials in the file of an earlier start are reused if they are
 * still valid; missing ones are created, because tokens are not stored in plain text anywhere else.
 */
export async function issueDemoCredentials(
  store: Store,
  earlier: Partial<DemoCredentials> | undefined,
  now: Date,
): Promise<DemoCredentials> {
  const account = (role: keyof DemoCredentials["accounts"]) =>
    keepOrIssueToken(store, `account-${role}`, earlier?.accounts?.[role], now);
  const key = (projectId: string, kind: KeyKind) => {
    const projects = Array.isArray(earlier?.projects) ? earlier.projects : [];
    const project = projects.find((it) => it?.id === projectId);
    return keepOrIssueKey(store, projectId, kind, project?.[`${kind}_key`], now);
  };
  const project = async (id: string) => ({
    id,
    public_key: await key(id, "public"),
    preview_key: await key(id, "preview"),
  });
  return {
    projects: [await project(WORLD_CUP), await project(SANDBOX)],
    accounts: {
      owner: await account("owner"),
      editor: await account("editor"),
      viewer: await account("viewer"),
      outsider: await account("outsider"),
    },
  };
}

async function keepOrIssueToken(
  { access, documents }: Store,
  accountId: string,
  earlier: string | undefined,
  now: Date,
): Promise<string> {
  if (typeof earlier === "string") {
    const account = await access.findAccount(hashToken(earlier), now);
    if (account?.id === accountId) return earlier;
  }
  const token = { id: randomUUID(), accountId, name: "demo" };
  return (await issueAccessToken(documents, token, now)).secret;
}

async function keepOrIssueKey(
  { access, documents }: Store,
  projectId: string,
  kind: KeyKind,
  earlier: string | undefined,
  now: Date,
): Promise<string> {
  if (typeof earlier === "string") {
    const key = await access.findProjectKey(hashToken(earlier));
    if (key?.projectId === projectId && key.kind === kind) return earlier;
  }
  const messageKind = kind === "preview" ? ProjectKeyKind.PREVIEW : ProjectKeyKind.PUBLIC;
  const key = { id: randomUUID(), projectId, kind: messageKind, name: "demo" };
  return (await issueProjectKey(documents, key, now)).secret;
}
