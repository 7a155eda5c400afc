import { ActButton, useActs } from "./acts.tsx";
import { create } from "./api.ts";
import type { Organization } from "./app.ts";
import { printRoute } from "./router.ts";
import { Select } from "./select.tsx";
import { ShortForm } from "./short-form.tsx";

/** Creates a project, and opens it. */
export function NewProject({ organizations }: { organizations: readonly Organization[] }) {
  const acts = useActs();
  const createProject = ({ project_id = "", organization_id = "", name = "" }) =>
    acts.run(async () => {
      const { body } = await create({
        path: "/iam/projects/v1",
        query: { project_id },
        body: { organization_id: organization_id || (organizations[0]?.id ?? ""), name },
      });
      const { id: projectId } = body.project as { readonly id: string };
      location.hash = printRoute({ projectId, section: "", id: "", query: {} });
      // Reads the projects of the account again.
      location.reload();
    });
  return (
    <ShortForm name="new-project" class="card new-project" onSend={createProject}>
      {organizations.length > 1 && (
        <>
          <label for="organization">Organization</label>
          <Select
            id="organization"
            name="organization_id"
            options={organizations.map(({ id, name }) => [id, name])}
          />
        </>
      )}
      <label for="project-name">Name</label>
      <input id="project-name" name="name" required placeholder="Such as Acme Films" />
      <label for="project-id">ID</label>
      <input
        id="project-id"
        name="project_id"
        placeholder="Such as acme; empty: a random one"
        spellcheck={false}
      />
      <p class="note">Part of links and of your developers' code. It cannot be changed later.</p>
      {acts.failure}
      <ActButton type="submit" disabled={acts.isBusy}>
        Create the project
      </ActButton>
    </ShortForm>
  );
}
