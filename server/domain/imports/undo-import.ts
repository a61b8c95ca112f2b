import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { recordAudit } from '../audit/record-audit.ts'
import { freeShard } from '../contacts/counters.ts'
import { endImport, findImport, lockSource } from './import-queries.ts'
import { lockContacts, recountContacts } from './thread-counts.ts'
import {
  deleteContacts,
  deleteConversations,
  deleteEmptyLabels,
  deleteLooseNotes,
  forgetGone,
  listMade,
  listUntouched,
  takeEmptyContacts,
} from './undo-queries.ts'

const UNDO_WITHIN_MS = 7 * 24 * 3_600_000
const BATCH = 200

export type UndoneImport = { conversations: number; contacts: number; kept: number }

/** Says in one line why an import can't be undone. */
export class UndoProblem extends Error {}

/**
 * Deletes what an import made, for seven days. A conversation with anything in it that the import didn't make stays,
 * with all its messages and its contact. So does whatever was here before. An undo that was interrupted goes on with the
 * next call. Throws UndoProblem.
 */
export const undoImport = async (ctx: Ctx, importId: string): Promise<UndoneImport> => {
  const found = await findImport(ctx, importId)
  if (!found) throw new UndoProblem('There is no import with this id.')
  if (found.state === 'undone') return { conversations: 0, contacts: 0, kept: 0 }
  if (ctx.now().getTime() - Date.parse(found.createdAt) > UNDO_WITHIN_MS)
    throw new UndoProblem('An import can be undone for seven days.')
  let conversations = 0
  let kept = 0
  for (let after = ''; ; ) {
    const made = await listMade(ctx, importId, after, BATCH)
    if (made.length === 0) break
    after = made.at(-1)!.id
    const keys = await inTransaction(ctx, async (ctx) => {
      await lockSource(ctx, found.source)
      const contactIds = made.map(({ contactId }) => contactId)
      await lockContacts(ctx, contactIds)
      const ids = await listUntouched(
        ctx,
        importId,
        made.map(({ id }) => id),
      )
      const keys = await deleteConversations(ctx, ids)
      await recountContacts(ctx, contactIds)
      return { keys, count: ids.length }
    })
    for (const key of keys.keys) await ctx.files.remove(key)
    conversations += keys.count
    kept += made.length - keys.count
  }
  const contacts = await undoContacts(ctx, importId)
  await inTransaction(ctx, async (ctx) => {
    await deleteEmptyLabels(ctx, importId)
    await forgetGone(ctx, importId)
    await endImport(ctx, importId, { state: 'undone', counts: found.counts })
    await recordAudit(ctx, {
      action: 'import.undone',
      target: { type: 'import', id: importId },
      changes: { conversations: { to: conversations }, contacts: { to: contacts } },
    })
  })
  return { conversations, contacts, kept }
}

const undoContacts = async (ctx: Ctx, importId: string): Promise<number> => {
  await inTransaction(ctx, (ctx) => deleteLooseNotes(ctx, importId))
  for (let count = 0; ; ) {
    const deleted = await inTransaction(ctx, async (ctx) => {
      const ids = await takeEmptyContacts(ctx, importId, BATCH)
      await deleteContacts(ctx, ids, freeShard(ctx))
      return ids.length
    })
    count += deleted
    if (deleted < BATCH) return count
  }
}
