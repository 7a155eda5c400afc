/** How long the previous secret is still accepted. */
const OVERLAP_MS = 24 * 3_600_000;

/** The secrets of a project that its billing provider signs with. */
export interface BillingSecrets {
  /** `whsec_…`. */
  readonly secret: string;
  readonly createTime: Date;
  /** The previous secret, accepted until its expiration. */
  readonly previous?: { readonly secret: string; readonly expireTime: Date };
}

/** Replaces the current secret, which is accepted for 24 more hours; earlier ones are dropped. */
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

/** Lists the secrets accepted at a time, the newest first. */
export function listSecrets({ secret, previous }: BillingSecrets, now: Date): readonly string[] {
  return previous !== undefined && now < previous.expireTime ? [secret, previous.secret] : [secret];
}
