import { clone, create } from "@bufbuild/protobuf";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import {
  type CreatePageComponentRequest,
  PageComponentService,
  type UpdatePageComponentRequest,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { invalidField, sentAsBoth } from "../../domain/base/field-errors.ts";
import { listAddedReferences, listRequiredOf } from "../../domain/kinds.ts";
import { checkNewPageComponent, checkPageComponent } from "../../domain/pages/components/check.ts";
import { checkSingleMember } from "../../domain/pages/components/data-member.ts";
import { checkPageLayout } from "../../domain/pages/components/layout.ts";
import { warnOfCleared } from "../../domain/validation/cleared-values.ts";
import { applyMask, checkMask, listUpdatable } from "../../domain/validation/field-mask.ts";
import { chooseId } from "../../domain/validation/ids.ts";
import type { Stored } from "../../storage/contract/document-store.ts";
import { implement, type StudioService } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { KindReads } from "./kind-reads.ts";
import { nameTaken, type StudioDependencies } from "./resource.ts";
import { warnOfWritten } from "./written-warnings.ts";

/** Creates the Studio API service of page components (contract: page-components 15). */
export function createPageComponentService({
  pageTokens,
  createId,
}: StudioDependencies): StudioService {
  const storeOf = (call: StudioCall) => call.organization.pageComponents;
  const reads = new KindReads("page_component", pageTokens, storeOf);

  return implement(PageComponentService, {
    async createPageComponent(request, call) {
      call.readIfMatch()(undefined);
      const component = prepareComponent(request, call, createId);
      const { pageId, position } = request;
      const slot = { pageId, ...(position !== undefined && { position }) };
      const stored = await storeOf(call)
        .create(component, slot, (page) => checkPageLayout(page, page.length - 1))
        .catch((error) => {
          throw nameTaken(error, "page_component", component.id);
        });
      const references = listRequiredOf("page_component", component);
      await call.checkReferences(references, component.projectId, "page_component");
      call.changed = [{ kind: "page_component", id: component.id }];
      const { value: after, revision } = stored;
      call.addChange({ kind: "page_component", after, revision, pageId });
      const written = { kind: "page_component", after, path: "page_component" } as const;
      await warnOfWritten(call, [{ ...written, findPage: async () => pageId }]);
      const added = listAddedReferences("page_component", { after }, "page_component");
      await call.warnOfMissing(added);
      call.setETag(stored);
      return { pageComponent: stored.value };
    },

    async getPageComponent({ pageComponentId }, call) {
      const pageComponent = await reads.get(call, pageComponentId);
      return { pageComponent, ...(await storeOf(call).locate(pageComponentId)) };
    },

    async listPageComponents(request, call) {
      const { values, ...end } = await reads.list(call, request, [request.pageId]);
      return { pageComponents: values, ...end };
    },

    async updatePageComponent(request, call) {
      const { update, path } = readUpdate(request);
      const checkIfMatch = call.readIfMatch();
      const mask = checkMask(request.updateMask?.paths ?? [], listUpdatable(PageComponentSchema));
      checkSingleMember(mask);
      let before: Stored<PageComponent> | undefined;
      const change = (current: Stored<PageComponent>) => {
        before = current;
        checkIfMatch(current);
        const changed = applyMask(PageComponentSchema, current.value, update, mask);
        checkPageComponent(changed, path);
        return changed;
      };
      const stored = await storeOf(call).update(request.pageComponentId, change, checkPageLayout);
      const { value, revision } = stored;
      if (before !== undefined && before.revision !== revision) {
        const states = { before: before.value, after: value };
        call.addChange({ kind: "page_component", ...states, revision });
      }
      const cleared =
        before && warnOfCleared(PageComponentSchema, before.value, value, { names: mask });
      call.warn(cleared);
      const findPage = async () => (await storeOf(call).locate(request.pageComponentId)).pageId;
      const written = {
        kind: "page_component",
        after: value,
        before: before?.value,
        path,
      } as const;
      await warnOfWritten(call, [{ ...written, findPage }]);
      const references = listRequiredOf("page_component", value).filter(({ field }) =>
        mask.some((name) => field.startsWith(`${name}.`)),
      );
      await call.checkReferences(references, value.projectId, path);
      const states = { after: value, before: before?.value };
      await call.warnOfMissing(listAddedReferences("page_component", states, path));
      call.setETag(stored);
      return { pageComponent: stored.value };
    },

    async deletePageComponent({ pageComponentId }, call) {
      await deletePageComponent(call, pageComponentId);
      return {};
    },
  });
}

/** Returns the checked new component of a request, with its id, for a page of the project of the call. */
export function prepareComponent(
  request: Pick<CreatePageComponentRequest, "pageComponent" | "pageComponentId" | "position">,
  { resource: { projectId = "" } }: StudioCall,
  createId: () => string,
): PageComponent {
  const { pageComponent = create(PageComponentSchema), pageComponentId, position = 0 } = request;
  const component = clone(PageComponentSchema, pageComponent);
  component.id = chooseId(pageComponentId, "page_component_id", createId);
  checkNewPageComponent(component, projectId, position);
  return component;
}

/** Returns the component of an update, which has two names, and its path. `FIELD_REQUIRED` or `ONEOF_CONFLICT`. */
function readUpdate({ pageComponent, pageComponentUpdate }: UpdatePageComponentRequest) {
  const path = pageComponent === undefined ? "page_component_update" : "page_component";
  const update = pageComponent ?? pageComponentUpdate;
  if (update === undefined) throw invalidField(path, "FIELD_REQUIRED", "is required");
  if (pageComponent !== undefined && pageComponentUpdate !== undefined) {
    throw sentAsBoth("page_component_update", "page_component");
  }
  return { update, path };
}

/** Deletes a component. That cannot separate the members of a group, so its page is not checked. */
export async function deletePageComponent(
  call: StudioCall,
  id: string,
  checkIfMatch = call.readIfMatch(),
): Promise<void> {
  let before: PageComponent | undefined;
  const deleted = await call.organization.pageComponents.delete(id, (current) => {
    before = current.value;
    checkIfMatch(current);
  });
  call.addChange({ kind: "page_component", before, ...deleted });
}
