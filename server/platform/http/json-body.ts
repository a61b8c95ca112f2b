// Limits a JSON body before it is parsed, because JSON.parse of a mebibyte of brackets or distinct keys blocks
// everyone else.
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { visit } from 'jsonc-parser'
import { ApiError } from '../errors.ts'

/** If the body as a whole is wrong, there is no field to name. */
export const WHOLE_BODY = '(body)'

/** Our own schemas are about six levels deep. */
const DEPTH_MAX = 64
/** Counts values and commas. The largest bodies have 10,000 recipients with a handful of parameters each. */
const VALUES_MAX = 100_000
/** Parsing an object with new keys takes a microsecond per key. */
const KEYS_MAX = 40_000
const KEYS_PER_OBJECT_MAX = 1_000
/** As written. A custom field's key of 64 escaped characters takes up to 768. */
const KEY_MAX_BYTES = 1_000

const QUOTE = 0x22
const BACKSLASH = 0x5c
const COMMA = 0x2c
const COLON = 0x3a
const ARRAY_START = 0x5b
const ARRAY_END = 0x5d
const OBJECT_START = 0x7b
const OBJECT_END = 0x7d

const endOfString = (body: Uint8Array, start: number): number => {
  let at = start + 1
  while (at < body.length && body[at] !== QUOTE) at += body[at] === BACKSLASH ? 2 : 1
  return at
}

const TOO_DEEP = `must not nest more than ${DEPTH_MAX} levels deep`
// Created on demand: formatting the first number loads locale data, which takes a tenth of a second on a busy start.
const shown = (count: number): string => count.toLocaleString('en')
const tooManyValues = () => `must not hold more than ${shown(VALUES_MAX)} values`
const tooManyKeys = () => `must not hold more than ${shown(KEYS_MAX)} keys in all`
const tooManyKeysHere = () => `must not hold an object with more than ${shown(KEYS_PER_OBJECT_MAX)} keys`
const tooLongKey = () => `must not hold a key longer than ${shown(KEY_MAX_BYTES)} bytes`

/** Which limit it exceeds, or undefined. Does not check that it is JSON. */
const excessOf = (body: Uint8Array): string | undefined => {
  const keysAt = new Uint32Array(DEPTH_MAX + 1)
  let depth = 0
  let values = 0
  let keys = 0
  let stringBytes = 0
  for (let at = 0; at < body.length; at++) {
    switch (body[at]) {
      case QUOTE: {
        const start = at
        at = endOfString(body, start)
        stringBytes = at - start - 1
        break
      }
      case OBJECT_START:
      case ARRAY_START:
        if (++depth > DEPTH_MAX) return TOO_DEEP
        keysAt[depth] = 0
        if (++values > VALUES_MAX) return tooManyValues()
        break
      case OBJECT_END:
      case ARRAY_END:
        if (depth > 0) depth--
        break
      case COMMA:
        if (++values > VALUES_MAX) return tooManyValues()
        break
      case COLON:
        if (stringBytes > KEY_MAX_BYTES) return tooLongKey()
        if (++keys > KEYS_MAX) return tooManyKeys()
        if (++keysAt[depth]! > KEYS_PER_OBJECT_MAX) return tooManyKeysHere()
    }
  }
  return undefined
}

/** Locating the mistake in a longer text takes longer than parsing. */
const SEARCHED_MAX_LENGTH = 256 * 1024

/** What is wrong with text that JSON.parse rejected. V8 reports the position of only a few mistakes. */
const mistakeOf = (text: string): string => {
  if (text.length > SEARCHED_MAX_LENGTH) return 'must be JSON'
  let place: string | undefined
  visit(
    text,
    {
      onError: (_code, _offset, _length, line, column) => {
        place ??= `line ${line + 1}, column ${column + 1}`
      },
    },
    { disallowComments: true, allowTrailingComma: false },
  )
  return place ? `must be valid JSON; the first error is at ${place}` : 'must be JSON'
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: false })

const decode = (body: Buffer): string => {
  try {
    return decoder.decode(body)
  } catch {
    throw wrong('must be UTF-8 encoded JSON')
  }
}

const wrong = (message: string): ApiError =>
  new ApiError('VALIDATION_ERROR', { details: [{ field: WHOLE_BODY, message }] })

/**
 * The body as JSON, keeping its bytes for http/idempotency.ts. An empty one counts as no body. Throws
 * VALIDATION_ERROR.
 */
const parseJson = (request: FastifyRequest, body: Buffer): unknown => {
  request.rawBody = body
  if (body.length === 0) return undefined
  const excess = excessOf(body)
  if (excess) throw wrong(excess)
  const text = decode(body)
  try {
    return JSON.parse(text)
  } catch {
    throw wrong(mistakeOf(text))
  }
}

/** Throws UNSUPPORTED_MEDIA_TYPE for a compressed body. */
const refuseEncoded = ({ headers }: FastifyRequest): void => {
  const encoding = headers['content-encoding']
  if (encoding === undefined || encoding.toLowerCase() === 'identity') return
  throw new ApiError('UNSUPPORTED_MEDIA_TYPE', {
    message: 'Compressed bodies are not supported. Send the body as it is, without "Content-Encoding".',
  })
}

/** Parses JSON bodies. A body of any other type is refused with UNSUPPORTED_MEDIA_TYPE, unless it is empty. */
export const acceptOnlyJson = (app: FastifyInstance): void => {
  app.removeAllContentTypeParsers()
  app.addContentTypeParser('application/json', { parseAs: 'buffer' }, (request, body, done) => {
    try {
      refuseEncoded(request)
      done(null, parseJson(request, body as Buffer))
    } catch (error) {
      done(error as Error)
    }
  })
  app.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
    done(body.length === 0 ? null : new ApiError('UNSUPPORTED_MEDIA_TYPE'))
  })
}
