// What a customer would read of a decision.
import { showAction } from '../proposals/proposal.ts'
import { proposalText } from '../proposals/texts.ts'
import { aboutItself, ownText } from '../texts.ts'
import type { Decision } from '../think.ts'

export const textOf = (
  decision: Exclude<Decision, { is: 'handOver' | 'silent' }>,
  workspaceName: string,
): string => {
  if (decision.is === 'answer') return decision.source.text
  if (decision.is === 'say') return decision.text
  if (decision.is === 'offer')
    return [ownText('offer', 'en'), ...decision.sources.map(({ title }) => title)].join('\n')
  if (decision.is === 'propose') {
    const { confirm, language } = decision.proposed
    const asks = proposalText(confirm === 'person' ? 'askPerson' : 'ask', language ?? 'en')
    return `${asks}\n\n${showAction(decision.proposed, language ?? 'en')}`
  }
  if (decision.is === 'code') return ''
  return decision.why === 'itself' ? aboutItself('en', workspaceName) : ownText(decision.why, 'en')
}
