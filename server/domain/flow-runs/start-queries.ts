// SQL of starting and cancelling runs from outside of the conductor.
import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import type { Tables } from '../../platform/db/tables.ts'
import { isPaused } from '../automation/states.ts'
import type { LockedConversation } from '../conversations/queries.ts'
import { seenBy } from '../visible-conversations.ts'
import type { RunCause } from './place.ts'

export const findFlowState = async ({ db, workspaceId }: Ctx, id: string): Promise<string | undefined> => {
  const row = await db
    .selectFrom('flows')
    .select('state')
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()
  return row?.state
}

/** The contact's conversation with the latest activity, among those that the actor may see. */
export const findLatestConversation = async (
  { db, workspaceId, actor }: Ctx,
  contactId: string,
): Promise<string | undefined> => {
  const { rows } = await sql<{ id: string }>`
    select c.id from conversations c
    where c.workspace_id = ${workspaceId} and c.contact_id = ${contactId}${seenBy(actor, 'c')}
    order by c.updated_at desc, c.id desc limit 1`.execute(db)
  return rows[0]?.id
}

/** Who has the word in the conversation, whose contact the caller has locked. */
export const findVoice = async (
  { db, workspaceId, now }: Ctx,
  conversationId: string,
): Promise<{ hasDialog: boolean; isWithPerson: boolean }> => {
  const { rows } = await sql<{ hasDialog: boolean; isWithPerson: boolean }>`
    select exists (select from flow_runs r where r.workspace_id = c.workspace_id and r.conversation_id = c.id
        and r.status = 'running' and r.is_dialog) as "hasDialog",
      coalesce(not a.is_ai, false) or coalesce(${isPaused('s', now())}, false) as "isWithPerson"
    from conversations c
    left join accounts a on a.id = c.agent_id
    left join automation_states s on s.workspace_id = c.workspace_id and s.conversation_id = c.id
    where c.workspace_id = ${workspaceId} and c.id = ${conversationId}`.execute(db)
  return rows[0]!
}

type NewRun = {
  id: string
  flow: { id: string; name: string; version: number }
  conversation: LockedConversation
  isDialog: boolean
  isTest: boolean
  cause: RunCause
}

/** A run that has yet to begin. */
export const insertRun = async (
  { db, workspaceId, now }: Ctx,
  { id, flow, conversation, isDialog, isTest, cause }: NewRun,
): Promise<void> => {
  await db
    .insertInto('flow_runs')
    .values({
      workspace_id: workspaceId,
      id,
      flow_id: flow.id,
      flow_name: flow.name,
      version: flow.version,
      contact_id: conversation.contactId,
      conversation_id: conversation.id,
      status: 'running',
      started_at: now(),
      is_dialog: isDialog,
      is_test: isTest,
      cause: JSON.stringify(cause),
    })
    .execute()
}

export const findRunPlace = (
  { db, workspaceId }: Ctx,
  id: string,
): Promise<{ conversationId: string | null; status: Tables['flow_runs']['status'] } | undefined> =>
  db
    .selectFrom('flow_runs')
    .select(['conversation_id as conversationId', 'status'])
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', id)
    .executeTakeFirst()

/** Runs of a flow that haven't ended, the newest first, older than a run. */
export const listRunningOf = async (
  { db, workspaceId }: Ctx,
  flowId: string,
  { before, limit }: { before: string; limit: number },
): Promise<{ runId: string; conversationId: string }[]> => {
  const { rows } = await sql<{ runId: string; conversationId: string }>`
    select id as "runId", conversation_id as "conversationId" from flow_runs
    where workspace_id = ${workspaceId} and flow_id = ${flowId} and status = 'running' and id < ${before}
      and conversation_id is not null
    order by id desc limit ${limit}`.execute(db)
  return rows
}
