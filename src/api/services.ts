import { checkFieldLimits } from "../domain/validation/input-limits.ts";
import { createPreparedRulesets } from "./delivery/prepared-rulesets.ts";
import { createProtectedVideos } from "./delivery/protected-video.ts";
import { createDeliveryServices, type DeliveryParts } from "./delivery-services.ts";
import type { Services } from "./pipeline.ts";
import { createSimulate, type LookUpPlace } from "./studio/ruleset-simulation.ts";
import { createStudioServices, type StudioParts } from "./studio-services.ts";

/** The dependencies of the handlers. */
export interface HandlerDependencies
  extends Omit<DeliveryParts, "preparedRulesets" | "protectedVideos">,
    Omit<StudioParts, "simulate"> {
  /** Finds the place of the viewer that a simulation describes. Default: unknown. */
  readonly lookUpPlace?: LookUpPlace;
}

/**
 * Combines every service with its handlers. Throws for a method without a valid access option, for a write
 * without the fields of a write, and for an input limit on a field of no request.
 */
export function createServices(dependencies: HandlerDependencies): Services {
  const { store, lookUpPlace = () => ({}) } = dependencies;
  const preparedRulesets = createPreparedRulesets({
    knownRevision: store.knownRevision,
    rulesets: (store.delivery ?? store).rulesets,
  });
  const protectedVideos = createProtectedVideos(store, preparedRulesets);
  const services = {
    studio: createStudioServices({
      ...dependencies,
      simulate: createSimulate({ protectedVideos, entitlements: store.entitlements, lookUpPlace }),
    }),
    delivery: createDeliveryServices({ ...dependencies, preparedRulesets, protectedVideos }),
  };
  const methods = [...services.studio, ...services.delivery].flatMap(({ desc }) => desc.methods);
  checkFieldLimits(methods.map(({ input }) => input));
  return services;
}
