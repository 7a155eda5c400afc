import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ActButton, type Acts, useActs } from "../acts.tsx";
import { call } from "../api.ts";
import { useApp } from "../app.ts";
import { useLoad } from "../load.tsx";
import { Select } from "../select.tsx";
import { clearTexts, onSubmit } from "../submit.ts";
import { printDistance } from "../times.ts";

/** The people of the organization: their roles, and their access tokens. */
export function PeopleView() {
  const { project, reveal } = useApp();
  const { organizationId } = project;
  const people = useLoad((signal) => listPeople(organizationId, signal), [organizationId]);
  const acts = useActs(people.reload);
  if (people.state !== undefined) return people.state;
  const { accounts, bindings, roles } = people.value;
  const nameRole = (id: unknown) => String(roles.find((it) => it.id === id)?.name ?? id);
  const createToken = (account: JsonObject) =>
    acts.run(async () => {
      const { body } = await call({
        method: "POST",
        path: "/iam/access_tokens/v1",
        query: { request_id: crypto.randomUUID() },
        body: { account_id: account.id ?? "", name: "studio" },
      });
      reveal(`Access token of ${account.name}`, String(body.token));
    }, "Created an access token.");
  const takeAway = ({ id }: JsonObject) =>
    acts.run(
      () => call({ method: "DELETE", path: `/iam/bindings/v1/${encodeURIComponent(String(id))}` }),
      "The role is taken away from now on.",
    );
  return (
    <>
      <h1 class="heading">People</h1>
      {acts.failure}
      <Invite {...{ roles, acts }} />
      <ul class="cards">
        {accounts.map((account) => {
          const held = bindings.filter((it) => it.account_id === account.id);
          return (
            <li key={String(account.id)} class="card">
              <div class="heading">
                <div>
                  <h2>{String(account.name)}</h2>
                  <code class="note">{String(account.id)}</code>{" "}
                  <span class="note">{describeSignIn(account)}</span>
                </div>
                <ActButton
                  permission="iam.access_tokens.create"
                  class="end"
                  onClick={() => createToken(account)}
                >
                  New access token
                </ActButton>
              </div>
              {held.length === 0 && <p class="note">No role yet: this person sees nothing.</p>}
              <ul class="rows">
                {held.map((binding) => (
                  <li key={String(binding.id)} class="tools">
                    <span>
                      <b>{nameRole(binding.role_id)}</b> on{" "}
                      {describeResource(String(binding.resource_key))}
                    </span>
                    <ActButton
                      permission="iam.bindings.delete"
                      class="end"
                      aria-label={`Take away the role ${nameRole(binding.role_id)} from ${String(account.name)}`}
                      onClick={() => takeAway(binding)}
                    >
                      Take away
                    </ActButton>
                  </li>
                ))}
              </ul>
            </li>
          );
        })}
      </ul>
    </>
  );
}

/** Lists the accounts, the bindings and the roles of an organization. */
async function listPeople(organizationId: string, signal: AbortSignal) {
  const query = { organization_id: organizationId, page_size: 1_000 };
  const read = async (path: string) => (await call({ path, query, signal })).body;
  const [accounts, bindings, roles] = await Promise.all([
    read("/iam/accounts/v1"),
    read("/iam/bindings/v1"),
    read("/iam/roles/v1"),
  ]);
  return {
    accounts: accounts.accounts as JsonObject[],
    bindings: bindings.bindings as JsonObject[],
    roles: [...(roles.built_in_roles as JsonObject[]), ...(roles.roles as JsonObject[])],
  };
}

/** Says how a person signs in with the company's provider, and when last. */
function describeSignIn({ email, last_sign_in: last }: JsonObject): string {
  if (typeof email !== "string" || email === "") return "";
  if (typeof last !== "object" || last === null) return `${email} · has not signed in yet`;
  return `${email} · signed in ${printDistance(String((last as JsonObject).time))}`;
}

/** Names the resource of a binding, such as `worldcup/worldcup/project`. */
function describeResource(key: string): string {
  const parts = key.split("/");
  const type = parts.at(-1) ?? "";
  if (type === "organization") return "the whole organization";
  return `the ${type.replaceAll("_", " ")} ${parts[0]}`;
}

/** Creates an account with a role, on this project or on the organization. */
function Invite({ roles, acts }: { roles: readonly JsonObject[]; acts: Acts }) {
  const { project, permissions } = useApp();
  const { id, organizationId } = project;
  const mayBind = permissions.has("iam.bindings.create");
  const [role, setRole] = useState("editor");
  const invite = onSubmit(({ name = "", email = "", resource_key = "" }, form) =>
    acts.run(async () => {
      const { body } = await call({
        method: "POST",
        path: "/iam/accounts/v1",
        query: { request_id: crypto.randomUUID() },
        body: { organization_id: organizationId, name, ...(email !== "" && { email }) },
      });
      const account_id = (body.account as JsonObject).id ?? "";
      await call({
        method: "POST",
        path: "/iam/bindings/v1",
        query: { request_id: crypto.randomUUID() },
        body: { organization_id: organizationId, account_id, role_id: role, resource_key },
      });
      clearTexts(form);
    }, `${name} is in: signs in with the e-mail, or with an access token that you create.`),
  );
  return (
    <form class="tools" onSubmit={invite}>
      <input
        name="name"
        aria-label="Name of a new person"
        placeholder="Name, such as Emil Editor"
        required
      />
      <input
        name="email"
        type="email"
        aria-label="E-mail for the company’s sign-in"
        placeholder="E-mail, for the company’s sign-in"
      />
      <Select
        aria-label="Role"
        value={role}
        options={roles.map((it) => [String(it.id), String(it.name)])}
        onChoose={setRole}
      />
      <Select
        name="resource_key"
        aria-label="Where"
        options={[
          [`${id}/${id}/project`, "on this project"],
          [`${organizationId}/organization`, "on the whole organization"],
        ]}
      />
      <ActButton permission={mayBind ? "iam.accounts.create" : "iam.bindings.create"} type="submit">
        Add
      </ActButton>
    </form>
  );
}
