// Parses a text/event-stream that arrives in chunks of any size. The console and the tests use it too; it is here
// because the chat box is the smallest of them and imports nothing from outside.
// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

export type ServerEvent = { id: string | null; event: string; data: string }

/** The maximum number of characters of an incomplete event. */
const pendingMax = 1_000_000

/** Calls back for each complete event. Throws if an event exceeds a million characters. */
export const createEventParser = (onEvent: (event: ServerEvent) => void) => {
  let buffer = ''
  let id: string | null = null
  let event = 'message'
  /** Its lines, each with its end. */
  let data = ''

  const readLine = (line: string): void => {
    if (line === '') {
      if (data) onEvent({ id, event, data: data.slice(0, -1) })
      event = 'message'
      data = ''
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data += `${value}\n`
    else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
  }

  return (chunk: string): void => {
    buffer += chunk
    for (;;) {
      const end = buffer.search(/[\r\n]/)
      // A trailing carriage return may be half of a line ending whose other half has not arrived yet.
      if (end < 0 || (buffer[end] === '\r' && end === buffer.length - 1)) break
      const line = buffer.slice(0, end)
      buffer = buffer.slice(end + (buffer.startsWith('\r\n', end) ? 2 : 1))
      readLine(line)
    }
    if (buffer.length + data.length > pendingMax) throw new Error('an event is too long')
  }
}
