// A flow in the database, without publishing it through the console.
import type { FlowDefinition } from '../flow-engine/schema.ts'
import { newId } from '../server/platform/db/id.ts'
import type { TestApp } from './app.ts'

/** A dialog that greets whoever writes first, and waits for an answer. */
export const GREETING: FlowDefinition = {
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [{ on: 'message', isFirst: true }],
  variables: { order: { type: 'text' } },
  start: 'hello',
  blocks: {
    hello: {
      steps: [
        {
          id: 's1',
          type: 'ask',
          answer: 'text',
          text: 'What is your order number?',
          store: 'run.order',
          retry: { times: 1, then: 'people' },
          timeout: { after: 'PT4H', then: 'end' },
        },
        { id: 's2', type: 'send', text: 'Thank you, {{run.order}}.' },
      ],
      next: 'end',
    },
  },
}

type FlowOptions = {
  name?: string
  definition?: FlowDefinition
  state?: 'draft' | 'live' | 'paused' | 'archived'
  position?: number
}

/** A flow with one version, live unless told otherwise; a draft has none. */
export const makeFlow = async (
  { db, clock }: Pick<TestApp, 'db' | 'clock'>,
  workspaceId: string,
  { definition = GREETING, state = 'live', position = 1, ...rest }: FlowOptions = {},
): Promise<{ id: string; name: string; version: number }> => {
  const id = newId()
  const { name = `Flow ${id}` } = rest
  const at = clock.now()
  const own = { workspace_id: workspaceId, name, name_key: name.toLowerCase(), kind: definition.kind }
  const text = JSON.stringify(definition)
  await db
    .insertInto('flows')
    .values({
      ...own,
      id,
      state,
      live_version: state === 'draft' ? null : 1,
      position,
      draft: text,
      updated_by: 'system',
      created_at: at,
      updated_at: at,
    })
    .execute()
  if (state !== 'draft')
    await db
      .insertInto('flow_versions')
      .values({
        workspace_id: workspaceId,
        flow_id: id,
        version: 1,
        definition: text,
        hash: Buffer.alloc(32),
        note: null,
        published_by: 'system',
        published_at: at,
      })
      .execute()
  await db
    .updateTable('workspaces')
    .set((eb) => ({ automation_revision: eb('automation_revision', '+', 1), is_automated: true }))
    .where('id', '=', workspaceId)
    .execute()
  return { id, name, version: 1 }
}

/** A run of the flow that waits for an answer. */
export const makeFlowRun = async (
  { db, clock }: Pick<TestApp, 'db' | 'clock'>,
  workspaceId: string,
  flow: { id: string; name: string; version: number },
  { id: conversationId, contactId }: { id: string; contactId: string },
): Promise<string> => {
  const id = newId()
  await db
    .insertInto('flow_runs')
    .values({
      workspace_id: workspaceId,
      id,
      flow_id: flow.id,
      flow_name: flow.name,
      version: flow.version,
      contact_id: contactId,
      conversation_id: conversationId,
      status: 'running',
      started_at: clock.now(),
    })
    .execute()
  return id
}
