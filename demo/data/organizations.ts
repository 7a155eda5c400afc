import { create } from "@bufbuild/protobuf";
import {
  type SignInIntegration,
  SignInIntegrationSchema,
} from "../../gen/svc/studio/iam/sign_in_integration/v1/sign_in_integration_service_pb.ts";
import { ORGANIZATION, OTHER_ORGANIZATION, SANDBOX, WORLD_CUP } from "../ids.ts";
import type {
  AccountRecord,
  BindingRecord,
  OrganizationRecord,
  ProjectRecord,
} from "./dataset-records.ts";
import { ELSEWHERE } from "./ids.ts";

/** Creates the demo's organization, and another one, which must not see it. */
export const organizations: readonly OrganizationRecord[] = [
  { id: ORGANIZATION, name: "Acme" },
  { id: OTHER_ORGANIZATION, name: "Elsewhere" },
];

/** Creates two projects of the demo's organization and one of the other. */
export const projects: readonly ProjectRecord[] = [
  { id: WORLD_CUP, organizationId: ORGANIZATION, name: "World Cup" },
  { id: SANDBOX, organizationId: ORGANIZATION, name: "Sandbox" },
  { id: ELSEWHERE, organizationId: OTHER_ORGANIZATION, name: "Elsewhere" },
];

/** Creates one account for each level of access. */
export const accounts: readonly AccountRecord[] = [
  { id: "account-owner", organizationId: ORGANIZATION, name: "Olivia Owner" },
  { id: "account-editor", organizationId: ORGANIZATION, name: "Emil Editor" },
  { id: "account-viewer", organizationId: ORGANIZATION, name: "Vera Viewer" },
  { id: "account-outsider", organizationId: OTHER_ORGANIZATION, name: "Otto Outsider" },
];

/** Creates the bindings of the accounts. */
export const bindings: readonly BindingRecord[] = [
  { accountId: "account-owner", roleId: "owner", organizationId: ORGANIZATION },
  { accountId: "account-owner", roleId: "operator", organizationId: ORGANIZATION },
  {
    accountId: "account-editor",
    roleId: "editor",
    organizationId: ORGANIZATION,
    projectId: WORLD_CUP,
  },
  {
    accountId: "account-viewer",
    roleId: "viewer",
    organizationId: ORGANIZATION,
    projectId: WORLD_CUP,
  },
  { accountId: "account-outsider", roleId: "owner", organizationId: OTHER_ORGANIZATION },
];

/** Creates the sign-in integrations; the sandbox has none. */
export function createSignInIntegrations(): readonly SignInIntegration[] {
  return [
    create(SignInIntegrationSchema, { projectId: WORLD_CUP, audiences: ["marquee-demo"] }),
    create(SignInIntegrationSchema, { projectId: ELSEWHERE, audiences: ["marquee-elsewhere"] }),
  ];
}
