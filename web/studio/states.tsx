import type { ComponentChildren } from "preact";
import { useContext } from "preact/hooks";
import type { ApiError } from "./api.ts";
import { AppContext } from "./app.ts";
import { linkTo, linkToChoices } from "./router.ts";

/** Says that something is being loaded. */
export function Loading() {
  return (
    <p class="state" role="status" aria-busy="true">
      Loading …
    </p>
  );
}

/** Says that there is nothing, and what to do next. */
export function Empty({ title, children }: { title: string; children?: ComponentChildren }) {
  return (
    <div class="state">
      <h2>{title}</h2>
      {children}
    </div>
  );
}

/** Says why a call failed, and what to do next. */
export function Failed({
  error,
  title = headingOf(error),
  retry,
}: {
  error: Pick<ApiError, "message" | "reason"> & Partial<ApiError>;
  title?: string;
  retry?: () => void;
}) {
  const { permission, resource_type: type, ids } = error.metadata ?? {};
  const { route } = useContext(AppContext) ?? {};
  const chosen = route?.query.release?.split(",") ?? [];
  const others = chosen.filter((it) => type !== "release" || it !== ids);
  return (
    <div class="state failed" role="alert">
      <h2>{title}</h2>
      <p>{permission ? `Your account lacks the permission ${permission}.` : error.message}</p>
      {error.reason !== "" && (
        <p class="note">
          <code>{error.reason}</code>
        </p>
      )}
      {error.status === 404 && route && (
        <p>
          {others.length < chosen.length ? (
            <a href={linkToChoices(route, { release: others.join() })}>Go on without the release</a>
          ) : (
            <a href={linkTo(route, route.section)}>Back to the list</a>
          )}
        </p>
      )}
      {error.status === 401 ? (
        <button type="button" onClick={() => location.reload()}>
          Sign in
        </button>
      ) : (
        retry && (
          <button type="button" onClick={retry}>
            Try again
          </button>
        )
      )}
    </div>
  );
}

function headingOf({ status }: Partial<ApiError>): string {
  if (status === 0) return "No connection";
  if (status === 401) return "Your session has ended";
  if (status === 403) return "This is not allowed";
  if (status === 404) return "This does not exist, or you may not see it";
  return "That did not work";
}
