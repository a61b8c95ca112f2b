import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowDefinition } from './schema.ts'
import { makeMessage, NOW } from './testing/make-env.ts'
import {
  type Cause,
  type LiveFlow,
  type MatchFacts,
  makeCause,
  matchTriggers,
  prepareTriggers,
} from './triggers.ts'

const flow = (id: string, position: number, definition: Partial<LiveFlow['definition']>): LiveFlow => ({
  id,
  position,
  definition: { kind: 'dialog', triggers: [{ on: 'message' }], ...definition },
})
const cause = (text: string, more: Partial<Cause> = {}): Cause =>
  makeCause({
    on: 'message',
    by: 'customer',
    channel: 'web',
    accountId: 'account1',
    message: makeMessage(text),
    ...more,
  })
const facts: MatchFacts = {
  now: NOW,
  scope: (root) => (root === 'contact' ? { country: 'DE' } : undefined),
  lastStartedAt: {},
}
const match = (flows: LiveFlow[], happened: Cause, more: Partial<MatchFacts> = {}) =>
  matchTriggers(prepareTriggers(flows), happened, { ...facts, ...more })
const dialog = (flows: LiveFlow[], happened: Cause, more: Partial<MatchFacts> = {}) =>
  match(flows, happened, more).dialog?.flowId

test('the first dialog by position starts, and every background flow', () => {
  const flows = [
    flow('late', 2, {}),
    flow('b1', 3, { kind: 'background' }),
    flow('early', 1, {}),
    flow('b2', 0, { kind: 'background' }),
  ]
  assert.deepEqual(match(flows, cause('hi')), {
    dialog: { flowId: 'early', trigger: 0, interrupts: false },
    background: [
      { flowId: 'b2', trigger: 0 },
      { flowId: 'b1', trigger: 0 },
    ],
    passedOver: [{ flowId: 'late', because: 'earlier_flow' }],
  })
})

test('words are found as whole words, anywhere, or as the whole message, in any script', () => {
  const words = (list: string[], wordsMode?: 'whole' | 'contains' | 'only') => [
    flow('f', 0, { triggers: [{ on: 'message', words: list, wordsMode }] }),
  ]
  assert.equal(dialog(words(['ménu']), cause('The MENU, please')), 'f')
  assert.equal(dialog(words(['men']), cause('the menu')), undefined)
  assert.equal(dialog(words(['men'], 'contains'), cause('the menu')), 'f')
  assert.equal(dialog(words(['menu'], 'only'), cause('Menu!')), 'f')
  assert.equal(dialog(words(['menu'], 'only'), cause('the menu')), undefined)
  assert.equal(dialog(words(['١'], 'only'), cause('1')), 'f')
  assert.equal(dialog(words(['菜单']), cause('请给我菜单')), 'f')
  assert.equal(dialog(words(['!', '  ']), cause('anything')), undefined)
})

test('a trigger can ask for the first message, a channel, an account, a button, and a condition', () => {
  const only = (trigger: Partial<FlowDefinition['triggers'][number]>) => [
    flow('f', 0, { triggers: [{ on: 'message', ...trigger }] }),
  ]
  assert.equal(dialog(only({ isFirst: true }), cause('x')), undefined)
  assert.equal(dialog(only({ isFirst: true }), cause('x', { isFirst: true })), 'f')
  assert.equal(dialog(only({ channels: ['sms'] }), cause('x')), undefined)
  assert.equal(dialog(only({ accountIds: ['account2'] }), cause('x')), undefined)
  assert.equal(
    dialog(only({ choice: 'yes' }), cause('x', { message: makeMessage('x', { choice: 'yes' }) })),
    'f',
  )
  assert.equal(dialog(only({ choice: 'yes' }), cause('yes')), undefined)
  assert.equal(
    dialog(only({ when: { value: 'contact.country', op: 'is', to: 'FR' } }), cause('x')),
    undefined,
  )
})

test('only what customers write starts flows, unless the trigger says otherwise', () => {
  const message = [flow('f', 0, {})]
  assert.equal(dialog(message, cause('x', { by: 'team' })), undefined)
  assert.equal(
    dialog([flow('f', 0, { triggers: [{ on: 'message', by: 'anyone' }] })], cause('x', { by: 'api' })),
    'f',
  )
  const tagged = [flow('f', 0, { triggers: [{ on: 'tagged', tagId: 'tag1' }] })]
  assert.equal(dialog(tagged, cause('', { on: 'tagged', tagId: 'tag1', by: 'team' })), 'f')
  assert.equal(dialog(tagged, cause('', { on: 'tagged', tagId: 'tag2', by: 'team' })), undefined)
})

test('silence, fields, assignments and calls of the API start what they name', () => {
  const on = (trigger: FlowDefinition['triggers'][number]) => [flow('f', 0, { triggers: [trigger] })]
  const silent = on({ on: 'customer_silent', after: 'PT2H' })
  assert.equal(dialog(silent, cause('', { on: 'customer_silent', silentMs: 7_199_999 })), undefined)
  assert.equal(dialog(silent, cause('', { on: 'customer_silent', silentMs: 7_200_000 })), 'f')
  const field = on({ on: 'field_changed', field: 'plan', to: 'pro' })
  assert.equal(dialog(field, cause('', { on: 'field_changed', field: 'plan', to: 'pro', by: 'api' })), 'f')
  assert.equal(
    dialog(field, cause('', { on: 'field_changed', field: 'plan', to: 'free', by: 'api' })),
    undefined,
  )
  assert.equal(
    dialog(on({ on: 'assigned', to: 'ai' }), cause('', { on: 'assigned', to: 'ai', by: 'team' })),
    'f',
  )
  assert.equal(dialog(on({ on: 'api' }), cause('', { on: 'api', flowId: 'other', by: 'api' })), undefined)
  assert.equal(dialog(on({ on: 'api' }), cause('', { on: 'api', flowId: 'f', by: 'api' })), 'f')
})

test('a flow starts again when its re-entry rule lets it, and never within a minute', () => {
  const again = (reentry: FlowDefinition['reentry'], agoMs: number) =>
    dialog([flow('f', 0, { reentry })], cause('x'), { lastStartedAt: { f: NOW - agoMs } })
  assert.equal(again(undefined, 59_999), undefined)
  assert.equal(again('always', 60_000), 'f')
  assert.equal(again('once', 1e12), undefined)
  assert.equal(again({ after: 'PT1H' }, 3_599_999), undefined)
  assert.equal(again({ after: 'PT1H' }, 3_600_000), 'f')
})

test('a waiting dialog, a person and automatic mail hold dialogs back and say so; background flows start', () => {
  const flows = [flow('f', 0, {}), flow('b', 1, { kind: 'background' })]
  for (const [more, because] of [
    [{ hasDialog: true }, 'dialog_waiting'],
    [{ isWithPerson: true }, 'with_person'],
    [{ isAutomatic: true }, 'automatic'],
  ] as const) {
    const { dialog, background, passedOver } = match(flows, cause('x', more))
    assert.deepEqual([dialog, background.length, passedOver], [null, 1, [{ flowId: 'f', because }]])
  }
  const evenThen = [flow('f', 0, { triggers: [{ on: 'closed', evenIfAssigned: true }] })]
  assert.equal(dialog(evenThen, cause('', { on: 'closed', by: 'team', isWithPerson: true })), 'f')
})

test('only a keyword of a flow that interrupts ends a waiting dialog', () => {
  const keyword = { triggers: [{ on: 'message' as const, words: ['menu'] }] }
  const waiting = cause('menu', { hasDialog: true })
  assert.equal(dialog([flow('f', 0, keyword)], waiting), undefined)
  assert.equal(dialog([flow('f', 0, { interrupts: true })], waiting), undefined)
  assert.deepEqual(match([flow('f', 0, { ...keyword, interrupts: true })], waiting).dialog, {
    flowId: 'f',
    trigger: 0,
    interrupts: true,
  })
})

test('the audience is named as the reason where it keeps a flow from starting', () => {
  const flows = [flow('f', 0, { audience: { value: 'contact.country', op: 'is', to: 'FR' } })]
  assert.deepEqual(match(flows, cause('x')).passedOver, [{ flowId: 'f', because: 'audience' }])
})
