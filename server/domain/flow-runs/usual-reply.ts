// How long people usually take to reply to a customer that the AI agent has handed over to them.
import { sql } from 'kysely'
import type { BusinessHours } from '../../../flow-engine/business-hours.ts'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { isOpenAt } from '../ai/may-reply.ts'

const MINUTE_MS = 60_000
const DAY_MS = 24 * 60 * MINUTE_MS
const DAYS = 30
/** The latest are counted. */
const HAND_OVERS_MAX = 60
/** Of fewer, nothing is said. */
const HAND_OVERS_MIN = 10
/** Of those who were handed over in open hours, this share had a reply by then. */
const SHARE = 0.75
/** What is said, in minutes. Whoever waits longer isn't told how long. */
const STEPS = [5, 10, 15, 20, 30, 45, 60, 120, 180, 240, 360, 480]

type HandedOver = { at: string; repliedAt: string | null }

/** The latest hand-overs, and when a person first replied. */
const listHandedOver = async ({ db, workspaceId, now }: Ctx): Promise<HandedOver[]> => {
  const { rows } = await sql<HandedOver>`
    select o.handed_over_at as at, (
      select min(m.created_at) from messages m
      where m.workspace_id = ${workspaceId} and m.conversation_id = o.conversation_id
        and m.created_at > o.handed_over_at and m.sender_type = 'agent' and not starts_with(m.sender_id, 'api:')
        and m.metadata -> 'ai' is null) as "repliedAt"
    from (
      select conversation_id, handed_over_at from ai_outcomes
      where workspace_id = ${workspaceId} and handed_over_at is not null
        and started_at > ${new Date(now().getTime() - DAYS * DAY_MS)}
      order by started_at desc limit ${HAND_OVERS_MAX}::integer
    ) o`.execute(db)
  return rows
}

/**
 * In minutes, rounded up; null if that isn't known or too long to be of use. Only what was handed over while the business
 * was open counts, and whoever has had no reply for a day counts as well.
 */
export const findUsualReply = async (ctx: Ctx, hours: readonly BusinessHours[]): Promise<number | null> => {
  const now = ctx.now().getTime()
  const waits = (await listHandedOver(ctx))
    .filter(({ at }) => isOpenAt(hours, Date.parse(at)))
    .flatMap(({ at, repliedAt }) => {
      if (repliedAt !== null) return [Date.parse(repliedAt) - Date.parse(at)]
      return now - Date.parse(at) > DAY_MS ? [Number.POSITIVE_INFINITY] : []
    })
    .sort((a, b) => a - b)
  if (waits.length < HAND_OVERS_MIN) return null
  const usual = waits[Math.ceil(waits.length * SHARE) - 1]!
  return STEPS.find((minutes) => usual <= minutes * MINUTE_MS) ?? null
}
