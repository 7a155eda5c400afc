import type { VideoProtectionRuleset } from "../../../../gen/svc/studio/streaming/ruleset/v2/video_protection_ruleset_pb.ts";
import { fail, notSet, pass, type Verdict, type Viewer } from "../verdict.ts";

/** The referrer of a page without an address of its own (RFC 9110 10.1.3). */
const NO_PAGE = "about:blank";

/**
 * Decides by the site in the HTTP referrer (contract: rulesets 2, 5 and 8): a listed domain or a
 * subdomain. Names are compared in lower case and punycode, without port and final dot. A missing referrer
 * is allowed; one that is not an absolute http or https URL is denied.
 */
export function decideDomains(
  { domainRestrictions }: VideoProtectionRuleset,
  { referrer = "" }: Viewer,
): Verdict {
  switch (domainRestrictions.case) {
    case "domains":
      return decideByList(domainRestrictions.value.domains, referrer);
    case "allowAllDomains":
      return domainRestrictions.value ? pass("every domain is explicitly allowed") : notSet();
    case undefined:
      return notSet();
    default:
      return domainRestrictions satisfies never;
  }
}

function decideByList(domains: readonly string[], referrer: string): Verdict {
  if (domains.length === 0) return pass("an empty list of domains allows every domain");
  if (referrer === "" || referrer === NO_PAGE) return pass("no referrer was sent", "referrer");
  const host = readHost(referrer);
  if (host === undefined) {
    return fail("DOMAIN_NOT_ALLOWED", "the referrer is not the address of a site", "referrer");
  }
  const allowed = domains.find((domain) => isAtOrBelow(host, readHost(`http://${domain}`)));
  return allowed === undefined
    ? fail("DOMAIN_NOT_ALLOWED", `${host} is in none of the allowed domains`, "referrer")
    : pass(`${host} is in the allowed domain ${allowed}`, "referrer");
}

function readHost(address: string): string | undefined {
  const url = URL.parse(address);
  if (url === null || (url.protocol !== "http:" && url.protocol !== "https:")) return undefined;
  return url.hostname.replace(/\.$/, "");
}

function isAtOrBelow(host: string, domain: string | undefined): boolean {
  return domain !== undefined && (host === domain || host.endsWith(`.${domain}`));
}
