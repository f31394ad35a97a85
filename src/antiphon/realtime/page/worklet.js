// Both ends of the sound: `ear` hands out 20 ms frames of the microphone, `mouth` plays what arrives.
const FRAME = 480; // 20 ms at 24 kHz

class Ear extends AudioWorkletProcessor {
  constructor() {
    super();
    this.frame = new Float32Array(FRAME);
    this.filled = 0;
  }

  process(inputs) {
    const input = inputs[0][0];
    if (!input) return true;
    for (const sample of input) {
      this.frame[this.filled++] = sample;
      if (this.filled === FRAME) {
        this.port.postMessage(this.frame);
        this.frame = new Float32Array(FRAME);
        this.filled = 0;
      }
    }
    return true;
  }
}

class Mouth extends AudioWorkletProcessor {
  constructor() {
    super();
    this.queue = [];
    this.at = 0; // samples of the first frame that were played
    this.held = false;
    this.port.onmessage = ({ data }) => this.obey(data);
  }

  obey(wish) {
    if (wish.frame) this.queue.push(wish.frame);
    else if (wish.hold) this.held = true;
    else if (wish.drop) {
      this.queue = [];
      this.at = 0;
      this.held = false;
    }
  }

  process(_, outputs) {
    const output = outputs[0][0];
    for (let n = 0; n < output.length && !this.held && this.queue.length; n++) {
      const frame = this.queue[0];
      output[n] = frame.samples[this.at++];
      if (this.at >= frame.samples.length) {
        this.queue.shift();
        this.at = 0;
        // A frame that was played whole: the receipt, and what the lane shows.
        this.port.postMessage({ item: frame.item, ms: frame.ms + 20, samples: frame.samples });
      }
    }
    return true;
  }
}

registerProcessor("ear", Ear);
registerProcessor("mouth", Mouth);
