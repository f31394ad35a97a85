// Talk with the agent of this server: sound both ways, the conversation, and why it did what it did.
import { Lanes } from "./lanes.js";
import { Way } from "./reconnect.js";

const RATE = 24_000;
const MAX_SOUND_S = 3600;
const get = (id) => document.getElementById(id);
const lanes = new Lanes(get("canvas"), get("flags"), get("why"));
const STAGES = {
  noticed: "silence noticed", understood: "words recognised", decided: "answer decided", written: "first words written",
  spoken: "first sound made", sent: "first sound sent",
};

const way = new Way();
let socket = null;
let context = null;
let mouth = null;
let stream = null;
let muted = false;
let locked = false;
let events = [];
let sound = { person: [], agent: [] }; // {atMs, samples}
const entries = new Map();

get("talk").addEventListener("click", () => (socket ? hangUp("ended") : start()));
get("mute").addEventListener("click", () => mute(!muted));
get("write").addEventListener("submit", write);
get("save-sound").addEventListener("click", () => save("antiphon-session.wav", wav()));
get("save-events").addEventListener("click", () => {
  save("antiphon-session.jsonl", new Blob([events.map((event) => JSON.stringify(event)).join("\n")], { type: "application/jsonl" }));
});
get("microphone").addEventListener("change", () => socket && openMicrophone().catch(complain));
get("speaker").addEventListener("change", () => context?.setSinkId?.(get("speaker").value).catch(complain));
for (const button of document.querySelectorAll("#confirm button")) button.addEventListener("click", () => confirmed(button));

meet();

async function meet() {
  try {
    const health = await (await fetch("health")).json();
    locked = health.locked;
    get("key-label").hidden = !locked;
    get("model").textContent = health.model;
  } catch {
    say("lost", "the server does not answer");
  }
  if (AudioContext.prototype.setSinkId) get("speaker-label").hidden = false;
  await devices();
}

function say(state, words) {
  get("state").dataset.state = state;
  get("state").textContent = words;
}

function complain(error) {
  trouble(error.name === "NotAllowedError" ? "The browser does not let this page use the microphone." : String(error.message ?? error));
}

async function devices() {
  const found = (await navigator.mediaDevices?.enumerateDevices?.()) ?? [];
  for (const [id, kind] of [["microphone", "audioinput"], ["speaker", "audiooutput"]]) {
    const chosen = get(id).value;
    const options = found
      .filter((device) => device.kind === kind && device.deviceId && device.deviceId !== "default" && device.label)
      .map((device) => new Option(device.label, device.deviceId));
    get(id).replaceChildren(new Option("default", ""), ...options);
    get(id).value = chosen;
  }
}

// ---- begin and end

async function start() {
  get("talk").disabled = true;
  try {
    context = new AudioContext({ sampleRate: RATE, latencyHint: "interactive" });
    await context.audioWorklet.addModule("worklet.js");
    mouth = new AudioWorkletNode(context, "mouth", { numberOfInputs: 0, outputChannelCount: [1] });
    mouth.port.onmessage = ({ data }) => played(data);
    mouth.connect(context.destination);
    await context.resume();
    forget();
    await connect().catch((error) => {
      if (!way.forget()) throw error; // the session that this page had before it was loaded again is over
      return connect();
    });
    await openMicrophone();
    await devices();
  } catch (error) {
    complain(error);
    hangUp("could not begin");
  }
  get("talk").disabled = false;
}

function forget() {
  events = [];
  sound = { person: [], agent: [] };
  entries.clear();
  for (const id of ["transcript", "decisions", "tools"]) get(id).replaceChildren();
  get("tools-section").hidden = true;
  lanes.start();
}

function connect() {
  const address = way.address(location.href);
  const protocols = ["realtime", ...(locked ? [`openai-insecure-api-key.${get("key").value}`] : [])];
  return new Promise((done, failed) => {
    const opened = new WebSocket(address, protocols);
    opened.onmessage = ({ data }) => receive(JSON.parse(data));
    opened.onopen = () => {
      socket = opened;
      way.arrived();
      live(true);
      done();
    };
    opened.onerror = () => failed(new Error(locked ? "The server refused: is the key right?" : "The server cannot be reached, or all its sessions are taken."));
    opened.onclose = ({ code, reason }) => {
      if (socket === opened && way.lost(code)) comeBack();
      else if (socket === opened) hangUp(reason || (code === 1000 || code === 1005 ? "ended" : `lost (${code})`), code !== 1000 && code !== 1005);
    };
  });
}

async function comeBack() {
  say("lost", "connection lost, coming back");
  mouth?.port.postMessage({ drop: true });
  const talking = context;
  while (context === talking && (await way.wait())) {
    if (await connect().then(() => true, () => false)) {
      if (context !== talking) socket?.close();
      return;
    }
  }
  if (context === talking) hangUp("connection lost", true);
}

function live(on) {
  get("talk").textContent = on ? "Hang up" : "Talk";
  get("talk").setAttribute("aria-pressed", on);
  for (const element of [get("mute"), get("text"), get("write").querySelector("button")]) element.disabled = !on;
  for (const id of ["save-sound", "save-events"]) get(id).disabled = events.length === 0 && !on;
  if (on) say("live", "listening");
}

function hangUp(why, bad = false) {
  const closing = socket;
  way.forget();
  socket = null;
  closing?.close();
  for (const track of stream?.getTracks() ?? []) track.stop();
  stream = null;
  context?.close();
  context = null;
  mute(false);
  lanes.stop();
  get("confirm").hidden = true;
  live(false);
  say(bad ? "lost" : "off", why);
}

// ---- the person

async function openMicrophone() {
  for (const track of stream?.getTracks() ?? []) track.stop();
  const wanted = get("microphone").value;
  stream = await navigator.mediaDevices.getUserMedia({
    audio: { deviceId: wanted ? { exact: wanted } : undefined, channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  const ear = new AudioWorkletNode(context, "ear", { numberOfOutputs: 0 });
  const source = context.createMediaStreamSource(stream);
  source.connect(ear);
  ear.port.onmessage = ({ data }) => spoken(data, source.mediaStream);
}

function spoken(samples, from) {
  if (!socket || from !== stream) return;
  if (muted) samples.fill(0);
  lanes.add("person", samples);
  keep("person", samples);
  send({ type: "input_audio_buffer.append", audio: base64(pcm16(samples)) }, false);
}

function mute(on) {
  muted = on;
  get("mute").setAttribute("aria-pressed", on);
  get("mute").textContent = on ? "Muted" : "Mute";
}

function write(event) {
  event.preventDefault();
  const text = get("text").value.trim();
  if (!text || !socket) return;
  get("text").value = "";
  entry(`typed-${events.length}`, "person", text);
  send({ type: "duplex.typed", text });
}

function send(event, logged = true) {
  if (socket?.readyState !== WebSocket.OPEN) return;
  socket.send(JSON.stringify(event));
  if (logged) log(event);
}

function log(event) {
  events.push({ t_ms: Math.round(lanes.now()), ...event });
}

// ---- the agent

let place = null; // where in its item the next delta belongs
const receivers = {
  "duplex.session": (event) => {
    get("recorded").hidden = !event.recorded;
    get("kept").textContent = event.recorded ? "kept in this page, and by the server" : "kept in this page only";
  },
  "duplex.audio_at": (event) => { place = event; },
  "response.output_audio.delta": (event) => {
    mouth?.port.postMessage({ frame: { item: event.item_id, ms: place?.at_ms ?? 0, samples: samples(event.delta) } });
  },
  "response.output_audio_transcript.delta": (event) => agentWords(event.item_id, event.delta),
  "duplex.words": (event) => {
    if (event.text) entry(event.utterance, "person", event.text, !event.final);
    else entries.get(event.utterance)?.line.remove();
  },
  "duplex.speech": (event) => lanes.edge(event.edge, event.at_ms),
  "duplex.paused": () => { mouth?.port.postMessage({ hold: true }); lanes.hold(true); say("live", "holding back"); },
  "duplex.resumed": () => { mouth?.port.postMessage({ drop: true }); lanes.hold(false); say("live", "speaking"); },
  "duplex.stopped": () => { mouth?.port.postMessage({ drop: true }); lanes.hold(false); },
  "duplex.said": (event) => said(event),
  "duplex.decided": (event) => decided(event),
  "duplex.chose": (event) => row("decisions", event.t_ms, event.choice, event.reason),
  "duplex.latency": (event) => latency(event.stages),
  "duplex.answer_started": () => say("live", "answering"),
  "duplex.confirmation_needed": (event) => ask(event),
  "response.function_call_arguments.done": (event) => tool(event.name, event.arguments),
  "duplex.tool_progress": (event) => tool("", event.text),
  "input_audio_buffer.speech_started": () => say("live", "listening to you"),
  "response.done": () => say("live", "listening"),
  error: (event) => trouble(event.error.message),
};

function receive(event) {
  way.note(event);
  if (event.type !== "response.output_audio.delta" && event.type !== "duplex.audio_at") log(event);
  receivers[event.type]?.(event);
}

function played({ item, ms, samples: sounded }) {
  lanes.add("agent", sounded);
  keep("agent", sounded);
  send({ type: "playback.acknowledged", item_id: item, audio_ms: ms }, false);
}

function entry(id, who, text, partial = false) {
  let known = entries.get(id);
  if (!known) {
    const line = document.createElement("li");
    line.className = who;
    const name = document.createElement("b");
    name.textContent = who === "person" ? "you" : "agent";
    const words = document.createElement("span");
    line.append(name, words);
    get("transcript").append(line);
    known = { line, words, text: "" };
    entries.set(id, known);
  }
  known.text = text;
  known.words.textContent = text;
  known.line.lang = /\p{Script=Han}/u.test(text) ? "zh" : "en";
  known.line.classList.toggle("partial", partial);
  get("empty").hidden = true;
  return known;
}

function agentWords(id, delta) {
  entry(id, "agent", (entries.get(id)?.text ?? "") + delta);
}

// Characters are counted as the server does, by code point.
function said({ item_id: id, heard_chars: heard }) {
  const known = entries.get(id);
  if (!known) return;
  const characters = [...known.text];
  if (heard >= characters.length) return;
  const lost = document.createElement("span");
  lost.className = "unheard";
  lost.textContent = characters.slice(heard).join("");
  lost.title = "generated, never heard";
  known.words.replaceChildren(characters.slice(0, heard).join(""), lost);
}

function decided(event) {
  lanes.decide(event);
  row("decisions", event.t_ms, event.floor.toLowerCase(), `${event.answer === "ANSWER" ? "answer: " : ""}${event.reason}`);
}

function row(list, atMs, name, why) {
  const line = document.createElement("li");
  for (const text of [`${(atMs / 1000).toFixed(1)} s`, name, why]) {
    const cell = document.createElement("span");
    cell.textContent = text;
    line.append(cell);
  }
  get(list).prepend(line);
  while (get(list).children.length > 200) get(list).lastChild.remove();
}

function tool(name, what) {
  get("tools-section").hidden = false;
  row("tools", lanes.now(), name, what);
}

function latency(stages) {
  const strip = document.createElement("div");
  strip.className = "strip";
  strip.setAttribute("role", "img");
  const steps = document.createElement("dl");
  steps.className = "steps";
  let before = 0;
  for (const [name, label] of Object.entries(STAGES)) {
    if (stages[name] === undefined) continue;
    const took = Math.max(0, stages[name] - before);
    before = Math.max(before, stages[name]);
    const part = document.createElement("span");
    part.style.flexGrow = took;
    part.title = `${label}: ${took} ms`;
    strip.append(part);
    pair(steps, label, `+${took}`);
  }
  pair(steps, "in all", before, "sum");
  strip.setAttribute("aria-label", `${before} ms in all`);
  get("latency").replaceChildren(strip, steps);
}

function pair(list, name, value, kind = "") {
  for (const [tag, text] of [["dt", name], ["dd", value]]) {
    const cell = document.createElement(tag);
    cell.textContent = text;
    cell.className = kind;
    list.append(cell);
  }
}

function ask({ call_id: call, name, arguments: given }) {
  get("confirm-text").textContent = `The agent wants to use ${name} with ${JSON.stringify(given)}. May it?`;
  get("confirm").dataset.call = call;
  get("confirm").hidden = false;
  get("confirm").querySelector("button").focus();
}

function confirmed(button) {
  send({ type: "tool.confirmed", call_id: get("confirm").dataset.call, granted: button.dataset.granted === "yes" });
  get("confirm").hidden = true;
}

function trouble(what) {
  const line = document.createElement("li");
  line.className = "trouble";
  line.textContent = what;
  get("transcript").append(line);
  get("empty").hidden = true;
}

// ---- sound

function pcm16(floats) {
  const ints = new Int16Array(floats.length);
  for (let n = 0; n < floats.length; n++) ints[n] = Math.max(-32768, Math.min(32767, Math.round(floats[n] * 32768)));
  return new Uint8Array(ints.buffer);
}

function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

function samples(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32768);
}

function keep(who, piece) {
  const kept = sound[who];
  if (kept.length < MAX_SOUND_S * 50) kept.push({ atMs: lanes.now(), samples: piece.slice() });
}

// Both voices in one file: the person left, the agent right, each frame where it was heard.
function wav() {
  const last = Math.max(0, ...["person", "agent"].map((who) => sound[who].at(-1)?.atMs ?? 0));
  const count = Math.ceil((last / 1000 + 0.1) * RATE);
  const both = new Int16Array(2 * count);
  for (const [side, who] of [[0, "person"], [1, "agent"]]) {
    let next = 0;
    for (const { atMs, samples: piece } of sound[who]) {
      const begin = Math.round((atMs / 1000) * RATE) - piece.length;
      // Frames that follow each other closely are one sound: their clock jitters, the sound does not.
      const at = Math.max(0, Math.abs(begin - next) < RATE / 5 ? next : begin);
      for (let n = 0; n < piece.length && at + n < count; n++) both[2 * (at + n) + side] = Math.max(-32768, Math.min(32767, piece[n] * 32768));
      next = at + piece.length;
    }
  }
  const head = new DataView(new ArrayBuffer(44));
  const letters = (at, text) => [...text].forEach((letter, n) => head.setUint8(at + n, letter.charCodeAt(0)));
  letters(0, "RIFF");
  head.setUint32(4, 36 + both.byteLength, true);
  letters(8, "WAVEfmt ");
  head.setUint32(16, 16, true);
  head.setUint16(20, 1, true);
  head.setUint16(22, 2, true);
  head.setUint32(24, RATE, true);
  head.setUint32(28, RATE * 4, true);
  head.setUint16(32, 4, true);
  head.setUint16(34, 16, true);
  letters(36, "data");
  head.setUint32(40, both.byteLength, true);
  return new Blob([head, both], { type: "audio/wav" });
}

function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  URL.revokeObjectURL(link.href);
}
