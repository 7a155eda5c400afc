import { expect, test } from "vitest";
import { getUrl } from "../harness/calls.ts";
import { reasonOf, send } from "../harness/http.ts";
import { useMarquee } from "../harness/use-marquee.ts";

/*
 * Mistakes that newcomers make, with the response to each: an error whose message says what to do, or a warning. None
 * succeeds in silence.
 */

const marquee = await useMarquee();
const { owner } = marquee.tokens;
const { public: key } = marquee.keys;

const EVENTS = "svc.cda.cms.event.v1.EventService";
const PAGES = "svc.cda.ott.page.v1.PageService";
const CONNECT = { "connect-protocol-version": "1" };
const RULESETS = "svc.studio.streaming.ruleset.v2.RulesetService";
const EVENT = "cms/events/v1/match-2026-1";
const COMPONENTS = "ott/page_components/v2";
const project_id = "worldcup";
const identityToken = await marquee.identityProvider.sign({
  ...{ subject: "viewer-1", audience: "marquee-demo", issueTime: new Date() },
  expireTime: new Date(Date.now() + 60_000),
});
const organization_id = "org-worldcup";
const geo = { target: { event_ids: ["match-2026-1"] } };

/** A call, by default with the public key for methods and with the token of the owner for paths. */
interface Call {
  readonly token?: string | undefined;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** A mistake: what is tried, the call, and the status, reason and message of the error, or the warning. */
type Row = readonly [as: string, call: readonly [line: string, call?: Call], got: Got];
type Got =
  | readonly [status: number, reason: string, message: RegExp]
  | readonly [code: string, message: RegExp];

const list = (message: unknown) => `GET ${getUrl(`${EVENTS}/ListEvents`, message)}`;
const filter = (text: string) => [list({ filter: text })] as const;
const order = (text: string) => [list({ order: text })] as const;
const create = (path: string, body: unknown, call: Call = {}) =>
  [`POST ${path}`, { ...call, body }] as const;
const event = (body: object, query = "") =>
  create(`cms/events/v1${query}`, { project_id, ...body });
const patch = (body: unknown, headers: Call["headers"] = {}, query = "") =>
  [`PATCH ${EVENT}${query}`, { headers, body }] as const;
const titled = { event: { title: { en: "X" } } };
const component = (body: object, query = "?page_id=page-home") =>
  create(`${COMPONENTS}${query}`, { project_id, name: "x", ...body });
const ruleset = (body: object) =>
  create("streaming/video_protection/v2/rulesets", {
    ...{ project_id, name: "x", priority: 9_000, ...geo, ...body },
  });

const ROWS: readonly Row[] = [
  ["no key", [list({}), { token: undefined }], [401, "CREDENTIALS_MISSING", /header is missing/]],
  [
    "a key without Bearer",
    [list({}), { token: undefined, headers: { authorization: key } }],
    [401, "CREDENTIALS_MALFORMED", /must be 'Bearer <token>'/],
  ],
  [
    "an access token for the Delivery API",
    [list({}), { token: owner }],
    [401, "CREDENTIALS_WRONG_KIND", /needs a public key of the project/],
  ],
  [
    "an identity token for a viewer token",
    [list({}), { token: identityToken }],
    [401, "ISSUER_UNKNOWN", /exchange an identity token/],
  ],
  [
    "a key that was cut",
    [list({}), { token: key.slice(0, -3) }],
    [401, "CREDENTIALS_INVALID", /unknown or deleted/],
  ],
  [
    "a GET without encoding",
    [`GET ${EVENTS}/ListEvents?message=%7B%7D`],
    [400, "QUERY_MALFORMED", /must have encoding=json and a message/],
  ],
  [
    "a GET without a message",
    [`GET ${EVENTS}/ListEvents?encoding=json`],
    [400, "QUERY_MALFORMED", /must have encoding=json and a message/],
  ],
  [
    "parameters of a form",
    [`GET ${EVENTS}/ListEvents?pageSize=2`],
    [400, "QUERY_MALFORMED", /must have encoding=json and a message/],
  ],
  [
    "JSON without quotes",
    [`GET ${EVENTS}/ListEvents?encoding=json&message=%7Bfilter:x%7D`],
    [400, "JSON_SYNTAX", /key in double quotes at line 1, column 2/],
  ],
  ["a misspelled field", [list({ filtr: "x" })], ["FIELD_UNKNOWN", /did you mean "filter"\?/]],
  ["a word for a number", [list({ pageSize: "ten" })], [400, "VALUE_INVALID", /is not a number/]],
  ["a negative size", [list({ pageSize: -1 })], [400, "PAGE_SIZE_INVALID", /not be negative/]],
  [
    "a page number for a token",
    [list({ pageToken: "2" })],
    [400, "PAGE_TOKEN_INVALID", /must be a token from this list with the same arguments/],
  ],
  ["a filter without a value", filter("content_type:"), [400, "KQL_SYNTAX", /value.*\n.*\n-+\^$/]],
  ["an open quote", filter('title.en: "x'), [400, "KQL_SYNTAX", /title\.en: "x\n-+\^$/]],
  ["an open bracket", filter("(a: b"), [400, "KQL_SYNTAX", /Expected "\)", AND, OR/]],
  [
    "a time without quotes",
    filter("start_time > 2026-06-01T10:00:00Z"),
    [400, "KQL_SYNTAX", /Write a time in quotes/],
  ],
  ["a list of SQL", filter("id in (a, b)"), [400, "KQL_SYNTAX", /field: \(a or b\)/]],
  ["an and of JavaScript", filter("a: b && c: d"), [400, "KQL_SYNTAX", /Write and for &&/]],
  ["an order in camel case", order("startTime desc"), [400, "ORDER_INVALID", /'start_time'\?/]],
  [
    "a long direction",
    order("start_time descending"),
    [400, "ORDER_INVALID", /did you mean 'start_time desc'/],
  ],
  ["an order without a direction", order("id"), [400, "ORDER_INVALID", /did you mean 'id asc'\?$/]],
  ["a minus", order("-start_time"), [400, "ORDER_INVALID", /did you mean 'start_time'\?/]],
  ["an order by a map", order("title asc"), [400, "ORDER_INVALID", /title\.<language>/]],
  ["an unknown facet", [list({ facets: ["genre"] })], [400, "FACET_INVALID", /fields\.genre/]],
  ["yes for true", [list({ includeTotal: "yes" })], [400, "VALUE_INVALID", /true or false/]],
  [
    "a method without what it makes",
    [`POST ${RULESETS}/CreateRuleset`, { token: owner, headers: CONNECT, body: {} }],
    [400, "FIELD_REQUIRED", /^video_protection_ruleset\.project_id: is required/],
  ],
  [
    "a misspelled method",
    [`GET ${EVENTS}/ListEvent`],
    [404, "PATH_UNKNOWN", /did you mean .*\/ListEvents\?/],
  ],
  [
    "a method in camel case",
    [`GET ${EVENTS}/listEvents`],
    [404, "PATH_UNKNOWN", /did you mean .*\/ListEvents\?/],
  ],
  [
    "a service without its package",
    ["POST svc.cda.cms.EventService/ListEvents"],
    [404, "PATH_UNKNOWN", /did you mean .*cda\.cms\.event\.v1\.EventService\/ListEvents\?/],
  ],
  [
    "a body of a form",
    [
      `POST ${EVENTS}/ListEvents`,
      { body: "a=b", headers: { "content-type": "application/x-www-form-urlencoded" } },
    ],
    [415, "UNSUPPORTED_MEDIA_TYPE", /must be application\/json/],
  ],
  [
    "a POST by curl",
    [`POST ${EVENTS}/ListEvents`, { body: "{}" }],
    [400, "CONNECT_PROTOCOL_VERSION_REQUIRED", /connect-protocol-version: 1/],
  ],
  [
    "PUT",
    [`PUT ${EVENTS}/ListEvents`, { body: "{}" }],
    [405, "METHOD_NOT_ALLOWED", /GET, HEAD, POST/],
  ],
  [
    "an id by another name",
    [`GET ${getUrl(`${EVENTS}/GetEvent`, { eventId: "match-2026-1" })}`],
    [400, "FIELD_REQUIRED", /^id: is required/],
  ],
  [
    "the path of a page for its slug",
    [`GET ${getUrl(`${PAGES}/GetPage`, { slug: "/home" })}`],
    [404, "RESOURCE_NOT_FOUND", /a slug begins without a slash/],
  ],
  [
    "a page without a name",
    [`GET ${getUrl(`${PAGES}/GetPage`, {})}`],
    [400, "PAGE_KEY_INVALID", /exactly one of id and slug/],
  ],
  [
    "a page with two names",
    [`GET ${getUrl(`${PAGES}/GetPage`, { slug: "home", pageId: "page-home" })}`],
    ["FIELD_UNKNOWN", /pageId.*known: id, slug/],
  ],
  [
    "no token",
    ["GET cms/events/v1?project_id=worldcup", { token: undefined }],
    [401, "CREDENTIALS_MISSING", /header is missing/],
  ],
  [
    "a public key for the Studio API",
    ["GET cms/events/v1?project_id=worldcup", { token: key }],
    [401, "CREDENTIALS_WRONG_KIND", /needs an access token/],
  ],
  [
    "a singular",
    ["GET cms/event/v1?project_id=worldcup"],
    [404, "PATH_UNKNOWN", /did you mean \/cms\/events\/v1\?/],
  ],
  [
    "a path without a version",
    ["GET cms/events?project_id=worldcup"],
    [404, "PATH_UNKNOWN", /did you mean \/cms\/events\/v1\?/],
  ],
  [
    "another version",
    ["GET cms/events/v2?project_id=worldcup"],
    [404, "PATH_UNKNOWN", /did you mean \/cms\/events\/v1\?/],
  ],
  [
    "a slash at the end",
    ["GET cms/events/v1/?project_id=worldcup"],
    [404, "PATH_UNKNOWN", /did you mean \/cms\/events\/v1\?/],
  ],
  ["no project", ["GET cms/events/v1"], [400, "FIELD_REQUIRED", /^project_id: is required/]],
  [
    "an unknown project",
    ["GET cms/events/v1?project_id=worldcop"],
    [404, "RESOURCE_NOT_FOUND", /project worldcop does not exist/],
  ],
  [
    "an unknown parameter",
    ["GET cms/events/v1?project_id=worldcup&limit=2"],
    [400, "QUERY_UNKNOWN", /known: project_id, page_size/],
  ],
  ["an update by PUT", [`PUT ${EVENT}`, { body: {} }], [405, "METHOD_NOT_ALLOWED", /PATCH/]],
  [
    "a creation with POST to an id",
    [`POST ${EVENT}`, { body: {} }],
    [405, "METHOD_NOT_ALLOWED", /PATCH/],
  ],
  [
    "an unknown verb",
    ["POST cms/releases/v1/finals:publish", { body: {} }],
    [405, "METHOD_NOT_ALLOWED", /its verbs: :check, :apply/],
  ],
  [
    "a creation with its field around it",
    create("cms/events/v1", { event: { project_id } }),
    [400, "FIELD_UNKNOWN", /send its fields without "event" around them/],
  ],
  [
    "an update without its field around it",
    patch({ title: { en: "X" } }),
    [400, "FIELD_UNKNOWN", /put it into "event"/],
  ],
  [
    "an id of another project",
    create("cms/events/v1?event_id=match-2026-1", { project_id: "sandbox" }),
    [409, "ALREADY_EXISTS", /^event match-2026-1 already exists in the organization$/],
  ],
  ["a misspelled field", event({ titel: { en: "x" } }), [400, "FIELD_UNKNOWN", /"title"\?/]],
  ["a text for a map", event({ title: "x" }), [400, "VALUE_INVALID", /expected an object/]],
  ["a language in words", event({ title: { english: "x" } }), ["LANGUAGE_UNUSUAL", /such as "en"/]],
  ["a language in capitals", event({ title: { EN: "x" } }), ["LANGUAGE_UNUSUAL", /is "en"/]],
  [
    "a language in capitals in a rail",
    component({ type: "rail", rail: { title: { DE: "x" } } }),
    ["LANGUAGE_UNUSUAL", /rail\.title\.DE: .* is "de"/],
  ],
  [
    "a short name of a visibility",
    event({ visibility: "published" }),
    [400, "ENUM_UNKNOWN", /did you mean "VISIBILITY_PUBLISHED"\?/],
  ],
  ["a day for a time", event({ start_time: "2026-06-01" }), [400, "VALUE_INVALID", /such as 2026/]],
  ["seconds for a time", event({ start_time: 1.78e9 }), [400, "VALUE_INVALID", /such as 2026/]],
  [
    "a time without a zone",
    event({ start_time: "2026-06-01T10:00:00" }),
    [400, "VALUE_INVALID", /such as 2026-06-11T19:00:00Z/],
  ],
  [
    "single quotes",
    create("cms/events/v1", "{'project_id': 'worldcup'}"),
    [400, "JSON_SYNTAX", /key in double quotes/],
  ],
  ["an array", create("cms/events/v1", [{}]), [400, "BODY_NOT_OBJECT", /not a JSON object/]],
  [
    "a body as text",
    create("cms/events/v1", "{}", { headers: { "content-type": "text/plain" } }),
    [415, "UNSUPPORTED_MEDIA_TYPE", /must be application\/json/],
  ],
  [
    "an id in the body",
    event({ id: "x" }),
    [400, "FIELD_OUTPUT_ONLY", /send event_id in the query/],
  ],
  [
    "a visibility in the body of an annotation",
    create("annotations/annotations/v1", {
      ...{ project_id, type_id: "type-goal", video_id: "video-match-2026-1" },
      visibility: "VISIBILITY_HIDDEN",
    }),
    [400, "FIELD_OUTPUT_ONLY", /send visibility in the query/],
  ],
  [
    "an id in a component to render",
    create("ott/page_components/v2:render", {
      ...{ page_id: "page-home", page_component: { id: "x", project_id, type: "text", text: {} } },
    }),
    [400, "FIELD_OUTPUT_ONLY", /send page_component_id in the request$/],
  ],
  [
    "a time that Marquee sets",
    event({ update_time: "2026-06-01T10:00:00Z" }),
    [400, "FIELD_OUTPUT_ONLY", /set by the service/],
  ],
  [
    "seconds for a duration",
    create("streaming/videos/v1", { project_id, name: "x", duration: 90 }),
    [400, "VALUE_INVALID", /such as 75\.5s/],
  ],
  [
    "a list for a mask",
    patch({ ...titled, update_mask: ["title"] }),
    [400, "VALUE_INVALID", /names separated by commas/],
  ],
  ["an id with a space", event({}, "?event_id=my%20event"), [400, "ID_INVALID", /1 to 64 char/]],
  ["an id that is taken", event({}, "?event_id=match-2026-1"), [409, "ALREADY_EXISTS", /exists/]],
  ["a parameter id", event({}, "?id=x"), [400, "QUERY_UNKNOWN", /known: event_id/]],
  ["no mask", patch(titled), [400, "UPDATE_MASK_INVALID", /at least one field; allowed fields/]],
  [
    "a misspelled mask",
    patch({ ...titled, update_mask: "titel" }),
    [400, "UPDATE_MASK_INVALID", /did you mean 'title'\?/],
  ],
  [
    "a path in a mask",
    patch({ ...titled, update_mask: "title.en" }),
    [400, "UPDATE_MASK_INVALID", /send it in fields_mask/],
  ],
  [
    "the message in a mask",
    patch({ ...titled, update_mask: "event.title" }),
    [400, "UPDATE_MASK_INVALID", /did you mean 'title'\?/],
  ],
  [
    "a title in one language",
    patch({ ...titled, update_mask: "title", validate_only: true }),
    ["VALUES_CLEARED", /title\.de/],
  ],
  [
    "a misspelled path below fields",
    patch({ event: { fields: { stage: 1 } }, fields_mask: "fields.stagee" }),
    [400, "UPDATE_MASK_INVALID", /fields\.stagee/],
  ],
  [
    "a rail that is renamed",
    [
      `PATCH ${COMPONENTS}/${marquee.samples.rail_id}`,
      {
        body: {
          page_component_update: { rail: { title: { en: "X" } } },
          ...{ update_mask: "rail", validate_only: true },
        },
      },
    ],
    ["VALUES_CLEARED", /rail\.filter/],
  ],
  ["no page", component({ type: "text", text: {} }, ""), [400, "FIELD_REQUIRED", /^page_id/]],
  [
    "a slug for the id of a page",
    component({ type: "text", text: {} }, "?page_id=home"),
    [404, "RESOURCE_NOT_FOUND", /page home does not exist/],
  ],
  ["another type", component({ type: "rail", text: {} }), [400, "TYPE_MISMATCH", /be 'text'/]],
  ["an unknown type", component({ type: "slider" }), [400, "DATA_MEMBER_REQUIRED", /calendar/]],
  [
    "a filter of SQL in a rail",
    component({ type: "rail", rail: { filter: "content_type = film" } }),
    ["FILTER_OPERATOR", /write field: value/],
  ],
  [
    "a filter in camel case in a rail",
    component({ type: "rail", rail: { filter: "contentType: film" } }),
    ["FILTER_FIELD_UNKNOWN", /did you mean "content_type"\?/],
  ],
  [
    "a filter by a map in a rail",
    component({ type: "rail", rail: { filter: "title: Final" } }),
    ["FILTER_LANGUAGE_MISSING", /write title\.en: value/],
  ],
  ["an id of nothing", event({ video_ids: ["none"] }), ["REFERENCE_MISSING", /video 'none'/]],
  [
    "a slug with a slash",
    create("ott/pages/v1", { project_id, slug: "/home" }),
    [400, "SLUG_INVALID", /joined by '\/'/],
  ],
  [
    "a slug that is taken",
    create("ott/pages/v1", { project_id, slug: "home" }),
    [409, "ALREADY_EXISTS", /slug of another page/],
  ],
  [
    "an ETag without quotes",
    patch({ ...titled, update_mask: "title" }, { "if-match": "abc" }),
    [400, "IF_MATCH_MALFORMED", /quoted ETags/],
  ],
  [
    "an old ETag",
    patch({ ...titled, update_mask: "title" }, { "if-match": '"abc"' }),
    [409, "ETAG_MISMATCH", /current ETag is .*read the resource again/],
  ],
  [
    "an unknown release",
    patch({ ...titled, update_mask: "title" }, {}, "?release_id=none"),
    [404, "RESOURCE_NOT_FOUND", /release none does not exist/],
  ],
  [
    "the release of a preview in a write",
    patch({ ...titled, update_mask: "title" }, { "x-release-id": "finals" }),
    [400, "VALUE_INVALID", /name the release in release_id/],
  ],
  [
    "a release in the past",
    create("cms/releases/v1", { project_id, name: "x", apply_time: "2020-01-01T00:00:00Z" }),
    [400, "APPLY_TIME_INVALID", /from now to five years ahead/],
  ],
  [
    "a webhook without a scheme",
    create("cms/webhooks/v1", { project_id, name: "x", url: "example.com/hook" }),
    [400, "TARGET_INVALID", /absolute http or https URL/],
  ],
  [
    "a webhook on localhost",
    create("cms/webhooks/v1", { project_id, name: "x", url: "http://localhost:3000/hook" }),
    [400, "TARGET_NOT_ALLOWED", /must be https; .*--actions-allow-private/],
  ],
  [
    "an unknown kind of record",
    create("cms/records/v1:write", { project_id, records: [{ film: {} }] }),
    [400, "FIELD_UNKNOWN", /no field "film"; known: .*creative_work/],
  ],
  [
    "a short name of a mode",
    create("cms/records/v1:write", { project_id, mode: "each", records: [] }),
    [400, "ENUM_UNKNOWN", /did you mean "WRITE_MODE_EACH"\?/],
  ],
  [
    "a permission in the singular",
    create("iam/roles/v1", { organization_id, name: "x", permissions: ["cms.event.get"] }),
    [400, "PERMISSION_UNKNOWN", /'cms\.events\.get'/],
  ],
  [
    "a misspelled role",
    create("iam/bindings/v1", {
      ...{ organization_id, account_id: "account-viewer", role_id: "edtor" },
      resource_key: "worldcup/worldcup/project",
    }),
    [400, "RESOURCE_NOT_FOUND", /did you mean 'editor'\?/],
  ],
  [
    "a kind of a webhook in the plural",
    create("cms/webhooks/v1", {
      ...{ project_id, name: "x", url: "https://example.com/x", kinds: ["events"] },
    }),
    [400, "KIND_UNKNOWN", /did you mean 'event'\?/],
  ],
  [
    "a misspelled environment",
    component({ type: "text", text: {}, environments: ["andriodtv"] }),
    [400, "ENVIRONMENT_UNKNOWN", /did you mean 'androidtv'/],
  ],
  [
    "a misspelled source of annotations",
    [
      "PATCH annotations/types/v1/type-goal/action_configuration",
      { body: { conditions: [{ source_types: { types: ["SOURCE_TYPE_MANUL"] } }] } },
    ],
    [400, "SOURCE_TYPE_UNKNOWN", /did you mean 'SOURCE_TYPE_MANUAL'/],
  ],
  [
    "a resource key the other way round",
    create("iam/bindings/v1", {
      ...{ organization_id, account_id: "account-viewer", role_id: "editor" },
      resource_key: "project/worldcup",
    }),
    [400, "RESOURCE_KEY_MALFORMED", /<resource_id>\/<project_id>\/<resource_type>/],
  ],
  [
    "UK",
    ruleset({ geo_restrictions_allow: { country_codes: ["UK"] } }),
    [400, "COUNTRY_CODE_INVALID", /the United Kingdom is 'GB'/],
  ],
  [
    "a price without its amount",
    create("monetization/offers/v1", {
      ...{ project_id, name: "x" },
      prices: [{ currency_code: "EUR", units: 5 }],
    }),
    [400, "FIELD_UNKNOWN", /put it into "amount"/],
  ],
  [
    "an annotation of an unknown type",
    create("annotations/annotations/v1", { project_id, type_id: "none" }),
    [400, "REFERENCE_NOT_FOUND", /create it first/],
  ],
  [
    "a key without a kind",
    create("iam/project_keys/v1", { project_id }),
    [400, "FIELD_REQUIRED", /project_key\.kind: is required/],
  ],
  [
    "an order of another kind",
    ["GET ott/pages/v1?project_id=worldcup&order=name"],
    [400, "ORDER_INVALID", /fields create_time, update_time, id/],
  ],
  [
    "a filter of SQL in a list",
    ["GET cms/events/v1?project_id=worldcup&filter=content_type%20%3D%20match"],
    ["FILTER_OPERATOR", /write field: value/],
  ],
  [
    "a filter by a field of another kind in a list",
    ["GET streaming/videos/v1?project_id=worldcup&filter=contentType:match"],
    ["FILTER_FIELD_UNKNOWN", /no resource has a field "contentType"/],
  ],
  [
    "the deletion of a page with components",
    ["DELETE ott/pages/v1/page-home"],
    [400, "STILL_REFERRED_TO", /set force to delete it anyway/],
  ],
];

test.each(ROWS)("%s", async (_, [line, call = {}], got) => {
  const [method = "", path = ""] = line.split(/ (.*)/s);
  const token = path.startsWith("svc.") ? key : owner;
  const response = await send(method, `${marquee.url}/${path}`, { token, ...call });
  if (got.length === 3) {
    const [status, reason, message] = got;
    expect([response.status, reasonOf(response)], response.text).toEqual([status, reason]);
    expect(response.json.message).toMatch(message);
    return;
  }
  const [code, message] = got;
  expect(response.status, response.text).toBe(200);
  const warnings = JSON.parse(response.headers.get("marquee-warnings") ?? "[]");
  expect(warnings).toContainEqual(
    expect.objectContaining({ code, message: expect.stringMatching(message) }),
  );
});
