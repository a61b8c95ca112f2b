// A template's shape, as Meta stores it.
import Type, { type Static } from 'typebox'
import { closed } from '../shapes.ts'
import { newNodeId } from './ids.ts'

const Text = (maxLength: number) => Type.String({ minLength: 1, maxLength })

export const TemplateInput = closed({
  name: Type.String({ pattern: '^[a-z0-9_]{1,512}$' }),
  language: Text(20),
  status: Type.Optional(Text(40)),
  category: Type.Optional(Text(40)),
  parameter_format: Type.Optional(Type.Enum(['POSITIONAL', 'NAMED'])),
  components: Type.Array(
    Type.Object({
      type: Text(40),
      format: Type.Optional(Text(20)),
      text: Type.Optional(Type.String({ maxLength: 2000 })),
      buttons: Type.Optional(
        Type.Array(
          Type.Object({
            type: Text(40),
            text: Type.Optional(Type.String({ maxLength: 60 })),
            url: Type.Optional(Type.String({ maxLength: 2000 })),
            phone_number: Type.Optional(Type.String()),
          }),
          { maxItems: 10 },
        ),
      ),
    }),
  ),
  quality_score: Type.Optional(Type.Object({ score: Text(20) })),
  rejected_reason: Type.Optional(Text(60)),
})
type Input = Static<typeof TemplateInput>
// Meta's components have more fields than are validated here; they are listed as given.
export type Button = NonNullable<Input['components'][number]['buttons']>[number] & Record<string, unknown>
export type Component = Omit<Input['components'][number], 'buttons'> & {
  buttons?: Button[]
} & Record<string, unknown>
export type TemplateInput = Omit<Input, 'components'> & { components: Component[] }
export type Template = Required<Pick<TemplateInput, 'status' | 'category' | 'parameter_format'>> &
  TemplateInput & { id: string }

export const keyOf = ({ name, language }: { name: string; language: string }): string =>
  `${name}\n${language}`

export const makeTemplate = (input: TemplateInput, id = newNodeId()): Template => ({
  status: 'APPROVED',
  category: 'UTILITY',
  parameter_format: 'POSITIONAL',
  ...input,
  id,
})

export const componentOf = ({ components }: Template, type: string): Component | undefined =>
  components.find((component) => component.type.toUpperCase() === type)

/** The variables of a text without duplicates, in order of first appearance. */
export const variablesOf = (text: string | undefined): string[] => [
  ...new Set([...(text ?? '').matchAll(/\{\{\s*([a-z0-9_]+)\s*\}\}/gi)].map(([, name]) => name!)),
]
