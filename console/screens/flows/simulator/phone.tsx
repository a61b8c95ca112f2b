// The customer's screen: messages and options as the channel shows them.
import { useEffect, useRef } from 'react'
import type { ChannelName } from '../../../../channels/names.ts'
import type { Simulation } from '../../../../flow-engine/simulate.ts'
import { channelName } from '../../../ui/channel-name.ts'
import { classNames } from '../../../ui/class-names.ts'
import { rich, t } from '../../../words/t.ts'
import type { Entry, ShownChoice } from './entries.ts'

type Tap = (optionId: string, stepId: string) => void

export const Phone = ({
  entries,
  stand,
  channel,
  onTap,
  onSelectStep,
}: {
  /** By move. */
  entries: Entry[][]
  stand: Simulation
  channel: ChannelName
  onTap: Tap
  onSelectStep: (stepId: string) => void
}) => {
  const end = useRef<HTMLDivElement>(null)
  const count = entries.length
  useEffect(() => {
    const thread = end.current?.parentElement
    if (count > 0 && thread) thread.scrollTop = thread.scrollHeight
  }, [count])
  const canTap = stand.state?.status === 'running'
  return (
    <div
      className="simulator__thread"
      role="log"
      aria-label={t`Simulated ${channelName(channel)} chat`}
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a region that scrolls has to be reachable by keyboard
      tabIndex={0}
    >
      {entries.map((ofMove, move) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: moves are only added and removed at the end
        <div key={move} className="simulator__move">
          {ofMove.map((entry, at) => (
            <EntryView
              // biome-ignore lint/suspicious/noArrayIndexKey: a move's entries don't change places
              key={at}
              entry={entry}
              canTap={canTap}
              onTap={onTap}
              onSelectStep={onSelectStep}
            />
          ))}
        </div>
      ))}
      <div ref={end} />
    </div>
  )
}

const EntryView = ({
  entry,
  canTap,
  onTap,
  onSelectStep,
}: {
  entry: Entry
  canTap: boolean
  onTap: Tap
  onSelectStep: (stepId: string) => void
}) => {
  if (entry.kind === 'customer')
    return (
      <p className="simulator__bubble simulator__bubble--customer user-text" dir="auto">
        <span className="hidden-visually">{t`Customer:`} </span>
        {entry.text}
      </p>
    )
  if (entry.kind === 'line')
    return (
      <div className={classNames('simulator__line', entry.tone === 'warn' && 'simulator__line--warn')}>
        <p>
          {entry.text} <StepLink stepId={entry.stepId} onSelectStep={onSelectStep} />
        </p>
        {entry.details && entry.details.length > 0 && (
          <ul className="simulator__details">
            {entry.details.map((detail) => (
              <li key={detail}>
                <bdi>{detail}</bdi>
              </li>
            ))}
          </ul>
        )}
      </div>
    )
  return (
    <div className="simulator__message">
      <p className="simulator__bubble user-text" dir="auto" lang={entry.language}>
        <span className="hidden-visually">{t`Flow:`} </span>
        {entry.text}
      </p>
      <Options entry={entry} canTap={canTap} onTap={onTap} />
      <StepLink stepId={entry.stepId} onSelectStep={onSelectStep} />
    </div>
  )
}

const StepLink = ({
  stepId,
  onSelectStep,
}: {
  stepId: string | null
  onSelectStep: (stepId: string) => void
}) =>
  stepId && (
    <button
      type="button"
      className="simulator__step"
      aria-label={t`Show step ${stepId} in the outline`}
      onClick={() => onSelectStep(stepId)}
    >
      {t`Show step`}
    </button>
  )

const Options = ({
  entry: { layout, stepId, all, language },
  canTap,
  onTap,
}: {
  entry: Extract<Entry, { kind: 'flow' }>
  canTap: boolean
  onTap: Tap
}) => {
  const option = (one: ShownChoice) => (
    <button
      key={one.id}
      type="button"
      className="simulator__option"
      disabled={!canTap}
      onClick={() => onTap(one.id, stepId)}
    >
      <bdi>{one.title}</bdi>
      {one.description && <span className="text-soft text-small">{one.description}</span>}
    </button>
  )
  if (layout.as === 'text') return null
  if (layout.as === 'buttons')
    return (
      <div className="simulator__options" lang={language}>
        {layout.options.map(option)}
      </div>
    )
  return (
    <details className="simulator__list" lang={language}>
      <summary className="simulator__option">{layout.label}</summary>
      {layout.options.map(option)}
      {layout.moreFrom !== null && (
        <p className="text-soft text-small">
          {rich`The last row, “More…”, brings the other ${all.length - layout.moreFrom}.`}
        </p>
      )}
    </details>
  )
}
