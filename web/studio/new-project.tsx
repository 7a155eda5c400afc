import { useState } from "preact/hooks";
import { type ApiError, call } from "./api.ts";
import type { Organization } from "./app.ts";
import { toApiError } from "./load.ts";
import { printRoute } from "./router.ts";
import { Failed } from "./states.tsx";

/** Creates a project, and opens it. */
export function NewProject({ organizations }: { organizations: readonly Organization[] }) {
  const [organizationId, setOrganizationId] = useState(organizations[0]?.id ?? "");
  const [name, setName] = useState("");
  const [id, setId] = useState("");
  const [isBusy, setBusy] = useState(false);
  const [error, setError] = useState<ApiError>();
  const create = async () => {
    setBusy(true);
    setError(undefined);
    try {
      const { body } = await call({
        method: "POST",
        path: "/iam/projects/v1",
        query: { project_id: id },
        body: { organization_id: organizationId, name },
      });
      const { id: projectId } = body.project as { readonly id: string };
      location.hash = printRoute({ projectId, section: "", id: "", query: {} });
      // Reads the projects of the account again.
      location.reload();
    } catch (cause) {
      setError(toApiError(cause));
      setBusy(false);
    }
  };
  return (
    <form
      class="card new-project"
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
    >
      {organizations.length > 1 && (
        <>
          <label for="organization">Organization</label>
          <select
            id="organization"
            value={organizationId}
            onChange={(event) => setOrganizationId(event.currentTarget.value)}
          >
            {organizations.map((it) => (
              <option key={it.id} value={it.id}>
                {it.name}
              </option>
            ))}
          </select>
        </>
      )}
      <label for="project-name">Name</label>
      <input
        id="project-name"
        required
        placeholder="Such as Acme Films"
        value={name}
        onInput={(event) => setName(event.currentTarget.value)}
      />
      <label for="project-id">ID</label>
      <input
        id="project-id"
        placeholder="Such as acme; empty: a random one"
        spellcheck={false}
        value={id}
        onInput={(event) => setId(event.currentTarget.value)}
      />
      <p class="note">Part of links and of your developers' code. It cannot be changed later.</p>
      {error !== undefined && <Failed error={error} />}
      <button type="submit" disabled={isBusy}>
        Create the project
      </button>
    </form>
  );
}
