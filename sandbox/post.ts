// A request to the business, for whichever provider makes it.
import { Agent as HttpAgent, request as httpRequest } from 'node:http'
import { Agent as HttpsAgent, request as httpsRequest } from 'node:https'

const SOCKETS_MAX = 256

export type Posted = { url: string; body: Buffer; headers: Record<string, string>; timeoutMs: number }

export const makePoster = () => {
  const agents = {
    http: new HttpAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
    https: new HttpsAgent({ keepAlive: true, maxSockets: SOCKETS_MAX }),
  }
  return {
    /** Calls `done` once: with the status, or with null when no answer came. */
    post: ({ url, body, headers, timeoutMs }: Posted, done: (http: number | null) => void): void => {
      let isDone = false
      const finish = (http: number | null): void => {
        if (isDone) return
        isDone = true
        done(http)
      }
      const isTls = url.startsWith('https:')
      try {
        const outgoing = (isTls ? httpsRequest : httpRequest)(
          url,
          {
            method: 'POST',
            agent: isTls ? agents.https : agents.http,
            timeout: timeoutMs,
            // On this machine itself nobody has a certificate for the name that is asked for.
            rejectUnauthorized: !/^https:\/\/(127\.|localhost[:/]|\[::1\])/.test(url),
            headers: { ...headers, 'content-length': body.length },
          },
          (response) => {
            response.resume()
            response.on('end', () => finish(response.statusCode ?? null))
            response.on('error', () => finish(null))
            response.on('close', () => finish(null))
          },
        )
        outgoing.on('timeout', () => outgoing.destroy())
        outgoing.on('error', () => finish(null))
        outgoing.end(body)
      } catch {
        // An address that cannot be requested at all counts as one that does not answer.
        setImmediate(finish, null)
      }
    },
    stop: (): void => {
      agents.http.destroy()
      agents.https.destroy()
    },
  }
}
