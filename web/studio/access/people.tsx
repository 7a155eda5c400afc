import type { JsonObject } from "@bufbuild/protobuf";
import { ActButton, ConfirmButton, useActs } from "../acts.tsx";
import { call, create } from "../api.ts";
import { useApp } from "../app.ts";
import { Fold } from "../fold.tsx";
import { useLoad } from "../load.tsx";
import { keyOfAccount } from "../session.ts";
import { ShortForm } from "../short-form.tsx";
import type { Texts } from "../submit.ts";
import { printDistance } from "../times.ts";
import { AccessTokens } from "./access-tokens.tsx";
import { giveRole, RoleChoices, Roles } from "./roles.tsx";

const PATH = "/iam/accounts/v1";

/** The people of the organization: their roles, and their access tokens. */
export function PeopleView() {
  const { organizationId } = useApp().project;
  const people = useLoad((signal) => listPeople(organizationId, signal), [organizationId]);
  if (people.state !== undefined) return people.state;
  const { accounts, bindings, roles } = people.value;
  return (
    <>
      <h1 class="heading">People</h1>
      <Invite {...{ roles }} onChange={people.reload} />
      <ul class="cards">
        {accounts.map((account) => (
          <Person
            key={String(account.id)}
            {...{ account, roles }}
            bindings={bindings.filter((it) => it.account_id === account.id)}
            onChange={people.reload}
          />
        ))}
      </ul>
    </>
  );
}

/** Lists the accounts, the bindings and the roles of an organization. */
async function listPeople(organizationId: string, signal: AbortSignal) {
  const query = { organization_id: organizationId, page_size: 1_000 };
  const read = async (path: string) => (await call({ path, query, signal })).body;
  const [accounts, bindings, roles] = await Promise.all([
    read(PATH),
    read("/iam/bindings/v1"),
    read("/iam/roles/v1"),
  ]);
  return {
    accounts: accounts.accounts as JsonObject[],
    bindings: bindings.bindings as JsonObject[],
    roles: [...(roles.built_in_roles as JsonObject[]), ...(roles.roles as JsonObject[])],
  };
}

interface PeopleProps {
  readonly roles: readonly JsonObject[];
  readonly onChange: () => void;
}

function Person({
  account,
  bindings,
  roles,
  onChange,
}: PeopleProps & {
  readonly account: JsonObject;
  readonly bindings: readonly JsonObject[];
}) {
  const { account: me, reveal } = useApp();
  const acts = useActs(onChange);
  const name = String(account.name);
  const isMe = keyOfAccount(account) === keyOfAccount(me);
  const createToken = () =>
    acts.run(async () => {
      const { body } = await create({
        path: "/iam/access_tokens/v1",
        body: { account_id: account.id ?? "", name: "studio" },
      });
      reveal(`Access token of ${name}`, String(body.token));
    }, "Created an access token.");
  const remove = () =>
    acts.run(
      () =>
        call({
          method: "DELETE",
          path: `${PATH}/${encodeURIComponent(String(account.id))}`,
          query: { force: true },
        }),
      `Removed ${name}.`,
    );
  return (
    <li class="card">
      <div class="heading">
        <div>
          <h2>
            {name} {isMe && <span class="mark">you</span>}
          </h2>
          <code class="note">{String(account.id)}</code>{" "}
          <span class="note">{describeSignIn(account)}</span>
        </div>
        <div class="acts end">
          <ActButton
            permission="iam.access_tokens.create"
            disabled={acts.isBusy}
            onClick={createToken}
          >
            New access token
          </ActButton>
          <ConfirmButton
            permission="iam.accounts.delete"
            class="danger"
            disabled={acts.isBusy}
            aria-label={`Remove ${name}`}
            question={`Remove ${name}?`}
            consequence={
              isMe
                ? "This is your own account: you are signed out at once, and only another person can add you again."
                : "The roles, the access tokens and the sign-in end at once. Nothing can bring them back."
            }
            onConfirm={remove}
          >
            Remove
          </ConfirmButton>
        </div>
      </div>
      {acts.failure}
      <Roles {...{ account, isMe, bindings, roles, acts }} />
      <Fold summary="Access tokens">{() => <AccessTokens {...{ account, isMe, acts }} />}</Fold>
    </li>
  );
}

/** Says how a person signs in with the company's provider, and when last. */
function describeSignIn({ email, last_sign_in: last }: JsonObject): string {
  if (typeof email !== "string" || email === "") return "";
  if (typeof last !== "object" || last === null) return `${email} · has not signed in yet`;
  return `${email} · signed in ${printDistance(String((last as JsonObject).time))}`;
}

/** Creates an account with a role, on this project or on the organization. */
function Invite({ roles, onChange }: PeopleProps) {
  const { project, permissions } = useApp();
  const acts = useActs(onChange);
  const mayBind = permissions.has("iam.bindings.create");
  const invite = async ({ name = "", email = "", ...choices }: Texts) => {
    let account: JsonObject = {};
    const isAdded = await acts.run(async () => {
      const { body } = await create({
        path: PATH,
        body: { organization_id: project.organizationId, name, ...(email !== "" && { email }) },
      });
      account = body.account as JsonObject;
    });
    // Two acts: the person is on the list also if the role may not be given.
    const ways = `${email && "the e-mail, or with "}an access token that you create`;
    if (isAdded)
      await acts.run(() => giveRole(account, choices), `${name} is in: signs in with ${ways}.`);
    return isAdded;
  };
  return (
    <>
      {acts.failure}
      <ShortForm name="new-person" class="tools" aria-label="Add a person" onSend={invite}>
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
        <RoleChoices {...{ roles }} />
        <ActButton
          permission={mayBind ? "iam.accounts.create" : "iam.bindings.create"}
          type="submit"
          disabled={acts.isBusy}
        >
          Add
        </ActButton>
      </ShortForm>
    </>
  );
}
