import { ActionService } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { StudioService } from "../steps/service.ts";
import { Resource, type StudioDependencies } from "./resource.ts";
import { implementKind } from "./standard-methods.ts";

/** Creates the Studio API service of actions. */
export function createActionService(dependencies: StudioDependencies): StudioService {
  const { createSecret } = dependencies;
  const actions = new Resource("action", dependencies);
  return implementKind(ActionService, actions, {
    async createAction({ action, actionId }, call) {
      const secret = createSecret();
      const created = await actions.create(call, action, actionId, { secret });
      return { action: created, signingSecret: secret };
    },

    async rotateActionSecret({ actionId }, call) {
      const secret = createSecret();
      const action = await actions.touch(call, actionId, { extras: [{ secret }] });
      return { action, signingSecret: secret };
    },
  });
}
