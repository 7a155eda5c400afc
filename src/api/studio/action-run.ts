import { ActionRunService } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import { checkReplay, replayRun } from "../../domain/actions/action-run.ts";
import { implement, type Service } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { readKindPage } from "./list-page.ts";
import type { StudioDependencies } from "./resource.ts";

/** Creates the Studio API service of runs of actions. */
export function createActionRunService({
  pageTokens,
  onRuns,
}: StudioDependencies): Service<StudioCall> {
  return implement(ActionRunService, {
    async getActionRun({ actionRunId }, call) {
      const stored = await call.organization.runAdmin.get(actionRunId);
      call.setETag(stored);
      return { actionRun: stored.value };
    },

    async listActionRuns(request, call) {
      const { actionRuns } = call.store;
      const parentIds = [request.projectId];
      const { values, ...end } = await readKindPage(
        call,
        request,
        pageTokens,
        "action_run",
        parentIds,
        (query) => actionRuns.list(query),
      );
      return { actionRuns: values, ...end };
    },

    async replayActionRun({ actionRunId }, call) {
      const checkIfMatch = call.readIfMatch();
      const { now } = call;
      const stored = await call.organization.runAdmin.replay(actionRunId, (current, canBeSent) => {
        checkIfMatch(current);
        checkReplay(current.value, canBeSent);
        return replayRun(current.value, now);
      });
      call.afterCommit(onRuns);
      call.setETag(stored);
      return { actionRun: stored.value };
    },
  });
}
