import type { Turn } from '../../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { t } from '../../../words/t.ts'
import { expectationWords, turnWords } from './turn-words.ts'

/** What a test does, and what it expects after each move. */
export const TurnList = ({ definition, turns }: { definition: FlowDefinition; turns: readonly Turn[] }) => (
  <ol className="simulator__turns">
    {turns.map((turn, at) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: a test's turns don't change places
      <li key={at} className={'expect' in turn ? 'text-soft' : undefined}>
        {'expect' in turn
          ? t`→ the flow ${expectationWords(turn, definition).join(', ') || t`goes on`}`
          : turnWords(turn, definition)}
      </li>
    ))}
  </ol>
)
