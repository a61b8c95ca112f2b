// What can be done next: write, attach, wait, or say how the AI agent ended.
import { Clock, Paperclip, Play, SendHorizontal } from 'lucide-react'
import { useState } from 'react'
import { readDuration } from '../../../../flow-engine/duration.ts'
import type { Move, Simulation } from '../../../../flow-engine/simulate.ts'
import { Button, IconButton } from '../../../ui/button.tsx'
import { Menu, MenuItem } from '../../../ui/menu.tsx'
import { t } from '../../../words/t.ts'
import { durationWords, TRIGGER_WORDS } from '../definition/words.ts'
import type { Game } from './play.ts'
import { startingEvent } from './setup.ts'

const WAITS = ['PT10M', 'PT1H', 'PT4H', 'P1D', 'P7D'] as const
const FILES = [
  ['image', t`Image`],
  ['file', t`File`],
  ['audio', t`Voice message`],
  ['video', t`Video`],
  ['sticker', t`Sticker`],
] as const

export const Composer = ({
  game,
  stand,
  isFull,
  onPlay,
  onRestart,
}: {
  game: Game
  stand: Simulation
  isFull: boolean
  onPlay: (move: Move) => void
  onRestart: () => void
}) => {
  const [text, setText] = useState('')
  const { state } = stand
  const event = startingEvent(game.definition)
  if (state === null && event !== null)
    return (
      <div className="simulator__composer">
        <Button icon={Play} isWide onClick={() => onPlay({ event })}>
          {TRIGGER_WORDS[event]}
        </Button>
      </div>
    )
  if (isFull || (state !== null && state.status !== 'running'))
    return (
      <div className="simulator__composer">
        <Button isWide autoFocus onClick={onRestart}>
          {t`Start again`}
        </Button>
      </div>
    )
  return (
    <div className="simulator__composer">
      {state?.wait?.for === 'ai' && <AiOutcome onPlay={onPlay} />}
      <form
        className="row"
        onSubmit={(submitted) => {
          submitted.preventDefault()
          if (text.trim() === '') return
          onPlay({ say: text })
          setText('')
        }}
      >
        <input
          className="input grow"
          // biome-ignore lint/a11y/noAutofocus: the simulator was opened to write, and without it the keyboard is lost
          autoFocus
          aria-label={t`Message from the customer`}
          placeholder={state === null ? t`Write the first message` : t`Reply as the customer`}
          dir="auto"
          maxLength={4_000}
          value={text}
          onChange={({ target }) => setText(target.value)}
        />
        <IconButton icon={SendHorizontal} type="submit" label={t`Send`} variant="primary" />
      </form>
      <div className="row row--wrap">
        <Menu
          label={t`Attach`}
          align="start"
          trigger={
            <Button size="small" variant="ghost" icon={Paperclip}>
              {t`Attach`}
            </Button>
          }
        >
          {FILES.map(([type, name]) => (
            <MenuItem key={type} onSelect={() => onPlay({ attach: type })}>
              {name}
            </MenuItem>
          ))}
        </Menu>
        {state !== null && <LetTimePass stand={stand} onPlay={onPlay} />}
      </div>
    </div>
  )
}

const AiOutcome = ({ onPlay }: { onPlay: (move: Move) => void }) => (
  <div className="row row--wrap">
    <Button size="small" onClick={() => onPlay({ ai: 'done' })}>
      {t`AI agent is done`}
    </Button>
    <Button size="small" onClick={() => onPlay({ ai: 'gaveUp' })}>
      {t`AI agent gives up`}
    </Button>
  </div>
)

const LetTimePass = ({
  stand: { state, env },
  onPlay,
}: {
  stand: Simulation
  onPlay: (move: Move) => void
}) => {
  const until = state?.wait?.until
  const left = until ? toDuration(until - env.now) : null
  return (
    <Menu
      label={t`Let time pass`}
      align="start"
      trigger={
        <Button size="small" variant="ghost" icon={Clock}>
          {t`Let time pass`}
        </Button>
      }
    >
      {left && (
        <MenuItem hint={durationWords(left)} onSelect={() => onPlay({ wait: left })}>
          {t`Until the wait ends`}
        </MenuItem>
      )}
      {WAITS.map((wait) => (
        <MenuItem key={wait} onSelect={() => onPlay({ wait })}>
          {durationWords(wait)}
        </MenuItem>
      ))}
    </Menu>
  )
}

/** In whole seconds, rounded up so that the moment is reached; null for what is past or too far. */
const toDuration = (ms: number): string | null => {
  const seconds = Math.ceil(ms / 1_000)
  if (seconds <= 0) return null
  const days = Math.floor(seconds / 86_400)
  const parts = [
    [Math.floor((seconds % 86_400) / 3_600), 'H'],
    [Math.floor((seconds % 3_600) / 60), 'M'],
    [seconds % 60, 'S'],
  ] as const
  const time = parts.flatMap(([count, unit]) => (count > 0 ? [`${count}${unit}`] : [])).join('')
  const duration = `P${days > 0 ? `${days}D` : ''}${time && `T${time}`}`
  return readDuration(duration) === undefined ? null : duration
}
