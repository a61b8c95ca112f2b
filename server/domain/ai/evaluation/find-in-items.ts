// A search in the knowledge that a test brings along. It is stored, indexed and searched as any other, in a workspace
// that only exists inside a transaction, which is rolled back: nothing of it is ever visible or kept.
import { type Ctx, inTransaction } from '../../../platform/ctx/ctx.ts'
import { prepareItem, storeItem } from '../../knowledge/save-item.ts'
import type { KnowledgeMatch } from '../../knowledge/schema.ts'
import { searchKnowledge } from '../../knowledge/search-knowledge.ts'
import type { Facts } from '../../knowledge/search-queries.ts'
import { insertWorkspace } from '../../workspaces/queries.ts'
import type { Search } from '../think.ts'
import type { Item } from './scenario.ts'

/** Carries the result out of the transaction. */
class Found extends Error {
  readonly matches: KnowledgeMatch[]
  constructor(matches: KnowledgeMatch[]) {
    super('found')
    this.matches = matches
  }
}

export const searchIn =
  (
    ctx: Ctx,
    { items, elsewhere }: { items: readonly Item[]; elsewhere: readonly Item[] },
    asker: Facts,
  ): Search =>
  async (query) => {
    const [prepared, foreign] = await Promise.all([prepareAll(items), prepareAll(elsewhere)])
    try {
      return await inTransaction(ctx, async (ctx) => {
        const inside = { ...ctx, workspaceId: ctx.newId() }
        await storeIn(inside, prepared)
        if (foreign.length > 0) await storeIn({ ...ctx, workspaceId: ctx.newId() }, foreign)
        throw new Found(await searchKnowledge(inside, { query, asker }))
      })
    } catch (error) {
      // Their ids are new each time; an offer has to find them again.
      if (error instanceof Found) return error.matches.map((match) => ({ ...match, id: match.title }))
      throw error
    }
  }

const prepareAll = (items: readonly Item[]) =>
  Promise.all(items.map((item) => prepareItem({ kind: item.kind ?? 'answer', given: givenOf(item) })))

const storeIn = async (ctx: Ctx, prepared: Awaited<ReturnType<typeof prepareAll>>): Promise<void> => {
  await insertWorkspace(ctx, { id: ctx.workspaceId, name: 'Test' })
  for (const one of prepared) await storeItem(ctx, null, one)
}

const givenOf = ({
  title,
  text,
  phrasings = [],
  language = 'en',
  url,
  state,
  isInternal,
  onlyFor,
}: Item) => ({
  title,
  body: text,
  phrasings,
  language,
  ...(url !== undefined && { url }),
  ...(state && { state }),
  ...(isInternal !== undefined && { isInternal }),
  ...(onlyFor && { audience: onlyFor }),
})
