// Fake providers for tests: a small server whose responses a test sets, and accounts that point at it.
import { createServer, type IncomingHttpHeaders, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { after } from 'node:test'
import type { Selectable } from 'kysely'
import type { TestApp } from '../../../../test/app.ts'
import { until } from '../../../../test/until.ts'
import { addChannelAccount } from '../../../domain/channel-accounts/add-channel-account.ts'
import { sendMessage } from '../../../domain/messages/send-message.ts'
import { settleMessage } from '../../../domain/messages/settle-message.ts'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { ChannelName, Tables } from '../../../platform/db/tables.ts'

export type Asked = { method: string; url: string; headers: IncomingHttpHeaders; raw: Buffer; text: string }

type Answering = (asked: Asked, response: ServerResponse) => void

/** A server on its own port. `answer` decides the response to a request. */
export const startProvider = async (usual: Answering) => {
  const provider = {
    url: '',
    asked: [] as Asked[],
    answer: usual,
    /** Resets to the defaults and clears recorded requests. */
    reset: () => {
      provider.answer = usual
      provider.asked.length = 0
    },
  }
  const server = createServer(async (request, response) => {
    const raw = await buffer(request).catch(() => Buffer.alloc(0))
    const { method = '', url = '', headers } = request
    const asked = { method, url, headers, raw, text: raw.toString('utf8') }
    provider.asked.push(asked)
    provider.answer(asked, response)
  })
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
  provider.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  after(() => {
    server.closeAllConnections()
    server.close()
  })
  return provider
}

export const json = (response: ServerResponse, body: unknown, status = 200, headers = {}): void =>
  void response
    .writeHead(status, { 'content-type': 'application/json', ...headers })
    .end(JSON.stringify(body))

/** Accepts the request and never responds. */
export const drop: Answering = (_, response) => void response.socket?.destroy()
export const hang: Answering = () => {}

type Table =
  | 'contacts'
  | 'conversations'
  | 'webhook_leftovers'
  | 'channel_people'
  | 'identities'
  | 'attachments'

/** A separate workspace with an account of the channel, so that a test only counts its own items. */
export const connectFresh = async (
  app: TestApp,
  channel: ChannelName,
  fields: Record<string, string>,
  workspaceId?: string,
) => {
  const workspace = workspaceId ? { id: workspaceId, token: '' } : await app.make.workspace()
  const { id: channelId } = await addChannelAccount(app.ctxOf(workspace.id), { channel, fields })
  const agent = await app.make.agent(workspace.id)
  const ctx: Ctx = {
    ...app.ctxOf(workspace.id),
    actor: { type: 'agent', accountId: agent.id, role: 'admin', permissions: [] } as never,
    settleMs: 900,
  }
  const messages = () =>
    app.db
      .selectFrom('messages')
      .selectAll()
      .where('workspace_id', '=', workspace.id)
      .where('sender_type', '<>', 'system')
      .orderBy('id')
      .execute()
  const rows = async <T extends Table>(table: T): Promise<Selectable<Tables[T]>[]> => {
    const { rows } = await app.database.pool.query(
      `select * from ${table} where workspace_id = $1 order by created_at, 2`,
      [workspace.id],
    )
    return rows
  }
  const last = async () => (await messages()).at(-1)
  return {
    workspace,
    channelId,
    ctx,
    agent,
    messages,
    rows,
    last,
    /** Replies in the only conversation, as an agent does in the console. */
    answer: async (body: string, more: { attachmentIds?: string[] } = {}) => {
      const [conversation] = await rows('conversations')
      const message = await sendMessage(ctx, { conversationId: conversation!.id, body, ...more })
      return settleMessage(ctx, message)
    },
    statusOf: async (id: string) => (await messages()).find((message) => message.id === id)?.status,
    becomes: (id: string, status: string) =>
      until(
        async () => (await messages()).find((message) => message.id === id)?.status === status,
        `the message to be ${status}`,
      ),
  }
}
