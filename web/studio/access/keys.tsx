import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ActButton, useActs } from "../acts.tsx";
import { call } from "../api.ts";
import { useApp } from "../app.ts";
import { useLoad } from "../load.ts";
import { Empty, Failed, Loading } from "../states.tsx";
import { printTime } from "../times.ts";

const PATH = "/iam/project_keys/v1";

/** The keys with which sites and apps read the project. */
export function KeysView() {
  const { route, reveal } = useApp();
  const keys = useLoad(
    async (signal) => {
      const query = { project_id: route.projectId, page_size: 1_000 };
      return (await call({ path: PATH, query, signal })).body.project_keys as JsonObject[];
    },
    [route.projectId],
  );
  const acts = useActs(keys.reload);
  const [name, setName] = useState("");
  const [kind, setKind] = useState("PUBLIC");
  const create = () =>
    acts.run(async () => {
      const { body } = await call({
        method: "POST",
        path: PATH,
        query: { request_id: crypto.randomUUID() },
        body: { project_id: route.projectId, name, kind: `PROJECT_KEY_KIND_${kind}` },
      });
      reveal("The new key", String(body.key));
      setName("");
    }, "Created a key.");
  const remove = (id: string) =>
    acts.run(
      () => call({ method: "DELETE", path: `${PATH}/${encodeURIComponent(id)}` }),
      "The key is deleted. Reads with it get 401 from now on.",
    );
  if (keys.error !== undefined) return <Failed error={keys.error} retry={keys.reload} />;
  if (keys.value === undefined) return <Loading />;
  return (
    <>
      <div class="heading">
        <h1>Keys of sites and apps</h1>
      </div>
      {acts.failure}
      <form
        class="tools"
        onSubmit={(event) => {
          event.preventDefault();
          void create();
        }}
      >
        <input
          aria-label="Purpose of a new key"
          placeholder="Purpose, such as website"
          required
          value={name}
          onInput={(event) => setName(event.currentTarget.value)}
        />
        <select
          aria-label="Kind"
          value={kind}
          onChange={(event) => setKind(event.currentTarget.value)}
        >
          <option value="PUBLIC">Public: what is published</option>
          <option value="PREVIEW">Preview: everything, drafts too</option>
        </select>
        <ActButton permission="iam.project_keys.create" type="submit" isDisabled={acts.isBusy}>
          New key
        </ActButton>
      </form>
      {keys.value.length === 0 && (
        <Empty title="No keys yet">
          <p>A site or an app needs a public key to read the project.</p>
        </Empty>
      )}
      <ul class="cards">
        {keys.value.map((key) => (
          <li key={String(key.id)} class="card tools">
            <span>
              <b>{String(key.name || key.id)}</b>{" "}
              <span class="mark">
                {String(key.kind).replace("PROJECT_KEY_KIND_", "").toLowerCase()}
              </span>{" "}
              <span class="note">created {printTime(String(key.create_time))}</span>
            </span>
            <ActButton
              permission="iam.project_keys.delete"
              look="danger end"
              label={`Delete the key ${String(key.name || key.id)}`}
              onAct={() => void remove(String(key.id))}
            >
              Delete
            </ActButton>
          </li>
        ))}
      </ul>
    </>
  );
}
