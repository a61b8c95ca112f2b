// A worker as a process of its own, for tests that kill it: `node worker-process.ts <connection string> <timing>`.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { channels } from '../../../channels/index.ts'
import { makeDb, makePool } from '../../db/pool.ts'
import { startStream } from '../../events/stream.ts'
import { makeFolderStore } from '../../files/folder-store.ts'
import { makeSeal } from '../../seal.ts'
import { startWorker } from '../worker.ts'

const [connectionString, secretKey, timing, folder = join(tmpdir(), 'foyer-worker-process')] =
  process.argv.slice(2) as [string, string, string, string?]

const db = makeDb(makePool({ connectionString, max: 4 }))
const log = pino({ level: 'fatal' })
const now = () => new Date()
await startWorker({
  connectionString,
  deps: {
    db,
    searchDb: db,
    channels,
    stream: startStream({ db, log, now }),
    seal: makeSeal(secretKey),
    files: makeFolderStore(folder),
    publicUrl: 'http://foyer.test',
    log,
    now,
  },
  timing: JSON.parse(timing),
  pollMs: 50,
})
process.stdout.write('ready\n')
