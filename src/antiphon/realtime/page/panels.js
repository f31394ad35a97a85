// What stands below the stage: the conversation, the latencies, the decisions in order, the tools.
const get = (id) => document.getElementById(id);
const STAGES = {
  detected: "silence noticed", recognised: "words recognised", decided: "answer decided",
  first_token: "first words written", first_clause: "first clause whole", first_sound: "first sound made",
  sent: "first sound sent",
};
const STATES = { running: "runs", done: "done", failed: "failed", cancelled: "cancelled" };
const entries = new Map();
const calls = new Map();
let totals = [];

export function clear() {
  entries.clear();
  calls.clear();
  totals = [];
  for (const id of ["transcript", "decisions", "tools"]) get(id).replaceChildren();
  get("empty").hidden = false;
  get("tools-section").hidden = true;
}

function element(tag, text = "", kind = "") {
  const made = document.createElement(tag);
  made.textContent = text;
  if (kind) made.className = kind;
  return made;
}

function language(text) {
  return /\p{Script=Han}/u.test(text) ? "zh" : "en";
}

// ---- the conversation

// Whoever reads the newest words goes on reading the newest.
function following(change) {
  const list = get("transcript");
  const follows = list.scrollHeight - list.scrollTop - list.clientHeight < 48;
  change(list);
  if (follows) list.scrollTop = list.scrollHeight;
}

function append(line) {
  following((list) => list.append(line));
  get("empty").hidden = true;
}

export function entry(id, who, text, partial = false) {
  let known = entries.get(id);
  if (!known) {
    const line = element("li", "", who);
    const words = element("span");
    line.append(element("b", who === "person" ? "you" : "agent"), words);
    known = { line, words, text: "" };
    entries.set(id, known);
    append(line);
  }
  known.text = text;
  following(() => { known.words.textContent = text; });
  known.line.lang = language(text);
  known.line.classList.toggle("partial", partial);
}

export function drop(id) {
  entries.get(id)?.line.remove();
  entries.delete(id);
}

export function more(id, delta) {
  entry(id, "agent", (entries.get(id)?.text ?? "") + delta);
}

// Characters are counted as the server does, by code point.
export function said({ item_id: id, heard_chars: heard }) {
  const known = entries.get(id);
  if (!known) return;
  const characters = [...known.text];
  if (heard >= characters.length) return;
  const lost = element("span", characters.slice(heard).join(""), "unheard");
  lost.title = "generated, never heard";
  following(() => known.words.replaceChildren(characters.slice(0, heard).join(""), lost));
}

export function trouble(what) {
  append(element("li", what, "trouble"));
}

// ---- the decisions

export function decision(atMs, name, why) {
  const line = element("li");
  line.append(element("span", `${(atMs / 1000).toFixed(1)} s`), element("span", name), element("span", why));
  get("decisions").prepend(line);
  while (get("decisions").children.length > 200) get("decisions").lastChild.remove();
}

// ---- the tools

export function toolStarted({ call_id: call, name, arguments: given }) {
  get("tools-section").hidden = false;
  const line = element("li");
  const state = element("span", STATES.running, "state");
  const what = element("span", "", "what");
  const asked = element("code", Object.entries(given).map(([key, value]) => `${key} ${plain(value)}`).join(", "));
  what.append(element("b", name), " ", asked);
  line.append(state, what);
  line.dataset.state = "running";
  get("tools").prepend(line);
  calls.set(call, { line, state, what });
}

export function toolProgress({ call_id: call, text }) {
  const known = calls.get(call);
  if (!known) return;
  known.note ??= known.what.appendChild(element("span", "", "note"));
  known.note.textContent = text;
}

export function toolEnded({ call_id: call, state, value, error }) {
  const known = calls.get(call);
  if (!known) return;
  known.line.dataset.state = state;
  known.state.textContent = STATES[state] ?? state;
  known.note?.remove();
  const result = plain(error ?? value);
  const shown = element("details");
  shown.append(element("summary", result.length > 80 ? `${result.slice(0, 80)}…` : result));
  if (result.length > 80) shown.append(element("pre", typeof value === "string" ? value : JSON.stringify(error ?? value, null, 2)));
  known.what.append(result.length > 80 ? shown : element("span", result, "note"));
}

function plain(value) {
  return typeof value === "string" ? value : JSON.stringify(value);
}

// ---- the latencies

export function latency(stages) {
  const strip = element("div", "", "strip");
  const steps = element("dl", "", "steps");
  let before = 0;
  for (const [name, label] of Object.entries(STAGES)) {
    if (stages[name] === undefined) continue;
    const took = Math.max(0, stages[name] - before);
    before = Math.max(before, stages[name]);
    const part = element("span");
    part.style.flexGrow = took;
    part.title = `${label}: ${took} ms`;
    strip.append(part);
    steps.append(element("dt", label), element("dd", `+${took}`));
  }
  steps.append(element("dt", "in all", "sum"), element("dd", `${before}`, "sum"));
  strip.setAttribute("role", "img");
  strip.setAttribute("aria-label", `${before} ms in all`);
  get("latency").replaceChildren(strip, steps);
  if (totals.length) {
    const median = [...totals, before].sort((one, two) => one - two)[totals.length >> 1];
    get("latency").append(element("p", `before: ${totals.slice(-6).join(", ")}; median of ${totals.length + 1}: ${median}`, "note"));
  }
  totals.push(before);
}
