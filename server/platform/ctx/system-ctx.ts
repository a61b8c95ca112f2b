import type { FastifyBaseLogger } from 'fastify'
import type { Channels } from '../../../channels/channel.ts'
import { newIdAfter, timeOfId } from '../db/id.ts'
import { type Db, dbOf } from '../db/pool.ts'
import type { FileStore } from '../files/store.ts'
import type { Stream } from '../live/stream.ts'
import type { Mailer } from '../mail.ts'
import type { Seal } from '../seal.ts'
import type { Ctx } from './ctx.ts'

/** What a context needs when no request provides it. */
export type SystemDeps = {
  db: Db
  searchDb: Db
  channels: Channels
  stream: Stream
  seal: Seal
  files: FileStore
  publicUrl: string
  log: FastifyBaseLogger
  now: () => Date
  isAiOff?: boolean
  /** Missing without SMTP_URL. */
  mail?: Mailer | null
  /** For tests that set the time; defaults to the time in the id. */
  createdAt?: (id: string) => Date
}

/** A context for background work in one workspace. */
export const systemCtx = (deps: SystemDeps, workspaceId: string): Ctx => ({
  db: dbOf(deps.db, workspaceId),
  searchDb: deps.searchDb,
  channels: deps.channels,
  workspaceId,
  actor: { type: 'system' },
  now: deps.now,
  newId: newIdAfter,
  createdAt: deps.createdAt ?? timeOfId,
  log: deps.log,
  stream: deps.stream,
  seal: deps.seal,
  files: deps.files,
  publicUrl: deps.publicUrl,
  ...(deps.isAiOff && { isAiOff: true }),
  ...(deps.mail && [null, workspaceId].includes(deps.mail.onlyWorkspaceId) && { sendsMail: true }),
  afterCommit: null,
})
