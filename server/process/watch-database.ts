// The database's health for operators, over separate connections, so that health and metrics do not queue behind the
// requests they report on.
import type pg from 'pg'
import { checkWritable } from '../platform/db/check-writable.ts'
import { countWaiting, type Db } from '../platform/db/pool.ts'
import type { ChannelName } from '../platform/db/tables.ts'
import type { OperationsDeps, Queue } from '../platform/http/operations-routes.ts'

type Watched = {
  /** The connections of requests and jobs; only counted here. */
  pool: pg.Pool
  db: Db
  /** Separate connections that never queue behind others. */
  operationsPool: pg.Pool
}

type FromDatabase = 'checkDatabase' | 'readQueue' | 'readDeliveries' | 'readMigration' | 'readPool'

export const watchDatabase = (
  { pool, db, operationsPool }: Watched,
  rest: Omit<OperationsDeps, FromDatabase>,
): OperationsDeps => ({
  ...rest,
  checkDatabase: () => checkWritable(operationsPool),
  readQueue: async () => {
    const { rows } = await operationsPool.query<{ depth: number; oldestSeconds: number }>(
      `select count(*) as depth, coalesce(extract(epoch from now() - min(run_at)), 0)::float8 as "oldestSeconds"
       from graphile_worker.jobs where run_at <= now() and attempts < max_attempts`,
    )
    return rows[0]!
  },
  readDeliveries: async () => {
    const { rows } = await operationsPool.query<Queue & { channel: ChannelName }>(
      `select a.channel, count(*) as depth,
         coalesce(extract(epoch from now() - min(d.created_at)), 0)::float8 as "oldestSeconds"
       from deliveries d
       join channel_accounts a on a.workspace_id = d.workspace_id and a.id = d.channel_account_id
       where d.state in ('pending', 'sending') group by a.channel`,
    )
    return new Map(rows.map(({ channel, ...queue }) => [channel, queue]))
  },
  readMigration: async () => {
    const { rows } = await operationsPool.query<{ version: number }>(
      `select coalesce(max(split_part(name, '_', 1)::int), 0) as version from schema_migrations`,
    )
    return rows[0]!.version
  },
  readPool: () => ({
    inUse: pool.totalCount - pool.idleCount,
    idle: pool.idleCount,
    waiting: countWaiting(db),
  }),
})
