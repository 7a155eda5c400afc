import type { JsonObject } from "@bufbuild/protobuf";
import { applySession } from "../../../packages/client/src/additional-filters.ts";
import type {
  SimulateRulesetsRequest,
  SimulateRulesetsResponse,
} from "../../../packages/client/src/studio.ts";
import { type Content, h, labelled, present, table, terms } from "../../drawing/element.ts";
import type { JsonOf } from "../../drawing/json-of.ts";
import { note } from "../../drawing/parts.ts";
import type { Transfer } from "../../drawing/reads.ts";
import {
  contentOf,
  dataOf,
  explainHidden,
  idOf,
  type Resolved,
  sessionSettingsOf,
} from "../../drawing/resolved.ts";
import { pick, printEnum, printMilliseconds, printTime } from "../../drawing/text.ts";
import { call } from "../api.ts";
import type { Choices } from "../composer/choices.tsx";
import { readAs, type Version } from "../composer/page.ts";
import { toApiError } from "../load.tsx";

/** The viewer of playback decisions. Absent: not signed in, no referrer, no VPN, and the time that is shown. */
export interface Viewer {
  readonly userId?: string;
  readonly referrer?: string;
  /** A local time such as `2026-06-20T18:00`. */
  readonly time?: string;
  readonly vpn?: boolean;
}

/** The input of a panel that explains a component. */
export interface Inspected {
  readonly choices: Choices;
  readonly version: Version;
  readonly pageId: string;
  readonly viewer: Viewer;
  /** True if the credential may simulate rulesets. */
  readonly maySimulate: boolean;
}

const SIMULATE = "svc.studio.streaming.ruleset.v2.RulesetService/SimulateRulesets";
const COMPONENT = "svc.cda.ott.page_component.v2.PageComponentService/GetPageComponent";

/** Creates the panel of a component. It sends its requests when it is opened. */
export function createPanel(resolved: Resolved, inspected: Inspected): HTMLDetailsElement {
  const { component = {} } = resolved;
  const name = component.name || component.id || "";
  const body = h("div", { className: "inspect" });
  const panel = h(
    "details",
    { id: `inspect-${component.id}`, className: "panel" },
    h("summary", { id: `summary-${component.id}`, "aria-label": `Inspect ${name}` }, "Inspect"),
    body,
  );
  panel.addEventListener(
    "toggle",
    () => {
      const { environments = [], cssClasses = [], groupId } = component;
      const content = [
        terms([
          ["Component", `${component.id} (${component.type})`],
          ["Visibility", printEnum(component.visibility, "VISIBILITY_") || "unspecified"],
          ["Environments", environments.join(", ") || "all"],
          ["Group", groupId === component.id ? "" : groupId],
          ["Classes", cssClasses.join(" ")],
        ]),
        h("h3", {}, "Resolved filter"),
        explainFilter(resolved, inspected.choices),
        h("h3", {}, "Times and surrogate keys"),
        load(() => explainResponse(component.id ?? "", inspected)),
        h("h3", {}, "Playback"),
        explainPlayback(resolved, inspected),
      ];
      body.replaceChildren(...present(content));
    },
    { once: true },
  );
  return panel;
}

/** Describes a response: its times, its size, the caches that may store it, and its surrogate keys. */
export function describeResponse(transfer: Transfer): HTMLElement {
  const { milliseconds, waiting, bytes, cacheControl, surrogateKeys } = transfer;
  const [whole, first] = [milliseconds, waiting].map(printMilliseconds);
  return terms([
    ["Time", `${whole} in the browser, ${first} to the first byte`],
    ["Size", `${bytes.toLocaleString("en")} bytes of JSON`],
    ["Cache-Control", `${cacheControl}, as for every preview`],
    [
      "Surrogate keys",
      surrogateKeys.length === 0
        ? "none"
        : h(
            "ul",
            { className: "keys" },
            ...surrogateKeys.map((it) => h("li", {}, h("code", {}, it))),
          ),
    ],
  ]);
}

const CLAUSE_ERRORS: Readonly<Record<string, string>> = {
  KEY_UNSET: "the session has no value for it",
  MALFORMED: "the clause is not KQL",
};

function explainFilter(resolved: Resolved, { session }: Choices): Content {
  const { filter = "", search = "", pinned = [], hidden, component = {} } = resolved;
  const data = dataOf(resolved);
  if (!/rail|calendar|grid|carousel/.test(component.type ?? ""))
    return note("This component has no list.");
  const settings = sessionSettingsOf(resolved);
  const clauses = settings.additionalFilters;
  // The delivered component has its variables replaced already, so only the session is applied.
  const { dropped } = applySession({ ...settings, filter: "", showOnUnmatched: true }, session);
  return h(
    "div",
    {},
    terms([
      ["Filter", h("code", {}, filter || "none: every item")],
      ["Search", search],
      ["Order", String(data.order ?? "")],
      ["Pinned", pinned.join(", ")],
      ["Hidden", hidden ? explainHidden(resolved, session) : "no"],
      [
        "Geoblocked items",
        (data.excludeGeoblocked ?? data.exclude_geoblocked) ? "omitted" : "shown",
      ],
    ]),
    dropped.length === 0
      ? undefined
      : table(
          "Dropped clauses",
          ["Key", "Clause", "Why"],
          dropped.map(({ key, reason }) => [
            key,
            h("code", {}, clauses[key] ?? ""),
            `${reason}: ${CLAUSE_ERRORS[reason] ?? "its placeholder has no value"}`,
          ]),
        ),
  );
}

async function explainResponse(
  id: string,
  { choices, version, pageId }: Inspected,
): Promise<HTMLElement> {
  const { parameters, environment, session } = choices;
  const request = { id, pageId, parameters, environment, session, includeItems: true };
  const { transfer } = await readAs(version, choices)(COMPONENT, request);
  return h(
    "div",
    {},
    note("Measured for this component only, by GetPageComponent."),
    describeResponse(transfer),
  );
}

function explainPlayback(resolved: Resolved, inspected: Inspected): Content {
  const { language } = inspected.choices;
  const videos = (resolved.items ?? []).flatMap((item) => {
    const { title, videoIds = [] } = contentOf(item);
    return videoIds.map((id) => ({ id, title: pick(title, language) }));
  });
  const [first] = videos;
  if (first === undefined) return note("It shows no video.");
  if (!inspected.maySimulate) {
    return note("Not known: sign in with an access token, and the decision is simulated.");
  }
  const decision = h("div", { "aria-live": "polite" });
  const decide = (id: string) => {
    decision.replaceChildren(load(() => explainDecision(id, inspected)));
  };
  const select = h(
    "select",
    { id: `video-${idOf(resolved)}` },
    ...videos.map(({ id, title }) => h("option", { value: id }, `${title} (${id})`)),
  );
  select.addEventListener("change", () => decide(select.value));
  decide(first.id);
  return h("div", {}, labelled("Video", select, "inline"), decision);
}

async function explainDecision(
  videoId: string,
  { choices, version, viewer }: Inspected,
): Promise<HTMLElement> {
  const { country, language } = choices;
  const entered = viewer.time || choices.time;
  const time = entered === "" ? undefined : new Date(entered).toISOString();
  const { userId = "", referrer = "", vpn = false } = viewer;
  const request: JsonOf<SimulateRulesetsRequest> = {
    ...{ projectId: version.projectId, videoId },
    viewer: { countryCode: country, userId, referrer, vpn },
    ...(time !== undefined && { time }),
    // A decision reads the drafts of one release.
    ...(!version.release.includes(",") && { releaseId: version.release }),
  };
  const { body } = await call({
    path: `/${SIMULATE}`,
    body: request as JsonObject,
    headers: { "connect-protocol-version": "1" },
  });
  const message = body as JsonOf<SimulateRulesetsResponse>;
  const { decision, rulesetId = "", reason, rules = [], warnings = [] } = message;
  const { applicableRulesetIds = [], availability } = message;
  const closed = availability === "AVAILABILITY_OPEN" ? "" : "VIDEO_NOT_AVAILABLE";
  const why = decision === "DECISION_ALLOW" ? closed : reason;
  return h(
    "div",
    {},
    h(
      "p",
      { className: why ? "verdict deny" : "verdict allow" },
      h("b", {}, why ? `✕ Does not play: ${why}` : "✓ Plays"),
      ` for ${userId || "a viewer who is not signed in"}, from ${country || "an unknown country"}`,
      time === undefined ? "" : `, at ${printTime(time, language)}`,
    ),
    terms([
      ["Ruleset", rulesetId || "none applies"],
      ["Others that apply", applicableRulesetIds.filter((it) => it !== rulesetId).join(", ")],
      ["Warnings", warnings.map((it) => it.message ?? "").join(" ")],
    ]),
    table(
      "Rules, in order of evaluation",
      ["Rule", "Outcome", "Why"],
      rules.map(({ rule, outcome = "", detail }) => [
        h("code", {}, rule ?? ""),
        h("span", { className: `outcome ${outcome}` }, outcome.replace("_", " ")),
        detail,
      ]),
    ),
  );
}

function load(call: () => Promise<HTMLElement>): HTMLElement {
  const place = h("div", {}, note("…"));
  call().then(
    (content) => place.replaceChildren(content),
    (cause: unknown) => {
      const { reason, message } = toApiError(cause);
      const error = h(
        "p",
        { className: "error", role: "alert" },
        h("b", {}, `${reason} `),
        message,
      );
      place.replaceChildren(error);
    },
  );
  return place;
}
