import { create } from "@bufbuild/protobuf";
import { AuthService } from "../../../gen/svc/studio/iam/auth/v1/auth_service_pb.ts";
import { type Project, ProjectSchema } from "../../../gen/svc/studio/iam/project/v1/project_pb.ts";
import {
  checkTestedPermissions,
  decideAccess,
  heldPermissions,
  parseResourceKey,
  type ResourceKey,
  type ResourceRef,
} from "../../domain/access/permissions.ts";
import { blameField } from "../../domain/base/field-errors.ts";
import { type KindName, parseOrderOf } from "../../domain/kinds.ts";
import { compareCodePoints } from "../../domain/kql/values.ts";
import type { Store } from "../../storage/contract/store.ts";
import { implement, type StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { withholdAmounts } from "./organization.ts";

/** The most organizations, and the most projects, that an account is shown at once. */
const MOST_VISIBLE = 1_000;

/** Creates the service that reports the access of the calling account (contract: access 7). */
export function createPermissionService(): StudioService {
  return implement(AuthService, {
    async getMe(_, call) {
      call.setHeader("cache-control", "private, no-store");
      const { account: caller, held, store } = call;
      const { documents } = store.in(caller.organizationId);
      const { value: account } = await documents.account.get(caller.id);
      const organizationIds = [...new Set(held.map((it) => it.organizationId))];
      const [organizations, { projects, hasMore }] = await Promise.all([
        documents.organization.list(toQuery(call, "organization", organizationIds)),
        listVisibleProjects(call),
      ]);
      const projectsOf = Map.groupBy(projects, ({ organizationId }) => organizationId);
      return {
        account,
        organizations: organizations.values.map((organization) => ({
          organization: withholdAmounts(held, organization),
          projects: projectsOf.get(organization.id) ?? [],
        })),
        hasMore: hasMore || organizations.next !== undefined,
      };
    },

    async testPermissions(request, call) {
      const key = blameField("resource_key", () => parseResourceKey(request.resourceKey));
      checkTestedPermissions(request.permissions);
      call.setHeader("cache-control", "private, no-store");
      const [resource] = await findResource(call.store.access, key);
      if (resource === undefined || resource.projectId !== key.projectId) return {};
      const held = call.held;
      return { permissions: heldPermissions(held, resource, request.permissions) };
    },
  });
}

/** Lists the projects where the caller has a role on any resource, by id. */
async function listVisibleProjects(
  call: StudioCall,
): Promise<{ readonly projects: readonly Project[]; readonly hasMore: boolean }> {
  const { held } = call;
  const { project: documents } = call.organization.documents;
  const whole = new Set(
    held.filter((it) => it.projectId === undefined).map((it) => it.organizationId),
  );
  const single = held.filter((it) => !whole.has(it.organizationId));
  const ids = [...new Set(single.flatMap(({ projectId = [] }) => projectId))];
  const [listed, named] = await Promise.all([
    documents.list(toQuery(call, "project", [...whole])),
    documents.getMany(ids.slice(0, MOST_VISIBLE)),
  ]);
  const projects = [...listed.values, ...named.map(({ value }) => value)]
    .sort((a, b) => compareCodePoints(a.id, b.id))
    .map((project) => withholdFields(held, project));
  const hasMore = listed.next !== undefined || ids.length + listed.values.length > MOST_VISIBLE;
  return { projects: projects.slice(0, MOST_VISIBLE), hasMore };
}

function toQuery({ budget, now }: StudioCall, kind: KindName, parentIds: readonly string[]) {
  return { parentIds, order: parseOrderOf(kind, ""), limit: MOST_VISIBLE, now, budget };
}

/** Returns a project as an account sees it: without the permission to read it, only its ids. */
function withholdFields(held: StudioCall["held"], project: Project): Project {
  const { id, organizationId } = project;
  const resource = { kind: "project", id, organizationId, projectId: id };
  if (decideAccess(held, resource, "iam.projects.get") === "granted") return project;
  return create(ProjectSchema, { id, organizationId });
}

/** Finds a resource by its id, in the organization of its project. */
async function findResource(
  access: Pick<Store["access"], "locate">,
  { kind, id, projectId }: ResourceKey,
): Promise<ResourceRef[]> {
  if (projectId === undefined || kind === "project") return access.locate(kind, [id]);
  const [project] = await access.locate("project", [projectId]);
  return access.locate(kind, [id], project?.organizationId);
}
