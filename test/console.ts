// The console's API as a browser calls it: with a session cookie, and the X-Foyer-Console header on writes.
import { randomBytes } from 'node:crypto'
import type { InjectOptions } from 'fastify'
import { hashSecret } from '../server/platform/hash-secret.ts'
import type { TestApp } from './app.ts'

type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'

/** The session secret of an account that has just signed in. */
export const startSession = async ({ db, clock }: TestApp, accountId: string): Promise<string> => {
  const secret = randomBytes(32).toString('base64url')
  const at = clock.now()
  await db
    .insertInto('sessions')
    .values({ hash: hashSecret(secret), account_id: accountId, created_at: at, seen_at: at })
    .execute()
  return secret
}

/** Calls below /console/api with a session cookie, or without. */
export const callConsole = async (
  { app }: TestApp,
  secret: string | null,
  method: Method,
  path: string,
  body?: unknown,
  options: Partial<InjectOptions> = {},
) => {
  const response = await app.inject({
    method,
    url: `/console/api${path}`,
    ...(body !== undefined && { payload: JSON.stringify(body) }),
    ...options,
    headers: {
      ...(secret && { cookie: `foyer_session=${secret}` }),
      ...(method !== 'GET' && { 'x-foyer-console': '1' }),
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...options.headers,
    },
  })
  const isJson = response.body !== '' && /^application\/json/.test(String(response.headers['content-type']))
  return {
    status: response.statusCode,
    // biome-ignore lint/suspicious/noExplicitAny: tests read answers of every shape; the schemas hold them
    body: (isJson ? response.json() : null) as any,
    headers: response.headers,
    text: response.body,
  }
}

/** A signed-in account in one workspace: `call` is relative to it. */
export const signIn = async (app: TestApp, workspaceId: string, accountId: string) => {
  const secret = await startSession(app, accountId)
  return {
    secret,
    accountId,
    call: (method: Method, path: string, body?: unknown, options?: Partial<InjectOptions>) =>
      callConsole(app, secret, method, `/workspaces/${workspaceId}${path}`, body, options),
  }
}

/** An agent of the workspace with a role that has these permissions. */
export const makeMember = async (
  { db, make, clock }: TestApp,
  workspaceId: string,
  permissions: string[],
  name = `Role ${permissions.join(' ')}`,
) => {
  const agent = await make.agent(workspaceId)
  const roleId = `crole${agent.id.slice(5)}`
  await db
    .insertInto('roles')
    .values({ workspace_id: workspaceId, id: roleId, name, permissions, created_at: clock.now() })
    .execute()
  await db
    .updateTable('memberships')
    .set({ role_id: roleId })
    .where('workspace_id', '=', workspaceId)
    .where('account_id', '=', agent.id)
    .execute()
  return agent
}
