/** The step that a simulation waits at, and those that its last move took: marked in the outline. */
export type SimulatedPath = { current: string | null; passed: string[] }
