import type { DescService } from "@bufbuild/protobuf";
import { isKindName, kindOf } from "../../src/domain/kinds.ts";
import type { Json, Schema } from "./load-schema.ts";

/**
 * The services of each API by tag, with the names that readers look for, in the order of the reference page. Services of
 * other kinds follow, by the names of their collections.
 */
const GROUPS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Delivery API": {
    "cda.ott.page.v1": "Pages",
    "cda.ott.page_component.v2": "Page components",
    "cda.ott.banner_collection.v2": "Banner collections",
    "cda.cms.event.v1": "Events",
    "cda.cms.creative_work.v1": "Creative works",
    "cda.cms.entity.v1": "Entities",
    "cda.annotations.annotation.v1": "Annotations",
    "cda.streaming.playback.v1": "Playback",
    "cda.iam.auth.v1": "Sign-in",
    "cda.monetization.offer.v1": "Offers",
    "cda.monetization.entitlement.v1": "Entitlements",
  },
  "Studio API": {
    "studio.ott.page.v1": "Pages",
    "studio.ott.page_component.v2": "Page components",
    "studio.ott.rendering.v1": "Rendering",
    "studio.ott.banner_collection.v2": "Banner collections",
    "studio.cms.event.v1": "Events",
    "studio.cms.creative_work.v1": "Creative works",
    "studio.cms.entity.v1": "Entities",
    "studio.cms.record.v1": "Records",
    "studio.cms.change.v1": "Changes",
    "studio.cms.release.v1": "Releases",
    "studio.streaming.video.v1": "Videos",
    "studio.streaming.ruleset.v2": "Rulesets",
    "studio.annotations.annotation.v1": "Annotations",
    "studio.annotations.annotation_type.v1": "Annotation types",
    "studio.annotations.action.v1": "Actions",
    "studio.cms.webhook.v1": "Webhooks",
    "studio.annotations.action_run.v1": "Runs",
    "studio.monetization.offer.v1": "Offers",
    "studio.monetization.transaction.v1": "Transactions",
    "studio.monetization.entitlement.v1": "Entitlements",
    "studio.monetization.billing_integration.v1": "Billing integration",
    "studio.iam.project.v1": "Projects",
    "studio.iam.project_key.v1": "Project keys",
    "studio.iam.sign_in_integration.v1": "Sign-in integration",
    "studio.iam.organization.v1": "Organizations",
    "studio.iam.account.v1": "Accounts",
    "studio.iam.access_token.v1": "Access tokens",
    "studio.iam.staff_sign_in.v1": "Staff sign-in",
    "studio.iam.role.v1": "Roles",
    "studio.iam.binding.v1": "Role bindings",
    "studio.iam.auth.v1": "Own permissions",
    "studio.iam.audit.v1": "Audit log",
    "studio.ott.page_component.v1": "Page components, version 1",
  },
};

/** Returns the tag of a service in the document, such as `studio.ott.page.v1`. */
export function tagOf({ file }: DescService): string {
  return file.proto.package.replace(/^svc\./, "");
}

/**
 * Describes the tags in order, with their names as `x-displayName`, and the groups as `x-tagGroups`, which reference pages
 * read. Throws for a service without a name.
 */
export function describeTags({ listServices, commentOf }: Schema): Json {
  const groups = Object.entries(GROUPS).map(([name, listed]) => {
    const services = listServices(name === "Studio API" ? "svc.studio" : "svc.cda");
    const described = new Map(services.map((service) => [tagOf(service), service]));
    const tags = new Set([...Object.keys(listed), ...described.keys()]);
    return { name, listed, tags: [...tags], described };
  });
  return {
    tags: groups.flatMap(({ listed, tags, described }) =>
      tags.map((tag) => {
        const service = described.get(tag);
        if (service === undefined)
          throw new Error(`tools/openapi/tags.ts names no service: ${tag}`);
        const name = listed[tag] ?? nameOfKind(tag);
        return { name: tag, "x-displayName": name, description: commentOf(service.typeName) };
      }),
    ),
    "x-tagGroups": groups.map(({ name, tags }) => ({ name, tags })),
  };
}

/** Names the tag of a kind by its collection, such as `Banner collections`. */
function nameOfKind(tag: string): string {
  const [, , kind = ""] = tag.split(".");
  const collection = isKindName(kind) ? kindOf(kind).collection : undefined;
  if (collection === undefined) throw new Error(`tools/openapi/tags.ts has no name for ${tag}`);
  return collection.replaceAll("_", " ").replace(/^./, (letter) => letter.toUpperCase());
}
