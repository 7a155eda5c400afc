import type { Rule } from "./rules.ts";

const ROW = "errors > and a Status body on the management face";
const SESSION = "page-session > , a rail whose session";
const REFERENCES = "page-references > what a component shows by id";
const SEEN_NEXT = "changes-at-once > is seen by the next";

/** Every row of CONTRACT.md 2 to 5, and of 6 and 7 what delivery and this folder are about. */
export const contractRules: readonly Rule[] = [
  ["CONTRACT 2.1: names, zero values", "json > every field without presence is written"],
  ["CONTRACT 2.1: what is left out", "json > messages that are absent, members of a oneof"],
  [
    "CONTRACT 2.1: 64-bit, timestamps",
    "json > a 64-bit number is a text",
    "json > a timestamp is RFC 3339 in UTC",
  ],
  [
    "CONTRACT 2.2: both spellings",
    "page-component-mask > the body's fields may be spelled in either way",
    "json > names may be snake_case or lowerCamelCase",
  ],
  ["CONTRACT 2.2: unknown field", "page-component-input > a field that nobody knows is refused"],
  ["CONTRACT 2.2: unknown query parameter", "json > one that nobody knows"],
  ["CONTRACT 2.2: wrong type", "page-component-input > a value of the wrong JSON type is refused"],
  [
    "CONTRACT 2.2: unknown enum name",
    "page-component-input > the name of an enum value that does not exist",
  ],
  ["CONTRACT 2.2: two spellings at once", "page-component-input > a field that is there twice"],
  ["CONTRACT 2.2: any JSON object", "page-component-data > come back unchanged with"],
  [
    "CONTRACT 2.2: values of the binary form that JSON lacks",
    "annotation > in binary form is refused and not stored",
    "binary > is refused, and the component can still be read",
  ],
  ["CONTRACT 2.3: the type of a body", "json > the type of a request's body"],
  [
    "CONTRACT 2.3: empty, broken, an array",
    "json > a body that is not a JSON object",
    "json > the position is that of the fault",
  ],
  ["CONTRACT 2.4: how a mask is read", "page-component-mask > a mask that is understood"],
  [
    "CONTRACT 2.4: what a mask may not hold",
    "page-component-mask > a mask that is refused",
    "page-component-mask > is refused with the list too",
  ],
  ["CONTRACT 2.4: masked and absent clears", "page-component > is cleared"],
  [
    "CONTRACT 2.4: sent and not masked is ignored",
    "page-component > sent without being named by the mask is ignored",
  ],
  ["CONTRACT 2.5: escapes", "json > escapes are decoded, and %2F in a segment is data"],
  ["CONTRACT 2.5: a resource key in both forms", "permission-test > works with its slashes as"],
  ["CONTRACT 2.5: broken escape", "json > is a broken escape: 400"],
  ["CONTRACT 2.5: trailing slash, empty segment", "json > with a trailing slash, an empty segment"],
  ["CONTRACT 2.6: ETag", "page-component-writes > is strong, comes with every answer"],
  [
    "CONTRACT 2.6: If-Match on every write",
    "page-component-writes > is 409 with the current tag",
    "annotation > lets the write through with the current tag",
    "sign-in-integration > If-Match holds for the current tag only",
    "ruleset > If-Match cannot hold for what is not there yet",
    "ruleset-update > an entity tag that is not the current one",
    "ruleset-delete > is refused with another entity tag than the current one",
  ],
  ["CONTRACT 2.6: If-None-Match", "annotation-type > with the current tag is 304 without a body"],
  [
    "CONTRACT 2.6: X-Request-Id",
    "request-id > is taken over from the request, also into the log",
    "request-id > is made where the request has none",
  ],

  ["CONTRACT 3: ErrorInfo, domain, reason", "errors > and a Connect body over Connect"],
  [
    "CONTRACT 3: BadRequest for faults in fields",
    "page-component-input > a value of the wrong JSON type",
  ],
  [
    "CONTRACT 3: no secret in the message",
    "error-leak > says nothing to the caller and everything to the log",
  ],
  ["CONTRACT 3: management body", ROW],
  ["CONTRACT 3: delivery body", "errors > and a Connect body over Connect"],
  [
    "CONTRACT 3: gRPC and gRPC-Web trailers",
    "test/http/rpc-errors > , on every face",
    "test/http/protocols > gets errors with their reason by",
  ],
  ["CONTRACT 3: unauthenticated", "errors > no credentials", "access > 401 on every face"],
  [
    "CONTRACT 3: permission denied",
    "access > a role without the permission: 403 with permission and resource",
  ],
  [
    "CONTRACT 3: not found",
    "access > another tenant's credentials reach nothing",
    "batch-get > cannot be told apart",
  ],
  ["CONTRACT 3: invalid argument", "errors > a mask violation", "errors > a wrong type"],
  ["CONTRACT 3: aborted", "errors > an etag mismatch"],
  ["CONTRACT 3: already exists", "errors > what exists already"],
  ["CONTRACT 3: failed precondition", "errors > a state that forbids it"],
  ["CONTRACT 3: unknown path", "errors > an unknown path"],
  ["CONTRACT 3: wrong method", "errors > a known path with the wrong method"],
  ["CONTRACT 3: body over the limit", "errors > a body over the limit"],
  ["CONTRACT 3: rate or stream limit", "errors > a rate or stream limit"],
  [
    "CONTRACT 3: deadline",
    "errors > a deadline that has passed",
    "error-leak > the deadline that a caller sets is kept over Connect",
  ],
  ["CONTRACT 3: database away", "errors > a database that is away"],
  ["CONTRACT 3: unforeseen", "errors > anything unforeseen"],
  [
    "CONTRACT 3: order of checks",
    "errors > the order of the checks",
    "errors > credentials are refused while the body is still on its way",
  ],

  [
    "CONTRACT 4.1: ids, update, mask",
    "page-component > in the path are refused",
    "page-component > an update that is missing is refused by name",
  ],
  ["CONTRACT 4.1: two members", "page-component-data > 400, and nothing is written"],
  [
    "CONTRACT 4.1: switching and the type",
    "page-component-data > a component is switched to",
    "page-component-data > put type into the mask",
  ],
  [
    "CONTRACT 4.1: content_carousel",
    "page-component-data > content_carousel is kept with a rail that changes",
  ],
  ["CONTRACT 4.1: clearing the only member", "page-component-data > cannot be cleared"],
  [
    "CONTRACT 4.1: environments, height_fraction, KQL, variables",
    "page-component > is refused and nothing is written",
    "page-component-checks > a KQL text that is broken is refused",
    "page-component-checks > a malformed variable is refused",
  ],
  [
    "CONTRACT 4.1: filter and groups of a page",
    "page-component-page > at most one filter component lies on a page",
    "page-component-page > the components of a group lie next to each other",
  ],
  ["CONTRACT 4.1: two changes at once", "page-component-writes > at the same moment all survive"],
  [
    "CONTRACT 4.2: repeated or comma-separated",
    "permission-test > may be repeated, separated by commas, or both",
  ],
  ["CONTRACT 4.2: at most 100", "permission-test > are 100 at most"],
  [
    "CONTRACT 4.2: none, wildcard, malformed",
    "permission-test > is not of the form area.resource.verb",
    "permission-test > the names that are asked for",
  ],
  [
    "CONTRACT 4.2: order, duplicates, unknown names",
    "permission-test > are answered in the order asked, each once",
    "permission-test > are simply not held when nobody defines them",
  ],
  [
    "CONTRACT 4.2: malformed key, unknown resource",
    "permission-test > is malformed: 400",
    "permission-test > answers an empty list",
  ],
  ["CONTRACT 4.2: Cache-Control", "permission-test > no cache may keep the answer"],
  ["CONTRACT 4.3: ids and mask", "annotation > ids and mask, as for page components"],
  ["CONTRACT 4.3: offsets", "annotation > is not negative", "annotation > a scene from"],
  ["CONTRACT 4.3: runs no actions", "annotation > a change runs no actions"],
  ["CONTRACT 4.3: order", "annotation > order is a 64-bit number"],
  [
    "CONTRACT 4.4: audiences",
    "sign-in-integration > audiences: at least one, none twice, none blank",
  ],
  ["CONTRACT 4.4: replaces the list", "sign-in-integration > the list is replaced"],
  ["CONTRACT 4.4: query", "sign-in-integration > any query parameter is taken and ignored"],
  [
    "CONTRACT 2.4: rulesets, whose groups switch",
    "ruleset-groups > a neutral value clears only its own member",
    "ruleset-groups > two values in the body are refused",
    "ruleset-update > with different masks all survive",
  ],
  [
    "Ruleset contract: the same life on both faces",
    "ruleset-get > is the same from its creation to its end",
    "ruleset-list > cover every ruleset once",
    "ruleset-delete > is done once, then it is not there",
  ],
  [
    "Ruleset contract: Marquee-Warnings",
    "ruleset-warnings > is a JSON array of code and message",
    "ruleset-warnings > is ASCII, also where an id is not",
  ],
  ["CONTRACT 4.5: false in a group", "ruleset > rule 5: false in a group's boolean is neutral"],
  [
    "CONTRACT 4.5: tri-state",
    "ruleset > rule 6: absent, false and true are three different things",
  ],
  ["CONTRACT 4.5: mandatory", "ruleset > is mandatory"],
  ["CONTRACT 4.5: dependencies", "ruleset > rules 10 and 11: what a flag needs"],
  ["CONTRACT 4.5: country codes", "ruleset-values > country codes are ISO 3166-1 alpha-2"],
  ["CONTRACT 4.5: domains", "ruleset-values > domains are host names"],
  ["CONTRACT 4.5: priority", "ruleset-values > priority is a 64-bit number"],
  [
    "CONTRACT 4.5: hws_minimum_quality",
    "ruleset > hws_minimum_quality is a 32-bit number that is not negative",
  ],
  [
    "CONTRACT 4.5: KQL in filter",
    "ruleset-values > KQL in the filter is checked when it is written",
  ],
  ["CONTRACT 4.5: window", "ruleset-values > the target's window"],
  [
    "CONTRACT 4.6: project_id",
    "transaction > without a project covers all projects",
    "transaction > does not exist for the",
  ],
  [
    "CONTRACT 4.6: page_size",
    "transaction > is no 32-bit number",
    "transaction > that fits exactly ends the list",
  ],
  [
    "CONTRACT 4.6: order",
    "transaction > is newest first with ties by id",
    "transaction-ties > nine transactions of one moment come by id",
  ],
  ["CONTRACT 4.6: filter", "transaction-summary > is refused with the column"],
  [
    "CONTRACT 4.6: token",
    "transaction > with any character changed is refused",
    "transaction > is refused, in both directions",
    "transaction > of another account is refused",
  ],
  [
    "CONTRACT 4.6: summary",
    "transaction-summary > is there only when it is asked for",
    "transaction-summary > is exact in every currency",
  ],
  [
    "CONTRACT 4.7: unknown and empty",
    "annotation-type > an unknown type is 404",
    "annotation-type > a type without a configuration",
  ],
  [
    "CONTRACT 4.8: ids",
    "batch-get > 101 ids are refused",
    "batch-get > an id that is there 150 times counts once",
  ],
  ["CONTRACT 4.8: order", "batch-get > has the order asked, each once"],
  ["CONTRACT 4.8: missing ids", "batch-get > fail the whole call, all of them named"],
  ["CONTRACT 4.8: v1 shape", "batch-get > has the first version's shape"],
  [
    "CONTRACT 5: each method names its permission",
    "access > a role without the permission: 403 with permission and resource",
  ],
  [
    "CONTRACT 5: roles and ancestors",
    "permission-test > what an ancestor grants counts, and nothing else does",
  ],
  ["CONTRACT 5: resource keys", "permission-test > works with its slashes as"],

  [
    "CONTRACT 6: Connect, gRPC and gRPC-Web on the same paths",
    "delivery-methods > answers a client's ",
    "test/http/protocols > calls delivery by",
  ],
  [
    "CONTRACT 6: a Connect POST carries its version",
    "delivery-methods > refuses a Connect POST without connect-protocol-version: 1",
  ],
  [
    "CONTRACT 6: a GET needs no connect=v1, gRPC and gRPC-Web no version",
    "list-events > needs neither connect=v1 nor the protocol header",
    "delivery-methods > answers a client's ",
  ],
  [
    "CONTRACT 6: a POST answers for a read too",
    "delivery-methods > answers a GET and a POST with the same JSON",
  ],
  [
    "CONTRACT 6: unknown JSON fields are ignored",
    "delivery-methods > ignores JSON fields that it does not know",
  ],
  [
    "CONTRACT 6: the project is the key's",
    "access > another tenant's credentials reach nothing",
    "get-page > in its own project only",
    "leak > to the byte as if what is hidden, or another project's, did not exist",
  ],
  [
    "CONTRACT 6: reflection and health need no credentials",
    "test/http/reflection > , and sends the file first, then its imports",
    "test/http/reflection > lists every service",
  ],
  [
    "CONTRACT 6: --no-reflection",
    "test/http/buf-curl > finds nothing where reflection is turned off",
  ],
  [
    "CONTRACT 6: browsers, with preflight",
    "delivery-methods > lets a page of any site call it, after a preflight",
    "test/http/rpc-errors > lets pages read its answers, errors too",
  ],
  ["CONTRACT 6 methods: the table", "delivery-methods > is what the delivery interface has"],
  [
    "CONTRACT 6 methods: all but the POST ones are NO_SIDE_EFFECTS",
    "delivery-methods > marks all NO_SIDE_EFFECTS but those that write",
  ],
  [
    "CONTRACT 6 lists: page_size",
    "content-kinds > how many ",
    "list-events > is no 32-bit number",
    "list-annotations > a negative pageSize is refused",
    "list-offers > a page size is decided as in every list",
  ],
  [
    "CONTRACT 6 lists: page_token",
    "list-content > holds for the same list alone",
    "list-annotations > a token holds for its key and arguments alone, whatever the page size",
    "list-pages > takes no other token and no negative size",
  ],
  [
    "CONTRACT 6 lists: filter",
    "list-content > lets through what it means, page by page",
    "list-content > that is broken is refused with its column",
  ],
  [
    "CONTRACT 6 lists: search",
    "list-content > finds by words of title, description and fields, whatever their case and accents",
    "list-content > needs every word",
    "list-content > goes with a filter and an order",
  ],
  [
    "CONTRACT 6 lists: exclude_geoblocked of events and creative works",
    "exclude-geoblocked > a list that leaves out what is geoblocked",
    "content-kinds > a list of entities has no excludeGeoblocked",
  ],
  ["CONTRACT 6 lists: the answer", "content-kinds > how many "],
  [
    "CONTRACT 6 lists: the fields of an item",
    "content-kinds > has all its fields, its free ones as they are",
    "list-events > an event shows its fields in Connect's spelling",
  ],
  ["CONTRACT 6 orders: the fields", "list-content > is kept over pages, ties by id, unset last"],
  [
    "CONTRACT 6 orders: another field",
    "list-content > is refused with the fields that are allowed",
  ],
  [
    "CONTRACT 6 orders: ties by id, unset values last",
    "content-kinds > : ties go by id, what has no value is last",
  ],
  [
    "CONTRACT 6 visibility: lists deliver what is published",
    "content-kinds > lists are of what is published, for a preview key of all",
    "list-offers > nothing of a draft or of another project reaches the public key",
    "list-annotations > what is not published reaches the preview key alone",
    "list-pages > holds all by slug",
    "leak > lists to the byte as if what is unlisted did not exist",
  ],
  [
    "CONTRACT 6 visibility: the Get methods deliver what is unlisted too",
    "content-kinds > by a public key, got by a preview key",
    "get-banner-collection > what may not be seen looks like what does not exist",
    "get-page-component > is given to a preview key, to none of another project",
  ],
  [
    "CONTRACT 6 visibility: HIDDEN and UNSPECIFIED for a preview key alone",
    "leak > no answer, no error and no header holds a word of what is not shown",
    "leak > shows all of the project to the preview key, and nothing of another",
  ],
  [
    "CONTRACT 6 GetPage: by id or slug",
    "get-page > is the same by id and by slug, by GET and by POST",
    "get-page > a page is named",
  ],
  [
    "CONTRACT 6 GetPage: parameters and q",
    "page-variables > has the variables of its filters in their places",
    "page-variables > parameters are values and never syntax",
  ],
  [
    "CONTRACT 6 GetPage: environment",
    "page-rendering > if it is for it, or for none",
    "get-page > ' is unknown",
  ],
  [
    "CONTRACT 6 GetPage: session",
    SESSION,
    "page-session > a session value that is none is refused",
  ],
  [
    "CONTRACT 6 GetPage: includeItems and itemsPageSize",
    "get-page > has items where it lists or shows some, when they are asked for",
    "get-page > how many items",
  ],
  ["CONTRACT 6 GetPage: page, object", "page-variables > has it, and its player shows it"],
  [
    "CONTRACT 6 GetPage: components, in order, and dropped",
    "get-page > shows its published components in order, each in its group",
    "page-variables > leaves out what needs it",
  ],
  [
    "CONTRACT 6 ResolvedComponent: the component, its variables resolved",
    "page-rendering > a component is given as it is stored, but for its variables",
    "page-rendering > are resolved in ",
  ],
  ["CONTRACT 6 ResolvedComponent: filter, search, hidden, pinned", SESSION],
  [
    "CONTRACT 6 ResolvedComponent: items, itemsNextPageToken",
    "get-page > what a list call gives",
    "list-component-items > goes on behind them in ",
  ],
  [
    "CONTRACT 6 ResolvedComponent: an item is an event, a creative work or an entity",
    "get-page > what a list call gives",
    "page-variables > has it, and its player shows it",
  ],
  [
    "CONTRACT 6 ResolvedComponent: a calendar's hidden hides its cards only",
    "page-calendar > hides the cards of a calendar only: it stays on its page",
  ],
  [
    "CONTRACT 6 GetPageComponent: the same shape for one component",
    "get-page-component > is the same as on its page",
    "get-page-component > by itself says why, with ",
    "get-page-component > is found on its own page only",
  ],
  [
    "CONTRACT 6 ListPageComponentItems",
    "list-component-items > pages of every size hold all, in order",
    "list-component-items > what has no items",
  ],
  [
    "CONTRACT 6 ListPageComponentItems: day and timeZone of calendars",
    "page-calendar > a day lists the events that start on it",
    "page-calendar > what is no day of a calendar is refused",
  ],
  ["CONTRACT 6 dropped: REFERENCE_NOT_FOUND", REFERENCES, "page-references > is left out"],
  [
    "CONTRACT 6 dropped: VARIABLE_UNRESOLVED",
    "page-variables > leaves out what needs it",
    "page-rendering > are paths into it and into nothing else",
  ],
  [
    "CONTRACT 6 dropped: no other reason",
    { open: "CONFIGURATION_INVALID is a third one: a template or filter that cannot be composed" },
  ],
  [
    "CONTRACT 6 GetBannerCollection",
    "get-banner-collection > the whole collection is there, its banners in order",
  ],
  [
    "CONTRACT 6 ListAnnotations",
    "list-annotations > the walk covers every published annotation once, in order",
    "list-annotations > a list of neither a video nor an event is refused",
  ],
  ["CONTRACT 6 ListOffers", "list-offers > offers are given whole, prices exact and in order"],
  ["CONTRACT 6 ListPages", "list-pages > holds all by slug"],

  [
    "CONTRACT 6 KQL: the language",
    "list-content > lets through what it means, page by page",
    "test/storage/kql/property > SQL takes the documents that the language takes",
  ],
  [
    "CONTRACT 6 KQL: names are the snake_case paths",
    "content-kinds > knows the snake_case paths alone",
  ],
  [
    "CONTRACT 6 Variables: parameters, q, paths into the page's own object",
    "page-variables > has the variables of its filters in their places",
    "page-rendering > are paths into it and into nothing else",
    "page-variables > leaves out what needs it",
  ],
  [
    "CONTRACT 6 Variables: in documented fields only",
    "page-rendering > are resolved in ",
    "page-rendering > are none in the other fields of ",
  ],
  [
    "CONTRACT 6 Variables: a value never becomes syntax",
    "page-variables > parameters are values and never syntax",
  ],
  [
    "CONTRACT 6 Variables: a list is an OR group",
    "page-variables > has the variables of its filters in their places",
    "page-rendering > are resolved in ",
  ],
  [
    "CONTRACT 6 Variables: what cannot be resolved is left out and named",
    "page-variables > leaves out what needs it",
    "get-page-component > by itself says why, with ",
  ],
  [
    "CONTRACT 6 Variables: no {…} reaches a client as a value",
    "get-page > has no variable left, but for what is the session's",
  ],
  [
    "CONTRACT 6 Additional filters: composed filter, search, hidden, pinned",
    SESSION,
    "page-session > the session decides what is listed",
    "page-session > a calendar narrows as a rail does",
  ],
  [
    "CONTRACT 6 Additional filters: an or in brackets",
    "page-rendering > a filter with an or is put in brackets before AND joins a clause",
  ],
  [
    "CONTRACT 6 Additional filters: pure functions, exported",
    "test/domain/additional-filters > nothing set: the component's own",
    "test/domain/exports > are what clients import by the package's name",
  ],

  [
    "CONTRACT 6 Freshness: a strong ETag on every read",
    "delivery-methods > has a strong ETag, and 304 for it, also where the request says no-cache",
    "test/http/freshness > has a strong entity tag, the same for the same answer",
  ],
  [
    "CONTRACT 6 Freshness: 304, also with no-cache",
    "delivery-methods > has a strong ETag, and 304 for it, also where the request says no-cache",
    "test/http/freshness > also with no-cache",
  ],
  [
    "CONTRACT 6 Freshness: public for a public key alone, and Vary",
    "delivery-methods > may be kept by a CDN for a public key alone, and by nobody for a preview key",
    "test/http/freshness > may be kept by anybody, by key and encoding",
  ],
  [
    "CONTRACT 6 Freshness: private with the viewer's country",
    "exclude-geoblocked > is nobody else's to keep",
    "page-freshness > by nobody if the viewer's country takes part in its items",
  ],
  [
    "CONTRACT 6 Freshness: private with the preview key",
    "delivery-methods > may be kept by a CDN for a public key alone, and by nobody for a preview key",
  ],
  [
    "CONTRACT 6 Freshness: private with a viewer token",
    "test/http/handler-freshness > is kept by nobody, and made anew for each who asks",
    { open: "no read looks at a viewer token yet" },
  ],
  [
    "CONTRACT 6 Freshness: errors are not kept",
    "delivery-methods > has errors that nobody keeps",
    "errors > and a Connect body over Connect",
  ],
  [
    "CONTRACT 6 Freshness: a change is seen by the next read",
    SEEN_NEXT,
    "changes-at-once > a tag of before a change is not answered by 304",
    "changes-at-once > a new ruleset counts for the next list",
    "list-annotations > what the management interface moves is listed at its new place at once",
  ],
  [
    "CONTRACT 6 Freshness: a change is seen on other processes within a second",
    "test/http/response-cache > is dropped within a second of a change that another process makes",
  ],

  ["CONTRACT 6 Sign-in: signature", "exchange-token > : SIGNATURE_INVALID"],
  [
    "CONTRACT 6 Sign-in: key sets are kept, and fetched at a bounded rate",
    "test/auth/identity-keys > are fetched once for many tokens",
    "test/auth/identity-keys > are fetched at a bounded rate for ids that nobody has",
    "exchange-token > cause one more fetch of the keys at most",
  ],
  ["CONTRACT 6 Sign-in: iss", "exchange-token > : ISSUER_UNKNOWN, or malformed without one"],
  [
    "CONTRACT 6 Sign-in: aud, an empty list refuses",
    "exchange-token > : AUDIENCE_NOT_ALLOWED",
    "test/auth/identity-token > an empty list of the project",
    "exchange-token > a project without an integration refuses every token",
  ],
  ["CONTRACT 6 Sign-in: exp and nbf, 60 s of skew", "exchange-token > within the skew"],
  [
    "CONTRACT 6 Sign-in: algorithms",
    "test/auth/identity-token > none is refused, in every spelling",
    "test/auth/identity-token > a secret made of the public key is refused",
  ],
  [
    "CONTRACT 6 Sign-in: the answer, ES256, the public key set",
    "exchange-token > whose signature holds against the published keys",
    "test/http/endpoints > jwks.json holds the public key",
  ],
  ["CONTRACT 6 Sign-in: never outlives", "exchange-token > it never outlives it"],
  ["CONTRACT 6 Sign-in: reasons", "exchange-token > refused with its own reason"],
  [
    "CONTRACT 6 Sign-in: in the header or the cookie",
    "playback > with a token in Authorization",
    "playback > with a token in the cookie",
  ],
  [
    "CONTRACT 6 Sign-in: a stale or broken one counts as none where nothing asks for a viewer",
    "playback > counts as none where nothing asks for a viewer",
    "list-entitlements > a token that does not hold is refused",
  ],
  [
    "CONTRACT 6 Playback: which ruleset decides",
    "test/domain/protection/pick > of the rulesets that apply",
    "test/handlers/protected-video > is protected by number",
    "test/handlers/protected-video > what shows it once more leaves undecided what protects it",
  ],
  [
    "CONTRACT 6 Playback: the answer, and the reasons of refusals",
    "playback > playback is allowed",
    "playback > playback is refused",
  ],
  [
    "CONTRACT 6 Playback: offer_ids of ENTITLEMENT_REQUIRED",
    "playback > names the offers that would open the video, and no others",
  ],
  [
    "CONTRACT 6 Playback: Retry-After of CONCURRENCY_LIMIT_REACHED",
    "playback-streams > in how many seconds the first stream ends",
  ],
  [
    "CONTRACT 6 Playback: a token names its project, and is for a folder",
    "test/http/playback-endpoint > to a token of another project",
    "test/http/playback-endpoint > where it names no project",
    "test/playback/edge > of two tenants on one host",
    "videos > without a folder is refused in words that say what to do",
  ],
  [
    "CONTRACT 6: a simulation decides as playback does and takes no stream",
    "ruleset-simulate-rules > each rule in a simulation",
    "ruleset-simulate > takes no stream, however often it is asked, and says so",
    "ruleset-simulate-address > is looked up for what is not given",
  ],
  [
    "CONTRACT 7: bodies, also by their decompressed size",
    "errors > a body over the limit",
    "test/http/limits > a gzip bomb of 256 MiB is 413 and takes little memory",
  ],
  [
    "CONTRACT 7: nesting 100",
    "json > 101 levels are refused with the position",
    "delivery-methods > a session of 100 levels of JSON is read, one of 101 is refused",
    "test/http/json-nesting > nests 100 deep and no deeper",
  ],
  [
    "CONTRACT 7: KQL",
    "page-component-checks > over the limits of a filter",
    "list-content > that is over the limit is refused, at the limit it is not",
  ],
  [
    "CONTRACT 7: 100 ids, 100 permissions",
    "batch-get > 100 ids are looked up",
    "permission-test > are 100 at most",
  ],
  [
    "CONTRACT 7: URL, headers, slow connections",
    "test/http/limits > bytes are ",
    "test/http/limits > bytes is ",
    "test/http/slow-clients > with 408 after ",
  ],
];
