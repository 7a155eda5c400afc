import { ActButton, ConfirmButton, useActs } from "../acts.tsx";
import { call, create } from "../api.ts";
import { useApp } from "../app.ts";
import { printEnum, printTime } from "../drawing/text.ts";
import { readPage } from "../list-items.ts";
import { useLoad } from "../load.tsx";
import { Select } from "../select.tsx";
import { ShortForm } from "../short-form.tsx";
import { Empty } from "../states.tsx";
import type { Texts } from "../submit.ts";

const PATH = "/iam/project_keys/v1";

/** The keys with which sites and apps read the project. */
export function KeysView() {
  const { route, reveal } = useApp();
  const { projectId } = route;
  const keys = useLoad(
    (signal) => readPage(PATH, { project_id: projectId, page_size: 1_000 }, signal),
    [projectId],
  );
  const acts = useActs(keys.reload);
  const createKey = (entered: Texts) =>
    acts.run(async () => {
      const { body } = await create({
        path: PATH,
        body: { project_id: projectId, ...entered },
      });
      reveal("The new key", String(body.key));
    }, "Created a key.");
  const remove = (id: string) =>
    acts.run(
      () => call({ method: "DELETE", path: `${PATH}/${encodeURIComponent(id)}` }),
      "The key is deleted. Reads with it get 401 from now on.",
    );
  if (keys.state !== undefined) return keys.state;
  return (
    <>
      <h1 class="heading">Keys of sites and apps</h1>
      {acts.failure}
      <ShortForm name="new-key" class="tools" onSend={createKey}>
        <input
          name="name"
          aria-label="Purpose of a new key"
          placeholder="Purpose, such as website"
          required
        />
        <Select
          name="kind"
          aria-label="Kind"
          options={[
            ["PROJECT_KEY_KIND_PUBLIC", "Public: what is published"],
            ["PROJECT_KEY_KIND_PREVIEW", "Preview: everything, drafts too"],
          ]}
        />
        <ActButton permission="iam.project_keys.create" type="submit" disabled={acts.isBusy}>
          New key
        </ActButton>
      </ShortForm>
      {keys.value.items.length === 0 && (
        <Empty title="No keys yet">
          <p>A site or an app needs a public key to read the project.</p>
        </Empty>
      )}
      <ul class="cards">
        {keys.value.items.map((key) => {
          const name = String(key.name || key.id);
          const kind = printEnum(String(key.kind), "PROJECT_KEY_KIND_");
          return (
            <li key={String(key.id)} class="card tools">
              <span>
                <b>{name}</b> <span class="mark">{kind}</span>{" "}
                <span class="note">created {printTime(String(key.create_time))}</span>
              </span>
              <ConfirmButton
                permission="iam.project_keys.delete"
                class="danger end"
                disabled={acts.isBusy}
                aria-label={`Delete the key ${name}`}
                question={`Delete the ${kind} key ${name}?`}
                consequence="Sites and apps that read with it get 401 at once, until they have another key."
                onConfirm={() => remove(String(key.id))}
              >
                Delete
              </ConfirmButton>
            </li>
          );
        })}
      </ul>
    </>
  );
}
