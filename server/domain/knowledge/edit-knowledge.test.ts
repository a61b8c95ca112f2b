// What people who write knowledge in the console need besides saving it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startApp } from '../../../test/app.ts'

const { call, make } = await startApp()

const ANSWER = {
  title: 'Return deadline',
  language: 'en',
  body: 'You can return everything within 30 days.',
  phrasings: ['How long do I have to return something?'],
}
const save = ({ token }: { token: string }, kind: string, body: object) =>
  call(token, 'POST', `/knowledge/${kind}`, body)

test('of two people who replace the same answer, the second is told instead of undoing the first', async () => {
  const workspace = await make.workspace()
  const { body } = await save(workspace, 'answers', ANSWER)
  const { id, updatedAt } = body.answer
  const replace = (given: object) =>
    call(workspace.token, 'PUT', `/knowledge/answers/${id}`, { ...ANSWER, ...given })
  const first = await replace({ body: 'You can return everything within 60 days.', ifUpdatedAt: updatedAt })
  assert.equal(first.status, 200, first.text)
  const second = await replace({ title: 'Returning things', ifUpdatedAt: updatedAt })
  assert.equal(second.status, 409)
  assert.equal(second.body.error.code, 'KNOWLEDGE_CHANGED')
  assert.equal((await replace({ ifUpdatedAt: first.body.answer.updatedAt })).status, 200)
  assert.equal((await replace({})).status, 200)
})

test('answers are found by a part of their title or of a phrasing', async () => {
  const workspace = await make.workspace()
  await save(workspace, 'answers', ANSWER)
  await save(workspace, 'answers', { ...ANSWER, title: '50 % off', phrasings: [] })
  const found = async (text: string): Promise<string[]> => {
    const { body } = await call(
      workspace.token,
      'GET',
      `/knowledge/answers?search=${encodeURIComponent(text)}`,
    )
    return body.answers.map(({ title }: { title: string }) => title)
  }
  assert.deepEqual(await found('DEADLINE'), ['Return deadline'])
  assert.deepEqual(await found('have to return'), ['Return deadline'])
  // No character has a meaning of its own.
  assert.deepEqual(await found('%'), ['50 % off'])
  assert.deepEqual(await found('nothing like it'), [])
})
