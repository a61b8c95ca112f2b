// What each resource brings to the loader, and the batches that it works in.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import type { ArchiveResource } from '../../platform/db/tables.ts'
import {
  type Counts,
  findImported,
  findOwnIds,
  hashOf,
  type ImportedKind,
  lockSource,
  saveImported,
} from './import-queries.ts'
import type { Reading } from './import-rows.ts'
import type { LiveThread } from './live-thread-queries.ts'
import { isObject, RowProblem, type SourceRow } from './read-row.ts'

export type Run = Reading & {
  importId: string
  source: string
  /** The archive is of this workspace: what has the same id is the same. */
  isOwn: boolean
  isDryRun: boolean
  /** Ids with the time of what they name. */
  idAt: (at: Date, order: string) => string
  /** Conversations of the source that are here already. */
  live: ReadonlyMap<string, readonly LiveThread[]>
  counts: Counts
  report: (problem: { resource: ArchiveResource; line: number; id: string | null; problem: string }) => void
}

type Source = { id: string }
/** `targetId` is the row that it became; a problem is why it became none. */
export type Placed = { targetId: string; isCreated: boolean } | { problem: string }

export type Loader<Row extends Source> = {
  resource: ArchiveResource
  kind: ImportedKind
  table: Parameters<typeof findOwnIds>[1]
  /** Throws RowProblem. */
  read: (row: SourceRow, run: Run) => Row
  /** Stores new rows, in order; returns what each became. */
  insert: (ctx: Ctx, run: Run, rows: readonly Row[]) => Promise<Placed[]>
  /** Rows that this loader made, as they are in the source now. */
  update: (ctx: Ctx, run: Run, rows: readonly (Row & { targetId: string })[]) => Promise<void>
}

export type Line = { number: number } & ({ text: string } | { problem: string })

type Read<Row> = { number: number; row: Row; hash: string }

const count = ({ counts }: Run, resource: string, what: string, by: number): void => {
  if (by === 0) return
  const own = counts[resource] ?? {}
  counts[resource] = { ...own, [what]: (own[what] ?? 0) + by }
}

const fail = <Row extends Source>(
  run: Run,
  { resource }: Loader<Row>,
  { line, id, problem }: { line: number; id: string | null; problem: string },
): void => {
  count(run, resource, 'failed', 1)
  run.report({ resource, line, id, problem })
}

/**
 * Stores a batch of lines in one transaction, with a note of what each became, so that a run that was killed begins
 * again without harm. A line that can't be stored is reported and left out.
 */
export const loadBatch = async <Row extends Source>(
  ctx: Ctx,
  run: Run,
  loader: Loader<Row>,
  lines: readonly Line[],
): Promise<void> => {
  const read = [...new Map(readLines(run, loader, lines).map((one) => [one.row.id, one])).values()]
  if (read.length === 0) return
  const { kind, resource } = loader
  const outcome = await inTransaction(ctx, async (ctx) => {
    await lockSource(ctx, run.source)
    const known = await findImported(
      ctx,
      run.source,
      kind,
      read.map(({ row }) => row.id),
    )
    const fresh = read.filter(({ row }) => !known.has(row.id))
    const changed = read.filter(({ row, hash }) => (known.get(row.id)?.hash ?? hash) !== hash)
    const ours = changed.filter(({ row }) => known.get(row.id)!.isCreated)
    const placed = run.isDryRun
      ? fresh.map((): Placed => ({ targetId: '', isCreated: true }))
      : await place(ctx, run, loader, fresh)
    if (!run.isDryRun) {
      if (ours.length > 0)
        await loader.update(
          ctx,
          run,
          ours.map(({ row }) => ({ ...row, targetId: known.get(row.id)!.targetId })),
        )
      await saveImported(ctx, { ...run, kind }, [
        ...fresh.flatMap(({ row, hash }, index) => {
          const one = placed[index]!
          return 'problem' in one ? [] : [{ ...one, sourceId: row.id, hash }]
        }),
        ...changed.map(({ row, hash }) => ({ ...known.get(row.id)!, sourceId: row.id, hash })),
      ])
    }
    return { fresh, placed, updated: ours.length, unchanged: read.length - fresh.length - ours.length }
  })
  for (const [index, one] of outcome.placed.entries()) {
    const { row, number } = outcome.fresh[index]!
    if ('problem' in one) fail(run, loader, { line: number, id: row.id, problem: one.problem })
    else count(run, resource, one.isCreated ? 'created' : 'matched', 1)
  }
  count(run, resource, 'updated', outcome.updated)
  count(run, resource, 'unchanged', outcome.unchanged)
}

/** What has the same id in this very workspace needs no new row. */
const place = async <Row extends Source>(
  ctx: Ctx,
  run: Run,
  loader: Loader<Row>,
  fresh: readonly Read<Row>[],
): Promise<Placed[]> => {
  const ids = fresh.map(({ row }) => row.id)
  const own = run.isOwn ? await findOwnIds(ctx, loader.table, ids) : new Set<string>()
  const others = fresh.filter(({ row }) => !own.has(row.id)).map(({ row }) => row)
  const inserted = others.length > 0 ? (await loader.insert(ctx, run, others)).values() : [].values()
  return ids.map((id) => (own.has(id) ? { targetId: id, isCreated: false } : inserted.next().value!))
}

const readLines = <Row extends Source>(run: Run, loader: Loader<Row>, lines: readonly Line[]): Read<Row>[] =>
  lines.flatMap((line) => {
    let id: string | null = null
    try {
      if ('problem' in line) throw new RowProblem(line.problem)
      const value = parse(line.text)
      id = typeof value.id === 'string' ? value.id : null
      return [{ number: line.number, row: loader.read(value, run), hash: hashOf(line.text) }]
    } catch (error) {
      if (!(error instanceof RowProblem)) throw error
      fail(run, loader, { line: line.number, id, problem: error.message })
      return []
    }
  })

const parse = (text: string): SourceRow => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    throw new RowProblem('is not JSON')
  }
  if (!isObject(value)) throw new RowProblem('is not a JSON object')
  return value
}
