/* Rating by keys: each answer is sent, kept on disk, and only then does the next reply come. */
(() => {
  const form = document.querySelector(".rating");
  const told = document.querySelector("#told");
  let busy = false;
  async function send(answer) {
    if (busy) return;
    busy = true;
    try {
      const reply = await fetch("answer", { method: "POST", headers: { "content-type": "application/json" }, body: JSON.stringify(answer) });
      const found = await reply.json();
      if (!reply.ok) throw new Error(found.error);
      location.reload();
    } catch (error) {
      told.textContent = `Not kept: ${error.message}. Is \`antiphon judge rate\` still running?`;
      busy = false;
    }
  }
  const rate = (value) => send({ do: "rate", ballot: form.dataset.ballot, value });
  document.addEventListener("click", (event) => {
    const button = event.target.closest("button[data-value], button[data-do]");
    if (!button) return;
    if (button.dataset.do === "undo") send({ do: "undo" });
    else rate(JSON.parse(button.dataset.value));
  });
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    if (key === "u") { event.preventDefault(); send({ do: "undo" }); return; }
    if (key === "p") { event.preventDefault(); document.querySelector(".player.agent .play")?.click(); return; }
    const button = document.querySelector(`button[data-key="${CSS.escape(key)}"]`);
    if (button) { event.preventDefault(); button.click(); }
  });
})();
