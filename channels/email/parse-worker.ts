// The thread in which mail is read: takes one at a time, answers with what it read.
import { parentPort } from 'node:worker_threads'
import { readMail } from './read-mail.ts'

type Request = { id: number; raw: Uint8Array }

parentPort?.on('message', async ({ id, raw }: Request) => {
  try {
    const mail = await readMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), (early) =>
      parentPort?.postMessage({ id, early }),
    )
    // Out of the pool of small buffers, so that each can be handed over without a copy.
    const attachments = mail.attachments.map((one) => ({ ...one, content: new Uint8Array(one.content) }))
    parentPort?.postMessage(
      { id, mail: { ...mail, attachments } },
      attachments.map(({ content }) => content.buffer as ArrayBuffer),
    )
  } catch (error) {
    parentPort?.postMessage({ id, error: String((error as Error)?.message ?? error) })
  }
})

parentPort?.postMessage({ isReady: true })
