import type { Rule } from "./rules.ts";

const EACH_FIELD = "page-component > alone is changed and everything else stays";
const UNCHANGED = "page-component-data > which comes back unchanged, key for key";
const ENUM = "page-component-input > the name of an enum value that does not exist is refused";
const KQL = "page-component-checks > a KQL text that is broken is refused";
const VARIABLE = "page-component-checks > a malformed variable is refused";
const COMPOSE = "test/domain/kql/compose > a filter and its clauses compose";
const GIVEN = "page-rendering > a component is given as it is stored, but for its variables";
const RESOLVED = "page-rendering > are resolved in ";
const SESSION = "page-session > , a rail whose session";
const NARROWS = "page-session > a calendar narrows as a rail does";
const REFERENCES = "page-references > what a component shows by id";
const DAYS = "page-calendar > a day lists the events that start on it";
const COUNTRY = "page-freshness > a viewer's country";
const IN_ORDER = "list-component-items > pages of every size hold all, in order";
const CLIENT = { open: "about what a client shows: nothing of it is on the wire" };
const NOT_SHOWN = { open: "SPEC.md leaves it open and no operation shows it" };

/** Every rule of SPEC.md. */
export const specRules: readonly Rule[] = [
  ["What it does 1: JSON at {base_url}", "json > answers snake_case in JSON"],
  ["What it does 2: the operations under Endpoints", "json > the eight operations have a path"],
  [
    "What it does 3: Connect over GET and POST with JSON",
    "list-events > the walk covers every published event",
  ],
  [
    "What it does 3: mostly reads, and some writes",
    "delivery-methods > marks all NO_SIDE_EFFECTS but those that write",
  ],
  [
    "What it does 4: components are configured in management and rendered by clients",
    "changes-at-once > is seen by the next",
    "test/browser/home-page > shows the home page: every component in order",
  ],
  [
    "What it does 4: delivery resolves variables",
    RESOLVED,
    "get-page > has no variable left, but for what is the session's",
  ],
  ["Conventions: ids are strings", "page-component > a number in the body is refused"],
  ["Conventions: timestamps are RFC 3339 in UTC", "json > a timestamp is RFC 3339 in UTC"],
  ["Conventions: enumerations are exact names", ENUM, "page-component > is stored and given back"],
  ["Conventions: money", "transaction > shows every field of a transaction"],
  [
    "Conventions: a mask is a comma-separated text",
    "page-component-mask > a mask that is understood",
  ],

  [
    "PageComponent id: read-only",
    "page-component > id and project_id in the component that is sent are ignored",
  ],
  ["PageComponent project_id: required", "page-component > the answer is the whole component"],
  ["PageComponent name", EACH_FIELD],
  ["PageComponent type: equals the member", "page-component-data > put type into the mask"],
  [
    "PageComponent environments: seven values",
    "page-component > is refused and nothing is written",
  ],
  [
    "PageComponent environments: where it is rendered",
    "page-rendering > if it is for it, or for none",
    "get-page-component > is found in its environments only",
  ],
  ["PageComponent environments: empty is all", "page-rendering > if it is for it, or for none"],
  ["PageComponent visibility", "page-component > is stored and given back"],
  [
    "PageComponent visibility: who is shown it",
    "get-page-component > is given to a preview key, to none of another project",
    "get-page-component > is shown with what lists show",
  ],
  [
    "PageComponent group_id: adjacent",
    "page-component-page > a component apart from the group is refused",
  ],
  [
    "PageComponent group_id: absent is its own id",
    "page-component-page > is a group under its own id",
  ],
  [
    "PageComponent group_id: rendered in one container, side by side",
    "get-page > shows its published components in order, each in its group",
    "page-rendering > in its group, without one in a group of its own id",
  ],
  ["PageComponent css_classes", EACH_FIELD, GIVEN],
  [
    "PageComponent data: exactly one",
    "page-component-data > 400, and nothing is written",
    "page-component-data > cannot be cleared",
  ],
  [
    "Data members: the nineteen",
    "page-component-data > are nineteen",
    UNCHANGED,
    "page-rendering > and none of the nineteen is left out",
  ],
  [
    "Variables: fields that take them, and no others",
    VARIABLE,
    RESOLVED,
    "page-rendering > are none in the other fields of ",
  ],
  [
    "Variables: {id}, a URL parameter of the page",
    "page-variables > has the variables of its filters in their places",
    "test/domain/page-rendering/page-scope > are the declared parameters, q and the object",
    "page-variables > leaves out what needs it",
  ],
  [
    "Variables: {q}, the page variable",
    "page-variables > parameters are values and never syntax",
    "page-variables > without q, what searches for it is left out",
  ],
  [
    "Variables: paths into the page's entity, event or creative work",
    "page-rendering > are paths into it and into nothing else",
    "page-variables > has it, and its player shows it",
  ],
  [
    "Variables: what is referred to exists with the same id",
    REFERENCES,
    "get-banner-collection > what may not be seen looks like what does not exist",
  ],

  ["banner_collection id, gradients, rotation", UNCHANGED, VARIABLE, GIVEN],
  ["banner_collection id: the collection that is shown", REFERENCES, RESOLVED],
  [
    "banner_collection height_fraction 0 to 1",
    "page-component-checks > height_fraction of banner_collection is from 0 to 1",
  ],
  [
    "banner_collection rotation_interval_seconds int32",
    "page-component-checks > is a 32-bit number that is not negative",
  ],
  ["banner_collection_v2 fields and enums", UNCHANGED, ENUM, GIVEN],
  ["banner_collection_v2 id: the collection that is shown", REFERENCES, RESOLVED],
  ["banner_collection_v2 fixed, hide_by_default, intervals, effects", CLIENT],
  [
    "banner_collection_v2 height_fraction",
    "page-component-checks > is refused with RELATIVE_HEIGHT",
    "page-component-checks > goes without it and refuses it",
  ],
  ["banner_collection_v2 border_radius with inline", CLIENT],
  ["calendar fields", UNCHANGED, KQL, GIVEN],
  ["calendar filter: events, with variables", DAYS, RESOLVED],
  ["calendar_v2 fields", UNCHANGED, KQL, GIVEN],
  ["calendar_v2: shows the events of a date", DAYS, "page-calendar > show the final on its day"],
  ["calendar_v2 layout: day_grid by default", CLIENT],
  [
    "calendar_v2 filter: narrows, the date is scoped by the layout",
    DAYS,
    "page-calendar > without a day all dates are listed, by start",
  ],
  ["calendar_v2 filter: variables", RESOLVED],
  ["calendar_v2 additional_filters", NARROWS, "page-calendar > and its session's"],
  ["calendar_v2 exclude_geoblocked: by the viewer's location", COUNTRY],
  [
    "calendar_v2 show_on_unmatched_additional_filters: false hides the cards alone",
    "page-calendar > hides the cards of a calendar only: it stays on its page",
  ],
  [
    "calendar_v2 show_on_unmatched_additional_filters: true ignores other keys",
    "page-calendar > is nothing to ",
  ],
  [
    "rail alias content_carousel",
    "page-component-data > content_carousel is allowed for a rail and kept",
    "page-rendering > a rail by its legacy name content_carousel lists as a rail",
  ],
  ["rail fields", UNCHANGED, ENUM, GIVEN],
  ["rail type: what it lists", "get-page > what a list call gives", IN_ORDER],
  ["rail title, description, card, background, arrows, see_all, preheader, theme", CLIENT],
  ["rail filter: KQL with variables", KQL, RESOLVED, "get-page > what a list call gives"],
  ["rail additional_filters", SESSION],
  [
    "rail search: passed to the list call, with variables",
    VARIABLE,
    RESOLVED,
    "get-page > what a list call gives",
  ],
  [
    "rail additional_search: the key whose value is the search",
    SESSION,
    "page-session > the pinned vanish while a clause or a search takes part",
  ],
  [
    "rail additional_search: independent of filter",
    SESSION,
    "test/domain/additional-filters > the search of the session replaces the base",
  ],
  [
    "rail order: <field> asc or desc",
    "page-component-checks > a rail's order is one that the delivery lists support",
  ],
  ["rail order: the order of its items", IN_ORDER, "get-page > what a list call gives"],
  ["rail limit int32", "page-component-checks > is a 32-bit number that is not negative"],
  ["rail limit: the most items of a page", "list-component-items > how many items"],
  ["rail pinned: first, in the given order", IN_ORDER],
  [
    "rail pinned: dropped while a filter takes part",
    SESSION,
    "page-session > the pinned vanish while a clause or a search takes part",
  ],
  ["rail hide_by_default", CLIENT],
  ["rail exclude_geoblocked: by the viewer's location", COUNTRY],
  [
    "rail exclude_geoblocked: not for entities",
    "page-rendering > exclude_geoblocked is nothing to a rail of entities",
  ],
  [
    "rail show_on_unmatched_additional_filters: false hides, true ignores other keys",
    SESSION,
    "page-session > a rail that knows a key not is empty and says so, one that ignores it is not",
  ],
  ["content_grid: reference or inline", "page-component-data > not both"],
  [
    "content_grid reference: mirrors a component of another page",
    "page-references > a grid that mirrors",
    "list-component-items > how many items",
  ],
  [
    "content_grid inline: a configuration of its own",
    "page-references > an inline grid shows its items, and is one itself",
    "test/domain/page-rendering/content-grid > with the session, in ",
  ],
  ["filter fields", UNCHANGED, GIVEN],
  [
    "filter: delivery is not involved, its URL parameters need not be the page's",
    "page-session > what lists nothing does not mind",
    SESSION,
  ],
  ["filter: at most one on a page", "page-component-page > cannot become a second one"],
  ["filter: session storage and URL", CLIENT],
  ["creative_work_player: id or query", "page-component-data > not both", VARIABLE],
  ["creative_work_player id: the creative work that is shown", REFERENCES, RESOLVED],
  ["creative_work_player fields", UNCHANGED, GIVEN],
  [
    "event_player: id or query; info, lineup, timeline",
    "page-component-data > not both",
    UNCHANGED,
    GIVEN,
  ],
  ["event_player id: the event that is shown", REFERENCES, RESOLVED],
  ["players: autoplay, progress, background and poster images", CLIENT],
  ["offers fields", UNCHANGED, GIVEN],
  ["offers: colors and their defaults", CLIENT],
  ["player_profile id: required", "page-component-checks > needs the entity's id"],
  ["player_profile id: the entity that is shown", REFERENCES, RESOLVED],
  ["player_profile: published fields only", "page-component-checks > by its name"],
  ["Other data members: any object", "page-component-data > come back unchanged with", UNCHANGED],
  ["Additional filters 1: key to clause", KQL, SESSION],
  ["Additional filters 2: appended with AND", COMPOSE, SESSION, NARROWS],
  [
    "Additional filters 2: the data is fetched again",
    "page-session > the session decides what is listed",
    "page-calendar > and its session's",
  ],
  [
    "Additional filters 3: an array is an OR list",
    "test/domain/kql/substitute > a value takes the placeholder's place",
    SESSION,
    "page-rendering > a filter with an or is put in brackets before AND joins a clause",
  ],
  [
    "Additional filters 4: a failed clause is dropped",
    COMPOSE,
    SESSION,
    "page-rendering > a filter with an or is put in brackets before AND joins a clause",
  ],
  ["PageComponent v1 fields", "batch-get > has the first version's shape"],

  ["Annotation fields", "annotation > alone is changed, then cleared"],
  ["Annotation id, visibility, source_type in answers", "annotation > the answer carries id"],
  ["Annotation offsets", "annotation > offsets are durations from the start of the video"],
  ["Action configuration", "annotation-type > a type answers its configuration and conditions"],
  [
    "Action configuration: actions run on creation",
    { open: "there is no operation that creates annotations" },
  ],
  ["Sign-in integration fields", "sign-in-integration > the list is replaced"],

  ["Ruleset id: response only", "ruleset > an id is refused"],
  ["Ruleset country lists", "ruleset-values > takes either case and keeps the order"],
  [
    "Ruleset disabled",
    "ruleset-values > a disabled ruleset can be created",
    "ruleset-delete > at once, being disabled does not",
  ],
  [
    "Ruleset target",
    "ruleset > alone is kept and comes back as it was sent",
    "ruleset-values > the target's window",
  ],
  ["Ruleset filter", "ruleset-values > KQL in the filter is checked"],
  ["Ruleset drm", "ruleset > hws_minimum_quality is kept as given"],
  ["Ruleset priority: a text", "ruleset-values > priority is a 64-bit number"],
  [
    "Ruleset priority: the highest is used",
    "ruleset-simulate > lists what applies to the viewer, the highest priority and smallest id first",
  ],

  ["Transaction fields", "transaction > shows every field of a transaction"],
  ["List summary", "transaction-summary > is exact in every currency"],
  ["Permission test result", "permission-test > are answered in the order asked"],
  [
    "States: visibility",
    "page-component > is stored and given back",
    "content-kinds > the visibility of ",
  ],
  ["States: transaction status", "transaction > shows every field of a transaction"],
  ["States: transitions", NOT_SHOWN],
  [
    "States: disabled and deleted rulesets",
    "ruleset-delete > ends its part in decisions at once, being disabled does not",
  ],

  [
    "Management: Bearer access token, JSON, 200",
    "access > the right credentials succeed on every face",
  ],
  ["Operation 1 path, body, answer", "page-component > the answer is the whole component"],
  ["Operation 1: ids", "page-component > in the path are refused"],
  [
    "Operation 1: only masked fields change",
    "page-component > sent without being named by the mask is ignored",
  ],
  ["Operation 1: root level only", "page-component-mask > a mask that is refused"],
  [
    "Operation 1: the member is sent whole",
    "page-component-data > naming a member replaces the whole of it",
  ],
  ["Operation 1: one data member", "page-component-data > 400, and nothing is written"],
  ["Operation 2: keys", "permission-test > works with its slashes as"],
  ["Operation 2: a project's id twice", "permission-test > is malformed: 400"],
  ["Operation 2: held there or on an ancestor", "permission-test > what an ancestor grants counts"],
  ["Operation 2: none is an empty list", "permission-test > answers an empty list"],
  [
    "Operation 3",
    "annotation > alone is changed, then cleared",
    "annotation > the answer carries id",
  ],
  ["Operation 4", "sign-in-integration > the list is replaced"],
  [
    "Operation 4: query parameters",
    "sign-in-integration > any query parameter is taken and ignored",
  ],
  [
    "Operation 5: id in the answer, drm when requested",
    "ruleset > each ruleset gets an id",
    "ruleset > absent stays absent",
  ],
  [
    "Create ruleset 1",
    "ruleset > rule 1: where viewers may be",
    "ruleset-groups > a neutral value clears only its own member",
  ],
  ["Create ruleset 2", "ruleset > rule 2: on which sites"],
  ["Create ruleset 3", "ruleset > rule 3: whom it concerns"],
  ["Create ruleset 4", "ruleset > rule 4: which videos"],
  ["Create ruleset 5", "ruleset > rule 5: false in a group's boolean is neutral"],
  ["Create ruleset 6", "ruleset > rule 6: absent, false and true are three different things"],
  [
    "Create ruleset 7",
    "ruleset > rule 6: absent, false and true are three different things",
    "playback > for the viewer's address alone where hotlinking is not",
  ],
  [
    "Create ruleset 8",
    "ruleset-values > and an empty list stays a list",
    "ruleset-simulate-rules > each rule in a simulation",
    "playback > without a referrer",
  ],
  [
    "Create ruleset 9",
    "ruleset-simulate-rules > each rule in a simulation",
    "playback > with a token in the cookie",
  ],
  [
    "Create ruleset 10",
    "ruleset > rules 10 and 11: what a flag needs",
    "ruleset-simulate-rules > each rule in a simulation",
    "playback > to who bought nothing",
  ],
  [
    "Create ruleset 11",
    "ruleset > rules 10 and 11: what a flag needs",
    "ruleset-update > a whole that breaks a rule, by what is stored and what is sent together",
    "playback-streams > of twenty players at once gets two",
  ],
  ["Create ruleset 12", "ruleset > rule 12: DRM"],
  ["Operation 6: the filter's subset", "transaction-summary > is refused with the column"],
  [
    "Operation 6: an empty token is the end",
    "transaction > that fits exactly ends the list without a token",
  ],
  [
    "Operation 6: the summary",
    "transaction-summary > reflects the filter",
    "transaction-summary > ignores paging",
  ],
  ["Operation 7", "annotation-type > a type answers its configuration and conditions"],
  ["Operation 8", "batch-get > has the order asked, each once"],

  [
    "Delivery: GET with encoding and message",
    "list-events > needs neither connect=v1 nor the protocol header",
  ],
  ["Delivery: POST headers", "list-events > without connect-protocol-version: 1 is refused"],
  [
    "Delivery: <package>.<Service>/<Method>",
    "delivery-methods > is what the delivery interface has",
  ],
  [
    "Delivery: GET for what is NO_SIDE_EFFECTS, POST for the others",
    "delivery-methods > answers a GET and a POST with the same JSON",
    "exchange-token > there is no GET: the method has side effects",
  ],
  [
    "Delivery: ListEvents, pageSize as a text",
    "list-events > left out",
    "content-kinds > left out",
  ],
  ["Delivery: ExchangeToken", "exchange-token > whose signature holds against the published keys"],
  ["Authentication 1", "access > 401 on every face"],
  ["Authentication 2", "list-events > takes the header authorization in lower case"],
  [
    "Authentication 3",
    "exchange-token > whose signature holds against the published keys",
    "playback > with a token in Authorization",
  ],
  ["Authentication 4", "permission-test > what an ancestor grants counts"],
  ["Authentication 5 and 6", NOT_SHOWN],
  ["Errors 1: success is 200", "access > the right credentials succeed on every face"],
  ["Errors 2: code, message, details", "errors > and a Status body on the management face"],
  [
    "Errors 3: one-of and mask violations",
    "errors > a mask violation",
    "errors > two members of a one-of",
  ],
  ["Errors 4: other conditions", "errors > and a Connect body over Connect"],
  ["Limits: one data member", "page-component-data > 400, and nothing is written"],
  [
    "Limits: one filter component",
    "page-component-page > two that want the place at the same moment",
  ],
  [
    "Limits: banner_collection.height_fraction",
    "page-component-checks > height_fraction of banner_collection is from 0 to 1",
  ],
  [
    "Limits: banner_collection_v2.height_fraction",
    "page-component-checks > height_fraction of banner_collection_v2 is over 0",
  ],
  ["Limits: additional filters", COMPOSE, SESSION],
  [
    "Limits: update mask",
    "page-component-mask > a mask that is refused",
    "annotation > is refused with the names that are allowed",
  ],
  [
    "Limits: concurrency needs authentication and entitlement",
    "ruleset > rules 10 and 11: what a flag needs",
  ],
  ["Versioning 1: in the path", "errors > an unknown path"],
  ["Versioning 2: in the package", "errors > an unknown path"],
  [
    "Versioning 3: connect-protocol-version on POST",
    "list-events > without connect-protocol-version: 1 is refused",
  ],
  ["Versioning 4: deprecated kinds still work", UNCHANGED, GIVEN, RESOLVED],
  ["Versioning 5", NOT_SHOWN],
];
