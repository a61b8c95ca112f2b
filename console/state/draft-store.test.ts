import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FlowDefinition } from '../../flow-engine/schema.ts'
import { type Draft, type DraftPorts, openDraft } from './draft-store.ts'

const flowSaying = (text: string): FlowDefinition => ({
  schema: 1,
  kind: 'dialog',
  language: 'en',
  triggers: [],
  start: 'start',
  blocks: { start: { steps: [{ id: 's1', type: 'send', text }], next: 'end' } },
})
const says = (text: string) => () => flowSaying(text)
const textOf = ({ blocks }: FlowDefinition): unknown => (blocks.start!.steps[0] as { text: unknown }).text

/** A server and a browser's storage, with a clock that only moves by hand. */
const makeWorld = (first = flowSaying('one')) => {
  const world = {
    server: { definition: first, revision: 1 } as Draft<FlowDefinition>,
    kept: null as Draft<FlowDefinition> | null,
    isOnline: true,
    nowMs: 0,
    timers: [] as { at: number; work: () => void }[],
  }
  const ports: DraftPorts<FlowDefinition> = {
    save: async (draft) => {
      if (!world.isOnline) throw new Error('offline')
      if (draft.revision !== world.server.revision) throw new Error('stale')
      world.server = { definition: draft.definition, revision: draft.revision + 1 }
      return { revision: world.server.revision }
    },
    load: async () => world.server,
    readError: (error) => (error as Error).message,
    keep: (draft) => {
      world.kept = draft
    },
    now: () => world.nowMs,
    wait: (work, ms) => {
      const timer = { at: world.nowMs + ms, work }
      world.timers.push(timer)
      return () => {
        world.timers = world.timers.filter((one) => one !== timer)
      }
    },
  }
  const pass = async (ms: number): Promise<void> => {
    world.nowMs += ms
    const due = world.timers.filter(({ at }) => at <= world.nowMs)
    world.timers = world.timers.filter(({ at }) => at > world.nowMs)
    for (const { work } of due) work()
    await new Promise(setImmediate)
  }
  return { world, pass, open: () => openDraft(world.server, world.kept, ports) }
}

test('a change is kept in the browser at once and saved a moment later, several as one', async () => {
  const { world, pass, open } = makeWorld()
  const store = open()
  store.change(says('two'))
  store.change(says('three'))
  assert.equal(textOf(world.kept!.definition), 'three')
  assert.equal(store.get().save.is, 'unsaved')
  await pass(1_000)
  assert.deepEqual(world.server, { definition: flowSaying('three'), revision: 2 })
  assert.equal(store.get().save.is, 'saved')
  assert.equal(world.kept, null)
})

test('what is typed in one field is undone at once, other changes one by one', () => {
  const store = makeWorld().open()
  store.change(says('a'), 's1 text')
  store.change(says('ab'), 's1 text')
  store.change(says('new'))
  store.undo()
  assert.equal(textOf(store.get().history.present), 'ab')
  store.undo()
  assert.equal(textOf(store.get().history.present), 'one')
  store.redo()
  assert.equal(textOf(store.get().history.present), 'ab')
})

test('changes made offline are kept, and saved once the server is back', async () => {
  const { world, pass, open } = makeWorld()
  const store = open()
  world.isOnline = false
  store.change(says('two'))
  await pass(1_000)
  assert.equal(store.get().save.is, 'offline')
  assert.equal(textOf(world.kept!.definition), 'two')
  world.isOnline = true
  await pass(5_000)
  assert.equal(textOf(world.server.definition), 'two')
})

test('changes that an earlier visit left unsaved are there again and saved', async () => {
  const { world, pass, open } = makeWorld()
  world.isOnline = false
  open().change(says('two'))
  world.timers = []
  world.isOnline = true
  const again = open()
  assert.equal(textOf(again.get().history.present), 'two')
  await pass(0)
  assert.equal(textOf(world.server.definition), 'two')
})

test('what somebody else saved meanwhile is never overwritten without asking', async () => {
  for (const choice of ['mine', 'theirs'] as const) {
    const { world, pass, open } = makeWorld()
    const store = open()
    world.server = { definition: flowSaying('theirs'), revision: 2 }
    store.change(says('mine'))
    await pass(1_000)
    const { save } = store.get()
    assert.ok(save.is === 'conflict' && textOf(save.theirs.definition) === 'theirs')
    // Typing on doesn't save over it.
    store.change(says('mine'), 's1 text')
    await pass(10_000)
    assert.equal(textOf(world.server.definition), 'theirs')
    await (choice === 'mine' ? store.keepMine() : store.takeTheirs())
    assert.equal(textOf(world.server.definition), choice)
    assert.equal(textOf(store.get().history.present), choice)
    assert.equal(store.get().save.is, 'saved')
    assert.equal(world.kept, null)
  }
})

test('leaving the page saves what is left', async () => {
  const { world, open } = makeWorld()
  const store = open()
  store.change(says('two'))
  store.close()
  await new Promise(setImmediate)
  assert.equal(textOf(world.server.definition), 'two')
})
