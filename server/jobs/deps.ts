import type { FastifyBaseLogger } from 'fastify'
import type { Channels } from '../../channels/channel.ts'
import type { Ctx } from '../ctx.ts'
import { newId } from '../db/id.ts'
import type { Db } from '../db/pool.ts'
import type { Stream } from '../events/stream.ts'
import type { FileStore } from '../files/store.ts'
import type { Mailer } from '../mail.ts'
import type { Seal } from '../seal.ts'
import type { DeliveryTiming } from './delivery-timing.ts'

/** What jobs work with. */
export type JobDeps = {
  db: Db
  searchDb: Db
  channels: Channels
  stream: Stream
  seal: Seal
  files: FileStore
  publicUrl: string
  log: FastifyBaseLogger
  now: () => Date
  timing: DeliveryTiming
  /** For sign-in codes; there is none without SMTP_URL. */
  mail?: Mailer | null
  /** True once the worker is to stop: a job then leaves what is left of its work to the next one. */
  isStopping: () => boolean
}

/** A context for work that nobody asked for, in one workspace. */
export const systemCtx = (deps: Omit<JobDeps, 'timing' | 'isStopping'>, workspaceId: string): Ctx => ({
  db: deps.db,
  searchDb: deps.searchDb,
  channels: deps.channels,
  workspaceId,
  actor: { type: 'system' },
  now: deps.now,
  newId: () => newId(),
  log: deps.log,
  stream: deps.stream,
  seal: deps.seal,
  files: deps.files,
  publicUrl: deps.publicUrl,
  afterCommit: null,
})
