import type { JsonObject } from "@bufbuild/protobuf";
import { ActButton, useActs } from "./acts.tsx";
import { call } from "./api.ts";
import { useApp } from "./app.ts";
import { printEnum, printTime } from "./drawing/text.ts";
import { readPage } from "./list-items.ts";
import { useLoad } from "./load.tsx";

const PATH = "/annotations/action_runs/v1";

/** The runs on the page. */
const SHOWN = 30;

/** The latest runs of a webhook or an action, each with the reason of its failure and a way to send it again. */
export function Runs({ kind, id }: { kind: "action" | "webhook"; id: string }) {
  const { projectId: project_id } = useApp().route;
  const filter = `${kind}_id: ${JSON.stringify(id)}`;
  const query = { project_id, filter, page_size: SHOWN, order: "create_time desc" };
  const runs = useLoad(
    async (signal) => (await readPage(PATH, query, signal)).items,
    [project_id, filter],
  );
  const acts = useActs(runs.reload);
  const replay = (run: JsonObject) =>
    acts.run(
      () => call({ path: `${PATH}/${encodeURIComponent(String(run.id))}:replay`, body: {} }),
      "It is sent again.",
    );
  if (runs.state !== undefined) return runs.state;
  if (runs.value.length === 0) return <p class="note">It has not run yet.</p>;
  return (
    <>
      {acts.failure}
      <ul class="rows">
        {runs.value.map((run) => {
          const state = printEnum(String(run.state), "ACTION_RUN_STATE_");
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
                class="end"
                disabled={acts.isBusy || state === "pending"}
                onClick={() => replay(run)}
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
