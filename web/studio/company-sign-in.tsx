import { useState } from "preact/hooks";

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
  const [organization, setOrganization] = useState(localStorage.getItem(LAST) ?? "");
  return (
    <form
      class="card"
      onSubmit={(event) => {
        event.preventDefault();
        localStorage.setItem(LAST, organization.trim());
        location.assign(linkToProvider(organization.trim()));
      }}
    >
      <label for="organization">Organization</label>
      <input
        id="organization"
        required
        autocomplete="organization"
        spellcheck={false}
        placeholder="org-worldcup"
        value={organization}
        onInput={(event) => setOrganization(event.currentTarget.value)}
      />
      <button class="main" type="submit">
        Sign in with your company’s account
      </button>
    </form>
  );
}
