// Customers whose address is known and who are sent codes: a mailbox that takes them, and the queue's turn at sending.
import assert from 'node:assert/strict'
import { after } from 'node:test'
import { sql } from 'kysely'
import type { AnswerInput } from '../../../../sandbox/sandbox.ts'
import type { TestApp } from '../../../../test/app.ts'
import { startSmtp } from '../../../../test/smtp.ts'
import { DELIVERY_TIMING } from '../../../jobs/delivery-timing.ts'
import { sendIdentityCode } from '../../../jobs/send-identity-code.ts'
import type { JobPayloads } from '../../../platform/queue/catalogue.ts'
import { addChannelAccount } from '../../channel-accounts/add-channel-account.ts'
import { startProposing } from './proposing.ts'

export const SENDS_CODE: AnswerInput = { calls: [{ name: 'send_code', arguments: {} }] }

type Proposing = Awaited<ReturnType<typeof startProposing>>
type Options = Omit<NonNullable<Parameters<Proposing['makePlace']>[0]>, 'name'> & {
  email?: string | null
  confirmed?: boolean
}

/** `isCalling` as for proposals. */
export const startVerifying = async (app: TestApp, options: { isCalling?: boolean } = {}) => {
  const { db, ctxOf, seal } = app
  const proposing = await startProposing(app, options)
  const smtp = await startSmtp()
  after(smtp.stop)
  const jobDeps = { ...app.deps, log: app.app.log, timing: DELIVERY_TIMING, isStopping: () => false }
  let count = 0

  /** An address of a contact, as it is stored when the workspace enters it. */
  const giveEmail = async (
    { workspaceId, contactId }: { workspaceId: string; contactId: string },
    value: string,
    confirmed = true,
  ): Promise<void> => {
    await db
      .insertInto('identities')
      .values({
        workspace_id: workspaceId,
        contact_id: contactId,
        kind: 'email',
        value,
        confirmed,
        created_at: app.clock.now(),
      })
      .execute()
  }

  /** Does what the queue holds, once. */
  const sendCodes = async (workspaceId: string): Promise<void> => {
    const { rows } = await sql<{ id: string; payload: JobPayloads['send_identity_code'] }>`
      delete from graphile_worker._private_jobs j using graphile_worker._private_tasks t
      where t.id = j.task_id and t.identifier = 'send_identity_code'
        and j.payload ->> 'workspaceId' = ${workspaceId}
      returning j.id, j.payload`.execute(db)
    for (const { payload } of rows) await sendIdentityCode(jobDeps, payload)
  }

  const codes = (workspaceId: string) =>
    db
      .selectFrom('identity_codes')
      .selectAll()
      .where('workspace_id', '=', workspaceId)
      .orderBy('id')
      .execute()

  /** A customer whose email is known, with an action that needs more than that. */
  const makeKnown = async ({
    email = `maria${++count}@example.org`,
    confirmed = true,
    ...place
  }: Options = {}) => {
    const there = await proposing.makePlace({
      channel: 'web',
      ...place,
      action: { needs: 'verified', ...place.action },
    })
    const { workspaceId } = there
    await addChannelAccount(
      { ...ctxOf(workspaceId), seal, publicUrl: 'http://foyer.test' },
      { channel: 'email', fields: { address: 'support@northwind.example', smtpUrl: smtp.url } },
    )
    await there.writes('Hello.')
    const { contact_id: contactId } = await db
      .selectFrom('conversations')
      .select('contact_id')
      .where('id', '=', there.conversationId())
      .executeTakeFirstOrThrow()
    if (email !== null) await giveEmail({ workspaceId, contactId }, email, confirmed)
    return {
      ...there,
      email,
      contactId,
      codes: () => codes(workspaceId),
      /** What the mailbox got, the newest last. */
      mails: () => smtp.taken.filter(({ recipients }) => recipients.includes(email ?? '')),
      tools: async () => {
        const request = JSON.stringify((await there.requests()).at(-1)!.request)
        return ['send_code', 'propose_1_cancel_order'].filter((name) => request.includes(name))
      },
    }
  }

  type There = Awaited<ReturnType<typeof makeKnown>>

  const codeIn = (mail: { text: string }): string => /(\d{6}) is your code/.exec(mail.text)![1]!

  /** The code is in their mailbox. Returns it. */
  const codeSent = async (there: There): Promise<string> => {
    proposing.control.scriptModel([SENDS_CODE])
    const said = await there.opens('Please cancel my order AB-12345.')
    assert.match(`${said}\n${await there.lines()}`, /I’ve sent a six-digit code to m•••@example\.org/)
    await sendCodes(there.workspaceId)
    return codeIn(there.mails().at(-1)!)
  }

  return { ...proposing, giveEmail, makeKnown, sendCodes, codeSent, codeIn, smtp }
}
