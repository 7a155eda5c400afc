import type { DescService } from "@bufbuild/protobuf";

/**
 * Tells whether a service is of the management interface. It reads JSON strictly on every face;
 * delivery ignores unknown fields, as Connect does.
 */
export function isManagement(service: DescService): boolean {
  return service.typeName.startsWith("svc.studio.");
}
