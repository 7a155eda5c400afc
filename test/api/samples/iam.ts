import { create, type MessageInitShape } from "@bufbuild/protobuf";
import { AccessTokenSchema } from "../../../gen/svc/studio/iam/access_token/v1/access_token_pb.ts";
import { AccountSchema } from "../../../gen/svc/studio/iam/account/v1/account_pb.ts";
import { BindingSchema } from "../../../gen/svc/studio/iam/binding/v1/binding_pb.ts";
import { OrganizationSchema } from "../../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import { ProjectSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import {
  ProjectKeyKind,
  ProjectKeySchema,
} from "../../../gen/svc/studio/iam/project_key/v1/project_key_pb.ts";
import { RoleSchema } from "../../../gen/svc/studio/iam/role/v1/role_pb.ts";
import { createToken, hashToken } from "../../../src/auth/token.ts";
import type { DocumentStore } from "../../../src/storage/document-store.ts";
import type { Marquee } from "../../harness/marquee.ts";
import type { MethodSample } from "../method-samples.ts";
import type { JsonMessage } from "../methods.ts";

const ORGANIZATION = "org-worldcup";
const ON_ORGANIZATION = `${ORGANIZATION}/organization`;
const IN_ORGANIZATION = { organizationId: ORGANIZATION };

/** Makes what a sample is about, unless it is there: a sample before may have deleted it. */
async function ensure<T extends { id: string }, Extras extends readonly unknown[]>(
  documents: DocumentStore<T, Extras>,
  value: T,
  ...extras: Extras
): Promise<void> {
  const found = await documents.getMany([value.id]);
  if (found.length === 0) await documents.create(value, ...extras);
}

const createHash = () => ({ hash: hashToken(createToken("access")) });

/** Makes a sample that first makes what it is about. */
const about =
  (prepare: (marquee: Marquee) => Promise<void>, message: JsonMessage): MethodSample["message"] =>
  async (marquee) => {
    await prepare(marquee);
    return message;
  };

const binding = (fields: MessageInitShape<typeof BindingSchema>) =>
  create(BindingSchema, { ...IN_ORGANIZATION, resourceKey: ON_ORGANIZATION, ...fields });

const organization = async ({ store }: Marquee) => {
  const { documents } = store.in("org-worldcup");
  const organizationId = "org-sample";
  await ensure(
    documents.organization,
    create(OrganizationSchema, { id: organizationId, name: "Sample" }),
  );
  for (const [accountId, roleId] of [
    ["account-owner", "owner"],
    ["account-editor", "viewer"],
    ["account-viewer", "viewer"],
  ]) {
    const place = { organizationId, resourceKey: `${organizationId}/organization` };
    const fields = { id: `sample-${accountId}`, ...place, accountId, roleId };
    await ensure(
      store.in(organizationId).documents.binding,
      create(BindingSchema, { ...fields, accountOrganizationId: "org-worldcup" } as never),
    );
  }
};

const account = ({ store }: Marquee) =>
  ensure(
    store.in("org-worldcup").documents.account,
    create(AccountSchema, { id: "account-sample", ...IN_ORGANIZATION, name: "Sample" }),
  );

const project = ({ store }: Marquee) =>
  ensure(
    store.in("org-worldcup").documents.project,
    create(ProjectSchema, { id: "project-sample", ...IN_ORGANIZATION, name: "Sample" }),
  );

const accessToken = async (marquee: Marquee) => {
  await account(marquee);
  const value = create(AccessTokenSchema, { id: "token-sample", accountId: "account-sample" });
  await ensure(marquee.store.in("org-worldcup").documents.access_token, value, createHash());
};

const projectKey = ({ store }: Marquee) => {
  const { documents } = store.in("org-worldcup");
  const fields = { id: "key-sample", projectId: "worldcup", kind: ProjectKeyKind.PUBLIC };
  return ensure(documents.project_key, create(ProjectKeySchema, fields), createHash());
};

const role = ({ store }: Marquee) => {
  const { documents } = store.in("org-worldcup");
  const fields = { id: "role-sample", name: "Sample", permissions: ["cms.events.get"] };
  return ensure(documents.role, create(RoleSchema, { ...IN_ORGANIZATION, ...fields }));
};

const sampleBinding = ({ store }: Marquee) =>
  ensure(
    store.in("org-worldcup").documents.binding,
    binding({ id: "binding-sample", accountId: "account-viewer", roleId: "viewer" }),
  );

const onAccount = { resource: "account-sample/account" };
const onProject = { resource: "worldcup/worldcup/project" };
const onOrganization = { resource: ON_ORGANIZATION };
const isWrite = true;

/** A sample of every method of iam but those of sign-in and of permissions. */
export const iamSamples: Readonly<Record<string, MethodSample>> = {
  "svc.studio.iam.access_token.v1.AccessTokenService/CreateAccessToken": {
    message: about(account, { accessToken: { accountId: "account-sample", name: "made" } }),
    ...{ ...onAccount, isWrite },
  },
  "svc.studio.iam.access_token.v1.AccessTokenService/GetAccessToken": {
    message: about(accessToken, { accessTokenId: "token-sample" }),
    resource: "token-sample/access_token",
  },
  "svc.studio.iam.access_token.v1.AccessTokenService/ListAccessTokens": {
    message: about(account, { accountId: "account-sample", pageSize: 2 }),
    ...onAccount,
  },
  "svc.studio.iam.access_token.v1.AccessTokenService/RevokeAccessToken": {
    message: about(accessToken, { accessTokenId: "token-sample" }),
    ...{ resource: "token-sample/access_token", isWrite },
  },
  "svc.studio.iam.account.v1.AccountService/CreateAccount": {
    message: { account: { ...IN_ORGANIZATION, name: "made" } },
    ...{ ...onOrganization, isWrite },
  },
  "svc.studio.iam.account.v1.AccountService/DeleteAccount": {
    message: about(account, { accountId: "account-sample", force: true }),
    ...{ ...onAccount, isWrite },
  },
  "svc.studio.iam.account.v1.AccountService/GetAccount": {
    message: about(account, { accountId: "account-sample" }),
    ...onAccount,
  },
  "svc.studio.iam.account.v1.AccountService/ListAccounts": {
    message: { ...IN_ORGANIZATION, pageSize: 2 },
    ...onOrganization,
  },
  "svc.studio.iam.account.v1.AccountService/UpdateAccount": {
    message: about(account, {
      ...{ accountId: "account-sample", account: { name: "changed" }, updateMask: "name" },
    }),
    ...{ ...onAccount, isWrite },
  },
  "svc.studio.iam.audit.v1.AuditService/ListEntries": {
    message: { ...IN_ORGANIZATION, pageSize: 2 },
    ...onOrganization,
  },
  "svc.studio.iam.binding.v1.BindingService/CreateBinding": {
    message: {
      binding: {
        ...{ ...IN_ORGANIZATION, accountId: "account-viewer", roleId: "viewer" },
        resourceKey: "worldcup/worldcup/project",
      },
    },
    ...{ ...onOrganization, isWrite },
  },
  "svc.studio.iam.binding.v1.BindingService/DeleteBinding": {
    message: about(sampleBinding, { bindingId: "binding-sample" }),
    ...{ resource: "binding-sample/binding", isWrite },
  },
  "svc.studio.iam.binding.v1.BindingService/GetBinding": {
    message: about(sampleBinding, { bindingId: "binding-sample" }),
    resource: "binding-sample/binding",
  },
  "svc.studio.iam.binding.v1.BindingService/ListBindings": {
    message: { ...IN_ORGANIZATION, pageSize: 2 },
    ...onOrganization,
  },
  "svc.studio.iam.organization.v1.OrganizationService/CreateOrganization": {
    message: { organization: { name: "made" } },
    ...{ resource: "installation/installation", isWrite },
    foreign: { shows: "PERMISSION_DENIED", hides: "worldcup" },
  },
  "svc.studio.iam.organization.v1.OrganizationService/DeleteOrganization": {
    message: about(organization, { organizationId: "org-sample" }),
    ...{ resource: "org-sample/organization", isWrite },
  },
  "svc.studio.iam.organization.v1.OrganizationService/GetOrganization": {
    message: IN_ORGANIZATION,
    ...onOrganization,
  },
  "svc.studio.iam.organization.v1.OrganizationService/ListOrganizations": {
    message: { pageSize: 2 },
    foreign: { shows: "org-elsewhere", hides: "worldcup" },
  },
  "svc.studio.iam.organization.v1.OrganizationService/UpdateOrganization": {
    message: { ...IN_ORGANIZATION, organization: { name: "changed" }, updateMask: "name" },
    ...{ ...onOrganization, isWrite },
  },
  "svc.studio.iam.project.v1.ProjectService/CreateProject": {
    message: { project: { ...IN_ORGANIZATION, name: "made" } },
    ...{ ...onOrganization, isWrite },
  },
  "svc.studio.iam.project.v1.ProjectService/DeleteProject": {
    message: about(project, { projectId: "project-sample", force: true }),
    ...{ resource: "project-sample/project-sample/project", isWrite },
  },
  "svc.studio.iam.project.v1.ProjectService/GetProject": {
    message: { projectId: "worldcup" },
    ...onProject,
  },
  "svc.studio.iam.project.v1.ProjectService/ListProjects": {
    message: { ...IN_ORGANIZATION, pageSize: 2 },
    ...onOrganization,
  },
  "svc.studio.iam.project.v1.ProjectService/UpdateProject": {
    message: { projectId: "worldcup", project: { name: "changed" }, updateMask: "name" },
    ...{ ...onProject, isWrite },
  },
  "svc.studio.iam.project_key.v1.ProjectKeyService/CreateProjectKey": {
    message: { projectKey: { projectId: "worldcup", kind: "PROJECT_KEY_KIND_PUBLIC" } },
    ...{ ...onProject, isWrite },
  },
  "svc.studio.iam.project_key.v1.ProjectKeyService/DeleteProjectKey": {
    message: about(projectKey, { projectKeyId: "key-sample" }),
    ...{ resource: "key-sample/worldcup/project_key", isWrite },
  },
  "svc.studio.iam.project_key.v1.ProjectKeyService/GetProjectKey": {
    message: about(projectKey, { projectKeyId: "key-sample" }),
    resource: "key-sample/worldcup/project_key",
  },
  "svc.studio.iam.project_key.v1.ProjectKeyService/ListProjectKeys": {
    message: { projectId: "worldcup", pageSize: 2 },
    ...onProject,
  },
  "svc.studio.iam.project_key.v1.ProjectKeyService/UpdateProjectKey": {
    message: about(projectKey, {
      ...{ projectKeyId: "key-sample", projectKey: { name: "changed" }, updateMask: "name" },
    }),
    ...{ resource: "key-sample/worldcup/project_key", isWrite },
  },
  "svc.studio.iam.role.v1.RoleService/CreateRole": {
    message: { role: { ...IN_ORGANIZATION, name: "made", permissions: ["cms.events.get"] } },
    ...{ ...onOrganization, isWrite },
  },
  "svc.studio.iam.role.v1.RoleService/DeleteRole": {
    message: about(role, { roleId: "role-sample" }),
    ...{ resource: "role-sample/role", isWrite },
  },
  "svc.studio.iam.role.v1.RoleService/GetRole": {
    message: about(role, { roleId: "role-sample" }),
    resource: "role-sample/role",
  },
  "svc.studio.iam.role.v1.RoleService/ListRoles": {
    message: { ...IN_ORGANIZATION, pageSize: 2 },
    ...onOrganization,
  },
  "svc.studio.iam.role.v1.RoleService/UpdateRole": {
    message: about(role, {
      ...{ roleId: "role-sample", role: { name: "changed" }, updateMask: "name" },
    }),
    ...{ resource: "role-sample/role", isWrite },
  },
};
