// The SQL of test sends: the people whom a test goes to, as a broadcast would reach them.
import { type RawBuilder, sql } from 'kysely'
import type { Ctx } from '../../platform/ctx/ctx.ts'
import { reached, theContacts } from './audience-queries.ts'

export type TestPerson = {
  contactId: string
  /** The number of their latest WhatsApp conversation. */
  channelAccountId: string | null
  /** Their values, if some come from the contact. */
  parameters: string[] | null
}

/** The caller holds the locks of their rows. */
export const listTestPeople = async (
  ctx: Ctx,
  contactIds: readonly string[],
  merged: RawBuilder<unknown>,
): Promise<TestPerson[]> => {
  const { rows } = await sql<TestPerson>`
    select k.id as "contactId", v.channel_account_id as "channelAccountId", ${merged} as parameters
    from ${reached(ctx, theContacts(contactIds))}
    order by p.place`.execute(ctx.db)
  return rows
}
