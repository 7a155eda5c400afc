import { ActButton, type Acts } from "../acts.tsx";
import type { Edits } from "../edits.ts";

/** The buttons that discard and save the changes of a form. */
export function SaveButtons({
  edits,
  acts,
  permission,
  words,
  isNew = false,
}: {
  edits: Edits;
  acts: Acts;
  permission: string;
  words: string;
  isNew?: boolean;
}) {
  const { isTyped, conflicts } = edits;
  const isIdle = !(isTyped || isNew || conflicts.length > 0);
  return (
    <>
      <ActButton
        disabled={!isTyped || acts.isBusy}
        title={isTyped ? undefined : "No changes"}
        onClick={edits.discard}
      >
        Discard
      </ActButton>
      <ActButton
        permission={permission}
        type="submit"
        class="main"
        disabled={isIdle || acts.isBusy}
        title={isIdle ? "No changes" : undefined}
      >
        {words}
      </ActButton>
    </>
  );
}
