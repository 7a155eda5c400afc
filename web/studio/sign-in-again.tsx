import { useEffect, useRef } from "preact/hooks";
import { useApp } from "./app.ts";
import { findSignInAgain } from "./company-sign-in.tsx";
import { keepToken } from "./session.ts";
import { onSubmit } from "./submit.ts";

/** Asks a person whose session has ended to sign in, above the form whose texts stay. */
export function SignInAgain({ onSignIn }: { onSignIn: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const { reloadAccount } = useApp();
  const company = findSignInAgain();
  useEffect(() => dialog.current?.showModal(), []);
  const signIn = onSubmit(({ token = "" }) => {
    keepToken(token.trim());
    dialog.current?.close();
    onSignIn();
    // It may be another account.
    reloadAccount();
  });
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again">
      <h2 id="sign-in-again">Your session has ended</h2>
      <p>Your texts are still here. Sign in, and they are saved.</p>
      <form onSubmit={signIn}>
        <label for="new-token">Access token</label>
        <input id="new-token" name="token" type="password" required autocomplete="off" />
        <div class="acts">
          {company !== undefined && <a href={company}>Sign in with your company’s account</a>}
          <button type="button" onClick={() => dialog.current?.close()}>
            Not now
          </button>
          <button type="submit" class="main">
            Sign in and save
          </button>
        </div>
      </form>
    </dialog>
  );
}
