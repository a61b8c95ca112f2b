// A request to the business, on behalf of any provider.
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

const SOCKETS_MAX = 256
/** More of a response than any provider reads. */
const RESPONSE_MAX_BYTES = 64 * 1024

type Posted = { url: string; body: Buffer; headers: Record<string, string>; timeoutMs: number }

export const makePoster = () => {
  const agents = {
    http: new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
  }
  return {
    /** Calls `done` once: with the status, or with null if there was no response, and the beginning of its body. */
    post: (
      { url, body, headers, timeoutMs }: Posted,
      done: (http: number | null, answer: string) => void,
    ): void => {
      let isDone = false
      const chunks: Buffer[] = []
      let bytes = 0
      const finish = (http: number | null): void => {
        if (isDone) return
        isDone = true
        done(http, Buffer.concat(chunks).toString('utf8'))
      }
      const isTls = url.startsWith('https:')
      try {
        const outgoing = (isTls ? httpsRequest : httpRequest)(
          url,
          {
            method: 'POST',
            agent: isTls ? agents.https : agents.http,
            timeout: timeoutMs,
            // There are no valid certificates for loopback addresses.
            rejectUnauthorized: !/^https:\/\/(127\.|localhost[:/]|\[::1\])/.test(url),
            headers: { ...headers, 'content-length': body.length },
          },
          (response) => {
            response.on('data', (chunk: Buffer) => {
              bytes += chunk.length
              if (bytes <= RESPONSE_MAX_BYTES) chunks.push(chunk)
            })
            response.on('end', () => finish(response.statusCode ?? null))
            response.on('error', () => finish(null))
            response.on('close', () => finish(null))
          },
        )
        outgoing.on('timeout', () => outgoing.destroy())
        outgoing.on('error', () => finish(null))
        outgoing.end(body)
      } catch {
        // A URL that can't be requested at all counts as one that doesn't respond.
        setImmediate(finish, null)
      }
    },
    stop: (): void => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}
