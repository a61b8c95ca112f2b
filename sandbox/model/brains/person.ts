// A person at the sandbox's page is the model. If nobody answers in time, the rules of the demo do.
import type { Brain } from './brain.ts'
import { facts } from './facts.ts'

export const person: Brain = async (heard, { waiting }, asked) =>
  (await waiting.ask({ wire: asked.wire, heard }, asked)) ?? facts(heard)
