import type { ServiceImpl } from "@connectrpc/connect";
import { ActionSchema } from "../../../gen/svc/studio/annotations/action/v1/action_pb.ts";
import type { ActionService } from "../../../gen/svc/studio/annotations/action/v1/action_service_pb.ts";
import { type CheckTarget, checkAction } from "../../domain/actions/action.ts";
import { getStore } from "../steps/call.ts";
import { createResource, type ResourceParts } from "./resource.ts";

/** The dependencies of the handlers of actions. */
export interface ActionParts extends ResourceParts {
  readonly checkTarget: CheckTarget;
  /** Generates a signing secret. */
  readonly createSecret: () => string;
}

/** Creates the management handlers of actions. */
export function createActionHandlers(parts: ActionParts): ServiceImpl<typeof ActionService> {
  const { checkTarget, createSecret } = parts;
  const actions = createResource("action", ActionSchema, parts, {
    orders: ["create_time", "update_time"],
    check: (action, path) => checkAction(action, path, checkTarget),
  });
  return {
    async createAction({ action, actionId }, context) {
      const secret = createSecret();
      const created = await actions.create(context, action, actionId, { secret });
      return { action: created, signingSecret: secret };
    },

    async getAction({ actionId }, context) {
      return { action: await actions.get(context, actionId) };
    },

    async listActions(request, context) {
      const { values, nextPageToken } = await actions.list(context, request, [request.projectId]);
      return { actions: values, nextPageToken };
    },

    async updateAction({ actionId, action, updateMask }, context) {
      return { action: await actions.update(context, actionId, action, updateMask) };
    },

    async deleteAction({ actionId, force }, context) {
      await actions.delete(context, actionId, force);
      return {};
    },

    async rotateActionSecret({ actionId }, context) {
      const secret = createSecret();
      const action = await actions.touch(context, actionId);
      await getStore(context.values).runAdmin.replaceSecret("action", actionId, secret);
      return { action, signingSecret: secret };
    },
  };
}
