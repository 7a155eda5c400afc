import type { JsonObject } from "@bufbuild/protobuf";
import { useEffect, useState } from "preact/hooks";
import { ActButton, useActs } from "../acts.tsx";
import { call, type Reply } from "../api.ts";
import { useApp } from "../app.ts";
import { useEdits } from "../edits.ts";
import { Form } from "../form/form.tsx";
import { SaveButtons } from "../form/save-buttons.tsx";
import { useLoad } from "../load.tsx";
import { listChanged } from "../resource.ts";
import { keyOfAccount } from "../session.ts";
import { SignInAgain } from "../sign-in-again.tsx";
import { onSubmit } from "../submit.ts";

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
  const first = { value: body.staff_sign_in as JsonObject, etag, pendingReleases: [] };
  const edits = useEdits(`${keyOfAccount(account)}${path}`, first);
  const { loaded, edited, isTyped } = edits;
  const [test, setTest] = useState<{ redirect_url: string; problems: readonly string[] }>();
  const acts = useActs(reload);
  // The changes go on with what is stored by now, such as after a save.
  useEffect(() => {
    if (etag !== loaded.etag) edits.rebase(first, loaded.value);
  }, [etag]);
  const save = () =>
    acts.run(async () => {
      await call({
        method: "PATCH",
        path,
        headers: etag === "" ? {} : { "if-match": etag },
        body: {
          staff_sign_in: edited,
          update_mask: listChanged(loaded.value, edited).join(","),
        },
      });
    }, "Saved. Test it before you invite people.");
  const tryIt = () =>
    acts.run(async () => {
      const reply = await call({ path: `${path}:test`, body: {} });
      setTest(reply.body as unknown as typeof test);
    });
  const obstacle = isTyped ? "Save your changes first" : "Needs an issuer";
  const isTestable = !isTyped && loaded.value.issuer !== "";
  return (
    <form onSubmit={onSubmit(save)}>
      <div class="heading">
        <h1>Sign-in of your people</h1>
        <div class="acts end">
          <ActButton
            permission="iam.staff_sign_in.get"
            disabled={acts.isBusy || !isTestable}
            title={isTestable ? undefined : obstacle}
            onClick={tryIt}
          >
            Test
          </ActButton>
          <SaveButtons {...{ edits, acts }} permission={PERMISSION} words="Save" />
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
      <Form schema={SCHEMA} path="staff_sign_in" {...{ edits, acts }} permission={PERMISSION} />
      {acts.error?.status === 401 && <SignInAgain onSignIn={save} />}
    </form>
  );
}
