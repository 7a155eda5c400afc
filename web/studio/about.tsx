import { Referrers } from "./delete.tsx";
import { Fold } from "./fold.tsx";
import { Changes } from "./history.tsx";
import { useLoad } from "./load.tsx";
import { type Access, deleteResource, type Resource } from "./resource.ts";
import { Runs } from "./runs.tsx";
import { SigningSecret } from "./signing-secret.tsx";
import { Loading } from "./states.tsx";

/** The surroundings of a resource below its form, each loaded when it is opened. */
export function About({
  access,
  resource,
  onRevert,
}: {
  access: Access;
  resource: Resource;
  onRevert: (() => void) | undefined;
}) {
  const { name } = access.kind;
  const id = String(resource.value.id);
  return (
    <div class="about">
      {(name === "webhook" || name === "action") && (
        <Fold class="card" summary="Runs">
          {() => <Runs kind={name} {...{ id }} />}
        </Fold>
      )}
      {access.methods.rotateSecret !== undefined && (
        <Fold class="card" summary="Signing secret">
          {() => <SigningSecret {...{ access, resource }} />}
        </Fold>
      )}
      {access.methods.delete !== undefined && (
        <Fold class="card" summary="Shown by">
          {() => <ShownBy {...{ access, resource }} />}
        </Fold>
      )}
      <Fold class="card" summary="History">
        {() => (
          <Changes
            version={resource.etag}
            filter={`resource: ${JSON.stringify(`${name}:${id}`)}`}
            onRevert={onRevert}
          />
        )}
      </Fold>
    </div>
  );
}

/** Lists what refers to a resource: the trial of a deletion names it. */
function ShownBy({ access, resource }: { access: Access; resource: Resource }) {
  const trial = useLoad(() => deleteResource(access, resource, { isTrial: true }), [resource.etag]);
  const { error } = trial;
  if (error !== undefined && error.reason !== "STILL_REFERRED_TO") return trial.state;
  return trial.isLoading ? <Loading /> : <Referrers kind={access.kind} error={error} />;
}
