import { useEffect, useRef } from "preact/hooks";

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
  return (
    <section class="card secret" role="status">
      <h2>{title}</h2>
      <p class="note">Copy it now: it is not shown again.</p>
      <div class="tools">
        <input ref={input} class="code" readOnly aria-label={title} value={text} />
        <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
          Copy
        </button>
        <button type="button" onClick={onClose}>
          Close
        </button>
      </div>
    </section>
  );
}
