// Reads a text/event-stream in whatever pieces it arrives.
// Source: https://html.spec.whatwg.org/multipage/server-sent-events.html#event-stream-interpretation

export type ServerEvent = { id: string | null; event: string; data: string }

const bufferMax = 1_000_000

/** Calls back for each complete event. Throws when a single line exceeds a million characters. */
export const createEventParser = (onEvent: (event: ServerEvent) => void) => {
  let buffer = ''
  let id: string | null = null
  let event = 'message'
  let data: string[] = []

  const readLine = (line: string): void => {
    if (line === '') {
      if (data.length > 0) onEvent({ id, event, data: data.join('\n') })
      event = 'message'
      data = []
      return
    }
    const colon = line.indexOf(':')
    if (colon === 0) return
    const field = colon < 0 ? line : line.slice(0, colon)
    const value = colon < 0 ? '' : line.slice(colon + 1).replace(/^ /, '')
    if (field === 'data') data.push(value)
    else if (field === 'event') event = value
    else if (field === 'id' && !value.includes('\0')) id = value
  }

  return (chunk: string): void => {
    buffer += chunk
    for (;;) {
      const end = buffer.search(/[\r\n]/)
      // A trailing carriage return may be half of a line end whose other half has not come yet.
      if (end < 0 || (buffer[end] === '\r' && end === buffer.length - 1)) break
      const line = buffer.slice(0, end)
      buffer = buffer.slice(end + (buffer.startsWith('\r\n', end) ? 2 : 1))
      readLine(line)
    }
    if (buffer.length > bufferMax) throw new Error('an event line is too long')
  }
}
