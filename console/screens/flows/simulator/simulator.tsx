// The simulator beside the outline: a phone that plays the draft in the browser, with the same interpreter as the server.

import { Bookmark, RotateCcw, Undo2 } from 'lucide-react'
import { useDeferredValue, useEffect, useMemo, useState } from 'react'
import type { Scenario } from '../../../../flow-engine/scenario.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import { Banner } from '../../../ui/banner.tsx'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Disclosure } from '../../../ui/disclosure.tsx'
import { EmptyState } from '../../../ui/empty-state.tsx'
import { LOCALE } from '../../../words/locale.ts'
import { rich, t } from '../../../words/t.ts'
import type { Names } from '../definition/words.ts'
import type { SimulatedPath } from '../simulated-path.ts'
import { problemWords } from '../use-problems.ts'
import type { FlowResources } from '../use-resources.ts'
import { Composer } from './composer.tsx'
import { entriesOf } from './entries.ts'
import { KeepTest } from './keep-test.tsx'
import { LogLines } from './log-lines.tsx'
import { Phone } from './phone.tsx'
import { standOf, toScenario } from './play.ts'
import { Settings } from './settings.tsx'
import { useGame } from './use-game.ts'
import { Values } from './values.tsx'
import { useWorld } from './world.ts'

export type SimulatorProps = {
  definition: FlowDefinition
  resources: FlowResources
  names: Names
  /** Shows a step in the outline. */
  onSelectStep: (stepId: string) => void
  /** The step that the run waits at, and those that the last move took; to be marked in the outline. */
  onPath?: (path: SimulatedPath) => void
  /** Stores the simulation as a test. Without it, it can't be kept. */
  onKeep?: (scenario: Scenario) => Promise<unknown>
}

export const Simulator = ({ definition, resources, names, onSelectStep, onPath, onKeep }: SimulatorProps) => {
  const [now] = useState(() => Math.floor(Date.now() / 60_000) * 60_000)
  const [isKeeping, setKeeping] = useState(false)
  const { worldOf } = useWorld(resources, now)
  const controls = useGame(definition, worldOf, now)
  const { game, problem, setup, play, back, restart, changeSetup } = controls
  const stand = game && standOf(game)
  const entries = useMemo(() => (game ? entriesOf(game, names) : []), [game, names])
  const path = useMemo((): SimulatedPath => {
    const passed = stand?.log.flatMap(({ stepId }) => stepId ?? []) ?? []
    return { current: stand?.state?.wait?.stepId ?? null, passed: [...new Set(passed)] }
  }, [stand])
  // Marking the outline is the slower part: the phone answers first.
  const shownPath = useDeferredValue(path)
  useEffect(() => {
    onPath?.(shownPath)
  }, [onPath, shownPath])
  useEffect(
    () => () => {
      onPath?.({ current: null, passed: [] })
    },
    [onPath],
  )

  if (!game || !stand)
    return (
      <EmptyState title={t`This flow can’t be played yet`}>
        {problem ? problemWords(problem) : t`Finish its steps first.`}
      </EmptyState>
    )
  const hasMoves = game.played.length > 0
  return (
    <div className="simulator">
      {problem && (
        <Banner
          tone="warn"
          action={
            problem.stepId && (
              <Button size="small" onClick={() => onSelectStep(problem.stepId!)}>
                {t`Show`}
              </Button>
            )
          }
        >
          {rich`Playing the flow as it was before: ${problemWords(problem)}`}
        </Banner>
      )}
      <Settings definition={game.definition} setup={setup} names={names} now={now} onChange={changeSetup} />
      <div className="simulator__phone">
        <div className="simulator__bar">
          <time className="text-soft text-small numeric" dateTime={new Date(stand.env.now).toISOString()}>
            {clockOf(stand.env.now, stand.env.workspace.timeZone)}
          </time>
          <span className="row">
            <IconButton icon={Undo2} label={t`Go back one move`} disabled={!hasMoves} onClick={back} />
            <IconButton icon={RotateCcw} label={t`Start again`} disabled={!hasMoves} onClick={restart} />
          </span>
        </div>
        <Phone
          entries={entries}
          stand={stand}
          channel={setup.channel}
          onTap={(option, stepId) =>
            play(stepId === stand.state?.wait?.stepId ? { tap: option } : { tap: option, step: stepId })
          }
          onSelectStep={onSelectStep}
        />
        <Composer game={game} stand={stand} isFull={controls.isFull} onPlay={play} onRestart={restart} />
      </div>
      {onKeep && (
        <Button icon={Bookmark} disabled={!hasMoves} onClick={() => setKeeping(true)}>
          {t`Keep as test`}
        </Button>
      )}
      <Disclosure title={t`Values`} isOpen>
        <Values game={game} names={names} />
      </Disclosure>
      <Disclosure title={t`Log`}>
        <LogLines game={game} onSelectStep={onSelectStep} />
      </Disclosure>
      {isKeeping && onKeep && (
        <KeepTest
          definition={game.definition}
          scenarioOf={(name) => toScenario(game, name)}
          onKeep={onKeep}
          onClose={() => setKeeping(false)}
        />
      )}
    </div>
  )
}

const clockOf = (ms: number, timeZone: string): string =>
  new Intl.DateTimeFormat(LOCALE, {
    weekday: 'short',
    day: 'numeric',
    month: 'short',
    hour: 'numeric',
    minute: '2-digit',
    timeZone,
  }).format(ms)

export default Simulator
