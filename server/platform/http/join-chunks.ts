// A body sent in chunks of one byte takes a buffer per byte: 120 KB of them took 8 MB, and 300 connections 2.7 GB,
// while their requests waited for the database. So chunks are joined on arrival, before anything else reads them.
import type { IncomingMessage, Server } from 'node:http'

const JOINED_BYTES = 16 * 1024
/**
 * Reading a chunk takes a microsecond, however small. A body with more chunks than this must be large enough to
 * justify them.
 */
const CHUNKS_FREE = 1_000
const CHUNK_MIN_MEAN_BYTES = 16

/** Joins the chunks of every request body. A client that sends far too many for their size is disconnected. */
export const joinChunks = (server: Server): void => {
  // Runs before the application, which may wait for something before it reads a body.
  server.prependListener('request', (request) => {
    if (request.headers['transfer-encoding'] !== undefined) joinChunksOf(request)
  })
}

const joinChunksOf = (request: IncomingMessage): void => {
  const push = request.push.bind(request)
  let room: Buffer | null = null
  let filled = 0
  let chunks = 0
  let bytes = 0

  const flush = (): boolean => {
    const joined = room?.subarray(0, filled)
    room = null
    filled = 0
    return joined ? push(joined) : true
  }
  // Node's parser calls this for each chunk, several times per turn, and with null at the end.
  request.push = (chunk: Buffer | null): boolean => {
    if (chunk === null) {
      flush()
      return push(null)
    }
    bytes += chunk.length
    if (++chunks > CHUNKS_FREE && bytes < chunks * CHUNK_MIN_MEAN_BYTES) {
      // Data read along with it still arrives.
      request.push = () => true
      request.socket.destroy()
      return true
    }
    const isFlowing = filled + chunk.length > JOINED_BYTES ? flush() : true
    if (chunk.length >= JOINED_BYTES) return push(chunk)
    if (!room) {
      room = Buffer.allocUnsafe(JOINED_BYTES)
      setImmediate(flush)
    }
    filled += chunk.copy(room, filled)
    return isFlowing
  }
}
