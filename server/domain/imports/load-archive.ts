import { actorId } from '../../platform/ctx/actor.ts'
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { makePastIds } from '../../platform/db/id.ts'

import { record } from '../../platform/events/record.ts'
import { recordAudit } from '../audit/record-audit.ts'
import type { Archive } from './archive-folder.ts'
import { type Counts, endImport, insertImport } from './import-queries.ts'
import { dropEmptied, findLiveThreads } from './live-threads.ts'
import { ATTACHMENTS, loadFiles } from './load-attachments.ts'
import { CONTACTS } from './load-contacts.ts'
import { CONVERSATIONS } from './load-conversations.ts'
import { GROUPS, TAGS } from './load-labels.ts'
import { MESSAGES } from './load-messages.ts'
import { NOTES } from './load-notes.ts'
import { type Loader, loadBatch, type Run } from './loader.ts'
import { mapAgents, mapChannels } from './map-places.ts'

type Options = {
  archive: Archive
  /** Which of our channels stands for which of the source's. */
  channels?: ReadonlyMap<string, string>
  isDryRun?: boolean
  report?: Run['report']
  /** After each batch. */
  onProgress?: (counts: Counts) => void
}

export type LoadedArchive = { importId: string | null; source: string; counts: Counts }

/**
 * Brings an archive to the workspace without anybody noticing: nothing is sent, announced or unread, times are kept.
 * What an earlier run brought is not brought again, and changed if the source has changed. Throws ArchiveProblem if a
 * channel that it needs is not connected.
 */
export const loadArchive = async (
  ctx: Ctx,
  { archive, channels = new Map(), isDryRun = false, report = () => {}, onProgress = () => {} }: Options,
): Promise<LoadedArchive> => {
  const { source } = archive.manifest
  const idAt = makePastIds()
  const run: Run = {
    importId: ctx.newId(),
    source,
    isOwn: source === `foyer:${ctx.workspaceId}`,
    isDryRun,
    idAt: (at, order) => idAt(at.getTime(), order),
    live: new Map(),
    counts: {},
    report,
    now: ctx.now(),
    agents: await mapAgents(ctx, archive),
    channels: await mapChannels(ctx, archive, channels),
  }
  if (!isDryRun)
    await insertImport(ctx, { id: run.importId, source, createdBy: actorId(ctx.actor), createdAt: run.now })
  const load = async <Row extends { id: string }>(loader: Loader<Row>): Promise<void> => {
    for await (const lines of archive.lines(loader.resource)) {
      await loadBatch(ctx, run, loader, lines)
      onProgress(run.counts)
    }
  }
  await load(TAGS)
  await load(GROUPS)
  await load(CONTACTS)
  if (!isDryRun) run.live = await findLiveThreads(ctx, run, archive)
  await load(CONVERSATIONS)
  await load(MESSAGES)
  await load(NOTES)
  await load(ATTACHMENTS)
  const tar = await archive.tar()
  if (tar) await loadFiles(ctx, run, tar)
  if (!isDryRun) await dropEmptied(ctx, run, archive)
  if (!isDryRun) await complete(ctx, run)
  return { importId: isDryRun ? null : run.importId, source, counts: run.counts }
}

const complete = (ctx: Ctx, { importId, counts }: Run): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await endImport(ctx, importId, { state: 'completed', counts })
    await recordAudit(ctx, {
      action: 'import.completed',
      target: { type: 'import', id: importId },
      changes: Object.fromEntries(
        Object.entries(counts).map(([resource, { created = 0 }]) => [resource, { to: created }]),
      ),
    })
    await record(ctx, { type: 'import.completed', data: { importId } })
  })
