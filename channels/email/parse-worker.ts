// The worker thread that parses email, one at a time.
import { parentPort } from 'node:worker_threads'
import { readMail } from './read-mail.ts'

type Request = { id: number; raw: Uint8Array }

parentPort?.on('message', async ({ id, raw }: Request) => {
  try {
    const mail = await readMail(Buffer.from(raw.buffer, raw.byteOffset, raw.byteLength), (early) =>
      parentPort?.postMessage({ id, early }),
    )
    // Copied out of the shared buffer pool, so that each can be transferred.
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
