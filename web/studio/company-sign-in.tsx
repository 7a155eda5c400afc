import { onSubmit } from "./submit.ts";

/** The name of the organization of the last sign-in in the storage of the browser. */
const LAST = "marquee-studio:organization";

/** Returns the link that signs in again at the provider of the last time, and returns here; undefined: there was none. */
export function findSignInAgain(): string | undefined {
  const last = localStorage.getItem(LAST);
  return last === null ? undefined : linkToProvider(last);
}

function linkToProvider(organization: string): string {
  return `studio/sign-in?${new URLSearchParams({ organization, return: `/studio${location.hash}` })}`;
}

/** Signs in at the provider of an organization, and returns to the view of the URL. */
export function CompanySignIn() {
  const open = onSubmit(({ organization = "" }) => {
    localStorage.setItem(LAST, organization.trim());
    location.assign(linkToProvider(organization.trim()));
  });
  return (
    <form class="card" onSubmit={open}>
      <label for="organization">Organization</label>
      <input
        id="organization"
        name="organization"
        required
        autocomplete="organization"
        spellcheck={false}
        placeholder="Its ID"
        defaultValue={localStorage.getItem(LAST) ?? ""}
      />
      <button class="main" type="submit">
        Sign in with your company’s account
      </button>
    </form>
  );
}
