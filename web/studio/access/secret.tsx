/** Shows a secret that the server returns once. */
export function Secret({ title, text }: { title: string; text: string }) {
  return (
    <section class="card secret" role="status">
      <h2>{title}</h2>
      <p class="note">Copy it now: it is not shown again.</p>
      <div class="tools">
        <input class="code" readOnly aria-label={title} value={text} />
        <button type="button" onClick={() => void navigator.clipboard.writeText(text)}>
          Copy
        </button>
      </div>
    </section>
  );
}
