import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HOLDS_MAX, makeHolds } from './holds.ts'

const isAllowed = async () => true
const refused = { code: 'RATE_LIMIT_EXCEEDED', headers: { 'retry-after': '5' } }

/** Holds as many calls, a few for each token. */
const takeMany = (holds: ReturnType<typeof makeHolds>, workspaceId: string, count: number) =>
  Array.from({ length: count }, (_, index) =>
    holds.take({ tokenId: `${workspaceId} ${Math.floor(index / 10)}`, workspaceId, isAllowed }),
  )

test('the hundred and first held call of a workspace is refused, whatever its token, and no other workspace’s', () => {
  const holds = makeHolds()
  const held = takeMany(holds, 'one', 100)
  const more = { tokenId: 'another', workspaceId: 'one', isAllowed }
  assert.throws(() => holds.take(more), refused)
  holds.take({ ...more, workspaceId: 'two' }).release()
  held[0]!.release()
  held.push(holds.take(more))
  for (const { release } of held) release()
})

test('a process holds only so many calls, whatever their workspace, and one that is released twice counts once', () => {
  const holds = makeHolds()
  const held = Array.from({ length: HOLDS_MAX / 100 }, (_, index) => takeMany(holds, `w${index}`, 100)).flat()
  const more = { tokenId: 'another', workspaceId: 'another', isAllowed }
  assert.throws(() => holds.take(more), refused)
  held[0]!.release()
  held[0]!.release()
  held.push(holds.take(more))
  assert.throws(() => holds.take(more), refused)
  for (const { release } of held) release()
})

test('the signal of a call is aborted when its client leaves, and those of all when the server stops', () => {
  const holds = makeHolds()
  const [first, second] = takeMany(holds, 'one', 2)
  first!.leave()
  assert.deepEqual([first!.signal.aborted, second!.signal.aborted], [true, false])
  holds.endAll()
  assert.ok(second!.signal.aborted && !second!.isRevoked())
  assert.throws(() => holds.take({ tokenId: 't', workspaceId: 'one', isAllowed }), {
    code: 'SERVICE_UNAVAILABLE',
  })
  first!.release()
  second!.release()
})
