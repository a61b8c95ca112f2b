// Conversations in which flows run: what the customer does goes through the same operations as for real, and the
// conductor takes its turn at once.
import { sql } from 'kysely'
import type { FlowDefinition, Step } from '../../../../flow-engine/schema.ts'
import type { TestApp } from '../../../../test/app.ts'
import { makeFlow } from '../../../../test/make-flow.ts'
import { makeConductor } from '../../../jobs/conduct.ts'
import type { ChannelName, Metadata } from '../../../platform/db/tables.ts'
import type { NewAttachment } from '../../attachments/queries.ts'
import { choiceToken } from '../../messages/choice-token.ts'
import { receiveMessage } from '../../messages/receive-messages.ts'

type Options = { channel?: ChannelName; workspaceId?: string; name?: string }

/** What comes with a customer's message. */
type Sent = { metadata?: Metadata | null; attachments?: NewAttachment[]; attachmentIds?: string[] }

const IDENTITY = {
  web: 'visitor',
  whatsapp: 'whatsapp_id',
  telegram: 'telegram',
  facebook: 'facebook',
  sms: 'phone',
  email: 'email',
} as const

/** A dialog that starts with the first message, unless told otherwise, of one block. */
export const flowOf = (
  steps: (Omit<Step, 'id'> & Record<string, unknown>)[],
  more: Partial<FlowDefinition> = {},
): FlowDefinition => ({
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'message', isFirst: true }],
  start: 'start',
  // The steps are of the union's members, less their ids.
  blocks: {
    start: { steps: steps.map((step, at) => ({ id: `s${at + 1}`, ...step })) as unknown as Step[] },
  },
  ...more,
})

export const startConducting = (app: TestApp) => {
  const { clock, ctxOf, db, deps, make, seal } = app
  const conductor = makeConductor({ ...deps, log: app.app.log })
  let count = 0

  const place = async ({ channel = 'web', name = 'Maria Silva', ...options }: Options = {}) => {
    const workspaceId = options.workspaceId ?? (await make.workspace()).id
    const ctx = ctxOf(workspaceId)
    const channelAccountId = await make.channelAccount(workspaceId, channel)
    const value = channel === 'email' ? `customer${++count}@example.com` : `4917000000${100 + ++count}`
    let conversationId = ''

    /** Stores a message of the customer without taking a turn. */
    const writes = async (body: string, { metadata = null, ...more }: Sent = {}) => {
      const received = await receiveMessage(ctx, {
        channel,
        channelAccountId,
        from: { identity: { kind: IDENTITY[channel], value, verified: true }, name },
        body,
        externalId: `external${++count}`,
        sentAt: clock.now(),
        metadata,
        ...more,
      })
      conversationId = received.conversationId
      return received
    }

    const says = async (body: string, more: Sent = {}) => {
      const received = await writes(body, more)
      await conductor.conductDue()
      return received
    }

    const runs = () =>
      db
        .selectFrom('flow_runs')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('conversation_id', '=', conversationId)
        .orderBy('id')
        .execute()

    /** Taps an option, by its title, of the last question. */
    const taps = async (title: string) => {
      const { rows } = await sql<{
        choices: { runId: string; stepId: string; options: { number: number; title: string }[] }
      }>`
        select metadata -> 'choices' as choices from messages
        where conversation_id = ${conversationId} and metadata ? 'choices' order by id desc limit 1`.execute(
        db,
      )
      const { runId, stepId, options } = rows[0]!.choices
      const { number } = options.find((option) => option.title === title)!
      return tapsOn(title, { runId, stepId, number })
    }

    const tapsOn = (title: string, choice: { runId: string; stepId: string; number: number }) =>
      says(title, {
        metadata: { choice: { kind: 'button', id: choiceToken(seal, { workspaceId, ...choice }), title } },
      })

    const messages = () =>
      db
        .selectFrom('messages')
        .selectAll()
        .where('workspace_id', '=', workspaceId)
        .where('conversation_id', '=', conversationId)
        .orderBy('id')
        .execute()

    /** Who said what, without lines of the system. */
    const thread = async (): Promise<string[]> =>
      (await messages())
        .filter(({ sender_type }) => sender_type !== 'system')
        .map(({ sender_type, body }) => `${sender_type}: ${body}`)

    const lines = async (): Promise<string[]> =>
      (await messages()).filter(({ sender_type }) => sender_type === 'system').map(({ body }) => body)

    const flow = (definition: FlowDefinition, more: { name?: string; position?: number } = {}) =>
      makeFlow(app, workspaceId, { definition, ...more })

    return {
      workspaceId,
      ctx,
      channelAccountId,
      conversationId: () => conversationId,
      writes,
      says,
      taps,
      tapsOn,
      runs,
      messages,
      thread,
      lines,
      flow,
    }
  }

  /** Lets time pass, with a turn at its end. */
  const pass = async (ms: number): Promise<void> => {
    const now = clock.now().getTime() + ms
    clock.now = () => new Date(now)
    await conductor.conductDue()
  }

  return { conductor, place, pass }
}
