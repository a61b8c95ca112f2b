// Checks whether the database accepts writes: the server is not read-only, a commit succeeds, and there is disk space
// left. Updating a small row can reuse space in its page for a long time; a temporary file always needs new space.
import type pg from 'pg'
import { isDatabaseUnavailable, isReadOnly } from './failures.ts'

/** A series of this length takes about half a megabyte, more than fits in work_mem. */
export const CHECK_SETTINGS = { work_mem: '64kB' }
const SERIES_LENGTH = 20_000

const DISK_FULL = '53100'

/** Throws the server's error if it does not accept writes. The pool's connections need CHECK_SETTINGS. */
export const checkWritable = async (pool: pg.Pool): Promise<void> => {
  await pool.query(
    `with written as (
       insert into readiness_checks (id, checked_at) values (1, now())
       on conflict (id) do update set checked_at = excluded.checked_at returning id)
     select count(*) from written, generate_series(1, ${SERIES_LENGTH})`,
  )
}

/** A short reason for /readyz. */
export const describeObstacle = (error: unknown): string => {
  if (isReadOnly(error)) return 'read-only'
  if (error instanceof Error && 'code' in error && error.code === DISK_FULL) return 'out of disk space'
  return isDatabaseUnavailable(error) ? 'unreachable' : 'failing'
}
