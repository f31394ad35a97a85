// Samples in and out: the wire's base64 of 16-bit PCM, and the session's sound as one file.
export const RATE = 24_000;
const MAX_SOUND_S = 3600;

export function pcm16(floats) {
  const ints = new Int16Array(floats.length);
  for (let n = 0; n < floats.length; n++) ints[n] = Math.max(-32768, Math.min(32767, Math.round(floats[n] * 32768)));
  return new Uint8Array(ints.buffer);
}

export function base64(bytes) {
  return btoa(String.fromCharCode(...bytes));
}

export function samples(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  return Float32Array.from(new Int16Array(bytes.buffer), (sample) => sample / 32768);
}

// Both voices as they sounded here, each piece with the time when it was over.
export class Tape {
  constructor() {
    this.tracks = { person: [], agent: [] };
  }

  add(who, atMs, piece) {
    const track = this.tracks[who];
    if (track.length < MAX_SOUND_S * 50) track.push({ atMs, samples: piece.slice() });
  }

  // The person left, the agent right.
  wav() {
    const last = Math.max(0, ...Object.values(this.tracks).map((track) => track.at(-1)?.atMs ?? 0));
    const count = Math.ceil((last / 1000 + 0.1) * RATE);
    const both = new Int16Array(2 * count);
    for (const [side, who] of [[0, "person"], [1, "agent"]]) {
      let next = 0;
      for (const { atMs, samples: piece } of this.tracks[who]) {
        const begin = Math.round((atMs / 1000) * RATE) - piece.length;
        // Frames that follow each other closely are one sound: their clock jitters, the sound does not.
        const at = Math.max(0, Math.abs(begin - next) < RATE / 5 ? next : begin);
        for (let n = 0; n < piece.length && at + n < count; n++) {
          both[2 * (at + n) + side] = Math.max(-32768, Math.min(32767, piece[n] * 32768));
        }
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
}

export function save(name, blob) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
}
