import { ActionRunService } from "../../../gen/svc/studio/annotations/action_run/v1/action_run_service_pb.ts";
import { checkReplay, replayRun } from "../../domain/actions/action-run.ts";
import type { StudioService } from "../steps/service.ts";
import { KindReads } from "./kind-reads.ts";
import type { StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of runs of actions. */
export function createActionRunService({ pageTokens }: StudioDependencies): StudioService {
  const runs = new KindReads("action_run", pageTokens, ({ organization, store }) => ({
    get: (id) => organization.runAdmin.get(id),
    list: (query) => store.actionRuns.list(query),
  }));
  return implementKind(ActionRunService, runs, {
    async replayActionRun({ actionRunId }, call) {
      const checkIfMatch = call.readIfMatch();
      const { now } = call;
      const stored = await call.organization.runAdmin.replay(actionRunId, (current, canBeSent) => {
        checkIfMatch(current);
        checkReplay(current.value, canBeSent);
        return replayRun(current.value, now);
      });
      call.hasRuns = true;
      call.setETag(stored);
      return { actionRun: stored.value };
    },
  });
}
