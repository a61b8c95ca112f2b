// Conversations of a source that are here already, because their channel is connected: what is missing of them is added
// to them. A second conversation beside each would be empty, or have half of it.
import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { copyBigrams } from '../search/bigrams.ts'
import type { Archive } from './archive-folder.ts'
import { findImported, hashOf, lockSource, retargetImported } from './import-queries.ts'
import {
  type Emptied,
  type LiveThread,
  listEmptied,
  listLive,
  listUnheard,
  moveContents,
} from './live-thread-queries.ts'
import type { Line, Run } from './loader.ts'
import { isObject } from './read-row.ts'
import { lockContacts, recountContacts, recountConversations } from './thread-counts.ts'
import { deleteConversations } from './undo-queries.ts'

type Named = { id: string; conversationId: string; externalId: string | null }

/** What names what in messages of a source; what can't be read is reported when it is loaded. */
const namesIn = (lines: readonly Line[]): Named[] =>
  lines.flatMap((line) => {
    if (!('text' in line)) return []
    try {
      const row: unknown = JSON.parse(line.text)
      if (!isObject(row) || typeof row.id !== 'string' || typeof row.conversationId !== 'string') return []
      const { id, conversationId, externalId } = row
      return [{ id, conversationId, externalId: typeof externalId === 'string' ? externalId : null }]
    } catch {
      return []
    }
  })

/** Which of the source's conversations are here, by their messages' ids at the provider. */
export const findLiveThreads = async (
  ctx: Ctx,
  run: Pick<Run, 'source' | 'channels'>,
  archive: Archive,
): Promise<Map<string, LiveThread[]>> => {
  const live = new Map<string, LiveThread[]>()
  const accountIds = [...new Set([...run.channels.values()].map(({ id }) => id))]
  for await (const lines of archive.lines('messages')) {
    const named = namesIn(lines).filter(({ externalId }) => externalId !== null)
    if (named.length === 0) continue
    const known = await findImported(
      ctx,
      run.source,
      'conversation',
      named.map(({ conversationId }) => conversationId),
    )
    const fresh = named.filter(({ conversationId }) => !known.has(conversationId))
    const found = await listLive(
      ctx,
      accountIds,
      fresh.map(({ externalId }) => externalId!),
    )
    const byExternalId = Map.groupBy(found, ({ externalId }) => externalId)
    for (const { conversationId, externalId } of fresh) {
      const threads = live.get(conversationId) ?? []
      for (const thread of byExternalId.get(externalId!) ?? [])
        if (!threads.some((one) => one.conversationId === thread.conversationId)) threads.push(thread)
      if (threads.length > 0) live.set(conversationId, threads)
    }
  }
  return live
}

export type Join = { sourceId: string; from: string; to: string; contactId: string }

/**
 * Moves what was imported so far into the conversation in which a message of it has arrived meanwhile, unless somebody has
 * written in the imported one too. The caller holds the contacts' rows. Returns those that it did.
 */
export const joinThreads = async (ctx: Ctx, run: Run, joins: readonly Join[]): Promise<Join[]> => {
  if (joins.length === 0) return []
  const free = new Set(
    await listUnheard(
      ctx,
      run.source,
      joins.map(({ from }) => from),
    ),
  )
  const moved = joins.filter(({ from }) => free.has(from))
  if (moved.length === 0) return []
  await copyBigrams(ctx, moved)
  await moveContents(ctx, moved)
  await deleteConversations(
    ctx,
    moved.map(({ from }) => from),
  )
  await retargetImported(
    ctx,
    run.source,
    'conversation',
    moved.map(({ sourceId, to }) => ({ key: hashOf(sourceId), targetId: to })),
  )
  await recountConversations(
    ctx,
    moved.map(({ to }) => to),
  )
  await recountContacts(
    ctx,
    moved.map(({ contactId }) => contactId),
  )
  countMatched(run, moved.length)
  return moved
}

const countMatched = ({ counts }: Run, by: number): void => {
  const { created = 0, matched = 0, ...rest } = counts.conversations ?? {}
  counts.conversations = { ...rest, created: created - by, matched: matched + by }
}

const BATCH = 200

/** Deletes imported conversations all of whose messages are in others, such as those of another contact. */
export const dropEmptied = async (ctx: Ctx, run: Run, archive: Archive): Promise<void> => {
  const emptied = new Map((await listEmptied(ctx, run.source)).map((one) => [one.key, one]))
  if (emptied.size === 0) return
  let batch: (Emptied & { messageId: string })[] = []
  for await (const lines of archive.lines('messages'))
    for (const { id, conversationId } of namesIn(lines)) {
      const one = emptied.get(hashOf(conversationId))
      if (!one) continue
      emptied.delete(one.key)
      batch.push({ ...one, messageId: id })
      if (batch.length < BATCH) continue
      await dropBatch(ctx, run, batch)
      batch = []
    }
  if (batch.length > 0) await dropBatch(ctx, run, batch)
}

const dropBatch = (ctx: Ctx, run: Run, batch: readonly (Emptied & { messageId: string })[]): Promise<void> =>
  inTransaction(ctx, async (ctx) => {
    await lockSource(ctx, run.source)
    const contactIds = batch.map(({ contactId }) => contactId)
    await lockContacts(ctx, contactIds)
    const still = new Set(
      (
        await listEmptied(
          ctx,
          run.source,
          batch.map(({ id }) => id),
        )
      ).map(({ id }) => id),
    )
    const messages = await findImported(
      ctx,
      run.source,
      'message',
      batch.map(({ messageId }) => messageId),
    )
    const gone = batch.filter(({ id, messageId }) => still.has(id) && messages.has(messageId))
    await deleteConversations(
      ctx,
      gone.map(({ id }) => id),
    )
    await retargetImported(
      ctx,
      run.source,
      'conversation',
      gone.map(({ key, messageId }) => ({ key, ofMessage: messages.get(messageId)!.targetId })),
    )
    await recountContacts(ctx, contactIds)
    countMatched(run, gone.length)
  })
