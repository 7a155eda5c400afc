import { useEffect, useRef, useState } from "preact/hooks";

/** How long the button says that the secret is copied, in milliseconds. */
const COPIED = 2_000;

/** Shows a secret that the server returns once, selected to be copied. */
export function Secret({
  title,
  text,
  onClose,
}: {
  title: string;
  text: string;
  onClose: () => void;
}) {
  const input = useRef<HTMLInputElement>(null);
  useEffect(() => {
    input.current?.focus();
    input.current?.select();
  }, [text]);
  const [isCopied, setCopied] = useState(false);
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    setCopied(true);
    setTimeout(() => setCopied(false), COPIED);
  };
  return (
    <section class="card secret" role="status" aria-atomic="false">
      <h2>{title}</h2>
      <p class="note">Copy it now: it is not shown again.</p>
      <div class="tools">
        <input ref={input} class="code" readOnly aria-label={title} value={text} />
        {/* Without TLS, browsers let no page write to the clipboard. */}
        {isSecureContext && (
          <button type="button" onClick={copy}>
            {isCopied ? "Copied" : "Copy"}
          </button>
        )}
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </section>
  );
}
