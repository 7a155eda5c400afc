import { useState } from "preact/hooks";
import type { ApiError } from "./api.ts";
import { CompanySignIn } from "./company-sign-in.tsx";
import { keepToken } from "./session.ts";

/** Asks for an access token, or a preview key. */
export function SignIn({
  error,
  onSignIn,
}: {
  error: ApiError | undefined;
  onSignIn: (token: string) => void;
}) {
  const [token, setToken] = useState("");
  return (
    <main class="sign-in">
      <h1>
        <span class="logo" aria-hidden="true" /> Marquee Studio
      </h1>
      <CompanySignIn />
      <p class="note">Or with a token or a preview key:</p>
      <form
        class="card"
        onSubmit={(event) => {
          event.preventDefault();
          keepToken(token.trim());
          onSignIn(token.trim());
        }}
      >
        <label for="token">Access token or preview key</label>
        <input
          id="token"
          type="password"
          required
          autocomplete="off"
          spellcheck={false}
          placeholder="mqa_… or mqv_…"
          value={token}
          onInput={(event) => setToken(event.currentTarget.value)}
        />
        <p class="note">
          Kept in this tab until it is closed. <code>marquee token create</code> makes one; the demo
          keeps its own in <code>data/demo.json</code>. A preview key shows pages as viewers see
          them, drafts included, and changes nothing.
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
