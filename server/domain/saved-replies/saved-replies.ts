// Writing, deleting and using saved replies. Shared ones are for those who manage knowledge; one's own for oneself.
import { firstNameOf } from '../../../flow-engine/facts.ts'
import { isEmptyValue, type Json, readPath, type Scope } from '../../../flow-engine/paths.ts'
import { type Insertion, parseTemplate, renderText } from '../../../flow-engine/render.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { ID_PATTERN } from '../../platform/db/id.ts'
import { ApiError, type ErrorDetail, invalid } from '../../platform/errors.ts'
import { ownNameOf } from '../contacts/placeholder-name.ts'
import { MESSAGE_BODY_MAX } from '../conversations/schema.ts'
import {
  countUse,
  deleteRow,
  findPartners,
  findProblems,
  isShortcutTaken,
  type Owned,
  type Partners,
  saveRow,
} from './queries.ts'
import { ME, type NewSavedReply, type UsedReply } from './schema.ts'

/** Of one owner: all of them are shown at once. */
const REPLIES_MAX = 500

export const accountOf = ({ actor }: Ctx): string | null => (actor.type === 'agent' ? actor.accountId : null)

const isInsertion = (part: string | Insertion): part is Insertion => typeof part !== 'string'

/**
 * Creates or replaces a reply. Throws NOT_FOUND if its id is another owner's, and VALIDATION_ERROR if it says and does
 * nothing, names an unknown value, tag or agent, has the shortcut of another, or beyond 500 of one owner.
 */
export const saveReply = async (ctx: Ctx, owned: Owned, given: NewSavedReply): Promise<{ success: true }> => {
  if (!ID_PATTERN.test(owned.id)) throw noSuchReply()
  const details: ErrorDetail[] = parseTemplate(given.body, 'reply')
    .filter(isInsertion)
    .flatMap(({ problem }) => (problem ? [{ field: 'body', message: `has a problem: ${problem}` }] : []))
  const doesSomething = given.tagIds.length > 0 || given.assigneeId !== null || given.closes
  if (given.body.trim() === '' && !doesSomething)
    details.push({ field: 'body', message: 'is required, unless the reply does something' })
  const { others, unknownTags, isAssignable } = await findProblems(ctx, owned, given)
  for (const id of unknownTags)
    details.push({ field: `tagIds[${given.tagIds.indexOf(id)}]`, message: 'is not a tag of this workspace' })
  if (given.assigneeId !== null && given.assigneeId !== ME && !isAssignable)
    details.push({ field: 'assigneeId', message: 'is not an active agent of this workspace' })
  if (others >= REPLIES_MAX)
    details.push({
      field: 'name',
      message: `would be the ${REPLIES_MAX + 1}st saved reply. Delete some first`,
    })
  if (details.length > 0) throw invalid(...details)
  try {
    if (!(await saveRow(ctx, owned, given))) throw noSuchReply()
  } catch (error) {
    if (isShortcutTaken(error))
      throw invalid({ field: 'shortcut', message: 'is the shortcut of another reply' })
    throw error
  }
  return { success: true }
}

const noSuchReply = () => new ApiError('NOT_FOUND', { message: 'Saved reply not found.' })

export const deleteReply = async (ctx: Ctx, owned: Owned): Promise<{ success: true }> => {
  await deleteRow(ctx, owned)
  return { success: true }
}

/** The reply in the words for one contact. Throws CONVERSATION_NOT_FOUND and NOT_FOUND. */
export const useReply = async (
  ctx: Ctx,
  { conversationId, replyId }: { conversationId: string; replyId: string },
): Promise<UsedReply> => {
  const accountId = accountOf(ctx)
  const partners = await findPartners(ctx, conversationId, accountId)
  if (!partners) throw new ApiError('CONVERSATION_NOT_FOUND')
  const used = await countUse(ctx, replyId, accountId)
  if (!used) throw noSuchReply()
  const scope = scopeOf(partners)
  const missing = parseTemplate(used.body, 'reply')
    .filter(isInsertion)
    .filter(({ path, fallback }) => fallback === '' && isEmptyValue(readPath(scope, path)))
    .map(({ path }) => path)
  return {
    body: renderFor(ctx, partners, used.body, MESSAGE_BODY_MAX),
    missing: [...new Set(missing)],
    tags: used.tags,
    assignee: used.assignee,
    closes: used.closes,
  }
}

/** A text with the values of a conversation. */
export const renderFor = (ctx: Ctx, partners: Partners, text: string, max: number): string => {
  const scope = scopeOf(partners)
  const context = { scope, language: 'en', timeZone: 'UTC', now: ctx.now().getTime(), kind: 'reply' } as const
  return renderText(text, context, max)
}

const scopeOf = (partners: Partners): Scope => {
  const { subject, channel, email, phone, customFields, workspaceName, nickname } = partners
  const values: Partial<Record<Parameters<Scope>[0], Json>> = {
    contact: { ...withFirstName(ownNameOf(partners)), email, phone, fields: { ...customFields } },
    conversation: { subject, channel },
    workspace: { name: workspaceName },
    agent: withFirstName(nickname),
  }
  return (root) => values[root]
}

const withFirstName = (name: string | null): { name: string | null; firstName: string | null } => ({
  name,
  firstName: firstNameOf(name),
})
