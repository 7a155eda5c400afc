import type { JsonObject } from "@bufbuild/protobuf";
import { useState } from "preact/hooks";
import { ActButton, useActs } from "../acts.tsx";
import { call, type Reply } from "../api.ts";
import { useApp } from "../app.ts";
import { Form } from "../form/form.tsx";
import { readKept, useKept } from "../kept-texts.ts";
import { useLoad } from "../load.tsx";
import { listChanged } from "../resource.ts";
import { keepTyped } from "../save.ts";
import { keyOfAccount } from "../session.ts";

const SCHEMA = { $ref: "#/components/schemas/svc.studio.iam.staff_sign_in.v1.StaffSignIn" };

const PERMISSION = "iam.staff_sign_in.update";

/** The provider that the people of the organization sign in with. */
export function ProviderView() {
  const { organizationId } = useApp().project;
  const path = `/iam/staff_sign_in/v1/${encodeURIComponent(organizationId)}`;
  const loaded = useLoad((signal) => call({ path, signal }), [path]);
  if (loaded.state !== undefined) return loaded.state;
  return <Provider {...{ path }} loaded={loaded.value} reload={loaded.reload} />;
}

function Provider({
  path,
  loaded: { etag, body },
  reload,
}: {
  path: string;
  loaded: Reply;
  reload: () => void;
}) {
  const { account } = useApp();
  const name = `${keyOfAccount(account)}${path}`;
  const stored = body.staff_sign_in as JsonObject;
  const [form, setForm] = useState(() => readKept(name, stored));
  const [test, setTest] = useState<{ redirect_url: string; problems: readonly string[] }>();
  const acts = useActs(reload);
  const value = form === undefined ? stored : keepTyped(form.loaded, form.edited, stored);
  const mask = listChanged(stored, value);
  useKept(name, mask.length > 0 ? form : undefined, [form, stored]);
  const edit = (edited: JsonObject) =>
    setForm({ etag, loaded: stored, edited, conflicts: [], time: Date.now() });
  const save = () =>
    acts.run(async () => {
      await call({
        method: "PATCH",
        path,
        headers: etag === "" ? {} : { "if-match": etag },
        body: { staff_sign_in: value, update_mask: mask.join(",") },
      });
      // Changes that were typed during the save stay.
      setForm((typed) => (typed === form ? undefined : typed));
    }, "Saved. Test it before you invite people.");
  const tryIt = () =>
    acts.run(async () => {
      const reply = await call({ path: `${path}:test`, body: {} });
      setTest(reply.body as unknown as typeof test);
    });
  return (
    <>
      <div class="heading">
        <h1>Sign-in of your people</h1>
        <div class="acts end">
          <ActButton
            permission="iam.staff_sign_in.get"
            disabled={acts.isBusy || mask.length > 0 || stored.issuer === ""}
            onClick={tryIt}
          >
            Test
          </ActButton>
          <ActButton
            permission={PERMISSION}
            class="main"
            disabled={acts.isBusy || mask.length === 0}
            onClick={save}
          >
            Save
          </ActButton>
        </div>
      </div>
      <p class="note">
        People sign in with your company’s provider, such as Keycloak, Entra ID or Google. Each
        needs an account with the e-mail address: add them under People.
      </p>
      {acts.failure}
      {test !== undefined && (
        <section class={`warning ${test.problems.length === 0 ? "good" : ""}`} role="status">
          <p>
            Register this redirect address at the provider: <code>{test.redirect_url}</code>
          </p>
          {test.problems.length === 0 && <p>The provider responds as expected.</p>}
          <ul>
            {test.problems.map((it) => (
              <li key={it} class="violation">
                {it}
              </li>
            ))}
          </ul>
        </section>
      )}
      <Form
        schema={SCHEMA}
        value={value}
        onChange={edit}
        path="staff_sign_in"
        error={acts.error}
        permission={PERMISSION}
      />
    </>
  );
}
