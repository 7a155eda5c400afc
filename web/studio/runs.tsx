import type { JsonObject } from "@bufbuild/protobuf";
import { ActButton, useActs } from "./acts.tsx";
import { call } from "./api.ts";
import { useApp } from "./app.ts";
import { useLoad } from "./load.ts";
import { Failed, Loading } from "./states.tsx";
import { printTime } from "./times.ts";

const PATH = "/annotations/action_runs/v1";

/** The runs on the page. */
const SHOWN = 30;

/** The latest runs of a webhook or an action, each with the reason of its failure and a way to send it again. */
export function Runs({ kind, id }: { kind: "action" | "webhook"; id: string }) {
  const { route } = useApp();
  const filter = `${kind}_id: ${JSON.stringify(id)}`;
  const runs = useLoad(
    async (signal) => {
      const query = { project_id: route.projectId, filter, page_size: SHOWN };
      const { body } = await call({
        path: PATH,
        query: { ...query, order: "create_time desc" },
        signal,
      });
      return body.action_runs as JsonObject[];
    },
    [route.projectId, filter],
  );
  const acts = useActs(runs.reload);
  const replay = (run: JsonObject) =>
    acts.run(
      () =>
        call({
          method: "POST",
          path: `${PATH}/${encodeURIComponent(String(run.id))}:replay`,
          body: {},
        }),
      "It is sent again.",
    );
  if (runs.error !== undefined) return <Failed error={runs.error} retry={runs.reload} />;
  if (runs.value === undefined) return <Loading />;
  if (runs.value.length === 0) return <p class="note">It has not run yet.</p>;
  return (
    <>
      {acts.failure}
      <ul class="rows">
        {runs.value.map((run) => {
          const state = String(run.state).replace("ACTION_RUN_STATE_", "").toLowerCase();
          return (
            <li key={String(run.id)} class="tools">
              <span>
                <span class={`mark ${state}`}>{state}</span> {String(run.type ?? "")}{" "}
                <span class="note">
                  {printTime(String(run.create_time))} · {String(run.attempt_count ?? 0)} attempts
                </span>
                {run.reason !== "" && <code class="note"> {String(run.reason)}</code>}
              </span>
              <ActButton
                permission="annotations.action_runs.replay"
                look="end"
                isDisabled={acts.isBusy || state === "pending"}
                onAct={() => void replay(run)}
              >
                Send again
              </ActButton>
            </li>
          );
        })}
      </ul>
    </>
  );
}
