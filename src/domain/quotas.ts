import type { OrganizationQuotas } from "../../gen/svc/studio/iam/organization/v1/organization_pb.ts";
import type { ProjectQuotas } from "../../gen/svc/studio/iam/project/v1/project_pb.ts";
import { type Binding, decideAccess, INSTALLATION } from "./access/permissions.ts";
import { OPERATING } from "./access/roles.ts";
import { Code, DomainError } from "./base/errors.ts";
import { checkField } from "./base/field-errors.ts";
import type { ResourceName } from "./references.ts";

/** The names of all quotas. */
export const QUOTA_NAMES = ["items", "bytes", "keys", "accounts", "projects"] as const;

type QuotaName = (typeof QUOTA_NAMES)[number];

/** An amount for each quota; absent: 0. */
export type Amounts = { readonly [Name in QuotaName]?: number };

/** The kinds that own others within quotas, and count the changes of everything in them. */
export type HolderKind = "organization" | "project";

/** An organization or project. */
export interface Holder {
  readonly kind: HolderKind;
  readonly id: string;
}

/** Reports whether a kind owns others within quotas. */
export function isHolder(kind: string): kind is HolderKind {
  return kind === "organization" || kind === "project";
}

type Quotas = OrganizationQuotas | ProjectQuotas;

/** Adds amounts up. */
export function sumAmounts(all: readonly Amounts[]): Amounts {
  const sum: Record<QuotaName, number> = { items: 0, bytes: 0, keys: 0, accounts: 0, projects: 0 };
  for (const amounts of all) {
    for (const name of QUOTA_NAMES) sum[name] += amounts[name] ?? 0;
  }
  return sum;
}

/** Returns the limits of a message; 0: no limit. */
export function readQuotas(quotas: Quotas | undefined): Amounts {
  return Object.fromEntries(listQuotas(quotas).map(([name, limit]) => [name, Number(limit)]));
}

/**
 * Checks growth that is already counted in `used` against the quotas of an organization or project. Amounts that do
 * not grow are not checked. RESOURCE_EXHAUSTED `QUOTA_EXCEEDED` for a quota that the growth exceeds.
 */
export function checkGrowth(
  holder: ResourceName,
  { used, quotas }: { readonly used: Amounts; readonly quotas: Amounts },
  growth: Amounts,
): void {
  for (const name of QUOTA_NAMES) {
    const limit = quotas[name] ?? 0;
    const grown = growth[name] ?? 0;
    const total = used[name] ?? 0;
    if (limit > 0 && grown > 0 && total > limit) {
      throw quotaExceeded(holder, name, { limit, grown, used: total - grown });
    }
  }
}

function quotaExceeded(
  { kind, id }: ResourceName,
  quota: QuotaName,
  { limit, grown, used }: { readonly limit: number; readonly grown: number; readonly used: number },
): DomainError {
  const resource = `${kind}/${id}`;
  const message = `${resource} uses ${used} of ${limit} ${quota}, and ${grown} more would exceed its quota; delete some, or ask an operator of the installation for a higher quota`;
  return new DomainError(Code.RESOURCE_EXHAUSTED, "QUOTA_EXCEEDED", message, {
    metadata: { quota, limit: String(limit), used: String(used), resource },
  });
}

/** Checks the limits of quotas at `path`. INVALID_ARGUMENT `QUOTA_INVALID`. */
export function checkQuotas(quotas: Quotas | undefined, path: string): void {
  for (const [name, limit] of listQuotas(quotas)) {
    const isInRange = limit >= 0 && limit <= Number.MAX_SAFE_INTEGER;
    const description = `must be 0 to ${Number.MAX_SAFE_INTEGER}`;
    checkField(isInRange, `${path}.quotas.${name}`, "QUOTA_INVALID", description);
  }
}

/** Checks that an account may set quotas: its bindings include the permission of `operator`. */
export function checkMaySetQuotas(bindings: readonly Binding[]): void {
  if (decideAccess(bindings, INSTALLATION, OPERATING) === "granted") return;
  throw new DomainError(
    Code.PERMISSION_DENIED,
    "QUOTAS_RESERVED",
    `quotas are set by operators of the installation, who have the permission '${OPERATING}'; omit them`,
    { metadata: { permission: OPERATING } },
  );
}

/** Lists the limits of quotas by name. */
function listQuotas(quotas: Quotas | undefined): (readonly [QuotaName, bigint | number])[] {
  return QUOTA_NAMES.flatMap((name) => {
    const limit = (quotas as Partial<Record<QuotaName, bigint | number>> | undefined)?.[name];
    return limit === undefined ? [] : [[name, limit] as const];
  });
}
