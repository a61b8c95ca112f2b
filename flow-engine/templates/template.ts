// What a ready flow consists of, and how it becomes a workspace's own.
import type { Scenario } from '../scenario.ts'
import type { FlowDefinition } from '../schema.ts'

/** A thing of the workspace that the flow refers to. `id` stands for it in the definition and its tests. */
export type TemplateNeed = {
  kind: 'tag' | 'agent' | 'action'
  id: string
  /** Of the tag to create if there is none; of the others, what they are for. */
  name: string
  /** What it is for, as a hint. */
  about: string
}

export type FlowTemplate = {
  id: string
  /** Also the name of a flow that is made from it. */
  name: string
  about: string
  needs: TemplateNeed[]
  /** What has to be there or be looked at before it goes live, each a sentence. */
  beforePublishing: string[]
  definition: FlowDefinition
  tests: [Scenario, Scenario]
}

/** The languages that every text of a template has. */
export const TEMPLATE_LANGUAGES = ['en', 'de', 'es', 'pt', 'fr'] as const

export type Choices = Readonly<Record<string, string>>

/**
 * The definition and tests with the workspace's own things in place of the needs. A need that isn't chosen stays
 * open: checks name its step until something is chosen there.
 */
export const fillTemplate = (
  { definition, tests }: FlowTemplate,
  chosen: Choices,
): { definition: FlowDefinition; tests: Scenario[] } => {
  const fill = <T>(value: T): T =>
    // Needs stand for ids only, and no text looks like one, so whole strings can be replaced wherever they are.
    JSON.parse(JSON.stringify(value), (_, inner: unknown) =>
      typeof inner === 'string' && Object.hasOwn(chosen, inner) ? chosen[inner] : inner,
    )
  return { definition: fill(definition), tests: fill(tests) }
}
