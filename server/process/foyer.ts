import type { Demo } from '../demo/demo.ts'

const ROLES = ['all', 'api', 'worker'] as const

export type Role = (typeof ROLES)[number]

export type Foyer = {
  /** Where it listens; null for a worker whose port is taken by another process. */
  address: string | null
  demo: Demo | null
  /** Stops everything that was started. Calling it again waits for the same shutdown. */
  stop: () => Promise<void>
}

/** Something that was started, by name, and how to stop it. */
export type Started = (name: string, undo: () => Promise<unknown> | unknown) => void
