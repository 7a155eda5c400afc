import { ActionService } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { Resource, type ResourceParts } from "./resource.ts";
import { standardMethods } from "./standard-methods.ts";

/** The dependencies of the handlers of actions. */
export interface ActionParts extends ResourceParts {
  /** Generates a signing secret. */
  readonly createSecret: () => string;
}

/** Creates the management handlers of actions. */
export function createActionHandlers(
  parts: ActionParts,
): Handlers<typeof ActionService, StudioCall> {
  const { createSecret } = parts;
  const actions = new Resource("action", parts);
  return {
    ...standardMethods(ActionService, actions),

    async createAction({ action, actionId }, call) {
      const secret = createSecret();
      const created = await actions.create(call, action, actionId, { secret });
      return { action: created, signingSecret: secret };
    },

    async rotateActionSecret({ actionId }, call) {
      const secret = createSecret();
      const action = await actions.touch(call, actionId);
      await call.store.runAdmin.replaceSecret("action", actionId, secret);
      return { action, signingSecret: secret };
    },
  };
}
