// @openai/agents-realtime: `RealtimeSession` over a WebSocket.
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession, tool } from '@openai/agents-realtime'
import { z } from 'zod'
import { LONG_QUESTION, QUESTION, RESULT, TOOL_QUESTION, audio, ended, main, seen, speak, until } from './case.mjs'

const hours = tool({
  name: 'hours',
  description: 'Opening hours of one day',
  parameters: z.object({ day: z.string() }),
  execute: async ({ day }) => {
    seen.tools.push({ name: 'hours', arguments: { day } })
    return RESULT
  }
})

const said = (history, role) =>
  history
    .filter((item) => item.type === 'message' && item.role === role)
    .map((item) => item.content.map((part) => part.text ?? part.transcript ?? '').join(''))

main(async ({ name, url, person }) => {
  const agent = new RealtimeAgent({
    name: 'Desk', instructions: 'Answer briefly.', tools: name === 'tool' ? [hours] : []
  })
  const transport = new OpenAIRealtimeWebSocket({ url: `${url}/realtime?model=antiphon`, useInsecureApiKey: true })
  const session = new RealtimeSession(agent, {
    transport, config: { outputModalities: [name === 'text' ? 'text' : 'audio'] }
  })
  session.on('audio', (event) => audio.push(Buffer.from(event.data)))
  session.on('audio_interrupted', () => { seen.interrupted += 1 })
  session.on('error', (event) => seen.errors.push(JSON.stringify(event.error)))
  session.on('transport_event', (event) => {
    seen.kinds.push(event.type)
    if (event.type === 'response.done') ended(event.response)
  })
  await session.connect({ apiKey: 'none' })
  let hush = () => {}
  const begin = () => { hush = speak(person, (piece) => session.sendAudio(piece.buffer.slice(piece.byteOffset, piece.byteOffset + piece.length))) }
  if (name === 'text') {
    session.sendMessage(QUESTION)
    await until(() => seen.ends.length === 1)
  } else if (name === 'audio') {
    begin()
    await until(() => seen.ends.length === 1)
  } else if (name === 'tool') {
    session.sendMessage(TOOL_QUESTION)
    await until(() => seen.ends.length === 2)
  } else if (name === 'cancel') {
    session.sendMessage(LONG_QUESTION)
    await until(() => audio.length > 0)
    session.interrupt()
    await until(() => seen.ends.length === 1)
    session.sendMessage(QUESTION)
    await until(() => seen.ends.length === 2)
  } else {
    session.sendMessage(LONG_QUESTION)
    await until(() => audio.length > 0)
    begin()
    await until(() => seen.ends.length === 2)
  }
  hush()
  await new Promise((resolve) => setTimeout(resolve, 200))
  seen.texts = said(session.history, 'assistant').filter((text) => text)
  seen.heard = said(session.history, 'user').filter((text) => ![QUESTION, TOOL_QUESTION, LONG_QUESTION].includes(text))
})
