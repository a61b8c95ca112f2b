import { type Ctx, inTransaction } from '../../platform/ctx/ctx.ts'
import { record } from '../../platform/events/record.ts'
import { personArchiveKey } from '../exports/person-archive.ts'
import { cleanTraces } from './clean-traces.ts'
import { deleteOwn, deletePerson, listMergedIds, lockPerson } from './contact-queries.ts'
import { deleteFiles, listConversationIds, listFiles } from './conversation-queries.ts'
import { patternOf } from './person-pattern.ts'
import { addCounts, completeErasure, findWork, type Work } from './queries.ts'
import { removeConversation } from './remove-conversation.ts'
import { deleteExports, listExportIds } from './trace-queries.ts'

/**
 * Removes what is about a contact, batch by batch. Each step can be repeated, so whoever takes over from a process that died begins
 * again and finds what is left. False if it was interrupted.
 */
export const runErasure = async (
  ctx: Ctx,
  erasureId: string,
  { isStopping }: { isStopping: () => boolean },
): Promise<boolean> => {
  const work = await findWork(ctx, erasureId)
  if (!work) return true
  const { contactId, mode } = work
  const pattern = patternOf(
    JSON.parse(ctx.seal.open(work.clues, { workspaceId: ctx.workspaceId, id: work.id })),
  )
  const contactIds = await listMergedIds(ctx, contactId)
  const exportIds = await listExportIds(ctx, contactIds)
  for (const id of exportIds) await ctx.files.remove(personArchiveKey(ctx, id))
  await deleteExports(ctx, exportIds)
  const onRemoved = (ctx: Ctx, counts: Parameters<typeof addCounts>[2]) => addCounts(ctx, work.id, counts)
  while (!isStopping()) {
    const conversationIds = await listConversationIds(ctx, contactId)
    const traces = { contactIds, conversationIds, pattern }
    // Before the messages go, because their ids lead to what was answered about them.
    if (!(await cleanTraces(ctx, traces, isStopping))) return false
    for (const id of conversationIds)
      if (!(await removeConversation(ctx, id, { contactId, mode, onRemoved, isStopping }))) return false
    // What was recorded meanwhile.
    if (!(await cleanTraces(ctx, traces, isStopping))) return false
    if (await finish(ctx, work)) return true
  }
  return false
}

/** The contact itself, and the news. False if there is a conversation again. */
const finish = async (ctx: Ctx, { id, contactId, mode, actor }: Work): Promise<boolean> => {
  const files = await listFiles(ctx, { contactId })
  for (const { key } of files) if (key) await ctx.files.remove(key)
  return inTransaction(ctx, async (ctx) => {
    // Another process was first.
    if (!(await lockPerson(ctx, contactId))) return true
    await deleteFiles(
      ctx,
      files.map(({ id }) => id),
    )
    const notes = await deleteOwn(ctx, contactId)
    if (mode === 'erase' && !(await deletePerson(ctx, contactId))) return false
    await addCounts(ctx, id, { notes, files: files.length })
    if (!(await completeErasure(ctx, id))) return true
    await record(ctx, {
      type: 'contact.deleted',
      contactId,
      actor,
      data: { contactId, mode: mode === 'erase' ? 'erased' : 'anonymised' },
    })
    return true
  })
}
