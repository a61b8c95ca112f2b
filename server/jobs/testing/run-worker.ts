// The worker of worker-process.ts, which loads this.
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { channels } from '../../../channels/index.ts'
import { configureOutbound } from '../../../channels/protocol/outbound.ts'
import { OUTBOUND_ALLOW } from '../../../test/outbound.ts'
import { databaseNow, followClock } from '../../platform/db/clock.ts'
import { makeDb, makePool } from '../../platform/db/pool.ts'
import { makeFolderStore } from '../../platform/files/folder-store.ts'
import { startStream } from '../../platform/live/stream.ts'
import { makeSeal } from '../../platform/seal.ts'
import { startWorker } from '../worker.ts'

const [connectionString, secretKey, timing, folder = join(tmpdir(), 'foyer-worker-process')] =
  process.argv.slice(2) as [string, string, string, string?]

const db = makeDb(makePool({ connectionString, max: 4 }))
configureOutbound({ allow: OUTBOUND_ALLOW })

const log = pino({ level: 'fatal' })
await followClock(db, () => {})
const now = databaseNow
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
