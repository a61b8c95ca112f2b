import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'

const app = await startApp()

test('smoke', async () => {
  const workspace = await app.make.workspace()
  const admin = await app.make.agent(workspace.id, { role: 'admin' })
  const { createSignInLink } = await import('./create-sign-in-link.ts')
  const { newId } = await import('../../db/id.ts')
  const { url } = await createSignInLink(
    { db: app.db, now: () => new Date(), newId: () => newId(), publicUrl: 'http://x' },
    { email: admin.email },
  )
  const secret = url.split('#')[1]
  const r = await app.app.inject({
    method: 'POST',
    url: '/console/api/sign-in',
    payload: { secret },
    headers: { 'x-foyer-console': '1' },
  })
  console.log(r.statusCode, r.body, r.headers['set-cookie'])
  const cookie = String(r.headers['set-cookie']).split(';')[0]!
  for (const path of [
    '/session',
    `/workspaces/${workspace.id}/conversations`,
    `/workspaces/${workspace.id}/contacts`,
    `/workspaces/${newId()}/contacts`,
    `/workspaces/${workspace.id}/tokens`,
  ]) {
    const r2 = await app.app.inject({ method: 'GET', url: `/console/api${path}`, headers: { cookie } })
    console.log(path, r2.statusCode, r2.body.slice(0, 200))
  }
  assert.ok(true)
})
