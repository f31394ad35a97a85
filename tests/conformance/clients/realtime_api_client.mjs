// openai-realtime-api: `RealtimeClient`, which speaks the beta dialect.
import { RealtimeClient } from 'openai-realtime-api'
import { RESULT, TOOL, audio, converse, ended, main, seen, speak, spoken } from './case.mjs'

main(async ({ name, url, person }) => {
  const client = new RealtimeClient({ url: `${url}/realtime`, apiKey: 'none', model: 'antiphon' })
  client.on('conversation.updated', ({ delta }) => {
    if (delta?.audio) audio.push(Buffer.from(delta.audio.buffer, delta.audio.byteOffset, delta.audio.byteLength))
  })
  client.on('conversation.interrupted', () => { seen.interrupted += 1 })
  client.realtime.on('server.*', (event) => {
    seen.kinds.push(event.type)
    if (event.type === 'response.done') ended(event.response)
    if (event.type === 'error') seen.errors.push(JSON.stringify(event.error))
  })
  client.updateSession({
    modalities: name === 'text' ? ['text'] : ['text', 'audio'],
    voice: 'alloy',
    turn_detection: ['audio', 'interruption'].includes(name) ? { type: 'server_vad' } : null,
    input_audio_transcription: { model: 'whisper-1' }
  })
  if (name === 'tool') {
    client.addTool(TOOL, async (given) => {
      seen.tools.push({ name: 'hours', arguments: given })
      return RESULT
    })
  }
  await client.connect()
  await client.waitForSessionCreated()
  const ask = (text) => client.sendUserMessageContent([{ type: 'input_text', text }])
  const send = (piece) => client.appendInputAudio(new Int16Array(new Uint8Array(piece).buffer))
  const stop = () => {
    const item = client.conversation.getItems().find((each) => each.role === 'assistant')
    client.cancelResponse(item.id, 4800)
  }
  await converse(name, { ask, begin: () => speak(person, send), stop })
  const items = client.conversation.getItems().filter((item) => item.type === 'message')
  const words = (role) => items.filter((item) => item.role === role).map((item) => item.formatted.transcript || item.formatted.text)
  seen.texts = words('assistant')
  seen.heard = spoken(words('user'))
})
