// One turn as it is being thought: what the model was shown, and what it wants changed. Nothing of it is written before
// the conductor says so.
import type { Ctx } from '../../../../platform/ctx/ctx.ts'
import type { Guidance } from '../../../../platform/db/tables.ts'
import type { StoredAction } from '../../../actions/queries.ts'
import type { CodeAddress } from '../../../identity-codes/code.ts'
import type { KnowledgeMatch } from '../../../knowledge/schema.ts'
import type { Identity } from '../../identity/identity.ts'
import type { Proposed } from '../../proposals/proposal.ts'
import type { AiEffect, Search, Source } from '../../think.ts'
import type { Context } from './context-queries.ts'

/** A source under the name that the model knows it by. */
export type Shown = { ref: string; source: Source }

export type TurnInHand = {
  ctx: Ctx
  conversationId: string
  context: Context
  guidance: Guidance
  identity: Identity
  search: Search
  /** What the guidance names and still exists. */
  tags: { id: string; name: string }[]
  flows: { id: string; name: string }[]
  actions: StoredAction[]
  /** Where a code can be sent that some action needs; null: nowhere, or none is needed. */
  codeAddress: CodeAddress | null
  shown: Shown[]
  effects: AiEffect[]
  /** The action that the turn ends with; `words`: the values that a model could have made up. */
  proposal: { proposed: Omit<Proposed, 'language'>; words: string } | null
  /** The turn ends with a code that is sent. */
  wantsCode: boolean
  /** What tools returned: true without being a source. */
  facts: string[]
  searches: number
}

/** Gives the sources that weren't shown yet a name, and returns all with theirs. */
export const show = (turn: TurnInHand, matches: readonly KnowledgeMatch[]): Shown[] =>
  matches.map((match) => {
    const before = turn.shown.find(({ source }) => source.id === match.id && source.text === match.text)
    if (before) return before
    const { type, id, title, text, url, language, certainty } = match
    const added = {
      ref: `s${turn.shown.length + 1}`,
      source: { type, id, title, text, url, language, certainty },
    }
    turn.shown.push(added)
    return added
  })
