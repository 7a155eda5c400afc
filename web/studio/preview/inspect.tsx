import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { applySession } from "../../../packages/client/src/additional-filters.ts";
import type {
  SimulateRulesetsRequest,
  SimulateRulesetsResponse,
} from "../../../packages/client/src/studio.ts";
import { call } from "../api.ts";
import type { Choices } from "../composer/choices.tsx";
import { readAs, type Version } from "../composer/page.ts";
import type { JsonOf } from "../drawing/json-of.ts";
import { Note, Table, Terms } from "../drawing/parts.tsx";
import type { Transfer } from "../drawing/reads.ts";
import {
  contentOf,
  dataOf,
  explainHidden,
  type Resolved,
  sessionSettingsOf,
} from "../drawing/resolved.ts";
import { pick, printEnum, printMilliseconds, printTime } from "../drawing/text.ts";
import { Fold } from "../fold.tsx";
import { useLoad } from "../load.tsx";
import { Select } from "../select.tsx";

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

/** The panel of a component. It sends its requests when it is opened. */
export function Inspection({ resolved, inspected }: { resolved: Resolved; inspected: Inspected }) {
  const { component = {} } = resolved;
  const { id = "", name, type, groupId, environments = [], cssClasses = [] } = component;
  return (
    <Fold class="panel" summary="Inspect" label={`Inspect ${name || id}`}>
      {() => (
        <div class="inspect">
          <Terms
            entries={[
              ["Component", `${id} (${type})`],
              ["Visibility", printEnum(component.visibility, "VISIBILITY_") || "unspecified"],
              ["Environments", environments.join(", ") || "all"],
              ["Group", groupId === id ? "" : groupId],
              ["Classes", cssClasses.join(" ")],
            ]}
          />
          <h3>Resolved filter</h3>
          <ResolvedFilter resolved={resolved} choices={inspected.choices} />
          <h3>Times and surrogate keys</h3>
          <Response id={id} inspected={inspected} />
          <h3>Playback</h3>
          <Playback resolved={resolved} inspected={inspected} />
        </div>
      )}
    </Fold>
  );
}

/** Describes a response: its times, its size, the caches that may store it, and its surrogate keys. */
export function ResponseTerms({ transfer }: { transfer: Transfer }) {
  const { milliseconds, waiting, bytes, cacheControl, surrogateKeys } = transfer;
  const [whole, first] = [milliseconds, waiting].map(printMilliseconds);
  const keys = (
    <ul class="keys">
      {surrogateKeys.map((it) => (
        <li key={it}>
          <code>{it}</code>
        </li>
      ))}
    </ul>
  );
  return (
    <Terms
      entries={[
        ["Time", `${whole} in the browser, ${first} to the first byte`],
        ["Size", `${bytes.toLocaleString("en")} bytes of JSON`],
        ["Cache-Control", `${cacheControl}, as for every preview`],
        ["Surrogate keys", surrogateKeys.length === 0 ? "none" : keys],
      ]}
    />
  );
}

const CLAUSE_ERRORS: Readonly<Record<string, string>> = {
  KEY_UNSET: "the session has no value for it",
  MALFORMED: "the clause is not KQL",
};

function ResolvedFilter({
  resolved,
  choices: { session },
}: {
  resolved: Resolved;
  choices: Choices;
}) {
  const { filter = "", search = "", pinned = [], hidden, component = {} } = resolved;
  const data = dataOf(resolved);
  if (!/rail|calendar|grid|carousel/.test(component.type ?? ""))
    return <Note>This component has no list.</Note>;
  const settings = sessionSettingsOf(resolved);
  const clauses = settings.additionalFilters;
  // The delivered component has its variables replaced already, so only the session is applied.
  const { dropped } = applySession({ ...settings, filter: "", showOnUnmatched: true }, session);
  const omitsGeoblocked = data.excludeGeoblocked ?? data.exclude_geoblocked;
  return (
    <div>
      <Terms
        entries={[
          ["Filter", <code key="filter">{filter || "none: every item"}</code>],
          ["Search", search],
          ["Order", String(data.order ?? "")],
          ["Pinned", pinned.join(", ")],
          ["Hidden", hidden ? explainHidden(resolved, session) : "no"],
          ["Geoblocked items", omitsGeoblocked ? "omitted" : "shown"],
        ]}
      />
      {dropped.length > 0 && (
        <Table
          caption="Dropped clauses"
          headings={["Key", "Clause", "Why"]}
          rows={dropped.map(({ key, reason }) => [
            key,
            <code key="clause">{clauses[key]}</code>,
            `${reason}: ${CLAUSE_ERRORS[reason] ?? "its placeholder has no value"}`,
          ])}
        />
      )}
    </div>
  );
}

function Response({ id, inspected }: { id: string; inspected: Inspected }) {
  const { choices, version, pageId } = inspected;
  const { parameters, environment, session } = choices;
  const loaded = useLoad(
    async (signal) => {
      const request = { id, pageId, parameters, environment, session, includeItems: true };
      return (await readAs(version, choices, signal)(COMPONENT, request)).transfer;
    },
    [JSON.stringify([id, version, choices, pageId])],
  );
  return (
    <div>
      <Note>Measured for this component only, by GetPageComponent.</Note>
      {loaded.state}
      {loaded.value !== undefined && <ResponseTerms transfer={loaded.value} />}
    </div>
  );
}

function Playback({ resolved, inspected }: { resolved: Resolved; inspected: Inspected }) {
  const { language } = inspected.choices;
  const videos = (resolved.items ?? []).flatMap((item) => {
    const { title, videoIds = [] } = contentOf(item);
    return videoIds.map((id) => [id, `${pick(title, language)} (${id})`] as const);
  });
  const [chosen, setChosen] = useState("");
  const [first] = videos;
  if (first === undefined) return <Note>It shows no video.</Note>;
  if (!inspected.maySimulate)
    return <Note>Not known: sign in with an access token, and the decision is simulated.</Note>;
  const id = videos.some(([it]) => it === chosen) ? chosen : first[0];
  return (
    <div>
      <label>
        <span>Video</span>
        <Select value={id} options={videos} onChoose={setChosen} />
      </label>
      <div aria-live="polite">
        <Decision videoId={id} inspected={inspected} />
      </div>
    </div>
  );
}

function Decision({ videoId, inspected }: { videoId: string; inspected: Inspected }) {
  const { choices, version, viewer } = inspected;
  const { country, language } = choices;
  const entered = viewer.time || choices.time;
  const time = entered === "" ? undefined : new Date(entered).toISOString();
  const { userId = "", referrer = "", vpn = false } = viewer;
  const loaded = useLoad(
    async (signal) => {
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
        signal,
      });
      return body as JsonOf<SimulateRulesetsResponse>;
    },
    [JSON.stringify([videoId, version, viewer, country, time])],
  );
  if (loaded.value === undefined) return loaded.state;
  const { decision, rulesetId = "", reason, rules = [], warnings = [] } = loaded.value;
  const { applicableRulesetIds = [], availability } = loaded.value;
  const closed = availability === "AVAILABILITY_OPEN" ? "" : "VIDEO_NOT_AVAILABLE";
  const why = decision === "DECISION_ALLOW" ? closed : reason;
  return (
    <div>
      {loaded.state}
      <p class={why ? "verdict deny" : "verdict allow"}>
        <b>{why ? `✕ Does not play: ${why}` : "✓ Plays"}</b> for{" "}
        {userId || "a viewer who is not signed in"}, from {country || "an unknown country"}
        {time !== undefined && `, at ${printTime(time, language)}`}
      </p>
      <Terms
        entries={[
          ["Ruleset", rulesetId || "none applies"],
          ["Others that apply", applicableRulesetIds.filter((it) => it !== rulesetId).join(", ")],
          ["Warnings", warnings.map(({ message = "" }) => message).join(" ")],
        ]}
      />
      <Table
        caption="Rules, in order of evaluation"
        headings={["Rule", "Outcome", "Why"]}
        rows={rules.map(({ rule, outcome = "", detail }) => [
          <code key="rule">{rule}</code>,
          <span key="outcome" class={`outcome ${outcome}`}>
            {outcome.replace("_", " ")}
          </span>,
          detail,
        ])}
      />
    </div>
  );
}
