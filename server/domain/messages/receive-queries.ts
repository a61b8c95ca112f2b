import { sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'

type ExternalRef = { channelAccountId: string; externalId: string }

type Stored = ExternalRef & { id: string; conversationId: string; body: string; choices: unknown }

/** Those messages that are already stored, with the beginning of their text; of a question, without its options. */
export const findStored = async (
  { db, workspaceId }: Ctx,
  refs: readonly ExternalRef[],
  bodyMax: number,
): Promise<Stored[]> => {
  const { rows } = await sql<Stored>`
    select m.id, m.conversation_id as "conversationId", m.channel_account_id as "channelAccountId",
      m.external_id as "externalId", left(coalesce(m.metadata->'choices'->>'text', m.body), ${bodyMax}::integer) as body,
      m.metadata -> 'choices' as choices
    from unnest(
      ${refs.map(({ channelAccountId }) => channelAccountId)}::text[],
      ${refs.map(({ externalId }) => externalId)}::text[]
    ) q (account, external)
    join messages m on m.workspace_id = ${workspaceId} and m.channel_account_id = q.account
      and m.external_id = q.external and m.external_id is not null`.execute(db)
  return rows
}
