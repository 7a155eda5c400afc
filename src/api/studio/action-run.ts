import type { ActionRunService } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import { checkReplay, replayRun } from "../../domain/actions/action-run.ts";
import { parseOrderOf } from "../../domain/kinds.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { readPage } from "./list-page.ts";
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
}: ActionRunParts): Handlers<typeof ActionRunService, StudioCall> {
  return {
    async getActionRun({ actionRunId }, call) {
      const stored = await call.store.runAdmin.get(actionRunId);
      call.setEntityTag(stored);
      return { actionRun: stored.value };
    },

    async listActionRuns(request, call) {
      const parentIds = [request.projectId];
      const order = parseOrderOf("action_run", request.order);
      const { now } = call;
      const { values, nextPageToken } = await readPage(
        call,
        request,
        { pageTokens, binding: ["action_run", parentIds] },
        (page) => call.store.actionRuns.list({ ...page, parentIds, order, now }),
      );
      return { actionRuns: values, nextPageToken };
    },

    async replayActionRun({ actionRunId }, call) {
      const checkIfMatch = call.readIfMatch();
      const { now } = call;
      const stored = await call.store.runAdmin.replay(actionRunId, (current, canBeSent) => {
        checkIfMatch(current);
        checkReplay(current.value, canBeSent);
        return replayRun(current.value, now);
      });
      call.afterCommit(onRuns);
      call.setEntityTag(stored);
      return { actionRun: stored.value };
    },
  };
}
