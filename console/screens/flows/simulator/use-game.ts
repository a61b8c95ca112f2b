// The simulation of a draft, played again whenever the draft or what it was set up with changes.
import { useMemo, useRef, useState } from 'react'
import type { Problem } from '../../../../flow-engine/problems.ts'
import type { FlowDefinition } from '../../../../flow-engine/schema.ts'
import type { Move } from '../../../../flow-engine/simulate.ts'
import { CHANNEL_FACTS } from '../channel-facts.ts'
import { type Game, MOVES_MAX, playMoves, type Setup, startGame } from './play.ts'
import { firstSetup } from './setup.ts'
import { useChecked } from './use-checked.ts'
import type { WorldOf } from './world.ts'

export type GameControls = {
  game: Game | null
  /** Why the draft as it is now can't be played; the game is that of the last one that could. */
  problem: Problem | null
  setup: Setup
  isFull: boolean
  play: (move: Move) => void
  back: () => void
  restart: () => void
  changeSetup: (changes: Partial<Setup>) => void
}

export const useGame = (draft: FlowDefinition, worldOf: WorldOf, now: number): GameControls => {
  const { definition, problem } = useChecked(draft)
  const [setup, setSetup] = useState(() => firstSetup(draft, now))
  const [moves, setMoves] = useState<Move[]>([])
  const start = useMemo(() => {
    const hours = CHANNEL_FACTS.find(({ name }) => name === setup.channel)?.replyWindowHours ?? null
    return definition && startGame(definition, setup, worldOf(definition, setup.channel), hours)
  }, [definition, setup, worldOf])
  // What is played already is kept, so that a move takes as long as one sprint and not as the whole simulation.
  const latest = useRef<{ start: Game | null; game: Game | null }>({ start: null, game: null })
  const game = useMemo(() => {
    const known = latest.current.start === start ? latest.current.game : null
    const next = start && playMoves(known ?? start, moves)
    latest.current = { start, game: next }
    return next
  }, [start, moves])
  return {
    game,
    problem,
    setup,
    isFull: moves.length >= MOVES_MAX,
    play: (move) => setMoves((all) => (all.length < MOVES_MAX ? [...all, move] : all)),
    back: () => setMoves((all) => all.slice(0, -1)),
    restart: () => setMoves([]),
    changeSetup: (changes) => setSetup((known) => ({ ...known, ...changes })),
  }
}
