import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ActButton, type Acts, ConfirmButton } from "../acts.tsx";
import { call, create } from "../api.ts";
import { useApp } from "../app.ts";
import { Select } from "../select.tsx";
import { ShortForm } from "../short-form.tsx";
import type { Texts } from "../submit.ts";

const PATH = "/iam/bindings/v1";

/** The roles of a person, each with a button that takes it away, and a form that adds one. */
export function Roles({
  account,
  isMe,
  bindings,
  roles,
  acts,
}: {
  account: JsonObject;
  isMe: boolean;
  bindings: readonly JsonObject[];
  roles: readonly JsonObject[];
  acts: Acts;
}) {
  const person = String(account.name);
  const add = (choices: Texts) =>
    acts.run(() => giveRole(account, choices), `${person} has the role from now on.`);
  const takeAway = ({ id }: JsonObject) =>
    acts.run(
      () => call({ method: "DELETE", path: `${PATH}/${encodeURIComponent(String(id))}` }),
      "The role is taken away from now on.",
    );
  return (
    <>
      {bindings.length === 0 && <p class="note">No role yet: this person sees nothing.</p>}
      <ul class="rows">
        {bindings.map((binding) => {
          const { role_id: id } = binding;
          const role = String(roles.find((it) => it.id === id)?.name ?? id);
          const words = `Take away the role ${role} from ${person}`;
          return (
            <li key={String(binding.id)} class="tools">
              <span>
                <b>{role}</b> on {describeResource(String(binding.resource_key))}
              </span>
              <ConfirmButton
                permission="iam.bindings.delete"
                class="end"
                disabled={acts.isBusy}
                aria-label={words}
                question={`${words}?`}
                consequence={
                  isMe
                    ? "This is a role of your own: you may lock yourself out. Then only another owner can give it back."
                    : "Its permissions end at once."
                }
                onConfirm={() => takeAway(binding)}
              >
                Take away
              </ConfirmButton>
            </li>
          );
        })}
      </ul>
      <ShortForm
        name={`role/${account.id}`}
        class="tools"
        aria-label={`Add a role to ${person}`}
        onSend={add}
      >
        <RoleChoices {...{ roles }} />
        <ActButton permission="iam.bindings.create" type="submit" disabled={acts.isBusy}>
          Add a role
        </ActButton>
      </ShortForm>
    </>
  );
}

/** Names the resource of a binding, such as `worldcup/worldcup/project`. */
function describeResource(key: string): string {
  const parts = key.split("/");
  const type = parts.at(-1) ?? "";
  if (type === "organization") return "the whole organization";
  return `the ${type.replaceAll("_", " ")} ${parts[0]}`;
}

/** The choices of a form that gives a role: `role_id`, and its `resource_key`: this project or the organization. */
export function RoleChoices({ roles }: { roles: readonly JsonObject[] }) {
  const { id, organizationId } = useApp().project;
  const [role, setRole] = useState("editor");
  return (
    <>
      <Select
        name="role_id"
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
    </>
  );
}

/** Gives an account the role of `RoleChoices`. */
export async function giveRole(
  { id = "", organization_id = "" }: JsonObject,
  { role_id = "", resource_key = "" }: Texts,
): Promise<void> {
  await create({
    path: PATH,
    body: { organization_id, account_id: id, role_id, resource_key },
  });
}
