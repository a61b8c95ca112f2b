// A body is held in memory until its request is answered. The total size, overall and per address, is limited; above
// that the caller gets a 503 and retries. Runs after a request is authorised and before its body is read.
import { Transform, type TransformCallback } from 'node:stream'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { ApiError } from '../errors.ts'
import { addressKey } from './client-address.ts'

const KIB = 1024
/** Smaller ones are not counted: the number of connections limits them. */
const COUNTED_FROM_BYTES = 16 * KIB
const TOTAL_MAX_BYTES = 128 * KIB * KIB
const PER_ADDRESS_MAX_BYTES = 24 * KIB * KIB
/** Chunks are joined until they reach this size. */
const PIECE_BYTES = 16 * KIB

declare module 'fastify' {
  interface FastifyContextConfig {
    /** For a body that is not held in memory: it is streamed on, or the route counts it itself. */
    body?: 'streamed' | 'counted'
  }
}

/** The announced length; without one, a request may use all that its route accepts. */
const announcedBytes = ({ headers, routeOptions }: FastifyRequest): number => {
  if (headers['content-length'] !== undefined) return Number(headers['content-length'])
  return headers['transfer-encoding'] === undefined ? 0 : (routeOptions.bodyLimit ?? 0)
}

/** A body sent in chunks of one byte would be a million buffers. */
const inPieces = (): Transform => {
  let room = Buffer.allocUnsafe(PIECE_BYTES)
  let filled = 0
  const flush = (stream: Transform): void => {
    if (filled > 0) stream.push(room.subarray(0, filled))
    room = Buffer.allocUnsafe(PIECE_BYTES)
    filled = 0
  }
  return new Transform({
    transform(chunk: Buffer, _encoding, done: TransformCallback) {
      if (filled + chunk.length > PIECE_BYTES) flush(this)
      if (chunk.length >= PIECE_BYTES) this.push(chunk)
      else filled += chunk.copy(room, filled)
      done()
    },
    flush(done) {
      flush(this)
      done()
    },
  })
}

export type BodyBounds = { totalMaxBytes?: number; perAddressMaxBytes?: number }

export const boundBodies = (
  app: FastifyInstance,
  { totalMaxBytes = TOTAL_MAX_BYTES, perAddressMaxBytes = PER_ADDRESS_MAX_BYTES }: BodyBounds = {},
): void => {
  let total = 0
  const byAddress = new Map<string, number>()
  const held = new WeakMap<FastifyRequest, { address: string; bytes: number }>()

  const take = (request: FastifyRequest, bytes: number): void => {
    const address = addressKey(request.ip)
    const ofAddress = (byAddress.get(address) ?? 0) + bytes
    if (ofAddress > perAddressMaxBytes)
      throw new ApiError('RATE_LIMIT_EXCEEDED', {
        message: 'Too many large requests from this address are in progress. Wait for some to finish.',
        headers: { 'retry-after': '1' },
      })
    if (total + bytes > totalMaxBytes)
      throw new ApiError('SERVICE_UNAVAILABLE', {
        message: 'The server is busy with other large requests. Try again shortly.',
        headers: { 'retry-after': '2' },
      })
    total += bytes
    byAddress.set(address, ofAddress)
    held.set(request, { address, bytes })
  }

  const release = (request: FastifyRequest): void => {
    const taken = held.get(request)
    if (!taken) return
    held.delete(request)
    total -= taken.bytes
    const left = (byAddress.get(taken.address) ?? 0) - taken.bytes
    if (left > 0) byAddress.set(taken.address, left)
    else byAddress.delete(taken.address)
  }
  app.addHook('onResponse', (request, _reply, done) => {
    release(request)
    done()
  })
  app.addHook('onRequestAbort', (request, done) => {
    release(request)
    done()
  })

  app.addHook('preParsing', (request, _reply, payload, done) => {
    const bytes = announcedBytes(request)
    if (bytes === 0) return done(null, payload)
    // A body that nothing will use is not read.
    if (request.is404) return done(new ApiError('NOT_FOUND'))
    const { bodyLimit, config } = request.routeOptions
    if (config.body === 'streamed') return done(null, payload)
    // Bodies larger than the route accepts are rejected by their announced length.
    const isCounted = bytes >= COUNTED_FROM_BYTES && bytes <= (bodyLimit ?? 0) && config.body !== 'counted'
    try {
      if (isCounted) take(request, bytes)
    } catch (error) {
      return done(error as ApiError)
    }
    return done(null, request.headers['content-length'] === undefined ? payload.pipe(inPieces()) : payload)
  })
}
