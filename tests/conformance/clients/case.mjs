// One case of one client, run by node: `node CLIENT.mjs CASE URL PERSON OUT`, see case.py.
import { readFileSync, writeFileSync } from 'node:fs'

const FRAME = 960 // bytes: 20 ms at 24 kHz
const PATIENCE_MS = 40_000

export const TOOL = {
  name: 'hours',
  description: 'Opening hours of one day',
  parameters: {
    type: 'object',
    properties: { day: { type: 'string' } },
    required: ['day'],
    additionalProperties: false
  }
}
const QUESTION = 'When do you open?'
const TOOL_QUESTION = 'What are the hours on Monday?'
const LONG_QUESTION = 'Tell me everything.'
export const RESULT = 'from nine to five'

const sleep = (ms) => new Promise((resolve) => setTimeout(resolve, ms))

// What a client's user gets to see.
export const seen = { texts: [], heard: [], tools: [], ends: [], kinds: [], errors: [], interrupted: 0 }
export const audio = []

export function ended(response) {
  seen.ends.push([response.status, response.status_details?.reason ?? null])
}

async function until(isTrue) {
  const end = Date.now() + PATIENCE_MS
  while (!isTrue()) {
    if (Date.now() > end) throw new Error(`waited too long: ${JSON.stringify(seen)}`)
    await sleep(20)
  }
}

// What somebody says, in real time and with silence around it, until the returned function is called.
export function speak(person, send) {
  let at = -15 * FRAME
  let due = Date.now()
  let open = true
  const step = () => {
    if (!open) return
    const piece = Buffer.alloc(FRAME)
    if (at >= 0 && at < person.length) person.copy(piece, 0, at, Math.min(at + FRAME, person.length))
    at += FRAME
    send(piece)
    due += 20
    setTimeout(step, Math.max(0, due - Date.now()))
  }
  step()
  return () => { open = false }
}

// The case in a client's own words: it writes a question, sends what somebody says, or stops the answer.
export async function converse(name, { ask, begin, stop }) {
  const questions = { text: QUESTION, tool: TOOL_QUESTION, interruption: LONG_QUESTION, cancel: LONG_QUESTION }
  let hush = () => {}
  if (name in questions) ask(questions[name])
  if (name === 'interruption' || name === 'cancel') await until(() => audio.length > 0)
  if (name === 'interruption' || name === 'audio') hush = begin()
  if (name === 'cancel') {
    stop()
    await until(() => seen.ends.length === 1)
    ask(QUESTION)
  }
  await until(() => seen.ends.length === (name === 'text' || name === 'audio' ? 1 : 2))
  hush()
  await sleep(500) // a client's history follows the events
}

// What the person said aloud.
export const spoken = (texts) => texts.filter((text) => ![QUESTION, TOOL_QUESTION, LONG_QUESTION].includes(text))

export async function main(run) {
  const [name, url, person, out] = process.argv.slice(2)
  let code = 0
  try {
    await run({ name, url, person: readFileSync(person) })
  } catch (error) {
    console.error(error)
    code = 1
  }
  writeFileSync(`${out}.pcm`, Buffer.concat(audio))
  writeFileSync(`${out}.json`, JSON.stringify(seen))
  process.exit(code)
}
