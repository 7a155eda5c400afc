import type { Entitlement } from "../../../gen/svc/cda/monetization/entitlement/v1/entitlement_pb.ts";
import { invalidField } from "../errors.ts";

/** Checks that an entitlement ends after it begins. INVALID_ARGUMENT `TIME_WINDOW_INVALID`. */
export function checkTimeWindow({ startTime, endTime }: Entitlement, path: string): void {
  if (startTime === undefined || endTime === undefined) return;
  if (endTime.seconds > startTime.seconds) return;
  if (endTime.seconds === startTime.seconds && endTime.nanos > startTime.nanos) return;
  throw invalidField(`${path}.end_time`, "TIME_WINDOW_INVALID", "it is after start_time");
}
