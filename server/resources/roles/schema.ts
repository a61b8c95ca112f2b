import Type, { type Static } from 'typebox'
import { Id, Moment, Text } from '../schema.ts'
import { PermissionEnum } from '../sessions/schema.ts'

export const ROLE_NAME_MAX = 60
export const ROLES_MAX = 100

export const RoleParams = Type.Object({ roleId: Id })

export const Role = Type.Object(
  {
    id: Id,
    name: Type.String(),
    permissions: Type.Array(PermissionEnum),
    isDefault: Type.Boolean({ description: 'Whether members get it who are given no other.' }),
    memberCount: Type.Integer(),
    createdAt: Moment,
  },
  { title: 'Role' },
)
export type Role = Static<typeof Role>

export const RoleList = Type.Object(
  { roles: Type.Array(Role, { description: 'The default one, then the others by name.' }) },
  { title: 'RoleList' },
)
export const RoleAnswer = Type.Object({ role: Role }, { title: 'RoleAnswer' })
export const RoleRemoved = Type.Object(
  {
    success: Type.Literal(true),
    movedCount: Type.Integer({ description: 'How many members have the default role instead.' }),
  },
  { title: 'RoleRemoved' },
)

const Permissions = Type.Array(PermissionEnum, { maxItems: 100 })

export const NewRole = Type.Object(
  { name: Text(ROLE_NAME_MAX, { description: 'Unique without regard to case.' }), permissions: Permissions },
  { title: 'NewRole' },
)
export type NewRole = Static<typeof NewRole>

export const RoleChange = Type.Object(
  { name: Type.Optional(Text(ROLE_NAME_MAX)), permissions: Type.Optional(Permissions) },
  {
    title: 'RoleChange',
    description: 'At least one of the two.',
    atLeastOneOf: ['name', 'permissions'],
  },
)
export type RoleChange = Static<typeof RoleChange>
