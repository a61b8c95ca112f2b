// Every step that was taken, with what came of it.
import type { LogEntry } from '../../../../flow-engine/contract.ts'
import { END_REASONS } from '../../../../flow-engine/end-reasons.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { saidWithin } from '../../../state/said.ts'
import { t } from '../../../words/t.ts'
import { STEP_TYPES } from '../definition/step-types.ts'
import { targetWords } from '../definition/words.ts'
import type { Game } from './play.ts'

const OUTCOMES: Record<LogEntry['outcome'], string> = {
  done: t`:outcome:done`,
  off: t`switched off`,
  skipped: t`skipped`,
  asked: t`asked`,
  answered: t`answered`,
  invalid: t`reply not understood`,
  timedOut: t`timed out`,
  waiting: t`waiting`,
  resumed: t`continues`,
  failed: t`failed`,
  ignored: t`ignored`,
  ended: t`:outcome:ended`,
}

export const LogLines = ({ game, onSelectStep }: { game: Game; onSelectStep: (stepId: string) => void }) => {
  const log = game.played.flatMap(({ after }) => after.log)
  if (log.length === 0) return <p className="text-soft text-small">{t`Nothing has happened yet.`}</p>
  return (
    <ol className="simulator__log">
      {log.map((entry, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the log only grows
        <li key={at}>
          {entry.stepId && (
            <button
              type="button"
              className="simulator__step"
              aria-label={t`Show step ${entry.stepId} in the outline`}
              onClick={() => onSelectStep(entry.stepId!)}
            >
              {entry.stepId}
            </button>
          )}
          <span>{logWords(entry, game.definition)}</span>
        </li>
      ))}
    </ol>
  )
}

const logWords = ({ type, outcome, detail }: LogEntry, definition: FlowDefinition): string => {
  const name = type ? `${STEP_TYPES[type].name}: ` : ''
  const { target, value, reason, problem } = detail
  const end = Object.entries(END_REASONS).find(([code]) => code === reason)?.[1]
  const more = [
    value !== undefined && JSON.stringify(value),
    typeof target === 'string' && `→ ${targetWords(definition, target)}`,
    end && saidWithin(end.says),
    typeof problem === 'string' && problem.replaceAll('_', ' '),
  ].filter(Boolean)
  return `${name}${OUTCOMES[outcome]}${more.length > 0 ? `, ${more.join(', ')}` : ''}`
}
