// What customers ask and nothing in the knowledge answers. A view: groups are made of the latest open questions when
// they are read, so a new question joins the others at once; only what was dealt with is stored.
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import { ApiError } from '../../../platform/errors.ts'
import { getAnswer } from '../../knowledge/answers.ts'
import { makeRedaction, placeholdersIn } from '../guards/redact.ts'
import { groupQuestions } from './group-questions.ts'
import { findAnswered, insertClosings, listReplies, listUnanswered, type Unanswered } from './queries.ts'
import {
  type AnsweredQuestion,
  GAPS_MAX,
  type Gap,
  type GapClosing,
  QUESTIONS_MAX,
  SAMPLES_MAX,
} from './schema.ts'

/** Turns of a gap in whose conversations a person's reply is looked for. */
const REPLIES_MAX = 5
/** In characters, after personal data was replaced. */
const QUESTION_MAX = 300
const REPLY_MAX = 4_000

/** The largest groups of the latest open questions, of conversations that the actor may see. Two statements. */
export const listGaps = async (ctx: Ctx): Promise<Gap[]> => {
  const groups = groupQuestions(await listUnanswered(ctx, QUESTIONS_MAX)).slice(0, GAPS_MAX)
  const replies = await listReplies(
    ctx,
    groups.flatMap((group) => group.slice(0, REPLIES_MAX).map(({ turnId }) => turnId)),
  )
  return groups.map((group) => toGap(group, replies))
}

const toGap = (group: readonly Unanswered[], replies: ReadonlyMap<string, string>): Gap => {
  const { hide } = makeRedaction({ contacts: true })
  const reply = group.map(({ turnId }) => replies.get(turnId)).find((body) => body !== undefined)
  return {
    turnIds: group.map(({ turnId }) => turnId),
    count: group.length,
    firstAt: group.at(-1)!.at,
    lastAt: group[0]!.at,
    questions: [...new Set(group.map(({ question }) => shorten(hide(question), QUESTION_MAX)))].slice(
      0,
      SAMPLES_MAX,
    ),
    reply: reply === undefined ? null : shorten(hide(reply), REPLY_MAX),
  }
}

/** Shorter names are words as well. */
const NAME_MIN = 3

/**
 * A person's reply and the question that it answered, as a gap to be closed with an answer. Throws MESSAGE_NOT_FOUND,
 * also for what the AI agent or a program wrote.
 */
export const gapOfReply = async (ctx: Ctx, messageId: string): Promise<AnsweredQuestion> => {
  const found = await findAnswered(ctx, messageId)
  if (!found) throw new ApiError('MESSAGE_NOT_FOUND')
  const { body, at, contactName, question, askedAt, turnIds } = found
  const { hide } = makeRedaction({ contacts: true })
  const questions = question === null ? [] : [shorten(hide(question), QUESTION_MAX)]
  const reply = shorten(hide(body), REPLY_MAX)
  const text = [...questions, reply].join('\n')
  return {
    gap: { turnIds, count: 1, firstAt: askedAt ?? at, lastAt: at, questions, reply },
    personal: [...placeholdersIn(text), ...namesIn(text, contactName)],
  }
}

const namesIn = (text: string, name: string | null): string[] => {
  const words = new Set(text.toLowerCase().match(/[\p{L}\p{M}'’-]+/gu) ?? [])
  const parts = new Set((name ?? '').match(/[\p{L}\p{M}'’-]+/gu) ?? [])
  return [...parts].filter((part) => part.length >= NAME_MIN && words.has(part.toLowerCase()))
}

const shorten = (text: string, max: number): string => [...text].slice(0, max).join('').trim()

/**
 * Questions are dealt with: by a published answer, or dismissed. Those that are dealt with already, or that the actor
 * may not see, are left out; the same question asked again is a new gap. Throws ANSWER_NOT_FOUND, also for
 * a draft.
 */
export const closeGap = async (ctx: Ctx, { turnIds, answerId }: GapClosing): Promise<{ closed: number }> => {
  if (answerId !== null) {
    const { answer } = await getAnswer(ctx, answerId)
    if (answer.state !== 'published') throw new ApiError('ANSWER_NOT_FOUND')
  }
  return { closed: await insertClosings(ctx, { turnIds, answerId }) }
}
