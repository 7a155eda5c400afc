import { randomUUID } from "node:crypto";
import { createToken, hashToken } from "../auth/token.ts";
import type { AccessStore, ProjectKeyKind } from "../storage/store.ts";
import type { DemoFile } from "./demo-file.ts";
import { SANDBOX, WORLD_CUP } from "./ids.ts";

/** The secrets of the demo, as its file gives them. */
export type DemoCredentials = Pick<DemoFile, "projects" | "accounts">;

/**
 * Gets working credentials of the demo. Those that the file of an earlier start holds are kept as
 * far as they still work; tokens are nowhere else kept in plain, so what is lost is made anew.
 */
export async function issueDemoCredentials(
  access: AccessStore,
  earlier: Partial<DemoCredentials> | undefined,
  now: Date,
): Promise<DemoCredentials> {
  const account = (role: keyof DemoCredentials["accounts"]) =>
    issueAccessToken(access, `account-${role}`, earlier?.accounts?.[role], now);
  const key = (projectId: string, kind: ProjectKeyKind) => {
    const projects = Array.isArray(earlier?.projects) ? earlier.projects : [];
    const project = projects.find((it) => it?.id === projectId);
    return issueProjectKey(access, projectId, kind, project?.[`${kind}_key`]);
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

async function issueAccessToken(
  access: AccessStore,
  accountId: string,
  earlier: string | undefined,
  now: Date,
): Promise<string> {
  if (typeof earlier === "string") {
    const account = await access.findAccount(hashToken(earlier), now);
    if (account?.id === accountId) return earlier;
  }
  const token = createToken("access");
  await access.createAccessToken({
    id: randomUUID(),
    accountId,
    name: "demo",
    hash: hashToken(token),
    createTime: now,
  });
  return token;
}

async function issueProjectKey(
  access: AccessStore,
  projectId: string,
  kind: ProjectKeyKind,
  earlier: string | undefined,
): Promise<string> {
  if (typeof earlier === "string") {
    const key = await access.findProjectKey(hashToken(earlier));
    if (key?.projectId === projectId && key.kind === kind) return earlier;
  }
  const token = createToken(kind);
  await access.createProjectKey(projectId, kind, hashToken(token));
  return token;
}
