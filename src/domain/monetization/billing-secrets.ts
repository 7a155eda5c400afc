/** How long the secret before the newest is accepted. */
const OVERLAP_MS = 24 * 3_600_000;

/** What the billing provider of a project signs with. */
export interface BillingSecrets {
  /** `whsec_…`. */
  readonly secret: string;
  readonly createTime: Date;
  /** The secret before, and until when it is accepted too. */
  readonly previous?: { readonly secret: string; readonly expireTime: Date };
}

/** Puts a new secret in front; the one before it holds for 24 hours more, none before that. */
export function rotateSecret(
  current: BillingSecrets | undefined,
  secret: string,
  now: Date,
): BillingSecrets {
  const expireTime = new Date(now.getTime() + OVERLAP_MS);
  return {
    secret,
    createTime: now,
    ...(current && { previous: { secret: current.secret, expireTime } }),
  };
}

/** Lists the secrets that are accepted at a time, the newest first. */
export function listSecrets({ secret, previous }: BillingSecrets, now: Date): readonly string[] {
  return previous !== undefined && now < previous.expireTime ? [secret, previous.secret] : [secret];
}
