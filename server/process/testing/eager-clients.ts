// A thread of clients that send one request after the other, on new connections when they must. Ends when told to, with
// the errors of requests that were sent and got no response.
import { Agent, request } from 'node:http'
import { setTimeout as delay } from 'node:timers/promises'
import { parentPort, workerData } from 'node:worker_threads'

const CLIENTS = 8
const { port } = workerData as { port: number }
const agent = new Agent({ keepAlive: true })
const errors: string[] = []
let isOver = false
parentPort?.once('message', () => {
  isOver = true
})

const send = (): Promise<void> =>
  new Promise((resolve, reject) => {
    request({ agent, port, host: '127.0.0.1', method: 'POST' }, (response) => {
      response.resume().once('end', resolve).once('error', reject)
    })
      .once('error', reject)
      .end()
  })

const client = async (): Promise<void> => {
  while (!isOver)
    try {
      await send()
    } catch (error) {
      const { code, message } = error as NodeJS.ErrnoException
      if (code === 'ECONNREFUSED') await delay(1)
      else errors.push(message)
    }
}

await Promise.all(Array.from({ length: CLIENTS }, client))
agent.destroy()
parentPort?.postMessage(errors)
