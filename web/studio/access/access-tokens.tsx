import type { JsonObject } from "@bufbuild/protobuf";
import { type Acts, ConfirmButton } from "../acts.tsx";
import { call } from "../api.ts";
import { printEnum, printTime } from "../drawing/text.ts";
import { readPage } from "../list-items.ts";
import { useLoad } from "../load.tsx";

const PATH = "/iam/access_tokens/v1";

/** The access tokens of a person that are neither revoked nor expired, newest first, each with a button that revokes it. */
export function AccessTokens({
  account,
  isMe,
  acts,
}: {
  account: JsonObject;
  isMe: boolean;
  acts: Acts;
}) {
  // Each act reads the account again, so its tokens too.
  const tokens = useLoad(
    async (signal) => {
      const filter = `not revoke_time: * and not expire_time <= "${new Date().toISOString()}"`;
      const query = { account_id: String(account.id), filter, order: "create_time desc" };
      return (await readPage(PATH, { ...query, page_size: 1_000 }, signal)).items;
    },
    [account],
  );
  if (tokens.state !== undefined) return tokens.state;
  if (tokens.value.length === 0) return <p class="note">No access token.</p>;
  const revoke = ({ id }: JsonObject) =>
    acts.run(
      () => call({ path: `${PATH}/${encodeURIComponent(String(id))}:revoke`, body: {} }),
      "The access token is revoked. Calls with it get 401 from now on.",
    );
  return (
    <ul class="rows">
      {tokens.value.map((token) => {
        const words = `Revoke the access token ${String(token.name || token.id)} of ${String(account.name)}`;
        return (
          <li key={String(token.id)} class="tools">
            <span>
              <b title={String(token.id)}>{String(token.name || token.id)}</b>{" "}
              <span class="mark">{printEnum(String(token.kind), "ACCESS_TOKEN_KIND_")}</span>{" "}
              <span class="note">
                created {printTime(String(token.create_time))}
                {token.expire_time && ` · expires ${printTime(String(token.expire_time))}`}
              </span>
            </span>
            <ConfirmButton
              permission="iam.access_tokens.revoke"
              class="danger end"
              disabled={acts.isBusy}
              aria-label={words}
              question={`${words}?`}
              consequence={
                isMe
                  ? "This is a token of your own: if you are signed in with it, you are signed out at once."
                  : "Programs and browsers that use it get 401 at once."
              }
              onConfirm={() => revoke(token)}
            >
              Revoke
            </ConfirmButton>
          </li>
        );
      })}
    </ul>
  );
}
