// The stage: both voices as bars, newest at the right, and the decisions between them.
const KEPT = 60_000 / 20; // frames of 20 ms
const BAR = 3; // px of a bar with its gap
const FRAME_MS = 33; // between pictures

export class Lanes {
  constructor(canvas, flags, why) {
    this.canvas = canvas;
    this.flags = flags;
    this.why = why;
    this.bars = { person: [], agent: [] };
    this.speech = []; // what the detector took for speech: {from, to}
    this.holds = []; // while the agent paused: {from, to}
    this.marks = [];
    this.originMs = 0;
    this.startedMs = null;
    this.endedMs = null;
    this.context = canvas.getContext("2d");
    this.inks();
    flags.addEventListener("keydown", (event) => this.move(event));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.inks());
  }

  inks() {
    const style = getComputedStyle(document.documentElement);
    this.ink = Object.fromEntries(
      ["person", "agent", "line", "mute", "soft"].map((name) => [name, style.getPropertyValue(`--${name}`).trim()]),
    );
    this.draw();
  }

  start() {
    this.startedMs = performance.now();
    this.endedMs = null;
    this.bars = { person: [], agent: [] };
    this.speech = [];
    this.holds = [];
    this.marks = [];
    this.flags.replaceChildren();
    let drawnMs = 0;
    const tick = (nowMs) => {
      if (nowMs - drawnMs >= FRAME_MS) {
        drawnMs = nowMs;
        this.draw();
      }
      if (this.endedMs === null) requestAnimationFrame(tick);
      else this.draw();
    };
    requestAnimationFrame(tick);
  }

  // The server's session begins now: its times count from here.
  align() {
    this.originMs = this.now();
  }

  stop() {
    this.endedMs ??= performance.now();
  }

  now() {
    return this.startedMs === null ? 0 : (this.endedMs ?? performance.now()) - this.startedMs;
  }

  // Loudness of one frame, on a scale where a whisper shows.
  add(who, samples) {
    let sum = 0;
    for (const sample of samples) sum += sample * sample;
    const db = 10 * Math.log10(sum / samples.length + 1e-9);
    const bars = this.bars[who];
    bars.push([this.now(), Math.max(0, Math.min(1, (db + 60) / 55))]);
    if (bars.length > KEPT) bars.shift();
  }

  edge(kind, atMs) {
    const at = atMs + this.originMs;
    if (kind === "began") this.speech.push({ from: at, to: null });
    else if (this.speech.length) this.speech.at(-1).to = at;
    if (this.speech.length > 200) this.speech.shift();
  }

  hold(on) {
    if (on) this.holds.push({ from: this.now(), to: null });
    else if (this.holds.length && this.holds.at(-1).to === null) this.holds.at(-1).to = this.now();
    if (this.holds.length > 200) this.holds.shift();
  }

  decide(decision) {
    const flag = document.createElement("button");
    flag.type = "button";
    flag.className = `flag ${decision.floor} ${["", "high", "low"][this.marks.length % 3]}`;
    flag.textContent = decision.floor === "LISTEN" ? "·" : decision.floor.toLowerCase(); // most are LISTEN
    const said = `${decision.floor.toLowerCase()}, ${decision.answer === "ANSWER" ? "answer" : "no answer"}: ${decision.reason}`;
    flag.setAttribute("aria-label", said);
    flag.style.left = "100%"; // until the next picture puts it in its place
    const tell = () => {
      const name = document.createElement("b");
      name.textContent = `${(decision.t_ms / 1000).toFixed(1)} s ${decision.floor.toLowerCase()}`;
      this.why.replaceChildren(name, ` ${said.slice(said.indexOf(",") + 2)}`);
    };
    flag.addEventListener("mouseenter", tell);
    flag.addEventListener("focus", tell);
    const newest = this.marks.at(-1)?.flag;
    if (newest) newest.tabIndex = -1; // one stop for the Tab key; arrows lead on from there
    this.flags.append(flag);
    this.marks.push({ atMs: decision.t_ms + this.originMs, flag });
    while (this.marks.length > 60) this.marks.shift().flag.remove();
  }

  move(event) {
    const step = { ArrowLeft: "previousElementSibling", ArrowRight: "nextElementSibling" }[event.key];
    let to = step && event.target[step];
    while (to?.hidden) to = to[step];
    if (!to) return;
    event.preventDefault();
    event.target.tabIndex = -1;
    to.tabIndex = 0;
    to.focus();
  }

  draw() {
    const { canvas, context } = this;
    const scale = devicePixelRatio || 1;
    const width = canvas.clientWidth;
    const height = canvas.clientHeight;
    if (canvas.width !== Math.round(width * scale) || canvas.height !== Math.round(height * scale)) {
      canvas.width = Math.round(width * scale);
      canvas.height = Math.round(height * scale);
    }
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    const span = Math.max(8000, width * 16); // a second is about 62 px
    const now = this.now();
    const x = (ms) => width - ((now - ms) / span) * width;
    const middle = height / 2;
    const reach = middle - 40;
    this.grid(context, x, now - span, now, height);
    context.fillStyle = this.ink.soft;
    for (const { from, to } of this.speech) context.fillRect(x(from), middle - 16 - reach, x(to ?? now) - x(from), reach);
    for (const { from, to } of this.holds) this.hatch(context, x(from), middle + 16, x(to ?? now) - x(from), reach);
    const barMs = (BAR / width) * span;
    for (const [who, sign, base] of [["person", -1, middle - 16], ["agent", 1, middle + 16]]) {
      context.fillStyle = this.ink[who];
      for (const [bar, level] of this.columns(who, barMs, now - span)) {
        const tall = Math.max(1, level * reach);
        context.fillRect(x(bar * barMs), sign < 0 ? base - tall : base, BAR - 1, tall);
      }
      context.fillStyle = this.ink.line;
      context.fillRect(0, base, width, 1);
    }
    for (const { atMs, flag } of this.marks) {
      const left = x(atMs);
      flag.style.left = `${Math.min(left, width - flag.offsetWidth / 2 - 1)}px`;
      flag.hidden = left < 24;
    }
  }

  // The loudest frame in each bar. Bars stand at fixed times, so that nothing flickers as they move.
  columns(who, barMs, fromMs) {
    const columns = new Map();
    const bars = this.bars[who];
    for (let n = bars.length - 1; n >= 0 && bars[n][0] > fromMs - barMs; n--) {
      const bar = Math.floor(bars[n][0] / barMs);
      columns.set(bar, Math.max(columns.get(bar) ?? 0, bars[n][1]));
    }
    return columns;
  }

  grid(context, x, from, to, height) {
    context.fillStyle = this.ink.line;
    context.font = "13px system-ui, sans-serif";
    for (let second = Math.max(0, Math.ceil(from / 5000) * 5); second * 1000 <= to; second += 5) {
      const left = x(second * 1000);
      context.fillStyle = this.ink.line;
      context.fillRect(left, 0, 1, height);
      context.fillStyle = this.ink.mute;
      context.fillText(`${second} s`, left + 4, height - 4);
    }
  }

  hatch(context, left, top, width, height) {
    context.save();
    context.beginPath();
    context.rect(left, top, width, height);
    context.clip();
    context.strokeStyle = this.ink.mute;
    context.globalAlpha = 0.5;
    context.beginPath();
    for (let at = left - height; at < left + width; at += 7) {
      context.moveTo(at, top + height);
      context.lineTo(at + height, top);
    }
    context.stroke();
    context.restore();
  }
}
