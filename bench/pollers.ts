// `npm run bench:pollers`: whether programs that poll the lists in creation order miss anything, against sixteen
// writers, on one process, on three (one five seconds behind, one three ahead), and with one of them killed half-way;
// and whether all writers can read their own writes at once. POLL_SECONDS sets how long each runs (30).

import { chmodSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serve } from '../test/e2e/foyer.ts'
import { makePollPlace, shiftedClock } from '../test/e2e/poll-place.ts'
import { poll, readOwnWrites } from '../test/pollers.ts'

const FOR_MS = Number(process.env.POLL_SECONDS ?? 30) * 1_000
const WRITERS = 16
const CONNECTIONS = 20
const TIMES = 50

const dataDir = mkdtempSync(join(tmpdir(), 'foyer-pollers-'))
chmodSync(dataDir, 0o755)
const env = { DATA_DIR: dataDir }
const place = await makePollPlace(env)
const say = (what: string, found: unknown) => console.log(what, JSON.stringify(found))

const one = await serve(env)
say('one process', await poll({ ...place, urls: [one.url], writers: WRITERS, forMs: FOR_MS }))
const own = { connections: CONNECTIONS, times: TIMES }
say('own writes not found, one process', await readOwnWrites({ ...place, urls: [one.url] }, own))

const early = await serve({ ...env, ...shiftedClock(-5_000) }, '--role', 'api')
const late = await serve({ ...env, ...shiftedClock(3_000) }, '--role', 'api')
const urls = [one.url, early.url, late.url]
say('three processes', await poll({ ...place, urls, writers: WRITERS, forMs: FOR_MS }))
say('own writes not found, three processes', await readOwnWrites({ ...place, urls }, own))
const halfWay = async () => {
  await late.kill()
}
say('three, one killed', await poll({ ...place, urls, writers: WRITERS, forMs: FOR_MS, halfWay }))
await early.stop()
await one.stop()
rmSync(dataDir, { recursive: true, force: true })
