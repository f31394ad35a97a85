// The way back to a session whose connection was lost, or whose page was loaded again.

const KEPT = "antiphon-session";
const LOST = [1006, 1012, 1014]; // the network or a proxy, not the server: any other code ends the session
const FIRST_MS = 250;
const MOST_MS = 4000;

export class Way {
  #known = null; // {id, token, within_s, last, untilMs}
  #tries = 0;

  constructor() {
    try {
      const kept = JSON.parse(sessionStorage.getItem(KEPT));
      if (kept?.untilMs > Date.now()) this.#known = kept;
    } catch {
      // nothing usable is kept: a new session begins
    }
    addEventListener("pagehide", () => this.#keep());
  }

  // Where to connect: to the session that is known, or to a new one.
  address(base) {
    const address = new URL("v1/realtime?duplex=1&model=page", base);
    address.protocol = address.protocol.replace("http", "ws");
    if (this.#known) {
      address.searchParams.set("session", this.#known.id);
      address.searchParams.set("resume", this.#known.token);
      if (this.#known.last) address.searchParams.set("after", this.#known.last);
    }
    return address;
  }

  // Every event that came, in its order.
  note(event) {
    if (event.type === "duplex.session" && event.resume?.token) {
      this.#known = { ...this.#known, id: event.session_id, token: event.resume.token, within_s: event.resume.within_s };
    }
    if (this.#known && event.event_id) this.#known.last = event.event_id;
  }

  arrived() {
    this.#tries = 0;
  }

  // Whether a connection that closed with this code can be had again.
  lost(code) {
    if (!this.#known || !LOST.includes(code)) return false;
    if (!this.#tries) this.#known.untilMs = Date.now() + this.#known.within_s * 1000;
    return true;
  }

  // A moment before the next try, longer each time; false when it is too late.
  async wait() {
    const ms = Math.min(MOST_MS, FIRST_MS * 2 ** this.#tries++);
    if (!this.#known || Date.now() + ms > this.#known.untilMs) return false;
    await new Promise((done) => setTimeout(done, ms));
    return this.#known !== null;
  }

  // Whether there was anything to forget.
  forget() {
    const known = this.#known !== null;
    this.#known = null;
    sessionStorage.removeItem(KEPT);
    return known;
  }

  #keep() {
    if (this.#known) sessionStorage.setItem(KEPT, JSON.stringify({ ...this.#known, untilMs: Date.now() + this.#known.within_s * 1000 }));
  }
}
