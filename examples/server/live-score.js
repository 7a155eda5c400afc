// Shows each change of the score on the page of a match.
for (const output of document.querySelectorAll("output[data-event]")) {
  const scores = new EventSource(`/score?id=${encodeURIComponent(output.dataset.event)}`);
  scores.onmessage = ({ data }) => {
    output.textContent = data;
  };
}
