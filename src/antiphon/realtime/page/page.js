// Talk with the agent of this server: sound both ways, the conversation, and why it did what it did.
import { Lanes } from "./lanes.js";
import * as panels from "./panels.js";
import { Way } from "./reconnect.js";
import { RATE, Tape, base64, pcm16, samples, save } from "./sound.js";

const get = (id) => document.getElementById(id);
const lanes = new Lanes(get("canvas"), get("flags"), get("why"));
// What the browser says when it gives no microphone, in words.
const NO_MICROPHONE = {
  NotAllowedError: "The browser does not let this page use the microphone: allow it in the address bar.",
  NotFoundError: "There is no microphone.",
  NotReadableError: "Another program holds the microphone.",
  OverconstrainedError: "The microphone that was chosen is gone: choose another one.",
  InsecureContext: "The browser gives the microphone only to pages of this machine, or over HTTPS.",
};
const SILENT_S = 4; // a microphone that gives nothing but zeros for so long is off

const way = new Way();
let socket = null;
let context = null;
let mouth = null;
let stream = null;
let muted = false;
let locked = false;
let events = [];
let tape = new Tape();
let zeros = 0; // samples

get("talk").addEventListener("click", () => (socket ? hangUp("ended") : start()));
get("mute").addEventListener("click", () => mute(!muted));
get("write").addEventListener("submit", write);
get("save-sound").addEventListener("click", () => save("antiphon-session.wav", tape.wav()));
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
    get("model").textContent = get("model").title = health.model;
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
  panels.trouble(NO_MICROPHONE[error.name] ?? String(error.message ?? error));
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
    await context.audioWorklet.addModule("worklet.js").catch(async () => {
      throw new Error(await whyNot());
    });
    mouth = new AudioWorkletNode(context, "mouth", { numberOfInputs: 0, outputChannelCount: [1] });
    mouth.port.onmessage = ({ data }) => played(data);
    mouth.connect(context.destination);
    await context.resume();
    forget();
    await connect().catch((error) => {
      if (!way.forget()) throw error; // the session that this page had before it was loaded again is over
      return connect();
    });
    await openMicrophone().catch((error) => {
      complain(error);
      panels.trouble("You can write meanwhile.");
    });
    await devices();
  } catch (error) {
    complain(error);
    hangUp("could not begin");
  }
  get("talk").disabled = false;
}

function forget() {
  events = [];
  tape = new Tape();
  zeros = 0;
  panels.clear();
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
    opened.onerror = () => whyNot().then((words) => failed(new Error(words)));
    opened.onclose = ({ code, reason }) => {
      if (socket === opened && way.lost(code)) comeBack();
      else if (socket === opened) hangUp(reason || (code === 1000 || code === 1005 ? "ended" : `lost (${code})`), code !== 1000 && code !== 1005);
    };
  });
}

// A browser does not tell a page why its socket was refused: ask in another way.
async function whyNot() {
  try {
    const health = await (await fetch("health")).json();
    if (health.status === "draining") return "The server is shutting down.";
    if (health.sessions >= health.places) return `All ${health.places} sessions of the server are taken: try again in a moment.`;
    const entry = await fetch("v1/models", { headers: locked ? { authorization: `Bearer ${get("key").value}` } : {} });
    if (entry.status === 401) return "The server does not know this key.";
    return "The server refused the session.";
  } catch {
    return "The server does not answer: is it still running?";
  }
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
  if (!navigator.mediaDevices) throw Object.assign(new Error(), { name: "InsecureContext" });
  const wanted = get("microphone").value;
  const opened = await navigator.mediaDevices.getUserMedia({
    audio: { deviceId: wanted ? { exact: wanted } : undefined, channelCount: 1, echoCancellation: true, noiseSuppression: true, autoGainControl: true },
  });
  if (!context) return opened.getTracks().forEach((track) => track.stop()); // hung up meanwhile
  stream = opened;
  const ear = new AudioWorkletNode(context, "ear", { numberOfOutputs: 0 });
  const source = context.createMediaStreamSource(stream);
  source.connect(ear);
  ear.port.onmessage = ({ data }) => spoken(data, source.mediaStream);
}

function spoken(samples, from) {
  if (!socket || from !== stream) return;
  if (muted) samples.fill(0);
  lanes.add("person", samples);
  tape.add("person", lanes.now(), samples);
  silent(samples);
  send({ type: "input_audio_buffer.append", audio: base64(pcm16(samples)) }, false);
}

function silent(samples) {
  const before = zeros;
  zeros = muted || samples.some((sample) => sample !== 0) ? 0 : zeros + samples.length;
  const limit = SILENT_S * RATE;
  if (before < limit && zeros >= limit) panels.trouble("The microphone gives no sound at all: is it switched off, or another one meant?");
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
  panels.entry(`typed-${events.length}`, "person", text);
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
  "session.created": () => lanes.align(),
  "duplex.session": (event) => {
    get("recorded").hidden = !event.recorded;
    get("kept").textContent = event.recorded ? "kept in this page, and by the server" : "kept in this page only";
  },
  "duplex.audio_at": (event) => { place = event; },
  "response.output_audio.delta": (event) => {
    mouth?.port.postMessage({ frame: { item: event.item_id, ms: place?.at_ms ?? 0, samples: samples(event.delta) } });
  },
  "response.output_audio_transcript.delta": (event) => panels.more(event.item_id, event.delta),
  "duplex.words": (event) => {
    if (event.text) panels.entry(event.utterance, "person", event.text, !event.final);
    else panels.drop(event.utterance);
  },
  "duplex.speech": (event) => lanes.edge(event.edge, event.at_ms),
  "duplex.paused": () => { mouth?.port.postMessage({ hold: true }); lanes.hold(true); say("live", "holding back"); },
  "duplex.level": (event) => { if (event.problem === "clipping") say("live", "the microphone is too loud"); },
  "duplex.resumed": () => { mouth?.port.postMessage({ drop: true }); lanes.hold(false); say("live", "speaking"); },
  "duplex.stopped": () => { mouth?.port.postMessage({ drop: true }); lanes.hold(false); },
  "duplex.said": (event) => panels.said(event),
  "duplex.decided": (event) => decided(event),
  "duplex.chose": (event) => panels.decision(event.t_ms, event.choice, event.about ? `${event.about}: ${event.reason}` : event.reason),
  "duplex.latency": (event) => panels.latency(event.stages),
  "duplex.answer_started": () => say("live", "answering"),
  "duplex.confirmation_needed": (event) => ask(event),
  "duplex.tool_started": (event) => { panels.toolStarted(event); settled(event); },
  "duplex.tool_progress": (event) => panels.toolProgress(event),
  "duplex.tool_ended": (event) => panels.toolEnded(event),
  "input_audio_buffer.speech_started": () => say("live", "listening to you"),
  "response.done": () => say("live", "listening"),
  error: (event) => panels.trouble(event.error.message),
};

function receive(event) {
  way.note(event);
  if (event.type !== "response.output_audio.delta" && event.type !== "duplex.audio_at") log(event);
  receivers[event.type]?.(event);
}

function played({ item, ms, samples: sounded }) {
  lanes.add("agent", sounded);
  tape.add("agent", lanes.now(), sounded);
  if (get("state").textContent === "answering") say("live", "speaking");
  send({ type: "playback.acknowledged", item_id: item, audio_ms: ms }, false);
}

function decided(event) {
  lanes.decide(event);
  panels.decision(event.t_ms, event.floor.toLowerCase(), `${event.answer === "ANSWER" ? "answer: " : ""}${event.reason}`);
}

function ask({ call_id: call, name, arguments: given }) {
  const what = Object.entries(given).map(([key, value]) => `${key} ${typeof value === "string" ? value : JSON.stringify(value)}`);
  get("confirm-text").textContent = `May the agent use ${name}? ${what.join(", ")}`;
  get("confirm").dataset.call = call;
  get("confirm").dataset.name = name;
  get("confirm").hidden = false;
  get("confirm").querySelector("button").focus();
}

// A spoken yes answers the question too: the call then comes again.
function settled({ name }) {
  if (get("confirm").dataset.name === name) get("confirm").hidden = true;
}

function confirmed(button) {
  send({ type: "tool.confirmed", call_id: get("confirm").dataset.call, granted: button.dataset.granted === "yes" });
  get("confirm").hidden = true;
}
