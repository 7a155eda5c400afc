import { clone, create } from "@bufbuild/protobuf";
import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import {
  type PageComponent,
  PageComponentSchema,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_pb.ts";
import type {
  CreatePageComponentRequest,
  PageComponentService,
} from "../../../gen/svc/studio/ott/page_component/v2/page_component_service_pb.ts";
import { chooseId } from "../../domain/messages/ids.ts";
import { listRequiredOfPageComponent } from "../../domain/messages/required-references.ts";
import {
  checkNewPageComponent,
  checkPageComponentMask,
  updatePageComponent,
} from "../../domain/pages/components/check.ts";
import { checkPageLayout } from "../../domain/pages/components/layout.ts";
import type { Stored } from "../../storage/stored.ts";
import { findPart, getRequest, getStore, noteChange, noteContentChange } from "../steps/call.ts";
import { readIfMatch, tagAnswer } from "./conditional.ts";
import { answerPage } from "./list-page.ts";
import { checkReferences } from "./required-references.ts";
import type { ResourceParts } from "./resource.ts";

/** Creates the management handlers of page components (contract: page-components 15). */
export function createPageComponentHandlers({
  pageTokens,
  createId,
}: ResourceParts): ServiceImpl<typeof PageComponentService> {
  const storeOf = ({ values }: HandlerContext) => getStore(values).pageComponents;

  /** Returns the checked component of a request, with its id. */
  const prepare = (request: CreatePageComponentRequest, { values }: HandlerContext) => {
    const component = clone(
      PageComponentSchema,
      request.pageComponent ?? create(PageComponentSchema),
    );
    component.id = chooseId(request.pageComponentId, "page_component_id", createId);
    const projectId = findPart(values, "resource")?.projectId ?? "";
    checkNewPageComponent(component, { projectId, position: request.position });
    return component;
  };

  return {
    async createPageComponent(request, context) {
      readIfMatch(context)(undefined);
      const component = prepare(request, context);
      const { pageId, position } = request;
      const place = { pageId, ...(position !== undefined && { position }) };
      const stored = await storeOf(context).create(component, place, (page) =>
        checkPageLayout(page, page.length - 1),
      );
      await checkReferences(context, {
        projectId: component.projectId,
        references: listRequiredOfPageComponent(component),
        path: "page_component",
      });
      noteChange(context.values, { type: "page_component", id: component.id });
      const { value: after, revision } = stored;
      noteContentChange(context.values, { kind: "page_component", after, revision, pageId });
      tagAnswer(context, stored);
      return { pageComponent: stored.value };
    },

    async getPageComponent({ pageComponentId }, context) {
      const stored = await storeOf(context).get(pageComponentId);
      tagAnswer(context, stored);
      return { pageComponent: stored.value, ...(await storeOf(context).locate(pageComponentId)) };
    },

    async listPageComponents(request, context) {
      const { pageId } = request;
      const { now } = getRequest(context.values);
      const order = { field: "position", direction: "asc" } as const;
      const { values, nextPageToken } = await answerPage(
        context,
        request,
        { pageTokens, binding: ["page_component", pageId] },
        (page) => storeOf(context).list({ ...page, parentIds: [pageId], order, now }),
      );
      return { pageComponents: values, nextPageToken };
    },

    async updatePageComponent(request, context) {
      const checkIfMatch = readIfMatch(context);
      const mask = checkPageComponentMask(request.updateMask?.paths ?? []);
      const update = request.pageComponentUpdate ?? create(PageComponentSchema);
      let before: Stored<PageComponent> | undefined;
      const change = (current: Stored<PageComponent>) => {
        before = current;
        checkIfMatch(current);
        return updatePageComponent(current.value, update, mask);
      };
      const stored = await storeOf(context).update(
        request.pageComponentId,
        change,
        checkPageLayout,
      );
      const { value, revision } = stored;
      if (before !== undefined && before.revision !== revision) {
        const states = { before: before.value, after: value };
        noteContentChange(context.values, { kind: "page_component", ...states, revision });
      }
      await checkReferences(context, {
        projectId: value.projectId,
        references: listRequiredOfPageComponent(value).filter((it) => mask.includes(it.member)),
        path: "page_component_update",
      });
      tagAnswer(context, stored);
      return { pageComponent: stored.value };
    },

    async deletePageComponent({ pageComponentId }, context) {
      // Deleting a component cannot separate the members of a group, so the page need not be checked.
      const checkIfMatch = readIfMatch(context);
      let before: PageComponent | undefined;
      const deleted = await storeOf(context).delete(pageComponentId, (current) => {
        before = current.value;
        checkIfMatch(current);
      });
      noteContentChange(context.values, { kind: "page_component", before, ...deleted });
      return {};
    },
  };
}
