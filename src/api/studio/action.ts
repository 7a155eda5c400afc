import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { ActionService } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import { type CheckTarget, checkAction } from "../../domain/actions/action.ts";
import type { Handlers } from "../steps/service.ts";
import type { StudioCall } from "../steps/studio-call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** The dependencies of the handlers of actions. */
export interface ActionParts extends ResourceParts {
  readonly checkTarget: CheckTarget;
  /** Generates a signing secret. */
  readonly createSecret: () => string;
}

/** Creates the management handlers of actions. */
export function createActionHandlers(
  parts: ActionParts,
): Handlers<typeof ActionService, StudioCall> {
  const { checkTarget, createSecret } = parts;
  const actions = createResource("action", ActionSchema, parts, {
    orders: ["create_time", "update_time"],
    check: (action, path) => checkAction(action, path, checkTarget),
  });
  return {
    async createAction({ action, actionId }, call) {
      const secret = createSecret();
      const created = await actions.create(call, action, actionId, { secret });
      return { action: created, signingSecret: secret };
    },

    async getAction({ actionId }, call) {
      return { action: await actions.get(call, actionId) };
    },

    async listActions(request, call) {
      const { values, nextPageToken } = await actions.list(call, request, [request.projectId]);
      return { actions: values, nextPageToken };
    },

    async updateAction({ actionId, action, updateMask }, call) {
      return { action: await actions.update(call, actionId, action, updateMask) };
    },

    async deleteAction({ actionId, force }, call) {
      await actions.delete(call, actionId, force);
      return {};
    },

    async rotateActionSecret({ actionId }, call) {
      const secret = createSecret();
      const action = await actions.touch(call, actionId);
      await call.store.runAdmin.replaceSecret("action", actionId, secret);
      return { action, signingSecret: secret };
    },
  };
}
