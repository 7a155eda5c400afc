import { ConfirmButton, useActs } from "./acts.tsx";
import { call } from "./api.ts";
import { useApp } from "./app.ts";
import { permissionOf, titleOf } from "./kinds.ts";
import { type Access, pathOf, type Resource } from "./resource.ts";

/** Replaces the secret that signs the requests of a webhook or an action. */
export function SigningSecret({ access, resource }: { access: Access; resource: Resource }) {
  const { reveal } = useApp();
  const acts = useActs();
  const { rotateSecret } = access.methods;
  const replace = () =>
    acts.run(async () => {
      const path = pathOf(rotateSecret, String(resource.value.id));
      const { body } = await call({ path, body: {} });
      reveal(nameSecret(resource), String(body.signing_secret));
    }, "The former secret signs no more requests.");
  return (
    <>
      <p class="note">
        Signs every request, so that the receiver can tell it from a forged one. A new secret
        replaces it at once.
      </p>
      {acts.failure}
      <ConfirmButton
        permission={permissionOf(rotateSecret)}
        disabled={acts.isBusy}
        question="Replace the signing secret?"
        consequence="A receiver that checks signatures rejects every request until it has the new secret."
        onConfirm={replace}
      >
        New signing secret
      </ConfirmButton>
    </>
  );
}

/** Names the secret of a resource. */
export function nameSecret({ value }: Pick<Resource, "value">): string {
  return `Signing secret of ${titleOf(value)}`;
}
