// This process's name in the database. Its claims carry it, and its worker holds a lock on it: a claim whose lock is
// gone belongs to a process that died (jobs/living-workers.ts).
import { randomUUID } from 'node:crypto'

export const CLAIMANT = randomUUID()
