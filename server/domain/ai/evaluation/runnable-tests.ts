// Which tests a workspace can run: its own, and those that come with Foyer.
import { createHash } from 'node:crypto'
import type { Ctx } from '../../../platform/ctx/ctx.ts'
import type { Provider } from '../provider/find-provider.ts'
import type { OwnTest } from './own-test-schema.ts'
import type { Scenario } from './scenario.ts'
import { listPlayable } from './shipped.ts'
import { listKept } from './test-queries.ts'

export type RunnableTest = {
  id: string
  isOwn: boolean
  kind: string | null
  /** As people edit it; null: it comes with Foyer. */
  own: OwnTest | null
  scenario: Scenario
  fingerprint: string
}

/** Its own first. */
export const listRunnable = async (ctx: Ctx, provider: Provider | null): Promise<RunnableTest[]> => {
  const [own, shipped] = await Promise.all([listKept(ctx), listPlayable(provider)])
  return [
    ...own.map(({ id, scenario }) => runnable({ id, isOwn: true, kind: null, own: scenario, scenario })),
    ...shipped.map(({ id, kind, scenario }) => runnable({ id, isOwn: false, kind, own: null, scenario })),
  ]
}

const runnable = (test: Omit<RunnableTest, 'fingerprint'>): RunnableTest => ({
  ...test,
  fingerprint: createHash('sha256').update(JSON.stringify(test.scenario)).digest('base64url'),
})
