/** The members of a record of MaxMind's anonymous-IP databases that mark an anonymizer. */
const ANONYMIZERS = [
  "is_anonymous",
  "is_anonymous_vpn",
  "is_public_proxy",
  "is_hosting_provider",
  "is_tor_exit_node",
];

/** Reads the country of an address from its record: ISO 3166-1 alpha-2, upper case. */
export function readCountry(record: unknown): string | undefined {
  const code = member(member(record, "country"), "iso_code");
  return typeof code === "string" && /^[A-Z]{2}$/.test(code) ? code : undefined;
}

/** Reports whether the record of an address marks an anonymizer. */
export function readAnonymity(record: unknown): boolean {
  return ANONYMIZERS.some((name) => member(record, name) === true);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
