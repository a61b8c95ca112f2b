import Type, { type Static } from 'typebox'
import { Id, Name } from '../schema.ts'

export const TAG_NAME_MAX = 60

export const Tag = Type.Object(
  {
    id: Id,
    name: Type.String(),
    color: Type.String({ description: '#rrggbb, lowercase.', examples: ['#2f80ed'] }),
  },
  { title: 'Tag' },
)
export type Tag = Static<typeof Tag>

export const TagList = Type.Object(
  { tags: Type.Array(Tag, { description: 'Ordered by name.' }) },
  {
    title: 'TagList',
    examples: [{ tags: [{ id: 'cmi8q2f5c0006n2m7v4b1x9kq', name: 'VIP', color: '#2f80ed' }] }],
  },
)
export type TagList = Static<typeof TagList>

export const TagParams = Type.Object({ tagId: Id })

/** The operation reports an invalid color, with an example. */
const Color = Type.String({ maxLength: 40, description: '#rrggbb' })

export const NewTag = Type.Object(
  { name: Name(TAG_NAME_MAX, { description: 'Unique, case-insensitive.' }), color: Color },
  { title: 'NewTag', examples: [{ name: 'VIP', color: '#2f80ed' }] },
)

export const TagChange = Type.Object(
  { name: Type.Optional(Name(TAG_NAME_MAX)), color: Type.Optional(Color) },
  {
    title: 'TagChange',
    description: 'At least one of the two is required.',
    atLeastOneOf: ['name', 'color'],
    examples: [{ color: '#2f80ed' }],
  },
)
export type TagChange = Static<typeof TagChange>

export const TagAnswer = Type.Object(
  { tag: Tag },
  {
    title: 'TagAnswer',
    examples: [{ tag: { id: 'cmi8q2f5c0006n2m7v4b1x9kq', name: 'VIP', color: '#2f80ed' } }],
  },
)
export const TagRemoved = Type.Object(
  { success: Type.Literal(true) },
  { title: 'TagRemoved', examples: [{ success: true }] },
)
