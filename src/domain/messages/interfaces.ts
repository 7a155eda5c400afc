import type { DescService } from "@bufbuild/protobuf";

/**
 * Reports whether a service belongs to the management interface, which rejects unknown JSON fields over
 * every protocol; delivery ignores them, as Connect does.
 */
export function isManagement(service: DescService): boolean {
  return service.typeName.startsWith("svc.studio.");
}
