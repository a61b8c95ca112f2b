// Only what the sandbox's page needs. It must never set webhook addresses or signing secrets of channels, or call the providers'
// APIs.

const CHATS = '(telegram|messenger|sms)'
const ID = '[\\w.-]+'

const ALLOWED: Record<string, string[]> = {
  GET: [
    '(index\\.html)?',
    'assets/[\\w.-]+',
    'control/(state|feed|model|receiver)',
    `control/customers/${ID}/messages`,
    `control/people/${ID}/(mails|chats/${CHATS})`,
    `control/mails/\\d+/(html|attachments/\\d+)`,
    `control/media/\\d+`,
  ],
  POST: [
    'control/(people|advance|faults|failures)',
    `control/customers/${ID}/(messages|read)`,
    `control/people/${ID}/(mails|chats/${CHATS}(/read)?)`,
    `control/mails/\\d+/read`,
    `control/model/(faults|waiting/${ID})`,
    'control/receiver/faults',
  ],
  // The receiver's secret only checks what it gets.
  PATCH: [
    'control/(model|receiver)',
    `control/(customers|people)/${ID}`,
    `control/people/${ID}/chats/telegram/${ID}`,
  ],
  DELETE: [`control/(faults|failures|model/faults|receiver/faults)/${ID}`, 'control/receiver'],
}

const PATTERNS = new Map(
  Object.entries(ALLOWED).map(([method, paths]) => [
    method,
    paths.map((path) => new RegExp(`^/sandbox/${path}$`)),
  ]),
)

/**
 * Whether a request, as received, may be forwarded to the sandbox. Alternative spellings of a path (dot segments,
 * escapes, backslashes, a fragment) are rejected, so the path that is checked is the path that is forwarded.
 */
export const isSandboxRequest = (method: string, url: string): boolean => {
  const path = url.split('?', 1)[0]!
  if (new URL(path, 'http://sandbox').pathname !== path) return false
  const patterns = PATTERNS.get(method === 'HEAD' ? 'GET' : method) ?? []
  return patterns.some((pattern) => pattern.test(path))
}
