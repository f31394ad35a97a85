/* Sorting, filtering and listening, without a server. Without this script the page still reads and links. */
"use strict";
(() => {
  const $ = (query, root = document) => root.querySelector(query);
  const $$ = (query, root = document) => [...root.querySelectorAll(query)];
  const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

  /* waveforms: drawn when they come near the screen */
  function draw(wave) {
    if (wave.firstChild) return;
    const peaks = wave.dataset.peaks;
    wave.setAttribute("viewBox", `0 0 ${Math.max(1, peaks.length)} 24`);
    wave.setAttribute("preserveAspectRatio", "none");
    const path = [...peaks].map((letter, at) => {
      const half = Math.max(0.4, LETTERS.indexOf(letter) / 63 * 11.5);
      return `M${at + 0.5} ${(12 - half).toFixed(1)}V${(12 + half).toFixed(1)}`;
    }).join("");
    for (const name of ["all", "done"]) {
      const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
      line.setAttribute("d", path);
      line.setAttribute("class", name);
      wave.append(line);
    }
  }
  const near = new IntersectionObserver((entries) => {
    for (const entry of entries) if (entry.isIntersecting) { draw(entry.target); near.unobserve(entry.target); }
  }, { rootMargin: "400px" });
  $$(".wave").forEach((wave) => near.observe(wave));

  /* players: one sound at a time, made when first asked for */
  let current = null;
  const sounds = new WeakMap();
  function sound(player) {
    if (sounds.has(player)) return sounds.get(player);
    const audio = new Audio();
    audio.preload = "none";
    audio.src = $(".play", player).getAttribute("href");
    const time = $(".time", player), length = time.textContent;
    audio.addEventListener("timeupdate", () => progress(player, audio));
    audio.addEventListener("play", () => { player.classList.add("playing"); tick(player, audio); });
    audio.addEventListener("pause", () => player.classList.remove("playing"));
    audio.addEventListener("ended", () => { audio.currentTime = 0; progress(player, audio); time.textContent = length; });
    audio.addEventListener("error", () => { player.classList.add("broken"); time.textContent = "no sound"; time.classList.add("bad"); });
    sounds.set(player, audio);
    return audio;
  }
  function progress(player, audio) {
    const share = audio.duration ? audio.currentTime / audio.duration : 0;
    const done = $(".done", player);
    if (done) done.style.clipPath = `inset(0 ${100 - share * 100}% 0 0)`;
    if (share) $(".time", player).textContent = `${audio.currentTime.toFixed(1)} s`;
  }
  function tick(player, audio) {
    progress(player, audio);
    if (!audio.paused) requestAnimationFrame(() => tick(player, audio));
  }
  function toggle(player) {
    const audio = sound(player);
    if (current && current !== audio) current.pause();
    current = audio;
    if (audio.paused) audio.play().catch(() => {}); else audio.pause();
  }
  function seek(player, seconds) {
    const audio = sound(player);
    if (audio.duration) audio.currentTime = Math.min(audio.duration, Math.max(0, audio.currentTime + seconds));
  }
  $$(".play").forEach((button) => button.setAttribute("role", "button"));
  document.addEventListener("click", (event) => {
    const player = event.target.closest(".player:not(.bad)");
    if (!player) return;
    if (event.target.closest(".play")) { event.preventDefault(); toggle(player); return; }
    const wave = event.target.closest(".wave");
    if (!wave) return;
    const audio = sound(player), box = wave.getBoundingClientRect();
    const go = () => { audio.currentTime = (event.clientX - box.left) / box.width * audio.duration; };
    if (audio.duration) go(); else audio.addEventListener("loadedmetadata", go, { once: true });
    if (audio.paused) toggle(player);
  });
  document.addEventListener("keydown", (event) => {
    const player = event.target.closest?.(".play")?.parentElement;
    if (player && [" ", "ArrowLeft", "ArrowRight"].includes(event.key)) {
      event.preventDefault();
      if (event.key === " ") toggle(player); else seek(player, event.key === "ArrowLeft" ? -1 : 1);
    } else if (event.key === "/" && !/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) && $("#text")) {
      event.preventDefault();
      $("#text").focus();
    }
  });

  /* published systems in the pictures: each has one switch for the whole page */
  const switched = (number, on) => {
    for (const part of $$(`[data-series="${number}"]`)) part.style.display = on ? "" : "none";
    for (const box of $$(`[data-switch="${number}"]`)) box.checked = on;
  };
  for (const box of $$("[data-switch]")) {
    switched(box.dataset.switch, box.checked);
    box.addEventListener("change", () => switched(box.dataset.switch, box.checked));
  }

  /* items: the state of sorting and filtering lives in the address, so that a view can be sent on */
  const tools = $(".tools");
  if (!tools) return;
  const rows = $$("table.items tbody tr");
  const known = (make) => { const kept = new Map(); return (row) => kept.get(row) ?? kept.set(row, make(row)).get(row); };
  const words = known((row) => row.textContent.toLowerCase());
  const numbers = known((row) => JSON.parse(row.dataset.numbers));
  const fields = ["text", "subset", "status", "sort"];
  const field = (name) => $(`#${name}`);

  function readAddress() {
    const given = new URLSearchParams(location.hash.slice(1));
    if (!fields.some((name) => given.has(name))) return false;
    for (const name of fields) {
      const wanted = given.get(name) ?? "";
      const offered = name === "text" || [...field(name).options].some((option) => option.value === wanted);
      field(name).value = offered ? wanted : "";
    }
    return true;
  }
  function writeAddress() {
    const state = new URLSearchParams();
    for (const name of fields) if (field(name).value) state.set(name, field(name).value);
    const hash = state.toString();
    history.replaceState(null, "", hash ? `#${hash}` : location.pathname + location.search);
  }
  function apply() {
    const text = field("text").value.trim().toLowerCase();
    const subset = field("subset").value, status = field("status").value;
    let shown = 0;
    for (const row of rows) {
      row.hidden = (text && !words(row).includes(text)) || (subset && row.dataset.subset !== subset)
        || (status && !row.dataset.status.split(",").includes(status));
      shown += !row.hidden;
    }
    $$("section.subset").forEach((section) => { section.hidden = !$("tbody tr:not([hidden])", section); });
    $("output", tools).textContent = `${shown} of ${rows.length} ${tools.dataset.rows || "items"}`;
    order(field("sort").value);
  }
  let ordered = "";
  function order(sort) {
    if (sort === ordered) return;
    ordered = sort;
    const [key, way] = sort.split(":");
    const turn = way === "down" ? -1 : 1;
    for (const table of $$("table.items")) {
      const body = $("tbody", table);
      const value = new Map([...body.rows].map((row) => [row, numbers(row)[key] ?? NaN]));
      [...body.rows].sort((a, b) => {
        const x = value.get(a), y = value.get(b);
        if (Number.isNaN(x) || Number.isNaN(y)) return Number.isNaN(x) - Number.isNaN(y) || a.dataset.place - b.dataset.place;
        return (x - y) * turn || a.dataset.place - b.dataset.place;
      }).forEach((row) => body.append(row));
      for (const head of $$("th", table)) head.removeAttribute("aria-sort");
      const head = key && $(`th [data-sort="${key}"]`, table)?.closest("th");
      if (head) head.setAttribute("aria-sort", way === "down" ? "descending" : "ascending");
    }
  }
  function changed() { apply(); writeAddress(); }
  for (const name of fields) field(name).addEventListener("input", changed);
  document.addEventListener("click", (event) => {
    const head = event.target.closest("button.sort");
    if (!head) return;
    const key = head.dataset.sort, now = field("sort").value;
    const first = head.dataset.first, other = first === "down" ? "up" : "down";
    field("sort").value = now === `${key}:${first}` ? `${key}:${other}` : now === `${key}:${other}` ? "" : `${key}:${first}`;
    changed();
  });
  /* a link to an item must find it even where a filter hides it */
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#item-"]');
    const row = link && $(link.getAttribute("href"));
    if (!row) return;
    if (row.hidden) { for (const name of ["text", "subset", "status"]) field(name).value = ""; apply(); }
    $$(".here").forEach((other) => other.classList.remove("here"));
    row.classList.add("here");
  });
  addEventListener("hashchange", () => { if (readAddress()) apply(); });
  addEventListener("beforeprint", () => $$(".wave").forEach(draw));
  tools.hidden = false;
  if (readAddress()) apply();
})();
