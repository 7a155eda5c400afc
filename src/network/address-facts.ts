/** What makes an address one behind which a viewer hides, in MaxMind's anonymous-IP databases. */
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

/** Reads whether an address hides who uses it; such a database holds only those that do. */
export function readAnonymity(record: unknown): boolean {
  return ANONYMIZERS.some((name) => member(record, name) === true);
}

function member(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, name)
    ? (value as Record<string, unknown>)[name]
    : undefined;
}
