// @openai/agents-realtime: `RealtimeSession` over a WebSocket.
import { OpenAIRealtimeWebSocket, RealtimeAgent, RealtimeSession, tool } from '@openai/agents-realtime'
import { z } from 'zod'
import { RESULT, audio, converse, ended, main, seen, speak, spoken } from './case.mjs'

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
  const send = (piece) => session.sendAudio(new Uint8Array(piece).buffer)
  await converse(name, {
    ask: (text) => session.sendMessage(text), begin: () => speak(person, send), stop: () => session.interrupt()
  })
  seen.texts = said(session.history, 'assistant').filter((text) => text)
  seen.heard = spoken(said(session.history, 'user'))
})
