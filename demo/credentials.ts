import { randomUUID } from "node:crypto";
import { ProjectKeyKind } from "../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { issueAccessToken, issueProjectKey } from "../src/auth/issue.ts";
import { hashToken, isLive } from "../src/auth/token.ts";
import type { Account, ProjectKeyKind as KeyKind } from "../src/storage/contract/access.ts";
import type { Store } from "../src/storage/contract/store.ts";
import type { DemoFile } from "./demo-file.ts";
import { ORGANIZATION, OTHER_ORGANIZATION, SANDBOX, WORLD_CUP } from "./ids.ts";

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
  const account = (role: keyof DemoCredentials["accounts"]) => {
    const organizationId = role === "outsider" ? OTHER_ORGANIZATION : ORGANIZATION;
    const holder = { id: `account-${role}`, organizationId };
    return keepOrIssueToken(store, holder, earlier?.accounts?.[role], now);
  };
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
  store: Store,
  { id: accountId, organizationId }: Account,
  earlier: string | undefined,
  now: Date,
): Promise<string> {
  if (typeof earlier === "string") {
    const found = await store.access.findToken(hashToken(earlier));
    const isOwn =
      found?.account.id === accountId && found.account.organizationId === organizationId;
    if (isOwn && isLive(found, now)) return earlier;
  }
  const token = { id: randomUUID(), accountId, name: "demo" };
  return (await issueAccessToken(store.in(organizationId).documents, token, now)).secret;
}

async function keepOrIssueKey(
  store: Store,
  projectId: string,
  kind: KeyKind,
  earlier: string | undefined,
  now: Date,
): Promise<string> {
  if (typeof earlier === "string") {
    const key = await store.access.findProjectKey(hashToken(earlier));
    if (key?.projectId === projectId && key.kind === kind) return earlier;
  }
  const messageKind = kind === "preview" ? ProjectKeyKind.PREVIEW : ProjectKeyKind.PUBLIC;
  const key = { id: randomUUID(), projectId, kind: messageKind, name: "demo" };
  return (await issueProjectKey(store.in(ORGANIZATION).documents, key, now)).secret;
}
