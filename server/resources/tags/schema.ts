import Type, { type Static } from 'typebox'
import { Id } from '../schema.ts'

export const TAG_NAME_MAX = 60

export const Tag = Type.Object(
  {
    id: Id,
    name: Type.String(),
    color: Type.String({ description: '#rrggbb, lower case.', examples: ['#2f80ed'] }),
  },
  { title: 'Tag' },
)
export type Tag = Static<typeof Tag>

export const TagList = Type.Object(
  { tags: Type.Array(Tag, { description: 'By name.' }) },
  {
    title: 'TagList',
    examples: [{ tags: [{ id: 'cmi8q2f5c0006n2m7v4b1x9kq', name: 'VIP', color: '#2f80ed' }] }],
  },
)
export type TagList = Static<typeof TagList>
