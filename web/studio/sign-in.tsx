import type { ApiError } from "./api.ts";
import { CompanySignIn } from "./company-sign-in.tsx";
import { keepToken } from "./session.ts";
import { onSubmit } from "./submit.ts";

/** Asks for an access token, or a preview key. */
export function SignIn({ error, onSignIn }: { error: ApiError | undefined; onSignIn: () => void }) {
  const signIn = onSubmit(({ token = "" }) => {
    keepToken(token.trim());
    onSignIn();
  });
  return (
    <main class="sign-in">
      <h1>
        <span class="logo" aria-hidden="true" /> Marquee Studio
      </h1>
      <CompanySignIn />
      <p class="note">Or with a token or a preview key:</p>
      <form class="card" onSubmit={signIn}>
        <label for="token">Access token or preview key</label>
        <input
          id="token"
          name="token"
          type="password"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="mqa_… or mqv_…"
        />
        <p class="note">
          Kept in this tab until it is closed. <code>marquee token create</code> makes one, and the
          demo prints one when it starts. A preview key shows pages as viewers see them, drafts
          included, and changes nothing.
        </p>
        {error !== undefined && (
          <p class="violation" role="alert">
            {error.message} <code>{error.reason}</code>
          </p>
        )}
        <button type="submit">Sign in</button>
      </form>
    </main>
  );
}
