import type { Ctx } from '../../platform/ctx/ctx.ts'
import { findItem, type Item, listItems } from './queries.ts'
import { noSuchItem, saveItem } from './save-item.ts'
import type { Answer, AnswerBody, KnowledgeQuery } from './schema.ts'

const toAnswer = ({ url: _, ...answer }: Item): Answer => answer

/** The workspace's saved answers, newest first. */
export const listAnswers = async (ctx: Ctx, query: KnowledgeQuery) => {
  const { items, nextCursor } = await listItems(ctx, 'answer', query, { hasBodies: true })
  return { answers: items.map(toAnswer), nextCursor }
}

/** Throws ANSWER_NOT_FOUND. */
export const getAnswer = async (ctx: Ctx, id: string): Promise<{ answer: Answer }> => {
  const item = await findItem(ctx, 'answer', id)
  if (!item) throw noSuchItem('answer')
  return { answer: toAnswer(item) }
}

/** See saveItem. */
export const saveAnswer = async (ctx: Ctx, id: string | null, given: AnswerBody) => ({
  answer: toAnswer(await saveItem(ctx, { kind: 'answer', id, given })),
})
