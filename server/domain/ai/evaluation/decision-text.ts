// What a customer would read of a decision.
import { showAction } from '../proposals/proposal.ts'
import { proposalText } from '../proposals/texts.ts'
import { aboutItself, aboutMachine, ownLanguage, ownText } from '../texts.ts'
import type { Decision } from '../think.ts'

export const textOf = (
  decision: Exclude<Decision, { is: 'handOver' | 'silent' }>,
  { workspaceName, name, isFirst }: { workspaceName: string; name: string | null; isFirst: boolean },
): string => {
  if (decision.is === 'answer') return decision.source.text
  if (decision.is === 'say') return decision.text
  if (decision.is === 'offer')
    return [
      ownText('offer', ownLanguage(decision.language ?? 'en')),
      ...decision.sources.map(({ title }) => title),
    ].join('\n')
  if (decision.is === 'propose') {
    const { confirm, language } = decision.proposed
    const asks = proposalText(confirm === 'person' ? 'askPerson' : 'ask', language ?? 'en')
    return `${asks}\n\n${showAction(decision.proposed, language ?? 'en')}`
  }
  if (decision.is === 'code') return ''
  const own = ownLanguage(decision.language ?? 'en')
  if (decision.why === 'itself') return aboutItself(own, workspaceName)
  return decision.why === 'machine'
    ? aboutMachine(own, { name, workspace: workspaceName, isFirst })
    : ownText(decision.why, own)
}

/** What they read when people take over. */
export const handOverText = ({ reason, language }: Extract<Decision, { is: 'handOver' }>): string => {
  const own = ownLanguage(language ?? 'en')
  return [...(reason === 'self_harm' ? [ownText('selfHarm', own)] : []), ownText('someoneReplies', own)].join(
    '\n\n',
  )
}
