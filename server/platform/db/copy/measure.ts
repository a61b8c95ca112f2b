// Counts and hashes what passes, so that two copies of a table can be compared without holding either.
import { createHash } from 'node:crypto'
import { Transform, Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Connection } from '../connection.ts'
import type { CopiedTable } from './catalog.ts'
import { readTable } from './snapshot.ts'

export type Measured = { bytes: number; sha256: string }

export const makeMeter = (): { stream: Transform; measured: () => Measured } => {
  const hash = createHash('sha256')
  let bytes = 0
  const stream = new Transform({
    transform(chunk: Buffer, _, next) {
      hash.update(chunk)
      bytes += chunk.length
      next(null, chunk)
    },
  })
  return { stream, measured: () => ({ bytes, sha256: hash.digest('hex') }) }
}

/** Reads a table as it is now. The order is that in which its rows were loaded. */
export const measureTable = async (client: Connection, table: CopiedTable): Promise<Measured> => {
  const meter = makeMeter()
  await pipeline(readTable(client, table), meter.stream, new Writable({ write: (_chunk, _, next) => next() }))
  return meter.measured()
}
