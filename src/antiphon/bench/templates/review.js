
/* The review: each decision goes to the local server, which keeps it before it answers. */
(() => {
  "use strict";
  const $$ = (query, root = document) => [...root.querySelectorAll(query)];
  const $ = (query, root = document) => root.querySelector(query);
  const WORDS = { accept: "accepted", edit: "edited", regenerate: "to be recorded again", reject: "rejected" };
  const cases = $$("#questions .case");
  let here = -1;

  async function send(path, value, say) {
    try {
      const answer = await fetch(path, { method: "POST", headers: { "Content-Type": "application/json" }, body: JSON.stringify(value) });
      const told = await answer.json();
      if (!answer.ok) throw new Error(told.error);
      $("#left").textContent = `${told.left} left`;
      return true;
    } catch (error) {
      const gone = error instanceof TypeError;
      say.textContent = gone ? "not kept: the review was ended; start it again" : `not kept: ${error.message}`;
      say.classList.add("bad");
      return false;
    }
  }

  function go(place, focus = true) {
    if (!cases.length) return;
    if (here >= 0) cases[here].classList.remove("here");
    here = Math.min(cases.length - 1, Math.max(0, place));
    cases[here].classList.add("here");
    if (focus) { cases[here].focus({ preventScroll: true }); cases[here].scrollIntoView({ block: "nearest" }); }
  }
  function next() {
    const after = cases.findIndex((one, at) => at > here && !one.dataset.decided);
    const any = after >= 0 ? after : cases.findIndex((one) => !one.dataset.decided);
    if (any >= 0) go(any);
  }

  async function decide(one, action, more = {}) {
    const say = $(".said-so", one);
    say.classList.remove("bad");
    const value = { item: one.dataset.item, seen: one.dataset.seen, action, ...more };
    if (!await send("decisions", value, say)) return;
    one.dataset.decided = action;
    say.textContent = WORDS[action];
    edit(one, false);
    next();
  }
  async function hear(one, hearing) {
    const say = $(".said-so", one);
    say.classList.remove("bad");
    if (!await send("decisions", { item: one.dataset.voice, action: hearing }, say)) return;
    one.dataset.decided = hearing;
    say.textContent = "kept";
    for (const button of $$("[data-hearing]", one)) button.setAttribute("aria-checked", String(button.dataset.hearing === hearing));
  }
  function edit(one, open) {
    const form = $(".edit", one);
    form.hidden = !open;
    if (open) $("textarea", form).focus(); else if (one.classList.contains("here")) one.focus({ preventScroll: true });
  }

  document.addEventListener("click", (event) => {
    const one = event.target.closest(".case");
    if (!one) return;
    if (!one.dataset.item) {
      const button = event.target.closest("[data-hearing]");
      if (button) hear(one, button.dataset.hearing);
      return;
    }
    go(cases.indexOf(one), false);
    const action = event.target.closest("[data-action]");
    if (action) decide(one, action.dataset.action);
    else if (event.target.closest("[data-edit]")) edit(one, $(".edit", one).hidden);
    else if (event.target.closest("[data-cancel]")) edit(one, false);
  });
  document.addEventListener("submit", (event) => {
    event.preventDefault();
    const form = event.target;
    decide(form.closest(".case"), "edit", Object.fromEntries(new FormData(form)));
  });
  $("#finish").addEventListener("click", async () => {
    const left = $("#left");
    if (!await send("finish", {}, left)) return;
    left.textContent = "finished; this page can be closed";
    $("#finish").disabled = true;
  });

  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "Escape" && typing) { const one = event.target.closest(".case"); if (one) edit(one, false); return; }
    if (event.key === "Enter" && (event.ctrlKey || event.metaKey) && typing) { event.target.form?.requestSubmit(); return; }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "j" || event.key === "k") { event.preventDefault(); go(here + (event.key === "j" ? 1 : -1)); return; }
    if (here < 0) return;
    const one = cases[here];
    const press = { a: "[data-action=accept]", r: "[data-action=regenerate]", x: "[data-action=reject]", e: "[data-edit]" }[event.key];
    if (press) { event.preventDefault(); $(press, one)?.click(); }
    else if (event.key === " " && !event.target.closest("a, button, summary")) { event.preventDefault(); $(".play", one)?.click(); }
  });
  if (cases.length) go(Math.max(0, cases.findIndex((one) => !one.dataset.decided)), false);
})();
