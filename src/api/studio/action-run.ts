import type { ServiceImpl } from "@connectrpc/connect";
import type { ActionRunService } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import { checkReplay, replayRun } from "../../domain/actions/action-run.ts";
import { parseDocumentOrder } from "../../domain/messages/document-order.ts";
import { afterCommit, getRequest, getStore } from "../steps/call.ts";
import { readIfMatch, tagAnswer } from "./conditional.ts";
import { answerPage } from "./list-page.ts";
import type { ResourceParts } from "./resource.ts";

/** The dependencies of the handlers of runs. */
export interface ActionRunParts extends Pick<ResourceParts, "pageTokens"> {
  /** Announces runs that are to be sent as soon as the call commits. */
  readonly onRuns: () => void;
}

/** Creates the management handlers of runs of actions. */
export function createActionRunHandlers({
  pageTokens,
  onRuns,
}: ActionRunParts): ServiceImpl<typeof ActionRunService> {
  return {
    async getActionRun({ actionRunId }, context) {
      const stored = await getStore(context.values).runAdmin.get(actionRunId);
      tagAnswer(context, stored);
      return { actionRun: stored.value };
    },

    async listActionRuns(request, context) {
      const parentIds = [request.projectId];
      const order = parseDocumentOrder(request.order, ["create_time"], {
        field: "create_time",
        direction: "desc",
      });
      const { now } = getRequest(context.values);
      const { values, nextPageToken } = await answerPage(
        context,
        request,
        { pageTokens, binding: ["action_run", parentIds] },
        (page) => getStore(context.values).actionRuns.list({ ...page, parentIds, order, now }),
      );
      return { actionRuns: values, nextPageToken };
    },

    async replayActionRun({ actionRunId }, context) {
      const checkIfMatch = readIfMatch(context);
      const { now } = getRequest(context.values);
      const stored = await getStore(context.values).runAdmin.replay(
        actionRunId,
        (current, canBeSent) => {
          checkIfMatch(current);
          checkReplay(current.value, canBeSent);
          return replayRun(current.value, now);
        },
      );
      afterCommit(context.values, onRuns);
      tagAnswer(context, stored);
      return { actionRun: stored.value };
    },
  };
}
