// What happened, written down outside of Foyer: what each customer wrote, what each agent did, and what was wrong when.
import { loadavg } from 'node:os'
import { performance } from 'node:perf_hooks'

export const AGENTS = ['Robin', 'Jane'] as const
/** Robin is an admin; Jane an agent, who sees only what is assigned to her. */
export type AgentName = (typeof AGENTS)[number]

/** Of every message and note, anywhere in its text. */
export const MARK = /\b([mrn]\d+)\b/
export const marksIn = (text: string): string[] => [...text.matchAll(/\b[mrn]\d+\b/g)].map(([mark]) => mark)

/** Of the last minute. Above two, programs wait for the two cores. */
const CALM_LOAD_MAX = 2.5
export const isMachineCalm = (): boolean => loadavg()[0]! <= CALM_LOAD_MAX

export type Written = {
  mark: string
  /** Whether the machine had time for it. */
  isMachineCalm: boolean
  customer: string
  channel: string
  atMs: number
  /** Once it is in the database. */
  storedMs?: number
  id?: string
  conversationId?: string
  /** Whom it was assigned to then. */
  assigned?: AgentName | null
}

export type Reply = {
  mark: string
  by: AgentName
  conversationId: string
  channel: string
  atMs: number
  /** `refused`: somebody else had replied, and the person chose not to send it. */
  fate: 'sent' | 'undone' | 'refused'
}

export type Note = {
  mark: string
  by: AgentName
  conversationId: string
  mentions: AgentName | null
  atMs: number
}

export type Assigned = { by: AgentName; to: AgentName; conversationId: string; atMs: number }

export type Trouble = {
  what: string
  /** Nobody: everybody. */
  agent: AgentName | null
  fromMs: number
  toMs: number | null
}

/** Where an agent's page was. */
export type Place = { atMs: number; path: string }

export type Finding = { atMs: number; kind: string; what: string }

/** In milliseconds. `calm`: without trouble; `free`: and with a machine that had time. */
export type Delays = { all: number[]; calm: number[]; free: number[] }
export const noDelays = (): Delays => ({ all: [], calm: [], free: [] })

export type Ledger = ReturnType<typeof makeLedger>

export const makeLedger = () => {
  let count = 0
  const startMs = performance.now()
  const findings: Finding[] = []
  const troubles: Trouble[] = []
  const acts = new Map<string, { done: number; failed: number; hindered: number }>()
  const nowMs = (): number => performance.now()
  return {
    startMs,
    /** The order in which the database has everything, by mark. */
    order: new Map<string, { place: number; conversationId: string; id: string }>(),
    written: new Map<string, Written>(),
    replies: new Map<string, Reply>(),
    notes: new Map<string, Note>(),
    assigned: [] as Assigned[],
    troubles,
    findings,
    acts,
    places: { Robin: [], Jane: [] } as Record<AgentName, Place[]>,
    /** How late each agent's rows or counts were found to be wrong after settling, and the like. */
    checks: [] as string[],
    newMark: (kind: 'm' | 'r' | 'n'): string => `${kind}${++count}`,
    find: (kind: string, what: string): void => {
      findings.push({ atMs: nowMs() - startMs, kind, what })
      process.stderr.write(`  ! ${kind}: ${what} (load ${loadavg()[0]!.toFixed(0)})\n`)
    },
    count: (act: string, how: 'done' | 'failed' | 'hindered'): void => {
      const entry = acts.get(act) ?? { done: 0, failed: 0, hindered: 0 }
      entry[how]++
      acts.set(act, entry)
    },
    beginTrouble: (what: string, agent: AgentName | null): Trouble => {
      const trouble: Trouble = { what, agent, fromMs: nowMs(), toMs: null }
      troubles.push(trouble)
      process.stderr.write(`  ~ ${what}${agent ? ` (${agent})` : ''}\n`)
      return trouble
    },
    endTrouble: (trouble: Trouble): void => {
      trouble.toMs = nowMs()
    },
    /** Whether something was wrong for this agent then, or up to `graceMs` before. */
    isTroubled: (agent: AgentName | null, fromMs: number, toMs = fromMs, graceMs = 10_000): boolean =>
      troubles.some(
        (one) =>
          (one.agent === null || agent === null || one.agent === agent) &&
          one.fromMs <= toMs &&
          (one.toMs ?? Number.POSITIVE_INFINITY) + graceMs >= fromMs,
      ),
    /** When this agent could first have seen what was stored then. */
    possibleMs: (agent: AgentName, storedMs: number): number => {
      let atMs = storedMs
      for (const { agent: whose, fromMs, toMs } of [...troubles].sort((a, b) => a.fromMs - b.fromMs))
        if ((whose === null || whose === agent) && fromMs - 1_000 <= atMs && (toMs === null || toMs > atMs))
          atMs = toMs ?? Number.POSITIVE_INFINITY
      return atMs
    },
  }
}
