// The models. They aren't models: each follows its rules.
import type { Answer, Heard } from '../exchange.ts'
import type { ModelName } from '../names.ts'
import { shownIn } from '../read-content.ts'
import type { Brain } from './brain.ts'
import { fillSchema } from './fill-schema.ts'

/** Gives the answers of the script, and after that whatever fits. */
const script: Brain = (heard, { script }) => script.shift() ?? answerDutifully(heard)

/** Uses the first tool once, then ends with what it said. */
const answerDutifully = (heard: Heard): Answer => {
  const { tools, entries, mustCall } = heard
  if (tools.length === 0) return { text: 'Hello! How can I help?' }
  const result = entries.findLast((entry) => entry.from === 'result')
  const asked = mustCall && mustCall !== 'any' ? tools.find(({ name }) => name === mustCall.name) : undefined
  const tool = asked ?? (result ? tools.at(-1)! : tools[0]!)
  const said = entries.at(-1)
  const words =
    result && 'text' in result ? result.text : (said && 'text' in said && shownIn(said.text)) || 'Hello.'
  return { calls: [{ name: tool.name, arguments: fillSchema(tool.parameters, words) }] }
}

const BRAINS: Record<ModelName, () => Promise<Brain>> = {
  'sandbox-script': async () => script,
  /** The demo's: word for word from the sources. */
  'sandbox-facts': async () => (await import('./facts.ts')).facts,
  /** Obeys whatever it reads. */
  'sandbox-gullible': async () => (await import('./gullible.ts')).gullible,
  /** Whoever is at the sandbox's page. */
  'sandbox-person': async () => (await import('./person.ts')).person,
  'sandbox-dutiful': async () => answerDutifully,
  /** Never calls a tool, whatever it must. */
  'sandbox-talker': async () => () => ({ text: 'I would be glad to look into that for you.' }),
  /** Can't call tools, but writes JSON if asked. */
  'sandbox-writer': async () => (await import('./writer.ts')).writer,
}

export const brainOf =
  (name: ModelName): Brain =>
  async (heard, state, asked) =>
    (await BRAINS[name]())(heard, state, asked)
