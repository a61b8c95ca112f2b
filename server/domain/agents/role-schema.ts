import Type, { type Static } from 'typebox'
import { PermissionEnum } from '../accounts/schema.ts'
import { Id, Moment, Name } from '../schema.ts'

const ROLE_NAME_MAX = 60
export const ROLES_MAX = 100

export const RoleParams = Type.Object({ roleId: Id })

export const Role = Type.Object(
  {
    id: Id,
    name: Type.String(),
    permissions: Type.Array(PermissionEnum),
    isDefault: Type.Boolean({ description: 'Whether this is the role of members without another one.' }),
    memberCount: Type.Integer(),
    createdAt: Moment,
  },
  { title: 'Role' },
)
export type Role = Static<typeof Role>

export const RoleList = Type.Object(
  { roles: Type.Array(Role, { description: 'The default role first, then by name.' }) },
  { title: 'RoleList' },
)
export const RoleAnswer = Type.Object({ role: Role }, { title: 'RoleAnswer' })
export const RoleRemoved = Type.Object(
  {
    success: Type.Literal(true),
    movedCount: Type.Integer({ description: 'How many members were moved to the default role.' }),
  },
  { title: 'RoleRemoved' },
)

const Permissions = Type.Array(PermissionEnum, { maxItems: 100 })

export const NewRole = Type.Object(
  { name: Name(ROLE_NAME_MAX, { description: 'Unique, case-insensitive.' }), permissions: Permissions },
  { title: 'NewRole' },
)
export type NewRole = Static<typeof NewRole>

export const RoleChange = Type.Object(
  { name: Type.Optional(Name(ROLE_NAME_MAX)), permissions: Type.Optional(Permissions) },
  {
    title: 'RoleChange',
    description: 'At least one of the two is required.',
    atLeastOneOf: ['name', 'permissions'],
  },
)
export type RoleChange = Static<typeof RoleChange>
