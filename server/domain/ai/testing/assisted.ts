// Conversations that the AI agent has: what the customer does goes through the same operations as for real, people and
// programs act over HTTP, and conductor and thinker take their turns when the test says so.
import assert from 'node:assert/strict'
import type { TestApp } from '../../../../test/app.ts'
import { makeThinker } from '../../../jobs/think.ts'
import type { Db } from '../../../platform/db/pool.ts'
import type { ChannelName } from '../../../platform/db/tables.ts'
import { setAiAgent } from '../../agents/set-ai-agent.ts'
import { startConducting } from '../../flow-runs/testing/conducted.ts'
import { type Setup, setUp } from './set-up.ts'

/** Longer than any channel's customers are waited for. */
export const QUIET_MS = 11_000

type Item = {
  title: string
  body: string
  kind?: 'answer' | 'article'
  phrasings?: string[]
  [name: string]: unknown
}

export const RETURNS: Item = {
  title: 'Return deadline',
  body: 'You can return everything within 30 days.',
  phrasings: ['How long do I have to return something?', 'Can I send my order back?', 'return period'],
}
export const SHIPPING: Item = {
  title: 'Shipping cost',
  body: 'Shipping is free from 50 euros.',
  phrasings: ['How much is shipping?', 'What does delivery cost?', 'shipping fee'],
}
export const GIFT: Item = {
  title: 'Gift wrapping',
  body: 'We wrap gifts in printed tissue, without extra charge.',
  phrasings: ['Do you wrap gifts?', 'Can I have it wrapped as a gift?'],
}

/** What is stored beside the thread. */
const rowsOf = (db: Db, workspaceId: string) => ({
  requests: () =>
    db.selectFrom('ai_requests').selectAll().where('workspace_id', '=', workspaceId).orderBy('id').execute(),
  turns: () =>
    db.selectFrom('ai_turns').selectAll().where('workspace_id', '=', workspaceId).orderBy('id').execute(),
  notes: async (): Promise<string[]> => {
    const rows = db.selectFrom('notes').select('body').where('workspace_id', '=', workspaceId)
    return (await rows.orderBy('id').execute()).map(({ body }) => body)
  },
})

export const startAssisting = (app: TestApp, limits: Parameters<typeof makeThinker>[1] = {}) => {
  const { call, ctxOf, db, deps, make } = app
  const conducting = startConducting(app)
  const { conductor, pass } = conducting
  const thinker = makeThinker({ ...deps, log: app.app.log }, limits)

  /** Lets the customer stop typing, and everything that follows happen. */
  const settle = async (): Promise<void> => {
    await pass(QUIET_MS)
    await thinker.thinkDue()
    await conductor.conductDue()
  }

  const save = async (token: string, { kind = 'answer', ...item }: Item): Promise<string> => {
    const { status, body } = await call(token, 'POST', `/knowledge/${kind}s`, { language: 'en', ...item })
    assert.equal(status, 200, JSON.stringify(body))
    return body[kind].id
  }

  type Options = { channel?: ChannelName; items?: Item[]; name?: string } & Setup

  /** A workspace with its AI agent and saved answers, and a customer. */
  const place = async (options: Options = {}) => {
    const { channel = 'web', items = [RETURNS, SHIPPING, GIFT], name, ...setup } = options
    const workspace = await make.workspace({ name: 'Northwind' })
    await setAiAgent(ctxOf(workspace.id), { isEnabled: true })
    for (const item of items) await save(workspace.token, item)
    await setUp(app, workspace.id, setup)
    const there = await conducting.place({
      workspaceId: workspace.id,
      channel,
      ...(name !== undefined && { name }),
    })
    const send = (method: 'GET' | 'POST', path: string, payload?: object) =>
      call(workspace.token, method, `/conversations/${there.conversationId()}${path}`, payload)

    // biome-ignore lint/suspicious/noExplicitAny: metadata is open-ended
    const shown = async (): Promise<{ body: string; sender: { role: string }; metadata: any }[]> =>
      (await send('GET', '/messages')).body.messages

    const assign = async (agentId = 'ai') => {
      const { status } = await send('POST', '/assign', { agentId })
      assert.equal(status, 200)
      await conductor.conductDue()
    }

    return {
      ...there,
      ...rowsOf(db, workspace.id),
      token: workspace.token,
      send,
      shown,
      /** Metadata of the agent's last message. */
      lastSaid: async () => (await shown()).filter(({ metadata }) => metadata?.ai).at(-1)!.metadata,
      save: (item: Item) => save(workspace.token, item),
      assign,
      /** The first message, assigned to the agent, and its reply. */
      opens: async (body: string): Promise<string> => {
        await there.writes(body)
        await assign('ai')
        await settle()
        return (await there.thread()).at(-1)!
      },
      /** What the customer writes, and the reply to it. */
      asks: async (body: string): Promise<string> => {
        await there.writes(body)
        await conductor.conductDue()
        await settle()
        return (await there.thread()).at(-1)!
      },
      contact: async (): Promise<{ customFields: object; tags: string[] }> => {
        const { id } = (await send('GET', '')).body.conversation.contact
        const { contact } = (await call(workspace.token, 'GET', `/contacts/${id}`)).body
        const tags = await db
          .selectFrom('contact_tags')
          .innerJoin('tags', 'tags.id', 'contact_tags.tag_id')
          .select('tags.name')
          .where('contact_tags.workspace_id', '=', workspace.id)
          .where('contact_tags.contact_id', '=', id)
          .execute()
        return { customFields: contact.customFields, tags: tags.map(({ name }) => name) }
      },
      agentId: async (): Promise<string | null> =>
        (await send('GET', '')).body.conversation.assignment?.agentId ?? null,
    }
  }

  /** `customer`: of a workspace that is there, without an agent of its own. */
  return { ...conducting, customer: conducting.place, thinker, settle, place }
}
