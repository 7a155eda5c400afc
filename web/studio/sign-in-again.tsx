import { useEffect, useRef, useState } from "preact/hooks";
import { findSignInAgain } from "./company-sign-in.tsx";
import { keepToken } from "./session.ts";

/** Asks a person whose session has ended to sign in, above the form whose texts stay. */
export function SignInAgain({ onSignIn }: { onSignIn: () => void }) {
  const dialog = useRef<HTMLDialogElement>(null);
  const [token, setToken] = useState("");
  const company = findSignInAgain();
  useEffect(() => dialog.current?.showModal(), []);
  const signIn = () => {
    keepToken(token.trim());
    dialog.current?.close();
    onSignIn();
  };
  return (
    <dialog ref={dialog} aria-labelledby="sign-in-again">
      <h2 id="sign-in-again">Your session has ended</h2>
      <p>Your texts are still here. Sign in, and they are saved.</p>
      <label for="new-token">Access token</label>
      <input
        id="new-token"
        type="password"
        autocomplete="off"
        value={token}
        onInput={(event) => setToken(event.currentTarget.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter") return;
          event.preventDefault();
          signIn();
        }}
      />
      <div class="acts">
        {company !== undefined && <a href={company}>Sign in with your company’s account</a>}
        <button type="button" onClick={() => dialog.current?.close()}>
          Not now
        </button>
        <button type="button" class="main" disabled={token.trim() === ""} onClick={signIn}>
          Sign in and save
        </button>
      </div>
    </dialog>
  );
}
